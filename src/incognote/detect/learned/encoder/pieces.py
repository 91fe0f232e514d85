"""A text as an encoder reads it: word pieces with their shape and layout, in windows.

Clinical text repeats its words, so each distinct unit is split into pieces once; reading a text is
then one dictionary lookup for each unit and a few array operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from incognote.detect.learned.encoder.subwords import Tokenizer
from incognote.detect.learned.units import CONTINUES, Offsets, layouts, shape, split

Ints = NDArray[np.int64]
# What an encoder is fed for one window: rows of ids, shapes and layouts, first and last piece
# the marks of a beginning and an end.
Feed = NDArray[np.int64]
_CACHED = 65_536  # units; what grows is copied, so it stays small


@dataclass(frozen=True, slots=True)
class Pieces:
    """Flat pieces of a text: ids, shapes and layouts, and where each unit's first piece appears."""

    units: Offsets = field(repr=False)
    rows: Feed = field(repr=False)
    firsts: Ints = field(repr=False)

    @property
    def size(self) -> int:
        return int(self.rows.shape[1])

    def only(self, mask: NDArray[np.bool_]) -> Pieces:
        """Some of the units, as if they were neighbours."""
        counts = np.diff(self.firsts, append=self.size)
        kept = counts[mask]
        return Pieces(
            units=[unit for unit, keep in zip(self.units, mask.tolist(), strict=True) if keep],
            rows=self.rows[:, np.repeat(mask, counts)],
            firsts=np.cumsum(kept) - kept,
        )


class Reader:
    """Texts to pieces, and pieces to windows of at most `size`, neighbours sharing `overlap`."""

    def __init__(self, pieces: Tokenizer, size: int, overlap: int) -> None:
        self._pieces = pieces
        self.size = size
        self._overlap = overlap
        self._table = _UnitPieces(pieces, size // 4)  # a unit never fills a window alone

    def read(self, text: str) -> Pieces:
        units = split(text)
        rows = self._table.rows(text, units)
        counts = self._table.counts[rows]
        ends = np.cumsum(counts)
        firsts = ends - counts
        total = int(ends[-1]) if len(ends) else 0
        at = np.repeat(self._table.starts[rows] - firsts, counts) + np.arange(total)
        flat = np.full((3, total), CONTINUES, np.int64)
        flat[0] = self._table.ids[at]
        flat[1] = np.repeat(self._table.shapes[rows], counts)
        flat[2, firsts] = layouts(text, units)
        return Pieces(units, flat, firsts)

    def windows(self, text: Pieces) -> Iterator[tuple[int, int]]:
        """[start, end) of pieces. All start and end with a unit, so no word is cut."""
        room = self.size - 2
        start = 0
        while text.size - start > room:
            # The last beginning of a unit that still fits.
            end = int(text.firsts[np.searchsorted(text.firsts, start + room, side="right") - 1])
            yield start, end
            start = int(text.firsts[np.searchsorted(text.firsts, end - self._overlap)])
        if start < text.size:
            yield start, text.size

    def feed(self, text: Pieces, start: int, end: int) -> Feed:
        feed = np.zeros((3, end - start + 2), np.int64)
        feed[:, 1:-1] = text.rows[:, start:end]
        feed[0, 0], feed[0, -1] = self._pieces.first, self._pieces.last
        return feed


class _UnitPieces(dict[str, int]):
    """Row numbers of the units seen so far; the arrays have the pieces of all rows end to end."""

    def __init__(self, pieces: Tokenizer, most: int) -> None:
        super().__init__()
        self._pieces = pieces
        self._most = most
        self._forget()

    def _forget(self) -> None:
        self.clear()
        self._new: list[tuple[tuple[int, ...], int]] = []
        self.ids = self.starts = self.counts = self.shapes = np.zeros(0, np.int64)

    def __missing__(self, unit: str) -> int:
        row = self[unit] = len(self)
        self._new.append((self._pieces.pieces(unit)[: self._most], shape(unit)))
        return row

    def rows(self, text: str, units: Offsets) -> Ints:
        if len(self) > _CACHED:
            self._forget()
        rows = np.array([self[text[start:end]] for start, end in units], np.int64)
        if self._new:
            self._grow()
        return rows

    def _grow(self) -> None:
        counts = np.array([len(found) for found, _ in self._new], np.int64)
        ids = np.array([index for found, _ in self._new for index in found], np.int64)
        self.starts = np.concatenate([self.starts, len(self.ids) + np.cumsum(counts) - counts])
        self.counts = np.concatenate([self.counts, counts])
        self.shapes = np.concatenate([self.shapes, [form for _, form in self._new]])
        self.ids = np.concatenate([self.ids, ids])
        self._new.clear()
