"""The leak check: after replacement, no original may be left in the output.

What is searched, case-folded, across line breaks and hyphenation, inside longer words too:

- every word of three letters or more of a person's name;
- every word of five letters or more of a place, an institution, an address;
- every original as a whole: two words or more, a number or code of five characters or more, a date
  with day, month and year.

What is not, because it would find the language instead of the person:

- a single word that is ordinary English ("Young", "Main"), a clinical term or an eponym ("Wells")
  counts only behind a title ("Mr. Young") or as part of the whole; a person's name that is
  ordinary English also where it has a capital inside a sentence ("when Grace arrived");
- particles, titles and the words for kinds of institutions ("van", "Dr", "Hospital");
- one or two letters or digits, ages, clock times, parts of dates; three letters in lower case where
  the name has capitals ("Ray", "ray amputation");
- a word inside a longer word that is itself a known word ("Allen" in "challenge"); three letters
  inside any word; four inside a word that is written like a name ("Thuy" in "Thuyra", a brand).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from incognote.core.types import Span
from incognote.lexicon import lexicon
from incognote.transform.datewords import MONTH_OF, WEEKDAY_OF
from incognote.transform.nameforms import KEPT_WORDS
from incognote.transform.organisations import is_generic
from incognote.transform.record import Mention
from incognote.transform.worddata import word_list

_LETTERS = re.compile(r"[^\W\d_]+")
_NOT_ALNUM = re.compile(r"[\W_]+")
_PEOPLE = frozenset({"PATIENT", "DOCTOR", "INITIALS"})
_NAMED = frozenset(
    "HOSPITAL ORGANIZATION STREET CITY STATE COUNTRY LOCATION-OTHER EMAIL URL USERNAME".split()
)
_UNSEARCHED = frozenset({"AGE", "TIME"})
_TITLED = r"\b(?:mr|mrs|ms|miss|dr|doctor|prof)\b\.?\s+"
# Inside a sentence only names have capitals: "when Grace arrived".
_MIDDLE = r"(?<=[a-z][a-z] )"
_BREAK = r"(?:-?\s*\n\s*)?"
_GAP = r"[\W_]*"
# How many alphanumeric characters a whole must have to be searched: short ones are everywhere.
_WHOLE = 5
# Numbers so long are found in any layout: "617-726-2000" is "(617) 726 2000".
_LAID_OUT = 7
_LAYOUT = r"[-. /()]{0,2}"
_INSIDE = 4


@dataclass(frozen=True, slots=True)
class Needle:
    """What to look for. `folded` is squeezed; `kind` is word, titled or whole; `cased` tells that
    the original has capitals."""

    folded: str
    kind: str
    label: str
    words: tuple[str, ...] = ()
    cased: bool = True


@dataclass(frozen=True, slots=True)
class Leak:
    """An original in the output, in the output's coordinates."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the output: where it begins, where it came from, and what it is."""

    start: int
    source: int
    kind: str  # "text", "new", "date" or "kept"


def needles(mentions: Iterable[Mention]) -> dict[str, Needle]:
    """What must not be found again, by its squeezed form."""
    found: dict[str, Needle] = {}
    for mention in mentions:
        for needle in _needles(mention.label, mention.text):
            found.setdefault(needle.folded, needle)
    return found


@lru_cache(maxsize=16384)
def _needles(label: str, text: str) -> tuple[Needle, ...]:
    if label in _UNSEARCHED:
        return ()
    return tuple(_parts(label, text))


def _parts(label: str, text: str) -> Iterator[Needle]:
    folded = flat(text)
    pieces = tuple(_NOT_ALNUM.split(folded.strip())) if folded.strip() else ()
    pieces = tuple(piece for piece in pieces if piece)
    whole = "".join(pieces)
    if label == "DATE":
        if sum(char.isdigit() for char in whole) >= 6:
            yield Needle(whole, "whole", label, pieces)
        return
    words = _LETTERS.findall(folded)
    if label in _PEOPLE:
        for word in words:
            if len(word) >= 3 and word not in KEPT_WORDS:
                kind = "titled" if _is_language(word) else "word"
                yield Needle(word, kind, label, cased=not text.islower())
    elif label in _NAMED:
        for word in words:
            if len(word) >= 5 and _tells(word):
                yield Needle(word, "word", label)
    if len(whole) < _WHOLE:
        return
    has_digit = any(char.isdigit() for char in whole)
    if (len(pieces) > 1 and (label != "ROOM" or has_digit)) or has_digit:
        yield Needle(whole, "whole", label, pieces)


@lru_cache(maxsize=65536)
def _tells(word: str) -> bool:
    """Whether a word of a place or an institution points at it: a name or no known word at all."""
    if _is_language(word) or _is_kind(word):
        return False
    lex = lexicon()
    return not _is_known(word) or lex.surname(word) is not None or bool(lex.city(word))


def _is_language(word: str) -> bool:
    return lexicon().is_ordinary(word) or _is_term(word)


@lru_cache(maxsize=65536)
def _is_term(word: str) -> bool:
    """A word of medicine, a month or a weekday: with or without a capital, it is no name."""
    lex = lexicon()
    return (
        lex.is_clinical(word)
        or lex.is_drug(word)
        or lex.is_eponym(word)
        or word in MONTH_OF
        or word in WEEKDAY_OF
    )


def _is_kind(word: str) -> bool:
    return is_generic(word) or any(
        word in word_list(table, name)
        for table, name in (
            ("places", "street_kinds"),
            ("places", "address_words"),
            ("places", "directions"),
            ("places", "features"),
            ("contacts", "roles"),
            ("contacts", "paths"),
        )
    )


@lru_cache(maxsize=65536)
def _is_known(word: str) -> bool:
    lex = lexicon()
    return lex.word_rank(word) is not None or lex.is_clinical(word) or lex.is_drug(word)


def flat(text: str) -> str:
    """Lower case, one character for one character."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def find(output: str, wanted: Iterable[Needle]) -> list[Leak]:
    """Every place where an original stands in the output."""
    folded = flat(output)
    squeezed = _NOT_ALNUM.sub("", folded)
    leaks: list[Leak] = []
    for needle in wanted:
        # Most needles are nowhere: one fast search settles that.
        if needle.folded in squeezed:
            leaks += _confirm(needle, folded, output)
    return leaks


def _confirm(needle: Needle, folded: str, output: str) -> Iterator[Leak]:
    if needle.kind == "whole":
        if needle.label == "DATE":
            pattern = r"[\W_]+".join(map(re.escape, needle.words))
        elif len(needle.folded) >= _LAID_OUT and needle.folded.isdigit():
            pattern = _LAYOUT.join(needle.folded)
        else:
            pattern = _GAP.join(map(re.escape, needle.words))
        pattern = rf"(?<![^\W_]){pattern}(?![^\W_])"
        for match in re.finditer(pattern, folded):
            yield Leak(match.start(), match.end(), needle.label)
        return
    letters = _BREAK.join(map(re.escape, needle.folded))
    if needle.kind == "titled":
        for match in re.finditer(rf"{_TITLED}({letters})(?![^\W_])", folded):
            yield Leak(match.start(1), match.end(1), needle.label)
        if needle.cased and not _is_term(needle.folded):
            name = re.escape(needle.folded.capitalize())
            for match in re.finditer(rf"{_MIDDLE}{name}(?![^\W_])", output):
                yield Leak(match.start(), match.end(), needle.label)
        return
    for match in re.finditer(letters, folded):
        start, end = match.span()
        while start and (folded[start - 1].isalnum() or folded[start - 1] == "_"):
            start -= 1
        while end < len(folded) and (folded[end].isalnum() or folded[end] == "_"):
            end += 1
        if (start, end) == match.span():
            # Three letters in lower case are a word before they are a name: "ray amputation".
            if len(needle.folded) == 3 and needle.cased and output[start].islower():
                continue
            yield Leak(start, end, needle.label)
        elif _counts_inside(needle.folded, output[start:end]):
            inside = "USERNAME" if needle.label in _PEOPLE else needle.label
            yield Leak(start, end, inside)


def _counts_inside(name: str, word: str) -> bool:
    """Whether a name inside a longer word is a leak: "akowalczyk2" is, "challenge" is not."""
    longer = word.lower()
    plural = longer.removesuffix("s") != name and _is_known(longer.removesuffix("s"))
    if len(name) < _INSIDE or _is_known(longer) or plural:
        return False
    # Four letters are part of many a brand: "Thuyra" may be a drug, "tthuy2" is somebody.
    return len(name) > _INSIDE or not word.istitle()


def missed(leaks: Iterable[Leak], pieces: list[Piece]) -> tuple[list[Span], int]:
    """Leaks in untouched text as spans of the source, and how many cannot be mended."""
    starts = [piece.start for piece in pieces]
    spans: list[Span] = []
    beyond = 0
    for leak in leaks:
        first = pieces[bisect_right(starts, leak.start) - 1]
        last = pieces[bisect_right(starts, leak.end - 1) - 1]
        kinds = {first.kind, last.kind}
        if kinds == {"kept"} or (leak.label == "DATE" and kinds <= {"date", "kept"}):
            continue
        if first is last and first.kind == "text":
            at = first.source + leak.start - first.start
            spans.append(Span(at, at + leak.end - leak.start, leak.label, 1.0, ("leak-check",)))
        else:
            beyond += 1
    return _disjoint(spans), beyond


def _disjoint(spans: list[Span]) -> list[Span]:
    """The longest of those that overlap."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: (-s.length, s.start, s.label)):
        if not any(span.overlaps(other) for other in kept):
            kept.append(span)
    return kept


__all__ = ["Leak", "Needle", "Piece", "find", "missed", "needles"]
