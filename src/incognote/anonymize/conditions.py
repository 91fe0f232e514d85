"""What every class must fulfil: k-anonymity, l-diversity and t-closeness.

`Conditions.hold(counts)` checks many classes at once: each row of `counts` is a class, each column
a sensitive value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from incognote.anonymize.table import Bools, Floats, Ints
from incognote.core.errors import UsageError

DIVERSITIES = ("distinct", "entropy", "recursive")
_SLACK = 1e-9  # what rounding may cost


@dataclass(frozen=True, slots=True)
class Conditions:
    """`k` persons in a class; `l` sensitive values as `diversity` counts them (`c` is the factor of
    recursive (c, l)-diversity); at most `t` between the distributions in a class and in the table
    (total variation: all sensitive values are equally far apart)."""

    k: int = 2
    l: float = 0  # noqa: E741 - the name in the literature
    diversity: str = "distinct"
    c: float = 3.0
    t: float | None = None

    def __post_init__(self) -> None:
        if self.k < 1:
            raise UsageError("k must be at least 1")
        if self.l != 0 and not 1 <= self.l < math.inf:
            raise UsageError("l must be at least 1")
        if self.diversity not in DIVERSITIES:
            raise UsageError(f"diversity must be one of {', '.join(DIVERSITIES)}")
        if self.diversity == "recursive" and not 0 < self.c < math.inf:
            raise UsageError("c must be above 0")
        if self.t is not None and not 0 <= self.t <= 1:
            raise UsageError("t must lie between 0 and 1")

    @property
    def sensitive(self) -> bool:
        """Whether a sensitive attribute is needed."""
        return self.l > 1 or self.t is not None

    @property
    def monotone(self) -> bool:
        """Whether what fails in a class fails in every part of it."""
        return self.t is None and (self.l <= 1 or self.diversity == "distinct")

    def hold(self, counts: Ints, everybody: Floats) -> Bools:
        """Which classes fulfil l and t; `everybody` is the distribution in the whole table."""
        good: Bools = np.ones(len(counts), dtype=np.bool_)
        if self.l > 1:
            good &= self._diverse(counts)
        if self.t is not None:
            good &= distances(counts, everybody) <= self.t + _SLACK
        return good

    def _diverse(self, counts: Ints) -> Bools:
        if self.diversity == "distinct":
            held: Bools = (counts > 0).sum(axis=1) >= self.l
            return held
        if self.diversity == "entropy":
            return entropies(counts) >= math.log(self.l) - _SLACK
        ordered = -np.sort(-counts, axis=1)
        rest: Bools = ordered[:, 0] < self.c * ordered[:, int(self.l) - 1 :].sum(axis=1)
        return rest


def distances(counts: Ints, everybody: Floats) -> Floats:
    """The total variation between each class and the whole table."""
    sizes = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    found: Floats = np.abs(counts / sizes - everybody).sum(axis=1) / 2
    return found


def entropies(counts: Ints) -> Floats:
    sizes = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shares = counts / sizes
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    found: Floats = -(shares * logs).sum(axis=1)
    return found
