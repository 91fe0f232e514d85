"""How sure a number is: intervals, tests between two systems, and bounds on what still leaks.

Words of one note stand or fall together, so everything here resamples whole documents (or whole
patients), never words. All random draws are seeded: the same input gives the same report.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incognote.core.errors import UsageError
from incognote.evaluate.scoring.counts import ByDocument

METRICS = ("precision", "recall", "f1")  # those that two systems are compared by
SHUFFLES = 9_999
RESAMPLES = 2_000
SEED = 0

Floats = npt.NDArray[np.float64]
_CELLS = 4_000_000  # random numbers held at once


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Test:
    """One metric of two systems: `p` that a difference this large comes by chance alone.

    `adjusted` is p after Bonferroni's correction for all tests made together.
    """

    subset: str
    metric: str
    a: float
    b: float
    p: float
    adjusted: float

    @property
    def difference(self) -> float:
        return self.a - self.b


def scores_of(sums: Floats) -> dict[str, Floats]:
    """Metrics of pooled (tp, fp, fn), for any number of samples at once."""
    tp, fp, fn = sums[..., 0], sums[..., 1], sums[..., 2]
    return {
        "precision": _divide(tp, tp + fp),
        "recall": _divide(tp, tp + fn),
        "f1": _divide(2 * tp, 2 * tp + fp + fn),
        "f2": _divide(5 * tp, 5 * tp + fp + 4 * fn),
    }


def _divide(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def bootstrap(
    counts: ByDocument,
    clusters: Sequence[str] | None = None,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Interval]:
    """Percentile intervals over resampled documents, or over clusters of them (patients)."""
    samples = scores_of(_resampled(_clustered(counts.matrix(), clusters), resamples, seed))
    return {name: _interval(values, level) for name, values in samples.items()}


def _clustered(rows: Floats, clusters: Sequence[str] | None) -> Floats:
    if clusters is None:
        return rows
    _, owner = np.unique(np.array(clusters), return_inverse=True)
    sums = np.zeros((owner.max() + 1, rows.shape[1]))
    np.add.at(sums, owner, rows)
    return sums


def _resampled(rows: Floats, resamples: int, seed: int) -> Floats:
    """Column sums of `resamples` samples of the rows, drawn with replacement."""
    rng = np.random.default_rng(seed)
    size = len(rows)
    sums = np.empty((resamples, rows.shape[1]))
    step = max(1, _CELLS // size)
    for at in range(0, resamples, step):
        count = min(step, resamples - at)
        drawn = rng.integers(0, size, (count, size))
        sums[at : at + count] = rows[drawn].sum(axis=1)
    return sums


def _interval(values: Floats, level: float) -> Interval:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def randomisation(
    pairs: dict[str, tuple[ByDocument, ByDocument]],
    *,
    shuffles: int = SHUFFLES,
    seed: int = SEED,
) -> list[Test]:
    """Approximate randomisation: A's and B's answers are swapped document by document.

    If the systems were equally good, swapping would make no difference; p is the share of shuffles
    whose difference is at least the observed one. `pairs` holds both systems' counts by subset.
    """
    if shuffles < 1:
        raise UsageError("a randomisation test needs at least one shuffle")
    tests = len(pairs) * len(METRICS)
    found = []
    for subset, (a, b) in pairs.items():
        left, right = a.matrix(), b.matrix()
        if left.shape != right.shape:
            raise UsageError("the two systems were not measured on the same documents")
        observed_a, observed_b = scores_of(left.sum(axis=0)), scores_of(right.sum(axis=0))
        exceeded = _exceeded(left, right, shuffles, seed)
        for metric in METRICS:
            p = (exceeded[metric] + 1) / (shuffles + 1)
            found.append(
                Test(
                    subset,
                    metric,
                    float(observed_a[metric]),
                    float(observed_b[metric]),
                    p,
                    min(1.0, p * tests),
                )
            )
    return found


def _exceeded(left: Floats, right: Floats, shuffles: int, seed: int) -> dict[str, int]:
    rng = np.random.default_rng(seed)
    total = left.sum(axis=0) + right.sum(axis=0)
    observed = _differences(left.sum(axis=0), total)
    counts = dict.fromkeys(METRICS, 0)
    # Documents on which both systems agree change nothing when swapped.
    differ = (left != right).any(axis=1)
    change = (right - left)[differ]
    step = max(1, _CELLS // max(1, len(change)))
    for at in range(0, shuffles, step):
        size = (min(step, shuffles - at), len(change))
        swapped = rng.integers(0, 2, size, dtype=np.int8).astype(np.float32)
        # Whole numbers far below 2**24: exact in single precision, and twice as fast.
        mixed = left.sum(axis=0) + (swapped @ change.astype(np.float32)).astype(np.float64)
        for metric, values in _differences(mixed, total).items():
            counts[metric] += int((values >= observed[metric] - 1e-12).sum())
    return counts


def _differences(one: Floats, total: Floats) -> dict[str, Floats]:
    a, b = scores_of(one), scores_of(total - one)
    return {metric: np.abs(a[metric] - b[metric]) for metric in METRICS}


def upper_bound(leaks: int, notes: int, level: float = 0.95) -> float:
    """Clopper-Pearson: the archive's share of leaking notes is below this, `level` sure.

    The notes must be a random sample of the archive.
    """
    if not 0 <= leaks <= notes or notes < 1:
        raise UsageError(f"{leaks} leaking notes of {notes} is not a sample")
    if leaks == notes:
        return 1.0
    logs = _log_choose(notes, leaks)
    low, high = leaks / notes, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if _at_most(logs, notes, middle) > 1 - level:
            low = middle
        else:
            high = middle
        if high - low < 1e-15:
            break
    return high


def _log_choose(notes: int, leaks: int) -> Floats:
    logs = [
        math.lgamma(notes + 1) - math.lgamma(k + 1) - math.lgamma(notes - k + 1)
        for k in range(leaks + 1)
    ]
    return np.array(logs)


def _at_most(logs: Floats, notes: int, rate: float) -> float:
    """The chance to see as many leaks as there are terms, or fewer, at this true rate."""
    if rate >= 1.0:
        return 0.0
    k = np.arange(len(logs))
    return float(np.exp(logs + k * math.log(rate) + (notes - k) * math.log1p(-rate)).sum())


def sample_size(wanted: float, leaks: int = 0, level: float = 0.95) -> int:
    """How many random notes must be annotated to claim "at most `wanted` of the notes leak"
    when `leaks` of them turn out to leak."""
    if not 0 < wanted < 1:
        raise UsageError("the wanted leak rate must lie between 0 and 1")
    high = max(leaks + 1, 2)
    while upper_bound(leaks, high, level) > wanted:
        high *= 2
    low = max(leaks, 1)
    while high - low > 1:
        middle = (low + high) // 2
        if upper_bound(leaks, middle, level) > wanted:
            low = middle
        else:
            high = middle
    return high


def clustered_upper_bound(
    leaks: npt.NDArray[np.int64],
    units: npt.NDArray[np.int64],
    clusters: Sequence[str] | None = None,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> float:
    """Bootstrap bound on leaks per unit (missed words per word) where patients cluster."""
    rows = _clustered(np.stack([leaks, units], axis=1).astype(np.float64), clusters)
    sums = _resampled(rows, resamples, seed)
    return float(np.quantile(_divide(sums[:, 0], sums[:, 1]), level))
