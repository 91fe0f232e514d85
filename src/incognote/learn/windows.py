"""Notes cut into windows of word pieces, with one target for each unit."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from incognote.detect.units import CONTINUES, layouts, shape, split
from incognote.detect.wordpiece import WordPiece
from incognote.learn.data import Note

IntArray = NDArray[np.int64]
IGNORED = -100  # the loss skips pieces that continue a unit
UNMARKED = -1  # the label of a unit of a note that nobody annotated


@dataclass(frozen=True, slots=True)
class Window:
    """Piece ids, shapes and layouts, and for each piece a label and whether it opens a span."""

    ids: list[int]
    shapes: list[int]
    layouts: list[int]
    labels: list[int]
    opens: list[int]


@dataclass(frozen=True, slots=True)
class Batch:
    ids: IntArray
    shapes: IntArray
    layouts: IntArray
    mask: IntArray
    labels: IntArray
    opens: IntArray


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
    pieces: WordPiece,
    index: dict[str, int],
    size: int,
    rng: random.Random,
    *,
    marked: bool = True,
) -> list[Window]:
    """Windows of at most `size` pieces. Where they are cut is random, anew in every epoch."""
    text = note.text
    units = split(text)
    if not units:
        return []
    labels, opens = unit_targets(note, units, index)
    if not marked:
        labels = [UNMARKED] * len(units)
    gaps = layouts(text, units)
    room = size - 2
    windows: list[Window] = []
    limit = rng.randint(room // 2, room) if len(units) > room // 2 else room
    row = _opened(pieces)
    for (start, end), label, first, gap in zip(units, labels, opens, gaps, strict=True):
        unit = text[start:end]
        found = pieces.pieces(unit)[: room // 4]
        if len(row.ids) - 1 + len(found) > limit:
            windows.append(_closed(row, pieces))
            row, limit = _opened(pieces), room
        form = shape(unit)
        more = len(found) - 1
        row.ids.extend(found)
        row.shapes.extend([form] * len(found))
        row.layouts.extend([gap] + [CONTINUES] * more)
        row.labels.extend([label] + [IGNORED] * more)
        row.opens.extend([first] + [IGNORED] * more)
    windows.append(_closed(row, pieces))
    return windows


def _opened(pieces: WordPiece) -> Window:
    return Window([pieces.first], [0], [0], [IGNORED], [IGNORED])


def _closed(row: Window, pieces: WordPiece) -> Window:
    row.ids.append(pieces.last)
    row.shapes.append(0)
    row.layouts.append(0)
    row.labels.append(IGNORED)
    row.opens.append(IGNORED)
    return row


def batches(
    windows: Sequence[Window], pad: int, budget: int, rng: random.Random | None = None
) -> list[Batch]:
    """Windows of like length together, at most `budget` pieces with their padding."""
    order = sorted(range(len(windows)), key=lambda i: len(windows[i].ids))
    groups: list[list[int]] = []
    for i in order:
        width = len(windows[i].ids)
        if groups and width * (len(groups[-1]) + 1) <= budget:
            groups[-1].append(i)
        else:
            groups.append([i])
    if rng:
        rng.shuffle(groups)
    return [padded([windows[i] for i in group], pad) for group in groups]


def padded(windows: Sequence[Window], pad: int) -> Batch:
    """Windows of any length as one batch."""
    width = max(len(window.ids) for window in windows)
    shape_ = (len(windows), width)
    batch = Batch(
        np.full(shape_, pad, np.int64),
        np.zeros(shape_, np.int64),
        np.zeros(shape_, np.int64),
        np.zeros(shape_, np.int64),
        np.full(shape_, IGNORED, np.int64),
        np.full(shape_, IGNORED, np.int64),
    )
    for row, window in enumerate(windows):
        size = len(window.ids)
        batch.ids[row, :size] = window.ids
        batch.shapes[row, :size] = window.shapes
        batch.layouts[row, :size] = window.layouts
        batch.mask[row, :size] = 1
        batch.labels[row, :size] = window.labels
        batch.opens[row, :size] = window.opens
    return batch


def phi_error(said: IntArray, gold: IntArray) -> float:
    """1 - F1 of telling PHI from the rest. Epochs are compared by this, not by the loss: a loss
    grows with a model's certainty even while it errs less."""
    hits = int(((said > 0) & (gold > 0)).sum())
    wrong = int(((said > 0) != (gold > 0)).sum())
    return wrong / max(1, 2 * hits + wrong)
