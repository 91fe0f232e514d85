"""Counties, lakes, parks, bases and numbered roads."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.places.finding import CERTAIN, LIKELY, Finding
from incognote.detect.places.scan import BLANK, GLUED, Run, Scan
from incognote.detect.places.words import COMMON, DIGITS, LANDMARK, OPENER, PART, ROAD

LABEL = "LOCATION-OTHER"
# Radioactive iodine is written like an interstate highway.
_ISOTOPES = frozenset(("123", "124", "125", "129", "131"))
_AMBIGUOUS = frozenset(
    "park bay square plaza pier dam mall arena falls beach pass delta harbor ferry cove bridge".split()
)


def find(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    yield from _roads(scan, taken)
    for run in scan.run_list:
        if any(taken[run.first : run.end]):
            continue
        found = _landmark(scan, run)
        if found:
            yield found


def _landmark(scan: Scan, run: Run) -> Finding | None:
    if scan.bits[run.first] & OPENER and run.end - run.first > 1:
        named = [at for at in range(run.first + 1, run.end) if scan.specific(at, run.cased)]
        if (
            named
            and not all(scan.bits[at] & COMMON for at in named)
            and scan.lower(run.first) not in ("mt", "rio")
        ):
            return Finding(run.first, run.end, LABEL, "landmark", LIKELY)
    for last in range(run.end - 1, run.first, -1):
        if not scan.bits[last] & LANDMARK:
            continue
        named = [
            at
            for at in range(run.first, last)
            if scan.specific(at, run.cased) or scan.bits[at] & PART
        ]
        if not named:
            return None
        rare = any(not scan.bits[at] & COMMON for at in named)
        if not rare and (not run.cased or scan.lower(last) in _AMBIGUOUS):
            return None
        return Finding(run.first, last + 1, LABEL, "landmark", LIKELY)
    return None


def _roads(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    bits = scan.bits
    for at in range(len(scan) - 1):
        if not bits[at] & ROAD or taken[at]:
            continue
        word = scan.words[at]
        number = at + 1
        dashed = scan.words[number] == "-" and scan.gap(number) == GLUED
        if dashed:
            number += 1
        if number >= len(scan) or not bits[number] & DIGITS or scan.gap(number) > BLANK:
            continue
        digits = scan.words[number]
        if len(digits) > 4:
            continue
        if not _is_road(word, digits, dashed=dashed):
            continue
        first = at
        if at and scan.lower(at - 1) in ("state", "county", "us") and scan.gap(at) == BLANK:
            first = at - 1
        yield Finding(first, number + 1, LABEL, "road", CERTAIN)


def _is_road(word: str, digits: str, *, dashed: bool) -> bool:
    lower = word.lower()
    if lower == "i":
        return word == "I" and dashed and digits not in _ISOTOPES and len(digits) <= 3
    if lower in ("us", "sr", "fm"):
        return word.isupper() and (dashed or lower != "us" or len(digits) <= 3)
    if lower in ("rt", "loop", "exit", "mile", "milepost"):
        # "RT 20 Gy" is radiotherapy, "mile 3" may be a race.
        return word.istitle() and lower in ("rt", "loop")
    return True
