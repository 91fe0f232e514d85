"""Which of two identifiers in one place stands."""

from __future__ import annotations

from incognote.core.types import Span
from incognote.resolve.claims import Claim
from incognote.resolve.settle import settle, specify


def test_a_part_seen_again_by_the_same_detector_is_no_second_opinion():
    text = "UTM 17T 584937 4477522 sent"
    whole = Claim(Span(4, 22, "COORDINATES", 0.96, sources=("patterns/grid",)), 3)
    shape = Claim(Span(15, 22, "IDNUM", 0.5, sources=("patterns/number",)), 3)
    other = Claim(Span(15, 22, "LICENSE", 0.99, sources=("model",)), 2)
    kept, dropped = specify([whole, shape, other])
    assert kept == [whole, other]
    assert [each.reason for each in dropped] == ["merged:COORDINATES@4-22"]
    placed, _ = settle(kept, text)
    assert [claim.span for claim in placed] == [whole.span]


def test_the_word_before_an_identifier_is_no_part_of_it():
    text = "MAC 00 1B 44 seen"
    exact = Claim(Span(4, 12, "MAC", 1.0, sources=("patterns/mac",)), 3)
    longer = Claim(Span(0, 12, "IDNUM", 0.9, sources=("model",)), 2)
    placed, _ = settle([longer, exact], text)
    assert [claim.span for claim in placed] == [exact.span]
