"""Full-domain generalisation: one level for each attribute, the same everywhere in the table.

The search is exact. What a combination of levels costs at least, by its generalisation alone, is
known beforehand from the columns, so combinations are visited from the cheapest on, and the search
ends when none that is left can be better. Where k alone (or distinct l) is asked for, combinations
below one that suppresses too much are passed over: they suppress at least as much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

import numpy as np

from incognote.anonymize.axes import TreeAxis
from incognote.anonymize.conditions import Conditions
from incognote.anonymize.grouping import pack
from incognote.anonymize.hierarchy import Hierarchy
from incognote.anonymize.mondrian import checked
from incognote.anonymize.result import SUPPRESSED, Anonymous, Released
from incognote.anonymize.table import Bools, Ints, Table
from incognote.anonymize.utility import Utility, scaled
from incognote.core.errors import UsageError

MOST_NODES = 100_000
Levels = tuple[int, ...]


def full_domain(
    data: Any,
    quasi: Sequence[str],
    k: int = 11,
    *,
    hierarchies: Mapping[str, Hierarchy],
    conditions: Conditions | None = None,
    sensitive: str | None = None,
    suppression: float = 0.02,
    levels: Levels | None = None,
) -> Anonymous:
    """The best combination of levels, or the given one. At most the share `suppression` of the rows
    is left out. Combinations are compared as ARX does by rank: the largest loss of any attribute
    first, then the second largest, and so on."""
    if not 0 <= suppression <= 1:
        raise UsageError("the limit of suppression must lie between 0 and 1")
    conditions = conditions or Conditions(k)
    table = checked(data, quasi, conditions, sensitive)
    lattice = _Lattice.of(table, quasi, hierarchies, conditions, sensitive)
    limit = int(suppression * table.rows)
    if levels is None:
        levels = lattice.best(limit)
    else:
        lattice.check(levels)
        if lattice.classes(levels)[1] > limit:
            raise UsageError(f"these levels suppress more than {suppression:.1%} of the rows")
    classes = lattice.classes(levels)[0]
    released = lattice.released(levels, classes)
    return Anonymous(
        quasi=tuple(quasi),
        classes=classes,
        released=released,
        conditions=conditions,
        recoding="full-domain",
        utility=Utility.of(lattice.axes, classes, released),
        levels=levels,
    )


@dataclass(frozen=True, slots=True)
class _Lattice:
    """The combinations of levels over distinct rows."""

    axes: tuple[TreeAxis, ...]
    codes: tuple[Ints, ...] = field(repr=False)
    weights: Ints = field(repr=False)
    secrets: Ints = field(repr=False)
    values: int
    inverse: Ints = field(repr=False)
    conditions: Conditions

    @classmethod
    def of(
        cls,
        table: Table,
        quasi: Sequence[str],
        hierarchies: Mapping[str, Hierarchy],
        conditions: Conditions,
        sensitive: str | None,
    ) -> _Lattice:
        if without := [name for name in quasi if name not in hierarchies]:
            raise UsageError(f"full-domain recoding needs a hierarchy for {', '.join(without)}")
        if unknown := sorted(hierarchies.keys() - set(quasi)):
            raise UsageError(f"a hierarchy for {', '.join(unknown)}, which is no quasi-identifier")
        axes = tuple(TreeAxis.of(table[name], hierarchies[name]) for name in quasi)
        used = conditions.sensitive and sensitive is not None
        secrets = (
            table[str(sensitive)].codes.astype(np.int64) + 1
            if used
            else np.zeros(table.rows, np.int64)
        )
        columns: list[Any] = [*(axis.codes for axis in axes), secrets]
        packed = pack(columns, [int(column.max()) + 1 for column in columns])
        _, chosen, inverse, weights = np.unique(
            packed, return_index=True, return_inverse=True, return_counts=True
        )
        return cls(
            axes,
            tuple(axis.codes[chosen].astype(np.int64) for axis in axes),
            weights.astype(np.int64),
            secrets[chosen],
            int(secrets.max()) + 1,
            inverse,
            conditions,
        )

    @property
    def rows(self) -> int:
        return len(self.inverse)

    @property
    def heights(self) -> Levels:
        return tuple(axis.tree.levels for axis in self.axes)

    def check(self, levels: Levels) -> None:
        if len(levels) != len(self.axes):
            raise UsageError(f"{len(levels)} levels for {len(self.axes)} quasi-identifiers")
        for axis, level in zip(self.axes, levels, strict=True):
            if not 0 <= level < axis.tree.levels:
                raise UsageError(f"{axis.name}: levels go from 0 to {axis.tree.levels - 1}")

    def best(self, limit: int) -> Levels:
        nodes = prod(self.heights)
        if nodes > MOST_NODES:
            raise UsageError(
                f"{nodes:,} combinations of levels are more than {MOST_NODES:,}: use fewer or "
                "flatter hierarchies, or Mondrian"
            )
        bounds = self._bounds()
        order = sorted(
            product(*map(range, self.heights)),
            key=lambda levels: (_rank(bounds[i][level] for i, level in enumerate(levels)), levels),
        )
        best: tuple[tuple[float, ...], Levels] | None = None
        failed = np.zeros((0, len(self.axes)), np.int64)
        for levels in order:
            bound = _rank(bounds[i][level] for i, level in enumerate(levels))
            if best is not None and bound > best[0]:
                break
            if self.conditions.monotone and (failed >= np.array(levels)).all(axis=1).any():
                continue
            good, suppressed = self._judged(levels)
            if suppressed > limit:
                failed = np.vstack([failed, levels])
                continue
            rank = self._rank_of(levels, good)
            if best is None or (rank, levels) < best:
                best = rank, levels
        if best is None:
            raise UsageError(
                "no combination of levels fulfils the conditions within the limit of suppression"
            )
        return best[1]

    def _bounds(self) -> list[list[float]]:
        """What each level of each attribute costs where nothing is suppressed."""
        return [
            [
                scaled(
                    float(np.dot(self._shares(axis, codes, level), self.weights)) / self.rows,
                    axis.domain,
                )
                for level in range(axis.tree.levels)
            ]
            for axis, codes in zip(self.axes, self.codes, strict=True)
        ]

    def _shares(self, axis: TreeAxis, codes: Ints, level: int) -> Any:
        return axis.tree.sizes[level][axis.tree.nodes[level][codes]] / axis.tree.leaves

    def _rank_of(self, levels: Levels, good: Bools) -> tuple[float, ...]:
        kept = np.where(good, self.weights, 0)
        hidden = float(self.weights[~good].sum())
        return _rank(
            scaled(
                (float(np.dot(self._shares(axis, codes, level), kept)) + hidden) / self.rows,
                axis.domain,
            )
            for axis, codes, level in zip(self.axes, self.codes, levels, strict=True)
        )

    def _groups(self, levels: Levels) -> Ints:
        nodes = [
            axis.tree.nodes[level][codes]
            for axis, codes, level in zip(self.axes, self.codes, levels, strict=True)
        ]
        sizes = [
            len(axis.tree.labels[level]) for axis, level in zip(self.axes, levels, strict=True)
        ]
        groups: Ints = np.unique(pack(nodes, sizes), return_inverse=True)[1]
        return groups

    def _judged(self, levels: Levels) -> tuple[Bools, int]:
        """Which distinct rows are published, and how many rows are not."""
        groups = self._groups(levels)
        sizes = np.bincount(groups, self.weights)
        good: Bools = sizes >= self.conditions.k
        if self.conditions.sensitive:
            counts = (
                np.bincount(
                    groups * self.values + self.secrets, self.weights, len(sizes) * self.values
                )
                .astype(np.int64)
                .reshape(len(sizes), self.values)
            )
            everybody = counts.sum(axis=0) / self.rows
            good &= self.conditions.hold(counts, everybody)
        kept = good[groups]
        return kept, int(self.weights[~kept].sum())

    def classes(self, levels: Levels) -> tuple[Ints, int]:
        """The class of every row of the table, and how many are suppressed."""
        good, suppressed = self._judged(levels)
        groups = self._groups(levels)
        numbers = np.full(len(good), SUPPRESSED, np.int64)
        numbers[good] = np.unique(groups[good], return_inverse=True)[1]
        return numbers[self.inverse], suppressed

    def released(self, levels: Levels, classes: Ints) -> tuple[Released, ...]:
        kept = np.flatnonzero(classes >= 0)
        _, first = np.unique(classes[kept], return_index=True)
        found = []
        for axis, level in zip(self.axes, levels, strict=True):
            nodes = axis.tree.nodes[level][axis.codes[kept[first]]]
            found.append(Released.of(axis, (np.full(len(nodes), level), nodes)))
        return tuple(found)


def _rank(losses: Iterable[float]) -> tuple[float, ...]:
    """Losses as they are compared: the largest first. Rounded, so that equal ones are equal."""
    return tuple(sorted((round(loss, 10) for loss in losses), reverse=True))
