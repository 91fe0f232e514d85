"""Initials in the cells of a table below "By", "Init" or "RN"."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from incognote.detect.names.page import Page

_HEAD = re.compile(
    r"(?:  |[\t|])[ ]?(?:by|inits?|initials|rn|md|np)[ ]*(?=\n|  |[\t|])", re.IGNORECASE
)
_CELL = re.compile(r"[^\s|]+(?: [^\s|]+)*")
_INITIALS = re.compile(r"[A-Za-z]{2,3}")
_FEWEST = 3  # so many columns make a table
_SHIFT = 2  # how far a cell may start from its heading
# What is longer or wider is no table of a note; the bounds keep the time linear.
_ROWS = 60
_WIDTH = 300


def initials_in_columns(page: Page) -> frozenset[int]:
    """The tokens that are such cells."""
    text = page.text
    found: set[int] = set()
    seen = 0
    for head in _HEAD.finditer(text):
        if head.start() < seen:
            continue  # a second heading in one line, or the heading is a cell itself
        leftmost = max(0, head.start() - _WIDTH)
        first = text.rfind("\n", leftmost, head.start()) + 1 or leftmost
        columns = _cells(text, first, _line_end(text, head.end()))
        if len(columns) >= _FEWEST:
            for start, words in columns:
                if _HEAD.match(f"\t{words}\n"):
                    found.update(_below(page, first, [at for at, _ in columns], start))
        seen = _line_end(text, head.end())
    return frozenset(found)


def _below(page: Page, first: int, columns: list[int], start: int) -> Iterator[int]:
    """Tokens below the heading that starts at `start` in the line that starts at `first`."""
    text = page.text
    end = _line_end(text, start)
    parted = "\t" in text[first:end] or "|" in text[first:end]
    column, offset = columns.index(start), start - first
    for _ in range(_ROWS):
        first, end = end + 1, _line_end(text, end + 1)
        cells = _cells(text, first, end)
        if len(cells) < _FEWEST:
            return
        if parted:
            cell = cells[column] if column < len(cells) else None
        else:
            cell = next((c for c in cells if abs(c[0] - first - offset) <= _SHIFT), None)
        if cell and _INITIALS.fullmatch(cell[1]):
            at = bisect_left(page.starts, cell[0])
            if at < len(page) and page.starts[at] == cell[0]:
                yield at


def _line_end(text: str, at: int) -> int:
    stop = min(len(text), at + _WIDTH)
    end = text.find("\n", at, stop)
    return stop if end < 0 else end


def _cells(text: str, first: int, end: int) -> list[tuple[int, str]]:
    return [(cell.start(), cell[0]) for cell in _CELL.finditer(text, first, end)]
