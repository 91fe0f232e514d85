"""Which attributes give people away: alone, in pairs, in threes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from incognote.anonymize.grouping import alone_in_class, class_sizes
from incognote.anonymize.table import Ints, Table


@dataclass(frozen=True, slots=True)
class AttributeRisk:
    """`distinction`: the share of rows that are different; `separation`: the share of pairs of rows
    that can be distinguished (Motwani and Xu 2007); `unique`: the share of persons who are
    alone."""

    attributes: tuple[str, ...]
    distinction: float
    separation: float
    unique: float

    def as_dict(self) -> dict[str, object]:
        return {
            "attributes": list(self.attributes),
            "distinction": self.distinction,
            "separation": self.separation,
            "unique": self.unique,
        }


def attribute_risks(data: Any, quasi: Sequence[str], most: int = 3) -> list[AttributeRisk]:
    """Every combination of up to `most` attributes, those with the fewest values first."""
    table = Table.of(data, list(quasi))
    found = []
    for count in range(1, min(most, len(quasi)) + 1):
        for chosen in combinations(quasi, count):
            sizes = class_sizes([table[name].codes for name in chosen])
            found.append(_risk(chosen, sizes, table.rows))
    return sorted(found, key=lambda each: (each.separation, each.distinction, each.attributes))


def unique_by_any(data: Any, found: Sequence[AttributeRisk]) -> dict[int, float]:
    """The share of persons whom some one attribute, some two, some three single out; `found` is
    what `attribute_risks` says of the same table."""
    names = sorted({name for each in found for name in each.attributes})
    table = Table.of(data, names)
    shares = {}
    for count in sorted({len(each.attributes) for each in found}):
        alone = np.zeros(table.rows, np.bool_)
        for each in found:
            if len(each.attributes) == count and each.unique:
                alone |= alone_in_class([table[name].codes for name in each.attributes])
        shares[count] = float(alone.mean())
    return shares


def _risk(chosen: tuple[str, ...], sizes: Ints, rows: int) -> AttributeRisk:
    pairs = rows * (rows - 1) / 2
    together = float((sizes * (sizes - 1) / 2).sum())
    return AttributeRisk(
        chosen,
        len(sizes) / rows,
        (pairs - together) / pairs if pairs else 0.0,
        float((sizes == 1).sum()) / rows,
    )
