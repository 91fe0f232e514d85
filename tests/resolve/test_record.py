"""What one document of a record surely says is looked for in the others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from incognote.core.types import Document, Failure, Result
from incognote.pipeline import Pipeline
from incognote.policy import load_policy, policy_from
from incognote.resolve import known_from_record
from incognote.testing import parse_markup


def results(*marked: str, record: str = "r") -> list[Result]:
    found = []
    for text, spans in map(parse_markup, marked):
        found.append(Result(Document("d", text, record=record), spans))
    return found


def told(found: list[Result], **rules: object) -> dict[int, tuple[tuple[str, str], ...]]:
    policy = policy_from({"name": "t", "labels": {"default": "keep"}, "resolve": rules})
    return {at: document.known for at, document in known_from_record(found, policy.resolve)}


def test_a_body_tells_the_title() -> None:
    found = results("[[Adaeze Okonkwo|PATIENT]], MRN [[7741902|MEDICALRECORD]]", "Okonkwo 7741902")
    assert told(found) == {1: (("MEDICALRECORD", "7741902"), ("PATIENT", "Adaeze Okonkwo"))}


def test_only_where_something_of_it_stands_unfound() -> None:
    found = results("[[Adaeze Okonkwo|PATIENT]] came.", "For [[Okonkwo|PATIENT]].", "Lab list")
    assert told(found) == {}


def test_an_address_that_is_made_of_the_name_is_told() -> None:
    found = results("[[Adaeze Okonkwo|PATIENT]] came.", "[[okonkwo@mail.example|EMAIL]]")
    assert told(found) == {1: (("PATIENT", "Adaeze Okonkwo"),)}


def test_an_initial_is_told_the_name_it_may_stand_for() -> None:
    pipeline = Pipeline(load_policy("rules"))
    texts = ("Mr. Adaeze Okonkwo, MRN 7741902.", "Mr. Adaeze O. left.", "Mr. Adaeze left.")
    found = [each for text in texts for each in pipeline.detect([Document("d", text, record="r")])]
    results = [each for each in found if isinstance(each, Result)]
    assert told(results) == {1: (("PATIENT", "Adaeze Okonkwo"),)}


@pytest.mark.parametrize("record", ["", "s"])
def test_other_records_are_not_told(record: str) -> None:
    first = results("[[Adaeze Okonkwo|PATIENT]] came.", record="r" if record else "")
    assert told(first + results("Okonkwo", record=record)) == {}


def test_a_policy_without_repetitions_tells_nobody() -> None:
    found = results("[[Adaeze Okonkwo|PATIENT]] came.", "Okonkwo")
    assert told(found, repetitions=False) == {}


def test_a_failure_has_nothing_to_tell() -> None:
    policy = load_policy("rules")
    outcomes = [Failure("d", "detect", "Error"), *results("Okonkwo")]
    assert list(known_from_record(outcomes, policy.resolve)) == []


BODY = "Patient Adaeze Okonkwo, MRN 7741902, seen by Dr. Quillon Brandvold on 3/4/2021."


@pytest.mark.parametrize("policy", ["rules", "fast", "i2b2-2014"])
def test_what_says_nothing_of_itself_is_masked_as_the_body_says(policy: str) -> None:
    texts = [
        BODY, "Okonkwo 7741902", "okonkwo", "for Brandvold", "OKONKWO_7741902", "OkonkwoAdaeze",
        "AdaezeOkonkwo", "AOkonkwo", "okonkwo7741902", "aokonkwo",
    ]  # fmt: skip
    documents = [Document("d", text, record="r") for text in texts]
    pipeline = Pipeline(policy, b"a key for tests, and nothing else")
    body, *rest = pipeline.deid(documents)
    assert isinstance(body, Result)
    for outcome, document in zip(rest, documents[1:], strict=True):
        assert isinstance(outcome, Result)
        assert outcome.document == document
        said = (outcome.text or "").lower()
        assert not any(word in said for word in ("okonkwo", "adaeze", "brandvold", "7741902")), said
    family = next(r.text for r in body.replacements if r.span.label == "PATIENT").split()[-1]
    assert isinstance(rest[1], Result)
    assert rest[1].text == family.lower()
    alone = pipeline.deid([replace(documents[1], record="")])[0]
    if policy == "rules":  # nothing in it says whose name it is
        assert isinstance(alone, Result)
        assert "Okonkwo" in (alone.text or "")
