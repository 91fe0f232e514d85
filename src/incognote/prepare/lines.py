"""Lines: which line ends are only where the page was full, and where a long text may be cut."""

from __future__ import annotations

import re
from itertools import pairwise

# A line that a writer began on purpose: a bullet, a numbered item, a heading, a field, a table.
_FRESH = re.compile(
    r"[ \t]*(?:[-*•#>+=_|~]|\(?\d{1,2}[.)][ \t]|[A-Z][A-Za-z /&-]{1,30}:|\S{1,40}[ \t]{3,})"
)
_ENDS = frozenset(".:;!?|")
_MIN_WRAP = 50
# Columns side by side: such a line ends where its row ends.
_COLUMNS = re.compile(r"\S[ \t]{3,}\S|\t\S|[|]")
# No line ends with one of these on purpose.
_OPEN_END = re.compile(
    r"(?:,|\b(?:a|an|and|as|at|but|by|for|from|her|his|if|in|is|of|on|or|the|their|this|to|was|were|"
    r"who|with|dr|mr|mrs|ms))\.?$",
    re.IGNORECASE,
)
_LONGEST_OPEN_END = 8
_RAGGED = 20
_MARGIN = 12
_FEWEST_FULL = 4
_WIDEST_PAGE = 132
_FEWEST_WORDS = 6
# About ten lines.
_OVERLAP = 1000


def unwrap(text: str) -> str:
    """The text with wrapped line ends turned into blanks. The length stays the same.

    A line end is a wrap where the line is about as long as the longest lines of its paragraph,
    does not end a sentence, and the next line does not start something of its own. Two lines that
    merely follow each other, as in a letterhead, look the same: where neither the page nor the
    paragraph shows another sign of wrapping, a line must be a clause, or end in the middle of one.
    """
    if "\n" not in text:
        return text
    lines = text.split("\n")
    page = _page_width(lines)
    ends: list[str] = []
    at = 0
    while at < len(lines):
        stop = at
        while stop < len(lines) and lines[stop].strip():
            stop += 1
        ends += _paragraph_ends(lines[at:stop], page)
        if stop < len(lines):
            ends.append("\n")
        at = stop + 1
    ends[len(lines) - 1 :] = [""]
    return "".join(map("".join, zip(lines, ends, strict=True)))


def _page_width(lines: list[str]) -> int:
    """How wide the page is, where several lines come near to its edge and none goes beyond."""
    lengths = [len(line.rstrip()) for line in lines]
    widest = max(lengths)
    near = sum(length > widest - _MARGIN for length in lengths)
    return widest if near >= _FEWEST_FULL and widest <= _WIDEST_PAGE else 0


def _paragraph_ends(lines: list[str], page: int) -> list[str]:
    """For each line of a paragraph, what its line end becomes in the view."""
    if not lines:
        return []
    width = max(map(len, lines))
    ends = ["\n"] * len(lines)
    if width < _MIN_WRAP:
        return ends
    prose = _is_prose(lines, width) or bool(page and width > page - _MARGIN)
    for i, (line, following) in enumerate(pairwise(lines)):
        stripped = line.rstrip()
        first_word = len(following.split(None, 1)[0])
        # The next word would not have fitted: the page decided, not the writer.
        if len(stripped) + 1 + first_word <= width - 4 or stripped[-1:] in _ENDS:
            continue
        goes_on = prose or _is_clause(stripped) or _is_open(stripped)
        if goes_on and not (
            _FRESH.match(following)
            or _COLUMNS.search(line.lstrip())
            or _COLUMNS.search(following.lstrip())
        ):
            ends[i] = " "
    return ends


def _is_open(line: str) -> bool:
    return _OPEN_END.search(line, max(0, len(line) - _LONGEST_OPEN_END)) is not None


def _is_clause(line: str) -> bool:
    """Whether most words of a line are written small, as in a sentence and not in a heading."""
    words = line.split()
    return len(words) >= _FEWEST_WORDS and sum(map(str.islower, words)) > 0.6 * len(words)


def _is_prose(lines: list[str], width: int) -> bool:
    """Whether a paragraph runs on: a line starts in lower case, or many are of one length."""
    if any(line.lstrip()[:1].islower() for line in lines[1:]):
        return True
    return len(lines) > 2 and all(len(line.rstrip()) > width - _RAGGED for line in lines[:-1])


def windows(text: str, size: int) -> list[tuple[int, int]]:
    """[start, end) stretches of at most `size`, cut at a blank line, a line end or a blank.

    Each begins some lines before the end of the one before it: what is cut at the end of a window,
    or can only be recognised by the words before it, appears whole in the next.
    """
    cuts: list[tuple[int, int]] = []
    overlap = min(_OVERLAP, size // 10)
    start = 0
    while len(text) - start > size:
        end = _cut(text, start + size // 2, start + size)
        cuts.append((start, end))
        start = _fresh_start(text, end - overlap, end)
    cuts.append((start, len(text)))
    return cuts


def _cut(text: str, floor: int, limit: int) -> int:
    for mark in ("\n\n", "\n", ". ", " "):
        at = text.rfind(mark, floor, limit)
        if at != -1:
            return at + len(mark)
    return limit


def _fresh_start(text: str, first: int, last: int) -> int:
    """The first place behind a line end, or else behind a blank; `first` if there is neither."""
    for mark in ("\n", " "):
        at = text.find(mark, first, last)
        if at != -1:
            return at + 1
    return first
