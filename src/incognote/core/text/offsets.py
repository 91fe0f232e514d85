"""The map from a view's text back to the document's text.

A view may drop characters (a hyphen at a line end), replace them one for one (a curly quote) or
expand them (a ligature). The map is a list of pieces that run in parallel; between two pieces lies
what was dropped or expanded. Nearly every view is one piece, and that case costs two additions.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from incognote.core.errors import OffsetError


@dataclass(frozen=True, slots=True)
class Piece:
    """`length` view characters from `view` stand for `source_length` document characters."""

    view: int
    source: int
    length: int
    source_length: int

    @property
    def parallel(self) -> bool:
        return self.length == self.source_length


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Pieces in order, covering the whole view without a gap in view coordinates."""

    pieces: tuple[Piece, ...]

    @classmethod
    def identity(cls, length: int, base: int = 0) -> OffsetMap:
        return cls((Piece(0, base, length, length),))

    def __post_init__(self) -> None:
        at = 0
        source = -1
        for piece in self.pieces:
            if piece.view != at or piece.source < source:
                raise OffsetError("offset map has a gap or runs backwards")
            at = piece.view + piece.length
            source = piece.source + piece.source_length

    @property
    def length(self) -> int:
        return self.pieces[-1].view + self.pieces[-1].length if self.pieces else 0

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """The smallest stretch of the document that holds view characters [start, end)."""
        if not 0 <= start < end <= self.length:
            raise OffsetError(f"span [{start}, {end}) lies outside a view of {self.length}")
        if len(self.pieces) == 1 and self.pieces[0].parallel:
            shift = self.pieces[0].source
            return start + shift, end + shift
        return self._source_of(start)[0], self._source_of(end - 1)[1]

    def to_view(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the view that stands for document characters [start, end); it is empty if
        none of them is in the view."""
        return self._view_of(start, after=False), self._view_of(end, after=True)

    def _view_of(self, position: int, *, after: bool) -> int:
        """Where a boundary of the document lies in the view. Inside of what was expanded or shrunk
        it moves to the piece's beginning or, if it is the end of a stretch, behind it."""
        index = bisect_right(self.pieces, position, key=lambda p: p.source) - 1
        if index < 0:
            return 0
        piece = self.pieces[index]
        inside = position - piece.source
        if inside >= piece.source_length:
            return piece.view + piece.length
        if piece.parallel:
            return piece.view + inside
        return piece.view + piece.length if after and inside else piece.view

    def _source_of(self, index: int) -> tuple[int, int]:
        """First and one-past-last document position behind one view character."""
        piece = self.pieces[bisect_right(self.pieces, index, key=lambda p: p.view) - 1]
        if piece.parallel:
            at = piece.source + index - piece.view
            return at, at + 1
        # An expanded or shrunk piece is indivisible: touching part of it takes all of it.
        return piece.source, piece.source + piece.source_length


class OffsetMapBuilder:
    """Collects what becomes of the source, left to right: `keep`, `drop` or `replace`."""

    def __init__(self, base: int = 0) -> None:
        self._pieces: list[Piece] = []
        self._view = 0
        self._source = base

    def keep(self, length: int) -> None:
        """`length` source characters stand in the view one for one."""
        if length <= 0:
            return
        last = self._pieces[-1] if self._pieces else None
        if last and last.parallel and last.source + last.length == self._source:
            self._pieces[-1] = Piece(
                last.view, last.source, last.length + length, last.length + length
            )
        else:
            self._pieces.append(Piece(self._view, self._source, length, length))
        self._view += length
        self._source += length

    def drop(self, length: int) -> None:
        """`length` source characters have no counterpart in the view."""
        self._source += length

    def replace(self, source_length: int, view_length: int) -> None:
        """`source_length` characters became `view_length`; as one unit if the lengths differ."""
        if source_length == view_length:
            self.keep(source_length)
            return
        self._pieces.append(Piece(self._view, self._source, view_length, source_length))
        self._view += view_length
        self._source += source_length

    def build(self) -> OffsetMap:
        return OffsetMap(tuple(self._pieces) or (Piece(0, self._source, 0, 0),))
