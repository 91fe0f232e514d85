"""Cities, states and countries, by gazetteer and by where they stand in an address or a sentence."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.places.context import field, nearby, preposition
from incognote.detect.places.finding import CERTAIN, LIKELY, POSSIBLE, Finding
from incognote.detect.places.gazetteer import is_city, longest_city_to, population, states_of
from incognote.detect.places.scan import BLANK, COLUMN, GLUED, LINE, Run, Scan
from incognote.detect.places.words import (
    CAPITAL,
    COMMON,
    COUNTRY,
    DIGITS,
    EPONYM,
    GENERIC,
    LANGUAGE,
    PART,
    PERSON,
    STATE,
    STOP,
    UPPER,
    WORD,
    word_list,
)
from incognote.lexicon import fold, lexicon

# Names of states that people and towns bear too.
_BORNE = frozenset(
    "washington virginia georgia carolina montana dakota victoria puebla hidalgo perak".split()
)
_PLACE_BEFORE = frozenset(
    "in from near to of outside around across throughout into toward towards".split()
)
_SHORT_COUNTRIES = frozenset(("us", "uk", "drc", "rmi", "fsm", "uae"))
_BORNE_COUNTRIES = frozenset(
    "jordan chad georgia israel jersey guinea turkey mali niger america dominica india kenya".split()
)
_PEOPLE_AFTER = frozenset(
    "man woman male female descent immigrant immigrants national citizen born ancestry heritage origin"
    " refugee family mother father parents husband wife boy girl lady gentleman neighbor american side"
    " passport army navy soldier veteran student widow widower couple".split()
)
_LANGUAGE_BEFORE = frozenset(
    "in into via prefers prefer speaks speak fluent reads some mostly only and or".split()
)
_ORDINARY_PEOPLE = frozenset(
    "pole dane swede turk scot croat serb lao english french polish".split()
)
_AUSTRALIAN = frozenset("NSW QLD VIC TAS ACT NT SA".split())
_CANADIAN = frozenset(
    "AB BC MB NB NL NS NT NU ON PE QC SK YT QUEBEC ONTARIO ALBERTA MANITOBA".split()
)
_BIG_CITY = 150_000
_LONGEST_TOWN = 6
# What separates the parts of an address, in prose and in exported records.
_PREPOSITIONS = frozenset(
    "from to of at via around past between through for above into toward".split()
)
_HOME_BEFORE = frozenset("in to near outside from".split())
_ADDRESS_MARKS = frozenset((",", "^", ";", "·", "~"))
_DWELLINGS = frozenset(
    "apt unit box lot suite ste flat space apartment po route trailer bldg".split()
)
# Codes that stand behind a comma after a person's name, or are words of their own.
_CREDENTIALS = frozenset(
    "MD PA MA MS DO AL DE IN OR ME OK HI ID LA CO ACT NT WA SC NC AS PR VI DC CT CA NS BC PE ON AB MI NE".split()
)


def find(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    # Findings are drawn one by one and `taken` is kept by the caller: states first, because the
    # town before a state needs no gazetteer.
    yield from _states(scan, taken)
    yield from _countries(scan, taken)
    yield from _cities(scan, taken)


# States, and the towns before them


def _states(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    for at, bits in enumerate(scan.bits):
        if not bits & STATE or taken[at] or (not bits & CAPITAL and scan.cased(at)):
            continue
        found = _state_at(scan, at)
        if found is None:
            continue
        end, kind = found
        town = _town_before(scan, at, taken)
        postcode = _postcode_after(scan, end)
        if not _state_holds(scan, at, end, kind, town, postcode):
            continue
        yield Finding(at, end, "STATE", "state", CERTAIN if postcode or town else LIKELY)
        sure = postcode or scan.words[at - 1] in _ADDRESS_MARKS or (town and is_city(scan, *town))
        plated = scan.lower(end) in word_list("cues", "plate_words")  # "a gold Malibu, WV plate"
        if town and sure and not plated and not any(taken[town[0] : town[1]]):
            yield Finding(*town, "CITY", "town-before-state", CERTAIN if postcode else LIKELY)


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
    at = end + 1 if scan.lower(end) in _ADDRESS_MARKS else end
    if at >= len(scan) or scan.gap(at) == LINE or (at == end and scan.gap(at) == GLUED):
        return False
    if scan.bits[at] & DIGITS:
        # Four digits are a postcode in Australia, and a year anywhere else.
        return len(scan.words[at]) == (4 if scan.words[end - 1].upper() in _AUSTRALIAN else 5)
    canadian = len(scan.words[at]) == 1 and scan.words[end - 1].upper() in _CANADIAN
    return bool(
        canadian and at + 1 < len(scan) and scan.bits[at + 1] & DIGITS and not scan.gap(at + 1)
    )


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
        run = next((r for r in _run_holding(scan, at) if r.first < at), None)
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
    if known is not None:
        first = known
    if (
        first >= end
        or end - first > 4
        or not any(scan.specific(k, run.cased) for k in range(first, end))
    ):
        return None if known is None else (first, end)
    return first, end


def _run_holding(scan: Scan, at: int) -> Iterator[Run]:
    """The run that token `at` is inside of."""
    for back in range(at, max(-1, at - 6), -1):
        run = scan.run_at.get(back)
        if run:
            if run.end > at:
                yield run
            return


def _state_holds(
    scan: Scan, at: int, end: int, kind: str, town: tuple[int, int] | None, postcode: bool
) -> bool:
    after = scan.lower(end)
    plates = word_list("cues", "plate_words")
    if kind != "name" and not scan.bits[at] & UPPER and kind != "short":
        plates = frozenset()
    if scan.words[at] != "ID" and (
        (after in plates and scan.gap(end) == BLANK) or preposition(scan, at) in plates
    ):
        return True
    if kind == "name" and after in word_list("cues", "not_country_after"):
        return False
    comma = at > 0 and scan.words[at - 1] in _ADDRESS_MARKS
    if kind == "code":
        if postcode and (town or comma) and len(scan.words[at]) < 4:
            return True
        if town is None:
            return False
        known = is_city(scan, *town)
        if scan.words[at].upper() in _CREDENTIALS:
            return scan.words[at].upper() in states_of(scan, *town)
        closed = scan.gap(end) >= COLUMN or after in (",", ".", ";", ")", "|", "-", "~", "·")
        if known:
            return closed or comma
        behind = town[0] > 0 and scan.words[town[0] - 1] in _ADDRESS_MARKS
        return (comma or behind) and closed and not _may_be_person(scan, *town)
    if kind == "short":
        if scan.gap(at) == LINE or town is None:
            return False
        if end < len(scan) and scan.bits[end] & CAPITAL and scan.gap(end) == BLANK:
            return False  # "Miss Reem", "Ms. Zaragoza"
        dotted = scan.words[end - 1] == "."
        if not dotted and not postcode and not is_city(scan, *town):
            return False
        return bool(town) and (comma or postcode or is_city(scan, *town))
    name = fold(scan.words[at])
    run = next(_run_holding(scan, at), None)
    extends = run is not None and run.end > end
    if postcode or (town and comma):
        return True
    if extends:
        return False
    if preposition(scan, at) in _PLACE_BEFORE or (comma and name not in _BORNE):
        return True
    if run is not None and run.first < at:
        return town is not None and is_city(scan, *town)
    return name not in _BORNE


def _may_be_person(scan: Scan, first: int, end: int) -> bool:
    return all(scan.bits[at] & PERSON or not scan.bits[at] & WORD for at in range(first, end))


# Countries and nationalities


def _countries(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    lex = lexicon()
    for at, bits in enumerate(scan.bits):
        if not bits & COUNTRY or taken[at] or (not bits & CAPITAL and scan.cased(at)):
            continue
        dotted = _dotted_country(scan, at)
        if dotted:
            yield Finding(at, dotted, "COUNTRY", "country", CERTAIN)
            continue
        key = fold(scan.words[at])
        longest = scan.vocabulary.countries.get(key, 1)
        for size in range(min(max(longest, 1), len(scan) - at), 0, -1):
            if any(scan.gap(at + k) != BLANK for k in range(1, size)):
                continue
            phrase = " ".join(fold(scan.words[at + k]) for k in range(size))
            if phrase in lex.countries:
                if _country_holds(scan, at, at + size, phrase):
                    yield Finding(at, at + size, "COUNTRY", "country", LIKELY)
                break
            if phrase in lex.nationalities or phrase.removesuffix("s") in lex.nationalities:
                if _nationality_holds(scan, at, at + size, phrase):
                    yield Finding(at, at + size, "COUNTRY", "nationality", LIKELY)
                break


def _dotted_country(scan: Scan, at: int) -> int:
    """Where "U.S.", "U.S.A." or "U.K." ends; 0 if it does not start here."""
    letters, end = "", at
    while (
        end + 1 < len(scan)
        and len(scan.words[end]) == 1
        and scan.words[end + 1] == "."
        and len(letters) < 3
    ):
        letters += scan.lower(end)
        end += 2
        if scan.gap(end) != GLUED:
            break
    return end if letters in ("us", "usa", "uk") else 0


def _country_holds(scan: Scan, at: int, end: int, phrase: str) -> bool:
    before = preposition(scan, at)
    if phrase in _SHORT_COUNTRIES:
        if not scan.bits[at] & UPPER or not scan.cased(at):
            return False
        if phrase in ("us", "uk") and scan.lower(end) not in _PEOPLE_AFTER:
            return scan.lower(at - 1) == "the" and before in _PLACE_BEFORE
    after = scan.lower(end)
    if after in word_list("cues", "not_country_after"):
        return False
    comma = at > 0 and scan.words[at - 1] == ","
    if phrase in _BORNE_COUNTRIES:
        return before in _PLACE_BEFORE or (comma and scan.gap(at) != LINE) or bool(field(scan, at))
    run = next(_run_holding(scan, at), None)
    alone = run is None or (run.first == at and run.end <= end)
    return alone or before in _PLACE_BEFORE or comma


def _nationality_holds(scan: Scan, at: int, end: int, phrase: str) -> bool:
    after, before = scan.lower(end), preposition(scan, at)
    if after == "-" and scan.gap(end) == GLUED:
        after = scan.lower(end + 1)
    if after in _PEOPLE_AFTER:
        return True
    language = word_list("cues", "language")
    if scan.lower(end + 1) in language:
        return False  # "Russian video interpreter"
    if after in language or after in word_list("cues", "not_country_after"):
        return False
    if phrase in _ORDINARY_PEOPLE or (not scan.cased(at) and scan.bits[at] & COMMON):
        return False
    if before in language or before in _LANGUAGE_BEFORE or nearby(scan, at, "language"):
        return False
    if field(scan, at) in ("language", "lang", "interp", "interpreter", "speaks"):
        return False
    if at and scan.words[at - 1] == "(" and after == ")":
        return False  # "MMSE (Korean)": the language of a form
    if end < len(scan) and scan.cased(at) and scan.bits[end] & CAPITAL and scan.gap(end) == BLANK:
        return False  # "British National criteria"
    # "a Somali mother", "58 yo divorced, Lao-born": an adjective wants a noun behind it.
    return bool(scan.bits[end] & WORD if end < len(scan) else 0) or before not in ("", "with")


# Cities


def _cities(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    place_end = -1  # where the place before this run ended
    for run in scan.run_list:
        if any(taken[run.first : run.end]):
            place_end = run.end
            continue
        found = _city(scan, run, place_end)
        if found:
            yield found
            place_end = found.end


def _city(scan: Scan, run: Run, place_end: int) -> Finding | None:
    first, end, cased = run
    if end - first > 1 and scan.bits[end - 1] & UPPER and scan.gap(end) == GLUED:
        end -= 1  # "Westmere WM1 2HD": the start of a British postcode
    named = [at for at in range(first, end) if scan.specific(at, cased)]
    rare = any(
        scan.telling(at) and not scan.bits[at] & PART if cased else not scan.bits[at] & COMMON
        for at in named
    )
    if not named or end - first > 4 or scan.bits[first] & LANGUAGE:
        return None
    if cased and any(_inner_capital(scan.words[at]) for at in named):
        return None  # "IgA", "MCPs", "CDCES": a finding or a brand
    if scan.gap(end) == GLUED and end < len(scan) and scan.bits[end] & DIGITS:
        return None  # "SpO2", "RR18"
    if field(scan, first) in word_list("cues", "city_fields"):
        return Finding(first, end, "CITY", "city-field", CERTAIN)
    if not rare and not cased:
        return None
    people = _may_be_person(scan, first, end)
    known = population(scan, first, end)
    mark = scan.words[first - 1] if first else ""
    if mark in _ADDRESS_MARKS and scan.gap(first) != LINE:
        if _ends_street(scan, first - 1) and cased:
            return Finding(first, end, "CITY", "town-behind-street", LIKELY)
        # "Lakeview Hospital, Yakima": a town behind a place.
        closed = scan.gap(end) >= COLUMN or scan.lower(end) in (",", ".", ")", "·")
        if place_end == first - 1 and (
            known is not None or (cased and closed and rare and not people)
        ):
            return Finding(first, end, "CITY", "town-behind-place", LIKELY)
    before = preposition(scan, first)
    home = nearby(scan, first, "home")
    if known is not None:
        town = Run(first, end, cased)
        return _known_city(scan, town, known, before, rare=rare, people=people, home=home)
    return _unknown_city(scan, Run(first, end, cased), named, before, rare=rare, home=home)


def _unknown_city(
    scan: Scan, run: Run, named: list[int], before: str, *, rare: bool, home: bool
) -> Finding | None:
    """A town that no list knows, by the words before it: "lives in", "moved to"."""
    first, end, cased = run
    if not cased or scan.bits[first] & COUNTRY:
        return None
    closed = scan.lower(end) in (",", ".", ";", ")") or scan.gap(end) >= COLUMN
    if rare:
        telling = len(scan.words[named[0]]) > 3 and not scan.bits[named[0]] & (UPPER | EPONYM)
    else:
        telling = len(named) > 1 and all(map(scan.telling, named)) and closed
    people = _may_be_person(scan, first, end)
    if telling and (
        (home and before in _HOME_BEFORE) or (before == "in" and closed and not people)
    ):
        return Finding(first, end, "CITY", "home-cue", POSSIBLE)
    return None


def _inner_capital(word: str) -> bool:
    return not word.istitle() and word.removeprefix("Mc").istitle() is False


def _known_city(
    scan: Scan, run: Run, known: int, before: str, *, rare: bool, people: bool, home: bool
) -> Finding | None:
    first, end, cased = run
    after = scan.lower(end)
    if after in word_list("cues", "not_country_after"):
        return None
    if end < len(scan) and scan.bits[end] & DIGITS and scan.gap(end) == BLANK:
        if cased and len(scan.words[end]) == 5 and rare:
            return Finding(first, end, "CITY", "town-before-zip", LIKELY)
        if before not in ("in", "from"):
            return None  # a scale and its score
    alone = end - first == 1
    if alone and before == "in" and scan.bits[first] & COUNTRY:
        return None  # a language more often than a town: "in Welsh"
    if alone and before != "in" and scan.bits[first] & EPONYM and not home:
        return None
    if before in ("in", "near", "outside"):
        return Finding(first, end, "CITY", "known-city", CERTAIN)
    if not rare:
        return None
    if before in ("born", "home", "hometown") and cased:
        return Finding(first, end, "CITY", "known-city", LIKELY)
    if before in _PREPOSITIONS and (
        home or known >= _BIG_CITY or not people or before in ("from", "to")
    ):
        return Finding(first, end, "CITY", "known-city", LIKELY)
    mark = scan.words[first - 1] if first else ""
    closed = after in (")", ",") or scan.gap(end) >= COLUMN
    if cased and not people and mark in ("(", ",") and closed:
        return Finding(first, end, "CITY", "known-city-aside", POSSIBLE)
    return None


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
        return scan.lower(at - 1) in _DWELLINGS or scan.words[at - 1] == "#"
    return False
