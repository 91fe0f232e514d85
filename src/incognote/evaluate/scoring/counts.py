"""Counts of hits, false alarms and misses, and the scores made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Counts:
    """True positives, false positives and false negatives of one kind of unit.

    `right` are the true claims where they are not the true positives: when overlap is enough, one
    long claim may find two mentions, and two short ones may share a mention.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0
    right: int | None = None

    def __add__(self, other: Counts) -> Counts:
        right = None
        if self.right is not None or other.right is not None:
            right = self._right + other._right
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, right)

    @property
    def _right(self) -> int:
        return self.tp if self.right is None else self.right

    @property
    def gold(self) -> int:
        return self.tp + self.fn

    @property
    def precision(self) -> float:
        """Of what was found, the true share; 0 where nothing was found, as is the custom."""
        return ratio(self._right, self._right + self.fp)

    @property
    def recall(self) -> float:
        return ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        return self.f(1.0)

    @property
    def f2(self) -> float:
        """Recall counts twice as much as precision: a leak is worse than a lost word."""
        return self.f(2.0)

    def f(self, beta: float) -> float:
        p, r, weight = self.precision, self.recall, beta * beta
        return ratio((1 + weight) * p * r, weight * p + r)

    def as_row(self) -> dict[str, float]:
        return {
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "f2": self.f2,
        }


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class ByDocument:
    """Hits, false alarms and misses of each document: what resampling works on."""

    tp: npt.NDArray[np.int64]
    fp: npt.NDArray[np.int64]
    fn: npt.NDArray[np.int64]

    def total(self) -> Counts:
        return Counts(int(self.tp.sum()), int(self.fp.sum()), int(self.fn.sum()))

    def matrix(self) -> npt.NDArray[np.float64]:
        return np.stack([self.tp, self.fp, self.fn], axis=1).astype(np.float64)

    def macro(self) -> Macro:
        """Means over the documents that have anything to find or anything found."""
        rows = [
            Counts(int(tp), int(fp), int(fn))
            for tp, fp, fn in zip(self.tp, self.fp, self.fn, strict=True)
            if tp + fp + fn
        ]
        return Macro.of(rows)


@dataclass(frozen=True, slots=True)
class Macro:
    """Plain means of precision, recall and F1 over documents or over types."""

    precision: float
    recall: float
    f1: float
    over: int

    @classmethod
    def of(cls, rows: Sequence[Counts]) -> Macro:
        if not rows:
            return cls(0.0, 0.0, 0.0, 0)
        mean = np.mean([(row.precision, row.recall, row.f1) for row in rows], axis=0)
        return cls(float(mean[0]), float(mean[1]), float(mean[2]), len(rows))
