"""A quasi-identifier as Mondrian sees it: how wide a class is, and what is published of it.

Both kinds of axis answer the same questions:

widths(codes, starts)   the share of the domain that each group of rows spans; 0 for a single value
bounds(classes)         what is published of each class: two numbers, which `label` and `loss` read
label(low, high)        ... as text
loss(low, high)         ... as the normalised certainty penalty, and as the share of the domain's
                        values (ARX's Loss)
domain                  how many values there are
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from incognote.anonymize.hierarchy import ROOT, Hierarchy, Tree
from incognote.anonymize.table import (
    DATE,
    MISSING,
    NUMBER,
    Codes,
    Column,
    Floats,
    Ints,
    Table,
    as_text,
)
from incognote.core.errors import UsageError

Bounds = tuple[Ints, Ints]


@dataclass(frozen=True, slots=True)
class OrderedAxis:
    """Numbers, days, or texts in alphabetical order. Code 0 is that of missing values, where there
    are any; they lie on no line, so a class that holds some of them spans everything."""

    name: str
    codes: Codes = field(repr=False)
    column: Column = field(repr=False)
    positions: Floats = field(repr=False)
    has_missing: bool

    @classmethod
    def of(cls, column: Column) -> OrderedAxis:
        has_missing = bool((column.codes == MISSING).any())
        positions = column.positions
        if has_missing:
            positions = np.concatenate([[0.0], positions])
        codes = column.codes + 1 if has_missing else column.codes
        return cls(column.name, codes, column, positions, has_missing)

    @property
    def domain(self) -> int:
        return len(self.positions)

    @property
    def _range(self) -> float:
        real = self.positions[1:] if self.has_missing else self.positions
        return float(real[-1] - real[0]) if len(real) else 0.0

    def _width(self, low: Any, high: Any) -> Any:
        width = (self.positions[high] - self.positions[low]) / (self._range or 1.0)
        return np.where((low == 0) & (high > 0), 1.0, width) if self.has_missing else width

    def widths(self, codes: Any, starts: Ints) -> Floats:
        low, high = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
        found: Floats = np.asarray(self._width(low, high), dtype=np.float64)
        return found

    def bounds(self, classes: Ints) -> Bounds:
        sort = np.argsort(classes, kind="stable")
        kept = sort[np.searchsorted(classes[sort], 0) :]
        starts = np.flatnonzero(np.diff(classes[kept], prepend=-1))
        codes = self.codes[kept]
        if not len(kept):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return (
            np.minimum.reduceat(codes, starts).astype(np.int64),
            np.maximum.reduceat(codes, starts).astype(np.int64),
        )

    def label(self, low: int, high: int) -> str:
        if self.has_missing:
            if low == 0:
                return ROOT if high else ""
            low, high = low - 1, high - 1
        values = self.column.values
        if low == high:
            return as_text(values[low])
        return interval(self.column.kind, values[low : high + 1])

    def loss(self, low: int, high: int) -> tuple[float, float]:
        mixed = self.has_missing and low == 0 and high > 0
        share = 1.0 if mixed else (high - low + 1) / self.domain
        return float(self._width(low, high)), share


def interval(kind: str, values: Sequence[Any]) -> str:
    """Values from the first to the last, as they are published."""
    first, last = values[0], values[-1]
    if kind == DATE:
        assert isinstance(first, dt.date)
        return f"{as_text(first)}..{as_text(last)}"
    if kind == NUMBER:
        plain = first >= 0 and all(float(each).is_integer() for each in (first, last))
        return f"{as_text(first)}{'-' if plain else '..'}{as_text(last)}"
    return "{" + ", ".join(map(as_text, values)) + "}"


@dataclass(frozen=True, slots=True)
class TreeAxis:
    """Values with a hierarchy: a class becomes the lowest common ancestor of its members."""

    name: str
    codes: Codes = field(repr=False)
    tree: Tree = field(repr=False)

    @classmethod
    def of(cls, column: Column, hierarchy: Hierarchy) -> TreeAxis:
        tree = hierarchy.tree(column)
        codes = np.where(column.codes == MISSING, len(column.values), column.codes)
        return cls(column.name, codes.astype(np.int32), tree)

    @property
    def domain(self) -> int:
        return self.tree.leaves

    def _ancestors(self, codes: Any, starts: Ints) -> Bounds:
        """The level and the node of each group's lowest common ancestor."""
        levels = np.full(len(starts), self.tree.levels - 1, np.int64)
        nodes = np.zeros(len(starts), np.int64)
        for level in range(self.tree.levels - 1, -1, -1):
            at = self.tree.nodes[level][codes]
            low, high = np.minimum.reduceat(at, starts), np.maximum.reduceat(at, starts)
            one = low == high
            levels[one], nodes[one] = level, low[one]
        return levels, nodes

    def _penalty(self, level: int, node: int) -> float:
        size = self.tree.sizes[level][node]
        return float(size / self.tree.leaves) if size > 1 else 0.0

    def widths(self, codes: Any, starts: Ints) -> Floats:
        levels, nodes = self._ancestors(codes, starts)
        found = np.zeros(len(starts))
        for level in range(1, self.tree.levels):
            at = levels == level
            found[at] = self.tree.sizes[level][nodes[at]] / self.tree.leaves
        return found

    def children(self, codes: Any, starts: Ints) -> Ints:
        """For each row, the child of its group's ancestor that it lies under."""
        levels, _ = self._ancestors(codes, starts)
        owner = np.zeros(len(codes), np.int64)
        owner[starts[1:]] = 1
        below = np.maximum(levels[np.cumsum(owner)] - 1, 0)
        found: Ints = self.tree.nodes[below, codes]
        return found

    def bounds(self, classes: Ints) -> Bounds:
        sort = np.argsort(classes, kind="stable")
        kept = sort[np.searchsorted(classes[sort], 0) :]
        if not len(kept):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        starts = np.flatnonzero(np.diff(classes[kept], prepend=-1))
        return self._ancestors(self.codes[kept], starts)

    def label(self, low: int, high: int) -> str:
        return self.tree.labels[low][high]

    def loss(self, low: int, high: int) -> tuple[float, float]:
        return self._penalty(low, high), float(self.tree.sizes[low][high] / self.tree.leaves)


Axis = OrderedAxis | TreeAxis


def axes_of(table: Table, quasi: Sequence[str], hierarchies: Mapping[str, Hierarchy]) -> list[Axis]:
    if unknown := sorted(hierarchies.keys() - set(quasi)):
        raise UsageError(f"a hierarchy for {', '.join(unknown)}, which is no quasi-identifier")
    return [
        TreeAxis.of(table[name], hierarchies[name])
        if name in hierarchies
        else OrderedAxis.of(table[name])
        for name in quasi
    ]
