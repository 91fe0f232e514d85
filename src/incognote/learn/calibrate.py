"""Operating points: thresholds by label for a wanted sensitivity, found on held-out notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from incognote.detect.learned.model_folder import OperatingPoint
from incognote.detect.learned.tagging import Scores
from incognote.learn.data import Note
from incognote.learn.network.windows import unit_targets

SENSITIVITIES = (0.93, 0.95, 0.96, 0.97, 0.98, 0.99, 0.997, 0.999, 1.0)
NEUTRAL = "TIME"  # clock times earn nothing and cost nothing
_HIGHEST, _LOWEST = 0.8, 0.004
# How far a label's threshold may stray from that of all labels together. Without a bound, a label
# with few or hard examples would buy its last words with false alarms all over the text.
_STRAY = 1.5


def calibrate(
    notes: Sequence[Note],
    scored: Iterable[Scores],
    labels: Sequence[str],
    sensitivities: Sequence[float] = SENSITIVITIES,
) -> tuple[OperatingPoint, ...]:
    """One point for each sensitivity, from a model's scores on notes it did not see."""
    index = {label: number for number, label in enumerate(labels, 1)}
    certainty, best, gold = [], [], []
    for note, scores in zip(notes, scored, strict=True):
        targets, _ = unit_targets(note, scores.units, index)
        is_word = [note.text[start].isalnum() for start, _ in scores.units]
        kept = np.array(is_word, bool)
        certainty.append(1.0 - scores.labels[kept, 0])
        best.append(scores.labels[kept, 1:].argmax(axis=1) + 1)
        gold.append(np.array(targets)[kept])
    sure, said, true = (np.concatenate(column) for column in (certainty, best, gold))
    return tuple(_point(value, sure, said, true, labels) for value in sensitivities)


def _point(
    sensitivity: float,
    sure: NDArray[np.float32],
    said: NDArray[np.int64],
    true: NDArray[np.int64],
    labels: Sequence[str],
) -> OperatingPoint:
    neutral = labels.index(NEUTRAL) + 1 if NEUTRAL in labels else -1
    phi = (true > 0) & (true != neutral)
    overall = _quantile(sure[phi], sensitivity)
    thresholds = {}
    for number, label in enumerate(labels, 1):
        found = _quantile(sure[(true > 0) & (said == number)], sensitivity)
        near = float(np.clip(found, overall / _STRAY, overall * _STRAY))
        thresholds[label] = round(min(max(near, _LOWEST), _HIGHEST), 5)
    limit = np.array([1.0, *thresholds.values()], np.float32)
    kept = sure >= limit[said]
    hits = int((kept & phi).sum())
    false = int((kept & (true == 0) & (said != neutral)).sum())
    return OperatingPoint(
        sensitivity=sensitivity,
        thresholds=thresholds,
        recall=round(hits / max(1, int(phi.sum())), 5),
        precision=round(hits / max(1, hits + false), 5),
        false_alarms=round(1000 * false / max(1, len(true)), 3),
    )


def _quantile(sure: NDArray[np.float32], sensitivity: float) -> float:
    """The highest threshold that keeps this share of the words."""
    if not len(sure):
        return _HIGHEST
    allowed = int(np.floor((1.0 - sensitivity) * len(sure) + 1e-9))
    return float(np.sort(sure)[allowed]) * 0.999
