"""Whole mentions: strict, relaxed and overlap, with and without labels."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluate.notes import pair_of, span

from incognote.core.types import Document
from incognote.evaluate.scoring.counts import Counts
from incognote.evaluate.scoring.pairs import Pair
from incognote.evaluate.scoring.spans import MODES, span_table

DOC = Document("1", "x" * 60)

# gold, prediction, and (strict, relaxed, overlap) as tp/fp/fn
MATCHES = {
    "same": ([(0, 5)], [(0, 5)], ["100", "100", "100"]),
    "end off by two": ([(0, 5)], [(0, 7)], ["011", "100", "100"]),
    "end off by three": ([(0, 5)], [(0, 8)], ["011", "011", "100"]),
    "start off by one": ([(0, 5)], [(1, 5)], ["011", "011", "100"]),
    "touching is not overlapping": ([(0, 5)], [(5, 9)], ["011", "011", "011"]),
    "one finds two": ([(0, 5), (6, 9)], [(0, 9)], ["012", "012", "200"]),
    "two share one": ([(0, 9)], [(0, 4), (5, 9)], ["021", "021", "100"]),
    "one to one when relaxed": ([(0, 5)], [(0, 5), (0, 6)], ["110", "110", "100"]),
    "doubles count once": ([(0, 5), (0, 5)], [(0, 5), (0, 5)], ["100", "100", "100"]),
}


@pytest.mark.parametrize("case", MATCHES)
@pytest.mark.parametrize("mode", MODES)
def test_matching(case: str, mode: str) -> None:
    gold, pred, expected = MATCHES[case]
    pair = Pair(DOC, tuple(span(*b, "A") for b in gold), tuple(span(*b, "A") for b in pred))
    found = span_table([pair]).counts(mode)
    assert f"{found.tp}{found.fp}{found.fn}" == expected[MODES.index(mode)]


def test_overlap_counts_claims_and_mentions_each_on_their_own_side() -> None:
    pair = Pair(DOC, (span(0, 9, "A"),), (span(0, 4, "A"), span(5, 9, "A"), span(20, 21, "A")))
    found = span_table([pair]).counts("overlap")
    assert (found.recall, found.precision) == (1.0, pytest.approx(2 / 3))


def test_labels_matter_only_when_typed() -> None:
    table = span_table([pair_of("[[Lee|DOCTOR]]", "[[Lee|PATIENT]]")])
    assert table.counts("strict", typed=False) == Counts(1, 0, 0)
    assert table.counts("strict", typed=True) == Counts(0, 1, 1)


def test_a_prediction_on_something_neutral_is_no_false_alarm() -> None:
    table = span_table([pair_of("at [[10:30|TIME]] x", "at [[10:30|DATE]] [[x|DATE]]")])
    assert table.counts("strict") == Counts(0, 1, 0)


def test_by_document_and_by_label_sum_to_the_whole() -> None:
    pairs = [
        pair_of("[[Ann|PATIENT]] [[Lee|DOCTOR]]", "[[Ann|PATIENT]] Lee", "1"),
        pair_of("[[Bo|PATIENT]] x", "Bo [[x|CITY]]", "2"),
    ]
    table = span_table(pairs)
    assert table.by_document("strict").total() == Counts(1, 1, 2)
    by_label = table.by_label("strict")
    assert by_label["PATIENT"] == Counts(1, 0, 1, 1)
    assert by_label["CITY"] == Counts(0, 1, 0, 0)


bounds = st.tuples(st.integers(0, 50), st.integers(1, 9), st.sampled_from(["A", "B"]))
sides = st.lists(bounds.map(lambda b: span(b[0], b[0] + b[1], b[2])), max_size=8).map(tuple)


@settings(deadline=None)
@given(sides, sides)
def test_strict_is_the_intersection_and_overlap_finds_no_less(gold, pred) -> None:
    table = span_table([Pair(DOC, gold, pred)])
    strict = table.counts("strict")
    true = {(s.start, s.end, s.label) for s in gold}
    said = {(s.start, s.end, s.label) for s in pred}
    assert strict == Counts(len(true & said), len(said - true), len(true - said))
    for typed in (True, False):
        loosest = table.counts("overlap", typed=typed).tp
        assert all(table.counts(mode, typed=typed).tp <= loosest for mode in MODES)


@settings(deadline=None)
@given(sides, sides)
def test_swapping_sides_swaps_misses_and_false_alarms(gold, pred) -> None:
    one = span_table([Pair(DOC, gold, pred)]).counts("overlap", typed=False)
    other = span_table([Pair(DOC, pred, gold)]).counts("overlap", typed=False)
    assert (one.fp, one.fn) == (other.fn, other.fp)
