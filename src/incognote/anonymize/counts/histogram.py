"""Counts with differential privacy: one row for each person, public bins, noise from OpenDP.

cells   noise on every cell
cube    DPCube: a part of ε on the cells; where those differ no more than their noise does, they are
        joined to regions; the rest of ε on the regions; both measurements are averaged by variance

The bins come from hierarchies, never from the data: which bins exist is public. What fits none of
them is counted in the bin "other". Which method `auto` takes depends on the number of cells alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

import numpy as np

from incognote.anonymize.counts.bins import Bins, bins_for
from incognote.anonymize.counts.noise import epsilon_of, fitted, variance
from incognote.anonymize.hierarchy import Hierarchy
from incognote.anonymize.table import Floats, Ints, Table
from incognote.core.errors import UsageError

METHODS = ("auto", "cells", "cube")
CUBE_FROM = 10_000  # cells: a public number
MOST_CELLS = 5_000_000
CELL_SHARE = 0.7  # of ε: measured on age, education and hours of UCI Adult at ε 1 and 0.1
Box = tuple[slice, ...]


@dataclass(frozen=True, slots=True)
class Histogram:
    """`counts[i, j, ...]` is the noisy number of persons in bin i of the first attribute, j of the
    second, and so on. `epsilon` is what OpenDP says the whole release costs."""

    attributes: tuple[str, ...]
    bins: tuple[tuple[str, ...], ...] = field(repr=False)
    counts: Floats = field(repr=False)
    method: str
    epsilon: float
    delta: float
    contributions: int
    scale: float

    def rows(self) -> Iterator[tuple[str, ...]]:
        for labels, count in zip(product(*self.bins), self.counts.ravel().tolist(), strict=True):
            yield (*labels, f"{count:g}")

    def as_dict(self) -> dict[str, object]:
        return {
            "attributes": list(self.attributes),
            "cells": int(self.counts.size),
            "method": self.method,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "contributions": self.contributions,
            "scale": self.scale,
            "unit": "person",
        }


def histogram(
    data: Any,
    by: Sequence[str],
    epsilon: float,
    *,
    delta: float | None = None,
    contributions: int = 1,
    method: str = "auto",
    hierarchies: Mapping[str, Hierarchy] | None = None,
    levels: Mapping[str, int] | None = None,
) -> Histogram:
    """How many persons are in each cell, with noise. A person has at most `contributions` rows."""
    if method not in METHODS:
        raise UsageError(f"the method must be one of {', '.join(METHODS)}")
    if not by:
        raise UsageError("name the attributes to count by")
    if len(set(by)) < len(by):
        raise UsageError("an attribute to count by is named twice")
    if unknown := sorted({*(hierarchies or {}), *(levels or {})} - set(by)):
        raise UsageError(f"a hierarchy or level of {', '.join(unknown)}, which is not counted by")
    table = Table.of(data, list(by))
    bins = [bins_for(name, (hierarchies or {}).get(name), (levels or {}).get(name)) for name in by]
    shape = tuple(len(each.labels) for each in bins)
    if prod(shape) > MOST_CELLS:
        raise UsageError(f"{prod(shape):,} cells are more than {MOST_CELLS:,}: use coarser levels")
    true = _counted(table, by, bins, shape)
    cube = method == "cube" or (method == "auto" and prod(shape) > CUBE_FROM)
    if cube:
        counts, spent, scale = cube_of(true, epsilon, delta, contributions)
    else:
        counts, spent, scale = cells_of(true, epsilon, delta, contributions)
    return Histogram(
        tuple(by),
        tuple(each.labels for each in bins),
        counts,
        "cube" if cube else "cells",
        spent,
        delta or 0.0,
        contributions,
        scale,
    )


def _counted(table: Table, by: Sequence[str], bins: Sequence[Bins], shape: Sequence[int]) -> Ints:
    place = np.zeros(table.rows, np.int64)
    for name, each in zip(by, bins, strict=True):
        column = table[name]
        index = np.array([*map(each.index, column.values), each.other], dtype=np.int64)
        place = place * len(each.labels) + index[column.codes]
    return np.bincount(place, minlength=prod(shape)).astype(np.int64).reshape(shape)


def _noisy(mechanism: Any, counts: Ints) -> Ints:
    return np.array(mechanism(counts.ravel().tolist()), dtype=np.int64).reshape(counts.shape)


def cells_of(
    true: Ints, epsilon: float, delta: float | None, contributions: int
) -> tuple[Floats, float, float]:
    mechanism, scale = fitted(epsilon, contributions, delta)
    return (
        _noisy(mechanism, true).astype(np.float64),
        epsilon_of(mechanism, contributions, delta),
        scale,
    )


def cube_of(
    true: Ints, epsilon: float, delta: float | None, contributions: int
) -> tuple[Floats, float, float]:
    half = None if delta is None else delta / 2
    fine, scale = fitted(CELL_SHARE * epsilon, contributions, half)
    coarse, coarse_scale = fitted((1 - CELL_SHARE) * epsilon, contributions, half)
    noise, coarse_noise = variance(scale, half), variance(coarse_scale, half)
    cells = _noisy(fine, true).astype(np.float64)
    boxes = regions(cells, noise)
    sums = np.array([true[box].sum() for box in boxes], dtype=np.int64)
    found = np.empty_like(cells)
    for box, region in zip(boxes, _noisy(coarse, sums).tolist(), strict=True):
        inside = cells[box]
        by_cells, by_region = 1 / (inside.size * noise), 1 / coarse_noise
        total = (inside.sum() * by_cells + region * by_region) / (by_cells + by_region)
        found[box] = total / inside.size
    spent = epsilon_of(fine, contributions, half) + epsilon_of(coarse, contributions, half)
    return np.round(found, 3), spent, scale


def regions(cells: Floats, noise: float) -> list[Box]:
    """Boxes in which the noisy cells differ no more than noise of this variance explains.

    A box is cut where that lowers the sum of squares most, as long as it lowers it by more than
    what two more noisy counts cost.
    """
    open_boxes: list[Box] = [tuple(slice(0, size) for size in cells.shape)]
    done: list[Box] = []
    while open_boxes:
        box = open_boxes.pop()
        cut = _best_cut(cells[box], noise)
        if cut is None:
            done.append(box)
            continue
        axis, at = cut
        start = box[axis].start
        parts = (slice(start, start + at), slice(start + at, box[axis].stop))
        open_boxes += [(*box[:axis], part, *box[axis + 1 :]) for part in parts]
    return done


def _best_cut(inside: Floats, noise: float) -> tuple[int, int] | None:
    total, count = inside.sum(), inside.size
    best, found = 2 * noise, None
    for axis, size in enumerate(inside.shape):
        if size < 2:
            continue
        others = tuple(other for other in range(inside.ndim) if other != axis)
        left = np.cumsum(inside.sum(axis=others))[:-1]
        weight = np.arange(1, size) * (count / size)
        right = total - left
        gain = left**2 / weight + right**2 / (count - weight) - total**2 / count
        at = int(np.argmax(gain))
        if gain[at] > best:
            best, found = float(gain[at]), (axis, at + 1)
    return found
