"""Notes cut into windows of word pieces, with one target for each unit."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incognote.detect.learned.encoder.pieces import Feed, Reader
from incognote.learn.data import Note

IntArray = NDArray[np.int64]
Halves = NDArray[np.float16]  # a number for no label, each label, and the opening of a span
IGNORED = -100  # the loss skips pieces that continue a unit
UNMARKED = -1  # the label of a unit of a note without annotation


@dataclass(frozen=True, slots=True)
class Window:
    """Pieces of a note with the marks of a beginning and an end: rows of ids, shapes and layouts,
    and for each piece a label and whether it opens a span. `taught` is what teachers say of the
    units in it."""

    rows: Feed
    labels: IntArray
    opens: IntArray
    taught: Halves | None = None

    @property
    def size(self) -> int:
        return int(self.rows.shape[1])


@dataclass(frozen=True, slots=True)
class Batch:
    ids: IntArray
    shapes: IntArray
    layouts: IntArray
    mask: IntArray
    labels: IntArray
    opens: IntArray
    taught: Halves | None = None


def unit_targets(
    note: Note, units: Sequence[tuple[int, int]], index: dict[str, int]
) -> tuple[list[int], list[int]]:
    """For each unit the label that covers any of it (0 is none), and whether it opens the span."""
    labels = [0] * len(units)
    opens = [0] * len(units)
    position = 0
    for start, end, label in note.marks:
        while position < len(units) and units[position][1] <= start:
            position += 1
        first = True
        while position < len(units) and units[position][0] < end:
            labels[position] = index.get(label, 0)
            opens[position] = int(first and label in index)
            first = False
            position += 1
    return labels, opens


def cut(
    note: Note,
    reader: Reader,
    index: dict[str, int],
    rng: random.Random,
    *,
    marked: bool = True,
    taught: Halves | None = None,
    overlap: int = 0,
) -> list[Window]:
    """Windows of at most the reader's size. Where they are cut is random, anew in every epoch; each
    begins up to `overlap` pieces before the end of the last."""
    read = reader.read(note.text)
    if not read.units:
        return []
    labels, opens = unit_targets(note, read.units, index)
    if not marked:
        labels = [UNMARKED] * len(read.units)
    of_units = np.full((2, read.size), IGNORED, np.int64)
    of_units[:, read.firsts] = labels, opens
    room = reader.size - 2
    limit = rng.randint(room // 2, room) if read.size > room // 2 else room
    windows = []
    start = unit = 0
    while start < read.size:
        end, after = read.size, len(read.units)
        if read.size - start > limit:
            after = int(np.searchsorted(read.firsts, start + limit, side="right")) - 1
            end = int(read.firsts[after])
        said = None if taught is None else taught[unit:after]
        targets = np.full((2, end - start + 2), IGNORED, np.int64)
        targets[:, 1:-1] = of_units[:, start:end]
        windows.append(Window(reader.feed(read, start, end), targets[0], targets[1], said))
        if overlap and after < len(read.units):
            # The first unit that begins within the overlap; at least one unit goes on.
            again = int(np.searchsorted(read.firsts, end - overlap))
            after = max(again, unit + 1)
            end = int(read.firsts[after])
        start, unit, limit = end, after, room
    return windows


def batches(
    windows: Sequence[Window], pad: int, budget: int, rng: random.Random | None = None
) -> list[Batch]:
    """Windows of like length together, at most `budget` pieces with their padding."""
    order = sorted(range(len(windows)), key=lambda i: windows[i].size)
    groups: list[list[int]] = []
    for i in order:
        width = -(-windows[i].size // 8) * 8
        if groups and width * (len(groups[-1]) + 1) <= budget:
            groups[-1].append(i)
        else:
            groups.append([i])
    if rng:
        rng.shuffle(groups)
    return [padded([windows[i] for i in group], pad) for group in groups]


def padded(windows: Sequence[Window], pad: int) -> Batch:
    """Windows of any length as one batch; its width is a multiple of eight, which GPUs like."""
    width = max(window.size for window in windows)
    shape = (len(windows), -(-width // 8) * 8)
    rows = np.zeros((3, *shape), np.int64)
    rows[0] = pad
    mask = np.zeros(shape, np.int64)
    targets = np.full((2, *shape), IGNORED, np.int64)
    taught = None
    if windows[0].taught is not None:
        taught = np.zeros((*shape, windows[0].taught.shape[1]), np.float16)
    for row, window in enumerate(windows):
        size = window.size
        rows[:, row, :size] = window.rows
        mask[row, :size] = 1
        targets[0, row, :size] = window.labels
        targets[1, row, :size] = window.opens
        if taught is not None:
            taught[row, :size][window.labels != IGNORED] = window.taught
    return Batch(rows[0], rows[1], rows[2], mask, targets[0], targets[1], taught)


def phi_error(said: IntArray, gold: IntArray) -> float:
    """1 - F1 of PHI against the rest. Epochs are compared by this, not by the loss: a loss
    grows with a model's certainty even while it errs less."""
    hits = int(((said > 0) & (gold > 0)).sum())
    wrong = int(((said > 0) != (gold > 0)).sum())
    return wrong / max(1, 2 * hits + wrong)
