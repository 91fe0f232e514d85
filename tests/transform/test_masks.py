from __future__ import annotations

import re

import pytest
from tests.transform.conftest import deid, policy, surrogate

from incognote.core.errors import PolicyError
from incognote.transform import Transformer


def masked(text: str, action: str, **options) -> str:
    return surrogate(text, "PATIENT", labels={"PATIENT": {"action": action, **options}})


def test_tag():
    assert masked("John Smith", "tag") == "[PATIENT]"
    assert masked("John Smith", "tag", form="<<{}>>") == "<<PATIENT>>"


def test_numbered_tags_tell_values_apart():
    result = deid(
        "[[Ann|PATIENT]], [[Bea|PATIENT]], [[ANN|PATIENT]], [[Dr. Lee|DOCTOR]]",
        labels={"default": {"action": "tag", "numbered": True}},
    )
    assert result.text == "[PATIENT-1], [PATIENT-2], [PATIENT-1], [DOCTOR-1]"


def test_redact_keeps_length_and_blanks():
    assert masked("John Q. Smith", "redact") == "XXXX XX XXXXX"
    assert masked("John Smith", "redact", mask="█") == "████ █████"


def test_remove():
    assert deid("by [[Ann|PATIENT]].", labels={"PATIENT": "remove"}).text == "by ."


def test_hash_is_keyed_and_consistent():
    code = masked("John Smith", "hash")
    assert re.fullmatch(r"[0-9a-z]{12}", code)
    assert code == masked("JOHN SMITH", "hash")
    assert code != masked("Jane Smith", "hash")
    assert len(masked("John Smith", "hash", length=20)) == 20
    other = surrogate("John Smith", "PATIENT", key=b"x" * 16, labels={"PATIENT": "hash"})
    assert code != other


def test_truncate():
    assert masked("John Smith", "truncate") == "J*** *****"
    assert masked("John Smith", "truncate", keep=2, mask="") == "Jo"


def test_number_shift():
    new = surrogate("120", "IDNUM", labels={"IDNUM": {"action": "shift", "by": 5}})
    assert 0 < abs(int(new) - 120) <= 5


BAD = [
    ({"PATIENT": "vanish"}, "labels.PATIENT.action"),
    ({"PATIENT": {"action": "tag", "colour": "red"}}, "labels.PATIENT.colour"),
    ({"PATIENT": {"action": "tag", "numbered": "yes"}}, "labels.PATIENT.numbered"),
    ({"PATIENT": {"action": "tag", "form": "[]"}}, "labels.PATIENT.form"),
    ({"PATIENT": {"action": "redact", "mask": "XX"}}, "labels.PATIENT.mask"),
    ({"PATIENT": {"action": "hash", "length": 2}}, "labels.PATIENT.length"),
    ({"PATIENT": "zip3"}, "labels.PATIENT.action"),
    ({"PATIENT": "year"}, "labels.PATIENT.action"),
    ({"AGE": {"action": "generalize", "width": 1}}, "labels.AGE.width"),
    ({"AGE": {"action": "shift", "by": 0}}, "labels.AGE.by"),
    ({"DATE": "shift"}, "surrogate moves dates"),
    ({"DATE": "shuffle"}, "labels.DATE.action"),
]


@pytest.mark.parametrize(("labels", "path"), BAD, ids=[f"{i}-{b[1]}" for i, b in enumerate(BAD)])
def test_bad_rules_are_found_before_the_first_document(labels, path):
    with pytest.raises(PolicyError, match=re.escape(path)):
        Transformer(policy(labels), b"k" * 16)


@pytest.mark.parametrize(
    ("rules", "path"),
    [({"scope": "ward"}, "transform.scope"), ({"date_order": "?"}, "transform.date_order"),
     ({"leaks": "ignore"}, "transform.leaks"), ({"min_shift_days": 0}, "transform.min_shift_days"),
     ({"min_shift_days": 9, "max_shift_days": 8}, "transform.min_shift_days"),
     ({"min_shift_days": 14, "max_shift_days": 14}, "transform.max_shift_days")],
)  # fmt: skip
def test_bad_sections_are_found_before_the_first_document(rules, path):
    with pytest.raises(PolicyError, match=re.escape(path)):
        Transformer(policy(**rules), b"k" * 16)
