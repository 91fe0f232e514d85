"""An eponym is a thing where its sentence says so, and a person where it does not."""

from __future__ import annotations

import pytest

from incognote.core.labels import SAFE
from incognote.core.types import Document
from incognote.detect.names import NameDetector
from incognote.policy import load_policy
from incognote.prepare import prepare

THINGS = [
    ("Kawasaki was ruled out by the echo.", "Kawasaki"),
    ("Norwood, then Glenn, then Fontan.", "Glenn"),
    ("Norwood, then Glenn, then Fontan.", "Norwood"),
    ("Aunt with Lynch, cousin with Cowden.", "Lynch"),
    ("Mother: Alzheimer at 70. Father: Paget.", "Paget"),
    ("Weak for 20 min (Todd's). Better now.", "Todd"),
    ("The pouch of Douglas is free.", "Douglas"),
    ("Suspected Addison, cortisol sent.", "Addison"),
    ("Lynch in the family, colonoscopy yearly.", "Lynch"),
    ("Hodgkin in remission since 2019.", "Hodgkin"),
    # A word of the language, and nobody's name any more.
    ("Trousseau was present after the second cuff.", "Trousseau"),
    ("Family history of Huntington on both sides.", "Huntington"),
]
PEOPLE = [
    ("Dr. Douglas was ruled out as donor.", "Douglas"),
    ("Father: Glenn. Mother: Ann.", "Glenn"),
    ("Mr. Todd's wound is clean. Todd's wife called.", "Todd"),
    ("Brother with Mary Lynch, RN at the bedside.", "Lynch"),
]


def safe_in(text: str) -> list[str]:
    views = prepare(Document("x", text), load_policy().prepare)
    (spans,) = NameDetector().detect(views)
    return [text[span.start : span.end] for span in spans if span.label == SAFE]


@pytest.mark.parametrize(("text", "word"), THINGS)
def test_a_thing(text: str, word: str) -> None:
    assert word in safe_in(text)


@pytest.mark.parametrize(("text", "word"), PEOPLE)
def test_a_person(text: str, word: str) -> None:
    assert word not in safe_in(text)
