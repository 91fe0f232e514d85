"""What a wanted sensitivity costs: precision and false alarms along the scores of a system."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incognote.evaluate.scoring.counts import Counts, ratio
from incognote.evaluate.scoring.words import WordTable

TARGETS = (1.0, 0.999, 0.997, 0.990)


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Counts when everything scored at least `threshold` is taken as PHI."""

    threshold: float
    counts: Counts
    words: int

    @property
    def missed_per_1000(self) -> float:
        return 1000 * ratio(self.counts.fn, self.words)

    @property
    def false_per_1000(self) -> float:
        return 1000 * ratio(self.counts.fp, self.words)


def curve(table: WordTable, wanted: Collection[str] | None = None) -> list[OperatingPoint]:
    """Every threshold the scores can distinguish, the strictest first."""
    outcome = table.outcome(wanted)
    true = np.sort(_rounded(table.score[outcome.hit]))
    false = np.sort(_rounded(table.score[outcome.false]))
    total = len(true) + int(outcome.missed.sum())
    thresholds = np.unique(np.concatenate([true, false]))[::-1]
    tps = len(true) - np.searchsorted(true, thresholds)
    fps = len(false) - np.searchsorted(false, thresholds)
    return [
        OperatingPoint(float(threshold), Counts(int(tp), int(fp), total - int(tp)), len(table))
        for threshold, tp, fp in zip(thresholds, tps, fps, strict=True)
    ]


def _rounded(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """To four digits: no curve needs more than ten thousand points."""
    return scores.astype(np.float64).round(4)


def fixed_sensitivity(
    points: Sequence[OperatingPoint], targets: Sequence[float] = TARGETS
) -> dict[float, OperatingPoint | None]:
    """The strictest point that reaches each sensitivity; None where the system never does."""
    return {
        target: next((point for point in points if point.counts.recall >= target), None)
        for target in targets
    }
