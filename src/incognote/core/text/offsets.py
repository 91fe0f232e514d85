"""The map from a view's text back to the document's text.

A view may drop characters (a hyphen at a line end), replace them one for one (a curly quote) or
expand them (a ligature). The map is a list of alignments of a stretch of the view with one of the
document; what lies between two of them was dropped. Nearly every view is one alignment, and that
case costs two additions.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from incognote.core.errors import OffsetError


@dataclass(frozen=True, slots=True)
class Alignment:
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
    """Alignments in order, covering the whole view without a gap in view coordinates."""

    alignments: tuple[Alignment, ...]

    @classmethod
    def identity(cls, length: int, base: int = 0) -> OffsetMap:
        return cls((Alignment(0, base, length, length),))

    def __post_init__(self) -> None:
        at = 0
        source = -1
        for alignment in self.alignments:
            if alignment.view != at or alignment.source < source:
                raise OffsetError("offset map has a gap or runs backwards")
            at = alignment.view + alignment.length
            source = alignment.source + alignment.source_length

    @property
    def length(self) -> int:
        return self.alignments[-1].view + self.alignments[-1].length if self.alignments else 0

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """The smallest stretch of the document that holds view characters [start, end)."""
        if not 0 <= start < end <= self.length:
            raise OffsetError(f"span [{start}, {end}) lies outside a view of {self.length}")
        if len(self.alignments) == 1 and self.alignments[0].parallel:
            shift = self.alignments[0].source
            return start + shift, end + shift
        return self._source_of(start)[0], self._source_of(end - 1)[1]

    def to_view(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the view that corresponds to document characters [start, end); empty if
        none of them is in the view."""
        return self._view_of(start, after=False), self._view_of(end, after=True)

    def _view_of(self, position: int, *, after: bool) -> int:
        """Where a boundary of the document lies in the view. Inside of what was expanded or shrunk
        it moves to its beginning or, if it is the end of a stretch, behind it."""
        index = bisect_right(self.alignments, position, key=lambda p: p.source) - 1
        if index < 0:
            return 0
        alignment = self.alignments[index]
        inside = position - alignment.source
        if inside >= alignment.source_length:
            return alignment.view + alignment.length
        if alignment.parallel:
            return alignment.view + inside
        return alignment.view + alignment.length if after and inside else alignment.view

    def _source_of(self, index: int) -> tuple[int, int]:
        """First and one-past-last document position behind one view character."""
        alignment = self.alignments[bisect_right(self.alignments, index, key=lambda p: p.view) - 1]
        if alignment.parallel:
            at = alignment.source + index - alignment.view
            return at, at + 1
        # What was expanded or shrunk is indivisible: touching part of it takes all of it.
        return alignment.source, alignment.source + alignment.source_length


class OffsetMapBuilder:
    """Collects what becomes of the source, left to right: `keep`, `drop` or `replace`."""

    def __init__(self, base: int = 0) -> None:
        self._alignments: list[Alignment] = []
        self._view = 0
        self._source = base

    def keep(self, length: int) -> None:
        """`length` source characters appear in the view one for one."""
        if length <= 0:
            return
        last = self._alignments[-1] if self._alignments else None
        if last and last.parallel and last.source + last.length == self._source:
            self._alignments[-1] = Alignment(
                last.view, last.source, last.length + length, last.length + length
            )
        else:
            self._alignments.append(Alignment(self._view, self._source, length, length))
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
        self._alignments.append(Alignment(self._view, self._source, view_length, source_length))
        self._view += view_length
        self._source += source_length

    def build(self) -> OffsetMap:
        return OffsetMap(tuple(self._alignments) or (Alignment(0, self._source, 0, 0),))
