from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields

import pytest

from incognote.core.types import Document, Dropped, Failure, Replacement, Result, Span
from incognote.policy import PrepareRules
from incognote.prepare import prepare

CANARY = "Zebulon Quackenbush"


def _nouns():
    document = Document("d1", CANARY, {"patient_id": CANARY}, locator=CANARY)
    span = Span(0, 7, "PATIENT", 0.9, ("names/title",))
    replacement = Replacement(span, CANARY, "surrogate")
    result = Result(document, (span,), (Dropped(span, "overlap"),), (replacement,), CANARY)
    view = prepare(document, PrepareRules())[0]
    return [document, span, replacement, result, view, Failure("d1", "detect", "ValueError")]


@pytest.mark.parametrize("noun", _nouns(), ids=lambda noun: type(noun).__name__)
class TestEveryNoun:
    def test_shows_no_clinical_text(self, noun):
        assert "Zebulon" not in repr(noun)
        assert "Zebulon" not in str(noun)

    def test_survives_pickling(self, noun):
        assert pickle.loads(pickle.dumps(noun)) == noun

    def test_is_frozen(self, noun):
        with pytest.raises(FrozenInstanceError):
            setattr(noun, fields(noun)[0].name, "other")


@pytest.mark.parametrize(("start", "end"), [(3, 3), (4, 2), (-1, 2)])
def test_a_span_is_never_empty(start, end):
    with pytest.raises(ValueError, match="not a span"):
        Span(start, end, "DATE")


@pytest.mark.parametrize(
    ("a", "b", "overlap", "covers"),
    [
        ((0, 5), (5, 9), False, False),
        ((0, 5), (4, 9), True, False),
        ((0, 9), (2, 4), True, True),
        ((2, 4), (0, 9), True, False),
    ],
)
def test_overlap_and_cover(a, b, overlap, covers):
    left, right = Span(*a, "DATE"), Span(*b, "DATE")
    assert left.overlaps(right) is overlap
    assert right.overlaps(left) is overlap
    assert left.covers(right) is covers
