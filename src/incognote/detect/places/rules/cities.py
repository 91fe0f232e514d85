"""Cities, by the gazetteer and by where they appear in an address or a sentence."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.places.context import ADDRESS_MARKS, field, nearby, preposition
from incognote.detect.places.finding import CERTAIN, LIKELY, POSSIBLE, Finding
from incognote.detect.places.gazetteer import population
from incognote.detect.places.scan import BLANK, COLUMN, GLUED, LINE, Run, Scan
from incognote.detect.places.words import (
    CAPITAL,
    CLINICAL,
    COMMON,
    COUNTRY,
    DIGITS,
    EPONYM,
    GENERIC,
    LANGUAGE,
    PART,
    UPPER,
    word_list,
)  # fmt: skip

_BIG_CITY = 150_000


def find(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    place_end = -1  # where the place before this run ended
    for run in scan.run_list:
        if 1 in taken[run.first : run.end]:
            place_end = run.end
            continue
        found = _city(scan, run, place_end) if run.named else None
        if found:
            yield found
            place_end = found.end


def _city(scan: Scan, run: Run, place_end: int) -> Finding | None:
    first, end, cased, named = run
    if end - first > 1 and scan.bits[end - 1] & UPPER and scan.gap(end) == GLUED:
        end -= 1  # "Westmere WM1 2HD": the start of a British postcode
        named = [at for at in named if at < end]
    if not named or end - first > 4 or scan.bits[first] & LANGUAGE:
        return None
    if cased and any(_inner_capital(scan.words[at]) for at in named):
        return None  # "IgA", "MCPs", "CDCES": a finding or a brand
    if scan.gap(end) == GLUED and end < len(scan) and scan.bits[end] & DIGITS:
        return None  # "SpO2", "RR18"
    if end - first > 1 and scan.lower(end - 1) in word_list("words", "street_kinds"):
        return None  # a street
    if field(scan, first) in word_list("cues", "city_fields"):
        return Finding(first, end, "CITY", "city-field", CERTAIN)
    rare = any(
        scan.telling(at) and not scan.bits[at] & PART if cased else not scan.bits[at] & COMMON
        for at in named
    )
    if not rare and not cased:
        return None
    town = Run(first, end, cased, named)
    known = population(scan, first, end)
    mark = scan.words[first - 1] if first else ""
    if mark in ADDRESS_MARKS and scan.gap(first) != LINE:
        if _ends_street(scan, first - 1) and cased:
            return Finding(first, end, "CITY", "town-behind-street", LIKELY)
        # "Lakeview Hospital, Yakima": a town behind a place.
        closed = scan.gap(end) >= COLUMN or scan.lower(end) in (",", ".", ")", "·")
        if (
            mark != ";"
            and place_end == first - 1
            and (known is not None or (cased and closed and rare and not _borne(scan, town)))
        ):
            return Finding(first, end, "CITY", "town-behind-place", LIKELY)
    if known is not None:
        return _known_city(scan, town, known, rare=rare)
    return _unknown_city(scan, town, rare=rare)


def _borne(scan: Scan, run: Run) -> bool:
    """Whether it may be a person's name, or a clinical word, as well as a town."""
    return scan.may_be_person(run.first, run.end) or bool(scan.bits[run.first] & CLINICAL)


def _unknown_city(scan: Scan, run: Run, *, rare: bool) -> Finding | None:
    """A town that no list knows, by the words before it: "lives in", "moved to"."""
    first, end, cased, named = run
    if not cased or scan.bits[first] & COUNTRY:
        return None
    closed = scan.lower(end) in (",", ".", ";", ")") or scan.gap(end) >= COLUMN
    if rare:
        telling = len(scan.words[named[0]]) > 3 and not scan.bits[named[0]] & (UPPER | EPONYM)
    else:
        telling = len(named) > 1 and all(map(scan.telling, named)) and closed
    if not telling:
        return None
    before = preposition(scan, first)
    if (before in word_list("towns", "home_before") and nearby(scan, first, "home")) or (
        before == "in" and closed and not scan.may_be_person(first, end)
    ):
        return Finding(first, end, "CITY", "home-cue", POSSIBLE)
    return None


def _inner_capital(word: str) -> bool:
    return not word.istitle() and not word.removeprefix("Mc").istitle()


def _known_city(scan: Scan, run: Run, known: int, *, rare: bool) -> Finding | None:
    first, end, cased, _ = run
    before, after = preposition(scan, first), scan.lower(end)
    if after in word_list("countries", "not_after"):
        return None
    if end < len(scan) and scan.bits[end] & DIGITS and scan.gap(end) == BLANK:
        if cased and len(scan.words[end]) == 5 and rare:
            return Finding(first, end, "CITY", "town-before-zip", LIKELY)
        if before not in ("in", "from"):
            return None  # a scale and its score
    if cased and _starts_postcode(scan, end):
        return Finding(first, end, "CITY", "town-before-zip", LIKELY)
    alone = end - first == 1
    if alone and before == "in" and scan.bits[first] & COUNTRY:
        return None  # a language more often than a town: "in Welsh"
    plain_in = before == "in" and scan.lower(first - 1) == "in"
    home = nearby(scan, first, "home")
    if alone and scan.bits[first] & EPONYM and not (home or plain_in):
        return None  # "blue urine in the Foley"
    if before in ("in", "near", "outside"):
        return Finding(first, end, "CITY", "known-city", CERTAIN)
    if not rare:
        return None
    if before in ("born", "home", "hometown") and cased:
        return Finding(first, end, "CITY", "known-city", LIKELY)
    people = _borne(scan, run)
    if before in word_list("towns", "prepositions") and (
        home or known >= _BIG_CITY or not people or before in ("from", "to")
    ):
        return Finding(first, end, "CITY", "known-city", LIKELY)
    mark = scan.words[first - 1] if first else ""
    closed = after in (")", ",") or scan.gap(end) >= COLUMN
    if cased and not people and mark in ("(", ",") and closed:
        return Finding(first, end, "CITY", "known-city-aside", POSSIBLE)
    return None


def _starts_postcode(scan: Scan, at: int) -> bool:
    """Whether a British postcode follows: "Shrewsbury SY1 3QT"."""
    return (
        at + 1 < len(scan)
        and scan.gap(at) == BLANK
        and bool(scan.bits[at] & CAPITAL)
        and len(scan.words[at]) <= 2
        and scan.words[at].isupper()
        and scan.gap(at + 1) == GLUED
        and bool(scan.bits[at + 1] & DIGITS)
    )


def _ends_street(scan: Scan, mark: int) -> bool:
    """Whether the token before this mark ends a street address: "Rd", "Apt 6", "# B"."""
    at = mark - 1
    if at > 0 and scan.words[at] == "." and not scan.gap(at):
        at -= 1
    if at <= 0:
        return False
    word = scan.lower(at)
    if word in word_list("words", "street_kinds"):
        # Not "Family Court, Action 18": the street has a name of its own.
        return bool(scan.bits[at] & CAPITAL) and not scan.bits[at - 1] & GENERIC
    if scan.bits[at] & DIGITS or len(word) == 1:
        return scan.lower(at - 1) in word_list("towns", "dwellings") or scan.words[at - 1] == "#"
    return False
