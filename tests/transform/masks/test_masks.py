from __future__ import annotations

import re

import pytest
from tests.transform.conftest import deid, new_values, policy, surrogate

from incognote.core.errors import PolicyError
from incognote.transform import Transformer


def masked(text: str, action: str, **options) -> str:
    return surrogate(text, "PATIENT", labels={"PATIENT": {"action": action, **options}})


def test_tag():
    assert masked("John Smith", "tag") == "[PATIENT]"
    assert masked("John Smith", "tag", form="<<{}>>") == "<<PATIENT>>"


NUMBERED = {"default": {"action": "tag", "numbered": True}}


def test_numbered_tags_tell_values_apart():
    result = deid(
        "[[Ann|PATIENT]], [[Bea|PATIENT]], [[ANN|PATIENT]], [[Dr. Lee|DOCTOR]]",
        patient="",
        labels=NUMBERED,
    )
    assert result.text == "[PATIENT-1], [PATIENT-2], [PATIENT-1], [DOCTOR-1]"


def test_numbered_tags_count_people():
    marked = (
        "Patient: [[Smith, John|PATIENT]]. Mr. [[Smith|PATIENT]] came with his wife "
        "[[Mary Smith|PATIENT]]. [[Johnny|PATIENT]] saw Dr. [[Ann Lee|DOCTOR]]. Dr. [[Lee|DOCTOR]]"
    )
    alone = deid(marked, patient="", labels=NUMBERED).text
    assert alone == (
        "Patient: [PATIENT-1]. Mr. [PATIENT-1] came with his wife [PATIENT-2]. "
        "[PATIENT-1] saw Dr. [DOCTOR-1]. Dr. [DOCTOR-1]"
    )


def test_numbers_are_the_same_in_all_notes_of_a_patient():
    def tags(marked: str) -> list[str]:
        return new_values(deid(marked, labels=NUMBERED))

    first = tags("Pt: [[John Smith|PATIENT]], wife [[Mary Smith|PATIENT]], Dr. [[Ann Lee|DOCTOR]]")
    assert first[0] == "[PATIENT-1]"
    assert len(set(first)) == 3
    again = tags("Dr. [[Lee|DOCTOR]] told his wife [[Mary|PATIENT]] that Pt: [[SMITH, J|PATIENT]]")
    assert again == [first[2], first[1], first[0]]


def test_a_hash_is_a_person():
    codes = new_values(
        deid(
            "Patient: [[Smith, John|PATIENT]]. Mr. [[Smith|PATIENT]]; wife [[Mary|PATIENT]]",
            labels={"default": "hash"},
        )
    )
    assert codes[0] == codes[1] != codes[2]


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
    assert masked("4111-1111-2222", "truncate", keep=2, keep_end=4) == "41**-****-2222"
    assert masked("4111", "truncate", keep=2, keep_end=2) == "****"  # nothing would be masked
    assert masked("John", "truncate", keep=0, keep_end=1) == "***n"
    assert masked("Bo", "truncate", keep=2) == "**"  # nor here, and the note need not be refused
    assert masked("O'Hara-Li", "truncate", keep=1, keep_end=1, mask="") == "Oi"


# What a part of a value says: a subnet, an area code, a vendor, a category, a domain, a root.
PARTS = [
    ("IPADDR", "203.0.113.77", 2, 0, "203.0.***.**"),
    ("PHONE", "937-555-0142", 1, 0, "937-***-****"),
    ("PHONE", "(937) 555-0142", 1, 1, "(937) ***-0142"),
    ("MAC", "00:1B:44:11:3A:B7", 3, 0, "00:1B:44:**:**:**"),
    ("ICD", "M32.14", 1, 0, "M32.**"),
    ("ICD", "M32", 1, 0, "***"),
    ("EMAIL", "mq.feather@example.org", 0, 2, "**.*******@example.org"),
    ("IDNUM", "1.2.840.113619.2.55", 4, 0, "1.2.840.113619.*.**"),
]


@pytest.mark.parametrize(("label", "value", "keep", "keep_end", "expected"), PARTS)
def test_truncate_by_parts(label, value, keep, keep_end, expected):
    rule = {"action": "truncate", "keep": keep, "keep_end": keep_end, "parts": True}
    assert surrogate(value, label, labels={label: rule}) == expected


def test_truncate_by_parts_cuts_clean():
    assert masked("M32.14", "truncate", keep=1, mask="", parts=True) == "M32"
    assert masked("45402-1234", "truncate", keep=0, keep_end=1, mask="", parts=True) == "1234"


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
     ({"min_shift_days": 15, "max_shift_days": 16, "keep_weekday": True},
      "transform.max_shift_days")],
)  # fmt: skip
def test_bad_sections_are_found_before_the_first_document(rules, path):
    with pytest.raises(PolicyError, match=re.escape(path)):
        Transformer(policy(**rules), b"k" * 16)
