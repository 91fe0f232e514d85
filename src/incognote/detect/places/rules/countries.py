"""Countries, and nationalities that are not meant as languages."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.places.context import field, nearby, preposition
from incognote.detect.places.finding import CERTAIN, LIKELY, Finding
from incognote.detect.places.scan import BLANK, GLUED, LINE, Scan
from incognote.detect.places.words import CAPITAL, COMMON, COUNTRY, UPPER, WORD, word_list
from incognote.lexicon import fold, lexicon


def find(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    lex = lexicon()
    for at in scan.listed:
        bits = scan.bits[at]
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
    before, after = preposition(scan, at), scan.lower(end)
    if after in word_list("countries", "not_after"):
        return False
    placed = before in word_list("towns", "place_before")
    if phrase in word_list("countries", "short"):
        if not scan.bits[at] & UPPER or not scan.cased(at):
            return False
        if phrase in ("us", "uk") and after not in word_list("countries", "people_after"):
            return placed and scan.lower(at - 1) == "the"
    comma = at > 0 and scan.words[at - 1] == ","
    if phrase in word_list("countries", "borne"):
        return placed or (comma and scan.gap(at) != LINE) or bool(field(scan, at))
    run = scan.run_holding(at)
    return placed or comma or run is None or (run.first == at and run.end <= end)


def _nationality_holds(scan: Scan, at: int, end: int, phrase: str) -> bool:
    after, before = scan.lower(end), preposition(scan, at)
    if after == "-" and scan.gap(end) == GLUED:
        after = scan.lower(end + 1)
    if after in word_list("countries", "people_after"):
        return True
    if after in word_list("countries", "not_after") or _is_language(scan, at, end, before, after):
        return False
    if phrase in word_list("countries", "ordinary"):
        return False
    cased = scan.cased(at)
    if not cased and scan.bits[at] & COMMON:
        return False
    followed = end < len(scan) and scan.bits[end] & WORD
    if followed and cased and scan.bits[end] & CAPITAL and scan.gap(end) == BLANK:
        return False  # "British National criteria"
    # "a Somali mother", "58 yo divorced, Lao-born": an adjective wants a noun behind it.
    return bool(followed) or before not in ("", "with")


def _is_language(scan: Scan, at: int, end: int, before: str, after: str) -> bool:
    language = word_list("cues", "language")
    if not language.isdisjoint((before, after, scan.lower(end + 1))):
        return True  # "Spanish speaking", "Russian video interpreter"
    if before in word_list("countries", "language_before") or nearby(scan, at, "language"):
        return True
    if field(scan, at) in ("language", "lang", "interp", "interpreter", "speaks"):
        return True
    return at > 0 and scan.words[at - 1] == "(" and after == ")"  # "MMSE (Korean)"
