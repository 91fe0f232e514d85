from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.core.errors import OffsetError
from incognote.core.text.offsets import Alignment, OffsetMap, OffsetMapBuilder

_EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("keep"), st.integers(1, 9), st.just(0)),
        st.tuples(st.just("drop"), st.integers(1, 4), st.just(0)),
        st.tuples(st.just("replace"), st.integers(1, 3), st.integers(1, 3)),
    ),
    max_size=20,
)


def _build(edits, base=0):
    """A map, and by a slower way the source range behind each view character."""
    builder = OffsetMapBuilder(base)
    behind: list[tuple[int, int]] = []
    at = base
    for kind, a, b in edits:
        if kind == "keep":
            builder.keep(a)
            behind += [(at + i, at + i + 1) for i in range(a)]
        elif kind == "drop":
            builder.drop(a)
        else:
            builder.replace(a, b)
            behind += [(at + i, at + i + 1) for i in range(a)] if a == b else [(at, at + a)] * b
        at += a
    return builder.build(), behind


@given(_EDITS, st.integers(0, 50), st.data())
def test_maps_every_span_to_what_stands_behind_it(edits, base, data):
    offsets, behind = _build(edits, base)
    assert offsets.length == len(behind)
    if behind:
        start = data.draw(st.integers(0, len(behind) - 1))
        end = data.draw(st.integers(start + 1, len(behind)))
        expected = behind[start][0], behind[end - 1][1]
        assert offsets.to_source(start, end) == expected


def test_identity_with_base():
    assert OffsetMap.identity(5, base=10).to_source(1, 3) == (11, 13)


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 3), (4, 6), (4, 3)])
def test_refuses_spans_outside_the_view(start, end):
    with pytest.raises(OffsetError):
        OffsetMap.identity(5).to_source(start, end)


@pytest.mark.parametrize(
    "alignments", [(Alignment(1, 0, 2, 2),), (Alignment(0, 5, 2, 2), Alignment(2, 3, 1, 1))]
)
def test_refuses_maps_with_gaps_or_going_backwards(alignments):
    with pytest.raises(OffsetError):
        OffsetMap(alignments)
