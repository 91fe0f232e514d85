"""The letterhead: a line at the top that names the place of care, whatever its last word is."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.places.finding import LIKELY, Finding
from incognote.detect.places.rules.headed import last_head
from incognote.detect.places.scan import COLUMN, LINE, Scan
from incognote.detect.places.words import (
    CAPITAL,
    CITY,
    CLINICAL,
    COMMON,
    DIGITS,
    FAMILIAR,
    GENERIC,
    PART,
    PERSON,
    WORD,
    word_list,
)

_LINES = 2  # lines that may hold a letterhead
_LONGEST = 10  # tokens
_SHORTEST = 4  # letters of a word that no list knows; shorter ones abbreviate
_JOINERS = frozenset("of the & and for at ' - 's ’s".split())


def find(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    line, at = 0, 0
    while at < len(scan) and line < _LINES:
        end = _segment(scan, at)
        if scan.gap(at) == LINE:
            line += 1
        if end > at and not any(taken[at:end]) and _names_care(scan, at, end):
            head = last_head(scan, at, end)
            yield Finding(at, end, head.label if head else "HOSPITAL", "letterhead", LIKELY)
        at = max(end, at) + 1
        while at < len(scan) and scan.gap(at) < COLUMN:
            at += 1


def _segment(scan: Scan, at: int) -> int:
    """Where the words with capitals that start here end: at a wide gap, a mark or the line end."""
    end = at
    while end < len(scan) and end - at < _LONGEST:
        if end > at and scan.gap(end) >= COLUMN:
            break
        joins = scan.lower(end) in _JOINERS and end > at
        if not scan.bits[end] & CAPITAL and not joins:
            break
        end += 1
    closed = end >= len(scan) or scan.gap(end) >= COLUMN or not scan.bits[end] & (WORD | DIGITS)
    return end if closed and scan.lower(end - 1) not in _JOINERS else at


def _names_care(scan: Scan, at: int, end: int) -> bool:
    words = [k for k in range(at, end) if scan.bits[k] & WORD and scan.lower(k) not in _JOINERS]
    if len(words) < 2:
        return False
    titles = word_list("heads", "document_titles")
    if any(scan.lower(k) in titles for k in words):
        return False
    cares = any(scan.bits[k] & GENERIC for k in words[1:])
    return cares and _is_name(scan, words[0]) and any(_is_rare(scan, k) for k in words)


def _is_name(scan: Scan, at: int) -> bool:
    """A letterhead starts with the words that identify the institution."""
    return bool(scan.bits[at] & PART) or _is_rare(scan, at)


def _is_rare(scan: Scan, at: int) -> bool:
    bits = scan.bits[at]
    if bits & (CITY | PERSON) and not bits & (CLINICAL | GENERIC | FAMILIAR):
        return True
    return len(scan.words[at]) > _SHORTEST and not bits & (COMMON | GENERIC | CLINICAL)
