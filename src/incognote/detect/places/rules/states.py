"""States and provinces, and the towns that come before them in an address."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.places.context import ADDRESS_MARKS, preposition
from incognote.detect.places.finding import CERTAIN, LIKELY, Finding
from incognote.detect.places.gazetteer import is_city, longest_city_to, states_of
from incognote.detect.places.scan import BLANK, COLUMN, GLUED, LINE, Scan
from incognote.detect.places.words import CAPITAL, DIGITS, STATE, STOP, UPPER, WORD, word_list
from incognote.lexicon import fold, lexicon

_LONGEST_TOWN = 6


def find(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    for at in scan.listed:
        bits = scan.bits[at]
        if not bits & STATE or taken[at] or (not bits & CAPITAL and scan.cased(at)):
            continue
        if scan.lower(at - 1) == "-" and scan.gap(at) == GLUED:
            continue  # Gore-Tex
        found = _state_at(scan, at)
        if found is None:
            continue
        end, kind = found
        town = _town_before(scan, at, taken)
        postcode = _postcode_after(scan, end)
        if not _state_holds(scan, at, end, kind, town, postcode):
            continue
        yield Finding(at, end, "STATE", "state", CERTAIN if postcode or town else LIKELY)
        sure = postcode or scan.words[at - 1] in ADDRESS_MARKS or (town and _is_town(scan, *town))
        plated = scan.lower(end) in word_list("towns", "plate_words")  # "a gold Malibu, WV plate"
        if town and sure and not plated and not any(taken[town[0] : town[1]]):
            yield Finding(*town, "CITY", "town-before-state", CERTAIN if postcode else LIKELY)


def _is_town(scan: Scan, first: int, end: int) -> bool:
    """A known city, or what is between the comma of an address and the state."""
    return is_city(scan, first, end) or (first > 0 and scan.words[first - 1] == ",")


def _state_at(scan: Scan, at: int) -> tuple[int, str] | None:
    """Where the state that starts here ends, and how it is written: name, short or code."""
    dotted = _dotted_state(scan, at)
    if dotted:
        return dotted, "short"
    lex = lexicon()
    longest = scan.vocabulary.states.get(fold(scan.words[at]), 0)
    for size in range(min(longest, len(scan) - at), 0, -1):
        if any(scan.gap(at + k) != BLANK for k in range(1, size)):
            continue
        key = " ".join(fold(scan.words[at + k]) for k in range(size))
        if key not in lex.state_codes and key not in lex.regions:
            continue
        if len(key) > 5 or key in ("ohio", "iowa", "utah", "guam", "texas", "maine", "idaho"):
            return at + size, "name"
        word = scan.words[at]
        if word.isupper() and len(word) in (2, 3):
            return at + 1, "code"
        if not scan.cased(at):
            return at + 1, "code"
        dotted = scan.lower(at + 1) == "." and scan.gap(at + 1) == GLUED
        return at + 1 + dotted, "short"
    return None


def _dotted_state(scan: Scan, at: int) -> int:
    """Where "N.Y.", "W. Va." or "P.R." ends; 0 if none starts here."""
    if len(scan.words[at]) > 1 or at + 3 >= len(scan) or scan.words[at + 1] != ".":
        return 0
    if scan.gap(at + 1) != GLUED or scan.gap(at + 2) > BLANK or scan.words[at + 3] != ".":
        return 0
    key = scan.lower(at) + scan.lower(at + 2)
    return at + 4 if len(key) < 6 and key in lexicon().state_codes else 0


def _postcode_after(scan: Scan, end: int) -> bool:
    """A ZIP code, four digits (Australia) or the start of a Canadian code."""
    at = end + 1 if scan.lower(end) in ADDRESS_MARKS else end
    if at >= len(scan) or scan.gap(at) == LINE or (at == end and scan.gap(at) == GLUED):
        return False
    region = scan.lower(end - 1)
    if scan.bits[at] & DIGITS:
        # Four digits are a postcode in Australia, and a year anywhere else.
        return len(scan.words[at]) == (4 if region in word_list("towns", "australian") else 5)
    if len(scan.words[at]) > 1 or region not in word_list("towns", "canadian"):
        return False
    return at + 1 < len(scan) and bool(scan.bits[at + 1] & DIGITS) and scan.gap(at + 1) == GLUED


def _town_before(scan: Scan, at: int, taken: bytearray) -> tuple[int, int] | None:
    """The town in "Hardin MT", "Kearney, Nebr.", "12 Elm St Dayton, OH"."""
    comma = at > 0 and scan.words[at - 1] == ","
    end = at - 1 if comma else at
    if end <= 0 or (scan.gap(at) == LINE and not comma):
        return None
    if scan.gap(end) == LINE and not comma:
        return None
    run = scan.run_to.get(end)
    if run is None and not comma:
        held = scan.run_holding(at)
        run = held if held and held.first < at else None
    if run is None or taken[end - 1]:
        return None
    kinds = word_list("words", "street_kinds")
    first = max(run.first, end - _LONGEST_TOWN)
    for back in range(end - 1, first - 1, -1):
        if taken[back] or (scan.lower(back) in kinds and back < end - 1 and back > run.first):
            first = back + 1
            if scan.lower(first) == ".":
                first += 1
            break
    if all(scan.bits[back] & STOP or not scan.bits[back] & WORD for back in range(first, end)):
        return None
    known = longest_city_to(scan, first, end)
    # Behind a comma the whole is the town, though its end is one by itself: "Blvd, Tres Palmas NM".
    whole = run.cased and first > 0 and scan.words[first - 1] == "," and end - first < 4
    if known is not None and not whole:
        first = known
    if (
        first >= end
        or end - first > 4
        or not any(scan.specific(k, run.cased) for k in range(first, end))
    ):
        return None if known is None else (first, end)
    return first, end


def _state_holds(
    scan: Scan, at: int, end: int, kind: str, town: tuple[int, int] | None, postcode: bool
) -> bool:
    if _on_plate(scan, at, end, kind):
        return True
    comma = at > 0 and scan.words[at - 1] in ADDRESS_MARKS
    if kind == "code":
        return _code_holds(scan, at, end, town, comma=comma, postcode=postcode)
    if kind == "short":
        if town is None or scan.gap(at) == LINE:
            return False
        if end < len(scan) and scan.bits[end] & CAPITAL and scan.gap(end) == BLANK:
            return False  # "Miss Reem", "Ms. Zaragoza"
        dotted = scan.words[end - 1] == "."
        return is_city(scan, *town) or postcode or (dotted and comma)
    return _name_holds(scan, at, end, town, comma=comma, postcode=postcode)


def _on_plate(scan: Scan, at: int, end: int, kind: str) -> bool:
    """Whether a plate or a licence is meant: "Oregon plate", "lic. NM", but no "patient ID"."""
    if scan.words[at] == "ID" or (kind == "code" and not scan.bits[at] & UPPER):
        return False
    plates = word_list("towns", "plate_words")
    behind = scan.lower(end) in plates and scan.gap(end) == BLANK
    return behind or preposition(scan, at) in plates


def _code_holds(
    scan: Scan, at: int, end: int, town: tuple[int, int] | None, *, comma: bool, postcode: bool
) -> bool:
    if postcode and (town or comma) and len(scan.words[at]) < 4:
        return True
    if town is None:
        return False
    if scan.lower(at) in word_list("towns", "credentials"):
        return scan.words[at].upper() in states_of(scan, *town)
    closed = scan.gap(end) >= COLUMN or scan.lower(end) in (",", ".", ";", ")", "|", "-", "~", "·")
    if is_city(scan, *town):
        return closed or comma
    behind = town[0] > 0 and scan.words[town[0] - 1] in ADDRESS_MARKS
    return (comma or behind) and closed and not scan.may_be_person(*town)


def _name_holds(
    scan: Scan, at: int, end: int, town: tuple[int, int] | None, *, comma: bool, postcode: bool
) -> bool:
    if scan.lower(end) in word_list("countries", "not_after"):
        return False
    if postcode or (town and comma):
        return True
    run = scan.run_holding(at)
    if run and run.end > end:
        return False  # part of a longer name
    borne = fold(scan.words[at]) in word_list("towns", "borne_states")
    if preposition(scan, at) in word_list("towns", "place_before") or (comma and not borne):
        return True
    if run and run.first < at:
        return town is not None and is_city(scan, *town)
    return not borne
