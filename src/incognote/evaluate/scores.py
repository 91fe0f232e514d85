"""Counts of hits, false alarms and misses, and the scores made of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """True positives, false positives and false negatives of one kind of unit."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float:
        """Of what was found, the true share; 0 where nothing was found, as is the custom."""
        return ratio(self.tp, self.tp + self.fp)

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
        weight = beta * beta
        return ratio((1 + weight) * self.tp, (1 + weight) * self.tp + weight * self.fn + self.fp)

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
