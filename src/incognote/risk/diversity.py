"""How much a class gives away of a sensitive attribute: l, entropy l and t, as they turned out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from incognote.anonymize.conditions import distances, entropies
from incognote.anonymize.table import Table
from incognote.risk.classes import Classes


@dataclass(frozen=True, slots=True)
class Diversity:
    """The worst class decides."""

    attribute: str
    l: int  # noqa: E741 - the name in the literature
    entropy_l: float
    t: float

    def worse(self, other: Diversity) -> Diversity:
        """The worse of both in each figure."""
        return Diversity(
            self.attribute,
            min(self.l, other.l),
            min(self.entropy_l, other.entropy_l),
            max(self.t, other.t),
        )

    def as_dict(self) -> dict[str, object]:
        return {
            "attribute": self.attribute,
            "l": self.l,
            "entropy_l": round(self.entropy_l, 4),
            "t": round(self.t, 5),
        }


def diversity(data: Any, attribute: str, classes: Classes, kept: Any = None) -> Diversity:
    """`kept`: which rows of the table are in a class, where some are suppressed."""
    codes = Table.of(data, [attribute])[attribute].codes.astype(np.int64) + 1
    if kept is not None:
        codes = codes[kept]
    values = int(codes.max()) + 1
    groups = len(classes.sizes)
    counts = (
        np.bincount(classes.numbers * values + codes, minlength=groups * values)
        .astype(np.int64)
        .reshape(groups, values)
    )
    everybody = counts.sum(axis=0) / counts.sum()
    return Diversity(
        attribute,
        int((counts > 0).sum(axis=1).min()),
        math.exp(float(entropies(counts).min())),
        float(distances(counts, everybody).max()),
    )
