"""Mondrian, level by level: all open classes of a level are cut at once, over distinct rows with
weights.

A class is cut along its widest attribute, each width measured against that of the whole table. If
no cut there leaves both sides allowed, the next attribute is tried; a class that can be cut along
none is final. Published are the bounds of a class's own members, never inherited ones.

strict    between two values: the allowed cut nearest the median
relaxed   exactly in half; rows equal in the attribute are divided in keyed order
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from incognote.anonymize.axes import Axis, OrderedAxis, TreeAxis, axes_of
from incognote.anonymize.conditions import Conditions
from incognote.anonymize.grouping import pack
from incognote.anonymize.hierarchy import Hierarchy
from incognote.anonymize.result import Anonymous, Released
from incognote.anonymize.table import Bools, Floats, Ints, Table
from incognote.anonymize.utility import Utility
from incognote.core.errors import UsageError

MODES = ("strict", "relaxed")
_CELLS = 4_000_000  # counts of sensitive values held at once
_NEVER = np.iinfo(np.int64).max


def mondrian(
    data: Any,
    quasi: Sequence[str],
    k: int = 11,
    *,
    conditions: Conditions | None = None,
    sensitive: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    mode: str = "strict",
    key: bytes = b"",
) -> Anonymous:
    """The table with every class of the quasi-identifiers as large and diverse as asked for."""
    if mode not in MODES:
        raise UsageError(f"the mode of Mondrian must be one of {', '.join(MODES)}")
    conditions = conditions or Conditions(k)
    table = checked(data, quasi, conditions, sensitive)
    axes = axes_of(table, quasi, hierarchies or {})
    rows = _Rows.of(table, axes, sensitive if conditions.sensitive else None, mode, key)
    if not conditions.hold(rows.total_counts, rows.everybody).all():
        raise UsageError(f"{sensitive}: even the whole table does not fulfil the conditions")
    cutter = _Cutter(rows, axes, conditions, mode)
    classes = cutter.run()[rows.inverse]
    released = [Released.of(axis, axis.bounds(classes)) for axis in axes]
    return Anonymous(
        quasi=tuple(quasi),
        classes=classes,
        released=tuple(released),
        conditions=conditions,
        recoding=f"mondrian-{mode}",
        utility=Utility.of(axes, classes, released),
    )


def checked(
    data: Any, quasi: Sequence[str], conditions: Conditions, sensitive: str | None
) -> Table:
    """The columns that are needed, or an error that says what is wrong with them."""
    if not quasi:
        raise UsageError("no quasi-identifier: name the attributes that an attacker may know")
    if len(set(quasi)) < len(quasi):
        raise UsageError("a quasi-identifier is named twice")
    if sensitive in quasi:
        raise UsageError(f"{sensitive}: cannot be both quasi-identifier and sensitive")
    if conditions.sensitive and sensitive is None:
        raise UsageError("l-diversity and t-closeness need a sensitive attribute")
    table = Table.of(data, [*quasi, *([sensitive] if sensitive else [])])
    if conditions.k > table.rows:
        raise UsageError(f"k is {conditions.k}, but there are only {table.rows} persons")
    if sensitive and conditions.sensitive and len(np.unique(table[sensitive].codes)) < 2:
        raise UsageError(f"{sensitive}: has fewer than two values, so nothing can be diverse")
    return table


@dataclass(frozen=True, slots=True)
class _Rows:
    """Distinct rows: their codes by attribute, how many persons each represents, and which of them
    every row of the table is."""

    codes: Ints = field(repr=False)
    weights: Ints = field(repr=False)
    secrets: Ints = field(repr=False)
    values: int
    inverse: Ints = field(repr=False)
    ties: Ints = field(repr=False)

    @classmethod
    def of(
        cls, table: Table, axes: Sequence[Axis], sensitive: str | None, mode: str, key: bytes
    ) -> _Rows:
        columns = [axis.codes for axis in axes]
        secrets = table[sensitive].codes + 1 if sensitive else np.zeros(table.rows, np.int32)
        everything = [*columns, secrets]
        packed = pack(everything, [int(column.max()) + 1 for column in everything])
        if mode == "relaxed":  # equal rows may part, so each stands for itself
            chosen = inverse = np.arange(table.rows)
            weights = np.ones(table.rows, np.int64)
        else:
            _, chosen, inverse, weights = np.unique(
                packed, return_index=True, return_inverse=True, return_counts=True
            )
        return cls(
            np.stack([column[chosen] for column in columns]).astype(np.int32),
            weights.astype(np.int64),
            secrets[chosen].astype(np.int64),
            int(secrets.max()) + 1 if sensitive else 0,
            inverse,
            _ranks(packed, key) if mode == "relaxed" else np.zeros(0, np.int64),
        )

    @property
    def total_counts(self) -> Ints:
        return np.bincount(
            self.secrets, weights=self.weights, minlength=max(self.values, 1)
        ).astype(np.int64)[None, :]

    @property
    def everybody(self) -> Floats:
        counts = self.total_counts[0]
        shares: Floats = counts / counts.sum()
        return shares


def _ranks(packed: Ints, key: bytes) -> Ints:
    """The keyed order in which equal rows are divided: it depends on what a row says, not on where
    it appears."""
    mixed = packed.astype(np.uint64)
    mixed ^= np.uint64(int.from_bytes(blake2b(key, digest_size=8).digest(), "big"))
    with np.errstate(over="ignore"):  # the finaliser of splitmix64
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed ^= mixed >> np.uint64(shift)
            mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    ranks = np.empty(len(packed), dtype=np.int64)
    ranks[np.argsort(mixed, kind="stable")] = np.arange(len(packed))
    return ranks


@dataclass(frozen=True, slots=True)
class _Groups:
    """Rows in the order of their classes; class g has the rows from starts[g] to starts[g + 1].
    `hopeless[g, a]`: attribute a need not be tried again."""

    rows: Ints
    starts: Ints
    hopeless: Bools

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts)

    def only(self, chosen: Ints) -> _Groups:
        sizes = self.sizes[chosen]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.arange(starts[-1]) + np.repeat(self.starts[chosen] - starts[:-1], sizes)
        return _Groups(self.rows[rows], starts, self.hopeless[chosen])


class _Cutter:
    def __init__(
        self, rows: _Rows, axes: Sequence[Axis], conditions: Conditions, mode: str
    ) -> None:
        self._rows, self._axes, self._conditions = rows, axes, conditions
        self._relaxed = mode == "relaxed"
        self._classes = np.full(len(rows.weights), -1, dtype=np.int64)
        self._closed = 0
        # Of attributes equally wide, hierarchies come first, and the smallest of them before
        # the others: a split into few exact values gains most for what it costs.
        self._later = np.array(
            [1e-9 * min(axis.domain, 9999) if isinstance(axis, TreeAxis) else 1e-5 for axis in axes]
        )

    def run(self) -> Ints:
        """The class of every distinct row."""
        count = len(self._rows.weights)
        groups = _Groups(
            np.arange(count), np.array([0, count]), np.zeros((1, len(self._axes)), np.bool_)
        )
        while len(groups):
            groups = self._cut_level(groups)
        return self._classes

    def _close(self, groups: _Groups) -> None:
        numbers = self._closed + np.repeat(np.arange(len(groups)), groups.sizes)
        self._classes[groups.rows] = numbers
        self._closed += len(groups)

    def _cut_level(self, groups: _Groups) -> _Groups:
        weights = np.add.reduceat(self._rows.weights[groups.rows], groups.starts[:-1])
        small = weights < 2 * self._conditions.k
        if small.any():
            self._close(groups.only(np.flatnonzero(small)))
            groups = groups.only(np.flatnonzero(~small))
            if not len(groups):
                return groups
        widths = np.stack(
            [
                axis.widths(self._rows.codes[number][groups.rows], groups.starts[:-1])
                for number, axis in enumerate(self._axes)
            ],
            axis=1,
        )
        widths[groups.hopeless] = 0.0
        order = np.argsort(-widths + self._later, axis=1, kind="stable")
        parts: list[_Groups] = []
        hopeless = groups.hopeless.copy()
        pending = np.arange(len(groups))
        for turn in range(len(self._axes)):
            attribute = order[pending, turn]
            wide = widths[pending, attribute] > 0
            if not wide.all():
                self._close(_with(groups, hopeless).only(pending[~wide]))
                pending, attribute = pending[wide], attribute[wide]
            if not len(pending):
                break
            left = []
            for kind in (OrderedAxis, TreeAxis):
                mine = np.array([isinstance(self._axes[a], kind) for a in range(len(self._axes))])
                chosen = pending[mine[attribute]]
                if not len(chosen):
                    continue
                asked = _with(groups, hopeless).only(chosen)
                cut = self._cut_ordered if kind is OrderedAxis else self._split_tree
                done, part = cut(asked, order[chosen, turn])
                parts.append(part)
                failed = chosen[~done]
                if self._conditions.monotone:
                    hopeless[failed, order[failed, turn]] = True
                left.append(failed)
            pending = np.sort(np.concatenate(left)) if left else pending[:0]
        if len(pending):
            self._close(_with(groups, hopeless).only(pending))
        return _joined(parts, len(self._axes))

    # ------------------------------------------------------------------------- ordered attributes

    def _cut_ordered(self, groups: _Groups, attribute: Ints) -> tuple[Bools, _Groups]:
        """Which groups were cut, and the two parts of each."""
        owner = np.repeat(np.arange(len(groups)), groups.sizes)
        values = self._rows.codes[attribute[owner], groups.rows].astype(np.int64)
        key = owner * (int(values.max()) + 1) + values
        if self._relaxed:
            sort = np.lexsort((self._rows.ties[groups.rows], *self._others(groups, owner), key))
        else:
            sort = np.argsort(key, kind="stable")
        rows, values = groups.rows[sort], values[sort]
        starts, ends = groups.starts[:-1], groups.starts[1:]
        weight = np.cumsum(self._rows.weights[rows])
        base = np.where(starts > 0, weight[starts - 1], 0)
        total = weight[ends - 1] - base
        left = weight - base[owner]
        right = total[owner] - left
        k = self._conditions.k
        if self._relaxed:
            allowed = left == (total // 2)[owner]
        else:
            last = np.zeros(len(rows), np.bool_)
            last[:-1] = (values[1:] != values[:-1]) | (owner[1:] != owner[:-1])
            allowed = last
        allowed &= (left >= k) & (right >= k)
        if self._conditions.sensitive:
            allowed = self._allowed_by_secrets(rows, owner, starts, allowed)
        distance = np.where(allowed, np.abs(left - right), _NEVER)
        apart = np.array(
            [isinstance(axis, OrderedAxis) and axis.has_missing for axis in self._axes]
        )
        # A class that mixes missing with other values says nothing of the attribute: first of all
        # they are parted.
        distance[allowed & apart[attribute][owner] & (values == 0)] = -1
        best = np.minimum.reduceat(distance, starts)
        done: Bools = best < _NEVER
        hit = np.flatnonzero(distance == np.where(done, best, -2)[owner])
        _, first = np.unique(owner[hit], return_index=True)
        cuts = hit[first] + 1
        chosen = np.flatnonzero(done)
        return done, _halves(_Groups(rows, groups.starts, groups.hopeless), chosen, cuts)

    def _others(self, groups: _Groups, owner: Ints) -> list[Ints]:
        """By what equal values are ordered before they are divided: the attributes of each group
        from the narrowest to the widest, so that both halves stay narrow."""
        starts = groups.starts[:-1]
        widths = np.stack(
            [
                axis.widths(self._rows.codes[number][groups.rows], starts)
                for number, axis in enumerate(self._axes)
            ],
            axis=1,
        )
        order = np.argsort(widths, axis=1, kind="stable")[owner]
        return [self._rows.codes[column, groups.rows] for column in order.T]

    def _allowed_by_secrets(self, rows: Ints, owner: Ints, starts: Ints, allowed: Bools) -> Bools:
        """Of the cuts, those with both sides diverse and close enough."""
        found = np.zeros(len(rows), np.bool_)
        values = self._rows.values
        bounds = [*starts.tolist(), len(rows)]
        step = max(1, _CELLS // values)
        at = 0
        while at < len(starts):
            to = at + 1
            while to < len(starts) and bounds[to + 1] - bounds[at] <= step:
                to += 1
            low, high = bounds[at], bounds[to]
            counts = np.zeros((high - low, values), np.int64)
            secrets = self._rows.secrets[rows[low:high]]
            counts[np.arange(high - low), secrets] = self._rows.weights[rows[low:high]]
            np.cumsum(counts, axis=0, out=counts)
            local = owner[low:high] - at
            begin = starts[at:to] - low
            base = np.where((begin > 0)[:, None], counts[begin - 1], 0)
            total = counts[np.append(begin[1:], high - low) - 1] - base
            asked = np.flatnonzero(allowed[low:high])
            left = counts[asked] - base[local[asked]]
            right = total[local[asked]] - left
            good = self._conditions.hold(left, self._rows.everybody)
            good &= self._conditions.hold(right, self._rows.everybody)
            found[low + asked[good]] = True
            at = to
        return found

    # ---------------------------------------------------------------------------------- hierarchies

    def _split_tree(self, groups: _Groups, attribute: Ints) -> tuple[Bools, _Groups]:
        """Each child of a class's common ancestor becomes a class. Children not allowed are
        pooled; a pool that is not allowed joins the smallest child that is."""
        owner = np.repeat(np.arange(len(groups)), groups.sizes)
        children = np.zeros(len(groups.rows), np.int64)
        for number in np.unique(attribute):
            axis = self._axes[number]
            assert isinstance(axis, TreeAxis)
            mine = attribute[owner] == number
            children[mine] = axis.children(
                self._rows.codes[number][groups.rows[mine]], _starts_of(owner[mine])
            )
        key = owner * (int(children.max()) + 1) + children
        sort = np.argsort(key, kind="stable")
        rows, key, owner = groups.rows[sort], key[sort], owner[sort]
        part = np.concatenate([[0], np.cumsum(key[1:] != key[:-1])])
        first = np.flatnonzero(np.concatenate([[True], part[1:] != part[:-1]]))
        weight = np.add.reduceat(self._rows.weights[rows], first)
        parent = owner[first]
        counts = self._part_counts(part, rows, len(first))
        good = self._good(weight, counts)
        target = self._pooled(parent, weight, good, counts, len(groups))
        # Rows go to the part that theirs was merged into; a group with one part is not cut.
        final = target[part]
        sort = np.argsort(final, kind="stable")
        rows, final, owner = rows[sort], final[sort], owner[sort]
        starts = np.flatnonzero(np.concatenate([[True], final[1:] != final[:-1]]))
        family = owner[starts]
        sizes = np.add.reduceat(self._rows.weights[rows], starts)
        merged = np.unique(target, return_inverse=True)[1]
        allowed = self._good(sizes, None if counts is None else _summed(counts, merged))
        parts_of = np.bincount(family, minlength=len(groups))
        all_good = np.bincount(family[~allowed], minlength=len(groups)) == 0
        done: Bools = (parts_of > 1) & all_good
        everything = _Groups(rows, np.append(starts, len(rows)), groups.hopeless[family])
        return done, everything.only(np.flatnonzero(done[family]))

    def _part_counts(self, part: Ints, rows: Ints, parts: int) -> Ints | None:
        if not self._conditions.sensitive:
            return None
        cells = part * self._rows.values + self._rows.secrets[rows]
        return (
            np.bincount(cells, self._rows.weights[rows], parts * self._rows.values)
            .astype(np.int64)
            .reshape(parts, self._rows.values)
        )

    def _good(self, weight: Ints, counts: Ints | None) -> Bools:
        good: Bools = weight >= self._conditions.k
        if counts is not None:
            good = good & self._conditions.hold(counts, self._rows.everybody)
        return good

    def _pooled(
        self, parent: Ints, weight: Ints, good: Bools, counts: Ints | None, groups: int
    ) -> Ints:
        """The part that each part is merged into."""
        target = np.arange(len(parent))
        bad = np.flatnonzero(~good)
        if not len(bad):
            return target
        owners, index = np.unique(parent[bad], return_inverse=True)
        head = bad[np.unique(index, return_index=True)[1]]  # the first of each pool
        target[bad] = head[index]
        pool_weight = np.bincount(index, weight[bad]).astype(np.int64)
        pool_counts = None if counts is None else _summed(counts[bad], index)
        short = np.flatnonzero(~self._good(pool_weight, pool_counts))
        if len(short):
            sort = np.lexsort((weight, parent))
            candidates = sort[good[sort]]
            smallest = np.full(groups, -1)
            smallest[parent[candidates[::-1]]] = candidates[::-1]
            into = smallest[owners[short]]
            moved = np.where(into >= 0, into, head[short])
            redirect = head.copy()
            redirect[short] = moved
            target[bad] = redirect[index]
        return target


def _summed(counts: Ints, index: Ints) -> Ints:
    sums = np.zeros((int(index.max()) + 1, counts.shape[1]), np.int64)
    np.add.at(sums, index, counts)
    return sums


def _starts_of(owner: Ints) -> Ints:
    return np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]]))


def _with(groups: _Groups, hopeless: Bools) -> _Groups:
    return _Groups(groups.rows, groups.starts, hopeless)


def _halves(groups: _Groups, chosen: Ints, cuts: Ints) -> _Groups:
    """The chosen groups, each as two: `cuts` are the places in `rows` where the second begins."""
    picked = groups.only(chosen)
    inner = picked.starts[:-1] + (cuts - groups.starts[chosen])
    starts = np.empty(2 * len(chosen) + 1, np.int64)
    starts[0:-1:2], starts[1::2], starts[-1] = picked.starts[:-1], inner, picked.starts[-1]
    return _Groups(picked.rows, starts, np.repeat(picked.hopeless, 2, axis=0))


def _joined(parts: Sequence[_Groups], axes: int) -> _Groups:
    if not parts:
        return _Groups(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros((0, axes), np.bool_))
    sizes = np.concatenate([part.sizes for part in parts])
    return _Groups(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([part.hopeless for part in parts]),
    )
