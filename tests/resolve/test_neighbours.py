"""Who overlaps whom: the index says what asking everybody says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from incognote.core.types import Span
from incognote.resolve.claims import Claim
from incognote.resolve.settle import _Neighbours

SPANS = st.builds(
    lambda start, length: Span(start, start + length, "DATE"),
    st.integers(0, 30),
    st.integers(1, 12),
)


@given(st.lists(SPANS, max_size=12), SPANS)
def test_finds_every_claim_that_overlaps(spans: list[Span], asked: Span) -> None:
    found = _Neighbours([Claim(span, 1) for span in spans]).of(asked)
    overlapping = [span for span in spans if span.overlaps(asked)]
    assert sorted(claim.span for claim in found) == sorted(overlapping)
