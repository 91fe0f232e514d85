"""What the leak check searches for: the originals of a record that identify a person.

Searched are, without regard to case, accents, width and invisible marks, across line breaks
and hyphenation, inside longer words and letter by letter ("S M I T H") too:

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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from incognote.core.caches import cached
from incognote.core.name_forms import KEPT_WORDS
from incognote.lexicon import lexicon
from incognote.lexicon.words import is_medical, is_word
from incognote.transform.dates.words import MONTH_OF, WEEKDAY_OF
from incognote.transform.leaks.canonical import canonical
from incognote.transform.places.organisations import is_generic
from incognote.transform.record import Mention
from incognote.transform.word_data import word_list

PEOPLE = frozenset({"PATIENT", "DOCTOR", "INITIALS"})
# What originals are cut into, and the text that is searched for them.
ATOMS = re.compile(r"[^\W_]+")

_LETTERS = re.compile(r"[^\W\d_]+")
_NAMED = frozenset(
    "HOSPITAL ORGANIZATION STREET CITY STATE COUNTRY LOCATION-OTHER ROOM EMAIL URL USERNAME".split()
)
_UNSEARCHED = frozenset({"AGE", "TIME"})
# How many alphanumeric characters a whole must have to be searched: short ones are everywhere.
_WHOLE = 5
_INSIDE = 4
# Of a very long original only this many atoms at the beginning are searched for.
_MANY = 24


@dataclass(frozen=True, slots=True)
class Word:
    """A word that must not be left. `titled`: it is ordinary English, and counts only where it is
    used as a name. `cased` says that the original has capitals."""

    folded: str
    label: str
    titled: bool = False
    cased: bool = True


@dataclass(frozen=True, slots=True)
class Whole:
    """An original that must not be left as a whole: its runs of letters and digits, in order."""

    atoms: tuple[str, ...]
    label: str


@dataclass(frozen=True, slots=True)
class Needles:
    """All of a record; the first mention of a word says whose it is."""

    words: Mapping[str, Word]
    wholes: tuple[Whole, ...]


def needles(mentions: Iterable[Mention]) -> Needles:
    """What must not be found again."""
    words: dict[str, Word] = {}
    wholes: dict[tuple[str, ...], Whole] = {}
    for mention in mentions:
        parts, whole = _needles(mention.label, mention.text)
        for word in parts:
            words.setdefault(word.folded, word)
        if whole is not None:
            wholes.setdefault(whole.atoms, whole)
    return Needles(words, tuple(wholes.values()))


@cached(16384)
def _needles(label: str, text: str) -> tuple[tuple[Word, ...], Whole | None]:
    if label in _UNSEARCHED:
        return (), None
    folded = canonical(text).folded
    atoms = tuple(ATOMS.findall(folded))
    whole = Whole(atoms[:_MANY], label) if _is_searched(label, atoms) else None
    return tuple(_words(label, text, _LETTERS.findall(folded))), whole


def _words(label: str, text: str, words: list[str]) -> Iterator[Word]:
    if label in PEOPLE:
        for word in words:
            if len(word) >= 3 and word not in KEPT_WORDS:
                yield Word(word, label, titled=_is_language(word), cased=not text.islower())
    elif label in _NAMED:
        for word in words:
            if len(word) >= 5 and _tells(word):
                yield Word(word, label)


def _is_searched(label: str, atoms: tuple[str, ...]) -> bool:
    """Whether an original is searched as a whole."""
    digits = sum(char.isdigit() for atom in atoms for char in atom)
    if label == "DATE":
        return digits >= 6
    if sum(map(len, atoms)) < _WHOLE:
        return False
    # A hospital that goes by "Medical Center" is found again in every other one's name.
    telling = label != "ROOM" and (label not in _NAMED or not all(map(_is_kind, atoms)))
    return digits > 0 or (len(atoms) > 1 and telling)


@cached(65536)
def _tells(word: str) -> bool:
    """Whether a word of a place or an institution points at it: a name or no known word at all."""
    if _is_language(word) or _is_kind(word):
        return False
    lex = lexicon()
    return not is_known(word) or lex.surname(word) is not None or bool(lex.city(word))


def _is_language(word: str) -> bool:
    return is_word(word) or is_term(word)


@cached(65536)
def is_term(word: str) -> bool:
    """A word of medicine, a month or a weekday: with or without a capital, it is no name."""
    return is_medical(word) or lexicon().is_eponym(word) or word in MONTH_OF or word in WEEKDAY_OF


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


@cached(65536)
def is_known(word: str) -> bool:
    lex = lexicon()
    return lex.word_rank(word) is not None or is_medical(word) or lex.is_eponym(word)


def counts_inside(name: str, word: str) -> bool:
    """Whether a name inside a longer word is a leak: "akowalczyk2" is, "challenge" is not."""
    longer = word.lower()
    plural = longer.removesuffix("s") != name and is_known(longer.removesuffix("s"))
    if len(name) < _INSIDE or is_known(longer) or plural:
        return False
    # Four letters are part of many a brand: "Thuyra" may be a drug, "tthuy2" is a person.
    return len(name) > _INSIDE or not word.istitle()
