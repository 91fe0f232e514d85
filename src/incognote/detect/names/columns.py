"""Initials in the cells of a table below "By", "Init" or "RN"."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from incognote.detect.names.facts import MAKES_THING

if TYPE_CHECKING:
    from incognote.detect.names.page import Page

_HEAD = re.compile(
    r"(?:  |[\t|])[ ]?(?:by|inits?|initials|rn|md|np)[ ]*(?=\n|  |[\t|])", re.IGNORECASE
)
_CELL = re.compile(r"[^\s|]+(?: [^\s|]+)*")
_INITIALS = re.compile(r"[A-Za-z]{2,3}")
_LONGEST = 3
_FEWEST = 3  # so many columns make a table
_SHIFT = 2  # how far a cell may start from its heading
_WIDTH = 300  # a longer line is no row


def initials_in_columns(page: Page) -> frozenset[int]:
    """The tokens that are such cells."""
    text = page.text
    found: set[int] = set()
    read = 0  # each line is read once
    for head in _HEAD.finditer(text):
        if head.start() < read:
            continue
        first = text.rfind("\n", max(read, head.start() - _WIDTH), head.start()) + 1
        read = _line_end(text, head.end())
        columns = _cells(text, first, read) if read - first < _WIDTH else []
        if len(columns) >= _FEWEST:
            read = _read_table(page, first, read, columns, found)
    return frozenset(found)


def _read_table(
    page: Page, first: int, end: int, columns: list[tuple[int, str]], found: set[int]
) -> int:
    """Adds the initials below the headings in the line [first, end); returns the table's end."""
    text = page.text
    parted = "\t" in text[first:end] or "|" in text[first:end]
    wanted = [
        (index, start - first)
        for index, (start, words) in enumerate(columns)
        if _HEAD.match(f"\t{words}\n")
    ]
    while end < len(text):
        first, stop = end + 1, _line_end(text, end + 1)
        cells = _cells(text, first, stop)
        if len(cells) < _FEWEST or stop - first >= _WIDTH:
            break
        end = stop
        for index, offset in wanted:
            if parted:
                cell = cells[index] if index < len(cells) else None
            else:
                cell = next((c for c in cells if abs(c[0] - first - offset) <= _SHIFT), None)
            if cell and _INITIALS.fullmatch(cell[1]):
                at = bisect_left(page.starts, cell[0])
                # "lab" is no person, but "rd" may be one.
                if len(cell[1]) < _LONGEST or not page.bits[at] & MAKES_THING:
                    found.add(at)
    return end


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at, at + _WIDTH)
    return min(len(text), at + _WIDTH) if end < 0 else end


def _cells(text: str, first: int, end: int) -> list[tuple[int, str]]:
    return [(cell.start(), cell[0]) for cell in _CELL.finditer(text, first, end)]
