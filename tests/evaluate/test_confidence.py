"""Intervals, tests between systems, and how many notes to annotate."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest

from incognote.core.errors import UsageError
from incognote.evaluate.confidence import (
    bootstrap,
    clustered_upper_bound,
    randomisation,
    sample_size,
    scores_of,
    upper_bound,
)
from incognote.evaluate.scoring.counts import ByDocument


def counts(*rows: tuple[int, int, int]) -> ByDocument:
    tp, fp, fn = np.array(rows, np.int64).T
    return ByDocument(tp, fp, fn)


GOOD = counts(*[(9, 1, 1)] * 10)
MIXED = counts(*[(9, 1, 1), (5, 2, 5)] * 20)


def test_equal_documents_leave_no_doubt() -> None:
    interval = bootstrap(GOOD)["recall"]
    assert (interval.low, interval.high) == pytest.approx((0.9, 0.9))


def test_the_interval_holds_the_score_and_widens_with_confidence() -> None:
    narrow, wide = (bootstrap(MIXED, level=level)["f1"] for level in (0.8, 0.99))
    assert wide.low < narrow.low < MIXED.total().f1 < narrow.high < wide.high


def test_patients_that_cluster_widen_the_interval() -> None:
    patients = ["a"] * 20 + ["b"] * 20
    rows = counts(*[(9, 1, 1)] * 20, *[(5, 2, 5)] * 20)
    alone, together = bootstrap(rows)["recall"], bootstrap(rows, patients)["recall"]
    assert together.high - together.low > alone.high - alone.low


def test_the_same_input_gives_the_same_numbers() -> None:
    assert bootstrap(MIXED) == bootstrap(MIXED)
    pairs = {"all": (MIXED, counts(*[(8, 1, 2), (6, 2, 4)] * 20))}
    assert randomisation(pairs, shuffles=500) == randomisation(pairs, shuffles=500)


def test_equal_systems_cannot_be_told_apart() -> None:
    tests = randomisation({"all": (MIXED, MIXED)}, shuffles=99)
    assert {test.p for test in tests} == {1.0}


def test_p_approaches_the_exact_permutation_test() -> None:
    a = counts((9, 0, 1), (7, 1, 3), (9, 2, 1), (4, 0, 6), (8, 1, 2), (9, 0, 1))
    b = counts((8, 0, 2), (7, 1, 3), (6, 2, 4), (5, 0, 5), (4, 1, 6), (8, 0, 2))
    left, right = a.matrix(), b.matrix()

    def distance(swaps: tuple[int, ...]) -> float:
        chosen = np.array(swaps)[:, None]
        one = np.where(chosen, right, left).sum(axis=0)
        other = np.where(chosen, left, right).sum(axis=0)
        return abs(float(scores_of(one)["f1"]) - float(scores_of(other)["f1"]))

    observed = distance((0,) * 6)
    exact = np.mean([distance(swaps) >= observed - 1e-12 for swaps in product((0, 1), repeat=6)])
    found = next(t for t in randomisation({"all": (a, b)}) if t.metric == "f1")
    assert found.p == pytest.approx(exact, abs=0.02)


def test_bonferroni_multiplies_by_the_number_of_tests() -> None:
    worse = counts(*[(7, 1, 3), (3, 2, 7)] * 20)
    tests = randomisation({"one": (MIXED, worse), "two": (MIXED, worse)}, shuffles=999)
    for test in tests:
        assert test.adjusted == pytest.approx(min(1.0, test.p * len(tests)))
    assert min(test.p for test in tests) == pytest.approx(1 / 1000)


def test_more_notes_give_a_lower_bound() -> None:
    assert upper_bound(0, 300) < 0.01 < upper_bound(0, 298)
    assert sample_size(0.01) == 299
    assert sample_size(0.01, leaks=2) > sample_size(0.01, leaks=1) > 299


@pytest.mark.parametrize("leaks", [0, 1, 7])
def test_the_sample_size_is_the_smallest_that_will_do(leaks: int) -> None:
    notes = sample_size(0.02, leaks)
    assert upper_bound(leaks, notes) <= 0.02 < upper_bound(leaks, notes - 1)


def test_nonsense_is_refused() -> None:
    for wrong in (lambda: upper_bound(3, 2), lambda: sample_size(0), lambda: upper_bound(0, 0)):
        with pytest.raises(UsageError):
            wrong()


def test_a_bound_on_missed_words() -> None:
    missed, words = np.array([0, 0, 5, 0]), np.array([100, 100, 100, 100])
    bound = clustered_upper_bound(missed, words)
    assert 5 / 400 < bound <= 5 / 100


def test_the_worked_example_of_yeh() -> None:
    """Yeh 2000, Section 3: of 103 relevant responses two techniques find 28 both, 19 only the first,
    23 only the second; of the wrong ones 5 both, 43 only the first, 14 only the second. Each response
    is swapped by itself, so that p can also be worked out: both differences are binomial."""
    both, first, second = (1, 0, 0), (1, 0, 0), (0, 0, 1)
    wrong, none = (0, 1, 0), (0, 0, 0)
    a = [both] * 28 + [first] * 19 + [second] * 23 + [(0, 0, 1)] * 33
    b = [both] * 28 + [second] * 19 + [first] * 23 + [(0, 0, 1)] * 33
    a += [wrong] * 5 + [wrong] * 43 + [none] * 14
    b += [wrong] * 5 + [none] * 43 + [wrong] * 14
    found = {one.metric: one for one in randomisation({"all": (counts(*a), counts(*b))})}
    scores = {
        metric: (f"{100 * found[metric].a:.1f}", f"{100 * found[metric].b:.1f}")
        for metric in ("recall", "precision", "f1")
    }
    assert scores == {
        "recall": ("45.6", "49.5"),
        "precision": ("49.5", "72.9"),
        "f1": ("47.5", "59.0"),
    }

    def exact(metric: str) -> float:
        def difference(right: int, false: int) -> float:
            sides = [(28 + right, 5 + false), (28 + 42 - right, 5 + 57 - false)]
            one, other = (scores_of(np.array([tp, fp, 103.0 - tp])) for tp, fp in sides)
            return abs(float(one[metric]) - float(other[metric]))

        observed = difference(19, 43) - 1e-12
        return sum(
            comb(42, right) * comb(57, false) / 2**99
            for right in range(43)
            for false in range(58)
            if difference(right, false) >= observed
        )

    for metric in scores:
        assert found[metric].p == pytest.approx(exact(metric), abs=0.015), metric
    assert found["recall"].p > 0.5
    assert max(found["precision"].p, found["f1"].p) < 0.05
