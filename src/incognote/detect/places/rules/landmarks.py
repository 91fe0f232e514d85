"""Counties, lakes, parks, bases and numbered roads."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.places.context import preposition
from incognote.detect.places.finding import CERTAIN, LIKELY, Finding
from incognote.detect.places.gazetteer import is_city
from incognote.detect.places.scan import BLANK, GLUED, Run, Scan
from incognote.detect.places.words import COMMON, DIGITS, LANDMARK, OPENER, ROAD, word_list
from incognote.lexicon import fold_place, lexicon

LABEL = "LOCATION-OTHER"
_IRISH_COUNTY = "Co"
# Radioactive iodine is written like an interstate highway.
_ISOTOPES = frozenset(("123", "124", "125", "129", "131"))


def find(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    yield from _roads(scan, taken)
    for run in scan.run_list:
        # One word alone is no landmark; most runs are one word.
        if run.end - run.first == 1 and scan.words[run.first] != _IRISH_COUNTY:
            continue
        if 1 in taken[run.first : run.end]:
            continue
        found = _landmark(scan, run)
        if found:
            yield found


def _landmark(scan: Scan, run: Run) -> Finding | None:
    opening = scan.lower(run.first)
    if scan.bits[run.first] & OPENER and run.end - run.first > 1:
        named = [at for at in range(run.first + 1, run.end) if scan.specific(at, run.cased)]
        rare = any(not scan.bits[at] & COMMON for at in named)
        if opening == "fob" and not preposition(scan, run.first):
            return None  # the father of the baby
        if rare or (run.cased and opening in ("fort", "lake", "mount")):
            return Finding(run.first, run.end, LABEL, "landmark", LIKELY)
    if scan.words[run.first] == _IRISH_COUNTY and run.first and scan.words[run.first - 1] == ",":
        # "Ennistymon, Co. Clare": an Irish county.
        return Finding(run.first, run.end, LABEL, "county", LIKELY)
    for last in range(run.end - 1, run.first, -1):
        if not scan.bits[last] & LANDMARK:
            continue
        named = [at for at in range(run.first, last) if scan.specific(at, run.cased)]
        if not named:
            return None
        kind = scan.lower(last)
        if kind in ("county", "parish", "borough"):
            known = run.cased or _is_county(scan, max(run.first, last - 3), last + 1)
            return Finding(run.first, last + 1, LABEL, "county", CERTAIN) if known else None
        # "Treviño-Marsh" is a person.
        if scan.gap(last) == GLUED or not _is_landmark(scan, run, kind, named):
            return None
        # Towns are named for what they lie at: "lives in Hooper Bay", "Toms River, NJ".
        placed = preposition(scan, run.first) in ("in", "from", "to") or scan.lower(last + 1) == ","
        town = placed and is_city(scan, run.first, last + 1)
        return Finding(run.first, last + 1, "CITY" if town else LABEL, "landmark", LIKELY)
    return None


def _is_landmark(scan: Scan, run: Run, kind: str, named: list[int]) -> bool:
    if any(not scan.bits[at] & COMMON for at in named):
        return True
    placed = preposition(scan, run.first) in word_list("cues", "road_before")
    if not run.cased:
        return placed and len(named) > 1
    return any(map(scan.telling, named)) and (placed or kind not in word_list("heads", "ambiguous"))


def _is_county(scan: Scan, first: int, end: int) -> bool:
    counties = lexicon().counties
    return any(
        fold_place(scan.text[scan.starts[at] : scan.ends[end - 1]]) in counties
        for at in range(first, end - 1)
    )


def _roads(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    bits = scan.bits
    for at in scan.listed:
        number = at + 1
        if not bits[at] & ROAD or taken[at] or number == len(scan):
            continue
        dashed = scan.words[number] == "-" and scan.gap(number) == GLUED
        if dashed:
            number += 1
        if number >= len(scan) or not bits[number] & DIGITS or scan.gap(number) > BLANK:
            continue
        if len(scan.words[number]) > 4 or not _is_road(scan, at, number, dashed=dashed):
            continue
        first = at
        owner = at > 0 and scan.gap(at) == BLANK
        if owner and (
            scan.lower(at - 1) in ("state", "county", "us") or _is_state_code(scan, at - 1)
        ):
            first = at - 1
        yield Finding(first, number + 1, LABEL, "road", CERTAIN)


def _is_state_code(scan: Scan, at: int) -> bool:
    return scan.words[at] in lexicon().states


def _is_road(scan: Scan, at: int, number: int, *, dashed: bool) -> bool:
    word, digits = scan.words[at], scan.words[number]
    lower = word.lower()
    if scan.lower(number + 1) in word_list("cues", "units"):
        return False
    if lower == "i":
        return word == "I" and dashed and digits not in _ISOTOPES and len(digits) <= 3
    if lower in ("mile", "milepost", "exit", "fm", "rt", "loop", "sr") or word.islower():
        # "SR 80" is a rhythm and "route 5 mg" a way: only "on", "off", "near" make them roads.
        return preposition(scan, at) in word_list("cues", "road_before") and scan.lower(at) != "rt"
    if lower == "us":
        # "Renal US 40" is a picture of a kidney.
        imaged = at > 0 and scan.lower(at - 1) in word_list("cues", "imaged")
        return word == "US" and len(digits) <= 3 and not imaged
    return True
