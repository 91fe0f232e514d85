"""What is known of a word by itself: its shape, the lists it is on, the cues it can give.

All of it is one integer for each surface form, a set of bits, worked out once and remembered. A
note is mostly words that came before, so reading it costs one dictionary lookup for each token.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from incognote.core.caches import BoundedDict, once
from incognote.lexicon.words import WEIGHED, is_medical, is_word

if TYPE_CHECKING:
    from collections.abc import Sequence

# Shapes. Exactly one of these, or punctuation.
CAPITAL = 1 << 0  # Smith, McCoy, O'Dell
UPPER = 1 << 1  # SMITH, JT
LETTER = 1 << 2  # one capital letter
LOWER = 1 << 3
SMALL_LETTER = 1 << 4
DIGITS = 1 << 5

DOT = 1 << 6
COMMA = 1 << 7
COLON = 1 << 8  # also the bars and equal signs that part a field from its value
HYPHEN = 1 << 9
OPEN = 1 << 10
CLOSE = 1 << 11
QUOTE = 1 << 12
JOINER = 1 << 13  # and, &, /, +
POSSESSIVE = 1 << 14

# How much of a name the word is by the lists. Exactly one for a word of two letters or more.
STRONG = 1 << 15  # a frequent name that is no ordinary word
KNOWN = 1 << 16  # a rarer one
AMBIGUOUS = 1 << 17  # a name and an ordinary word: Will, Grant, Bell
UNKNOWN = 1 << 18  # on no list at all: a rare name, a brand, a typing error
ORDINARY = 1 << 19  # a word, or a name so rare that it is one all the same

FIRST = 1 << 20
LAST = 1 << 21
MEDICAL = 1 << 22  # drugs and clinical words
EPONYM = 1 << 23
PLACE = 1 << 24  # a city of some size
REGION = 1 << 63  # a state, a country, a nationality
DRUG = 1 << 64  # a drug or a brand, and almost no one's name, no town and no ordinary word

_CUE_NAMES = (
    "title_staff", "title_civil", "title_open", "credential", "kin", "role_staff", "role_civil",
    "field_patient", "field_staff", "care_by", "company", "direction", "informed", "identity",
    "salutation", "closing", "after_name", "after_patient", "makes_thing", "makes_place_before",
    "before_place", "before_thing", "particle", "suffix", "pet", "never", "calendar", "family",
    "service", "short_given", "initials_word",
)  # fmt: skip
_FIRST_CUE = 25
(
    TITLE_STAFF, TITLE_CIVIL, TITLE_OPEN, CREDENTIAL, KIN, ROLE_STAFF, ROLE_CIVIL,
    FIELD_PATIENT, FIELD_STAFF, CARE_BY, COMPANY, DIRECTION, INFORMED, IDENTITY,
    SALUTATION, CLOSING, AFTER_NAME, AFTER_PATIENT, MAKES_THING, MAKES_PLACE_BEFORE,
    BEFORE_PLACE, BEFORE_THING, PARTICLE, SUFFIX, PET, NEVER, CALENDAR, FAMILY,
    SERVICE, SHORT_GIVEN, INITIALS_WORD,
) = (1 << (_FIRST_CUE + n) for n in range(len(_CUE_NAMES)))  # fmt: skip

# Derived: what may start or continue a name.
NAMEABLE = 1 << 60
CANDIDATE = 1 << 61
ANNOUNCING = 1 << 62  # a cue right behind which any capitalised word may be a name

# What anything may start at; most words of a note, small and ordinary, have none of these.
NOTABLE = CANDIDATE | ANNOUNCING | LAST | UPPER | LETTER | SMALL_LETTER | UNKNOWN | DRUG

TITLE = TITLE_STAFF | TITLE_CIVIL | TITLE_OPEN
WORDLIKE = CAPITAL | UPPER | LETTER | LOWER | SMALL_LETTER
CUE = (
    TITLE | CREDENTIAL | KIN | ROLE_STAFF | ROLE_CIVIL | FIELD_PATIENT | FIELD_STAFF | CARE_BY
    | COMPANY | DIRECTION | INFORMED | IDENTITY | SALUTATION | CLOSING | AFTER_NAME | AFTER_PATIENT
    | MAKES_THING | BEFORE_PLACE | BEFORE_THING | PET
)  # fmt: skip

_ANNOUNCERS = (
    TITLE | KIN | ROLE_STAFF | ROLE_CIVIL | SALUTATION | FIELD_STAFF | FIELD_PATIENT | IDENTITY
)

_PUNCTUATION = {
    ".": DOT, ",": COMMA, ";": COMMA, ":": COLON, "|": COLON, "=": COLON, "-": HYPHEN, "_": HYPHEN,
    "(": OPEN, "[": OPEN, "<": OPEN, ")": CLOSE, "]": CLOSE, ">": CLOSE, '"': QUOTE, "'": QUOTE,
    "/": JOINER, "&": JOINER, "+": JOINER, "'s": POSSESSIVE, "'S": POSSESSIVE,
}  # fmt: skip

_RARE = 300
_STAFF_ENDINGS = ("ologist", "ologists", "iatrist", "iatrician")
_LARGE_CITY = 15_000
_LONGEST_ABBREVIATION = 5
_MEMORY = 200_000


@once
def cues() -> dict[str, int]:
    """Every cue word with the bits of its kinds."""
    table = tomllib.loads(files(__package__).joinpath("cues.toml").read_text("utf-8"))
    bits: dict[str, int] = {}
    for position, kind in enumerate(_CUE_NAMES):
        for word in table[kind].split():
            bits[word] = bits.get(word, 0) | 1 << (_FIRST_CUE + position)
    return bits


class Facts(BoundedDict[str, int]):
    """Surface form to bits. Looking up a new word works it out and keeps it."""

    def __init__(self) -> None:
        super().__init__(f"{__name__}.facts", _MEMORY)
        from incognote.lexicon import lexicon

        self._lexicon = lexicon()
        self._cues = cues()
        # Full names only: "Miss" and "Mass" abbreviate states, but rarely.
        self._states = {state.name.lower() for state in self._lexicon.states.values()}

    def __reduce__(self) -> tuple[Any, ...]:
        return Facts, ()

    def __missing__(self, word: str) -> int:
        bits = self._work_out(word)
        self[word] = bits
        return bits

    def _work_out(self, word: str) -> int:
        if not word[0].isalpha():
            return DIGITS if word[0].isdigit() else _PUNCTUATION.get(word, 0)
        if word[-1] == "s" and 2 < len(word) <= _LONGEST_ABBREVIATION + 1 and word[:-1].isupper():
            return UPPER | NEVER  # several of what is abbreviated: "SCDs", "PVCs"
        lower = word.lower()
        bits = self._cues.get(lower, 0) | _shape(word)
        if len(word) == 2 and bits & CAPITAL:
            # "PA" and "pa" are posts, "Pa" is a name.
            bits &= ~(CREDENTIAL | ROLE_STAFF)
        if lower.endswith(_STAFF_ENDINGS):
            bits |= ROLE_STAFF
        if lower == "and":
            bits |= JOINER
        if len(word) > 1:
            bits |= self._lists(lower)
        if (
            bits & UPPER
            and len(word) <= _LONGEST_ABBREVIATION
            and self._lexicon.is_abbreviation(word)
        ):
            return bits | (_derived(bits) & ANNOUNCING)
        return bits | _derived(bits)

    def _lists(self, word: str) -> int:
        lexicon = self._lexicon
        first, last = lexicon.first_name_bearers(word), lexicon.surname_bearers(word)
        bits = (FIRST if first is not None else 0) | (LAST if last is not None else 0)
        if is_medical(word):
            bits |= MEDICAL
        if lexicon.is_eponym(word):
            bits |= EPONYM
        if (
            max(lexicon.us_cities.population(word) or 0, lexicon.world_cities.population(word) or 0)
            >= _LARGE_CITY
        ):
            bits |= PLACE
        if word in lexicon.countries or word in lexicon.nationalities or word in self._states:
            bits |= PLACE | REGION
        ordinary = is_word(word)
        rare = (first or 0) + (last or 0) < _RARE
        if rare and lexicon.is_drug(word) and not bits & PLACE and not lexicon.is_ordinary(word):
            bits |= DRUG
        if not bits & (FIRST | LAST):
            # An eponym that nobody bears any more is read where it appears: "Trousseau".
            return bits | (ORDINARY if ordinary and not bits & EPONYM else UNKNOWN)
        frequent = (first or 0) >= WEIGHED.given or (last or 0) >= WEIGHED.family
        if ordinary:
            return bits | (AMBIGUOUS if frequent else ORDINARY)
        return bits | (STRONG if frequent else KNOWN)

    def is_place(self, words: Sequence[str]) -> bool:
        """A city, state or country of several words."""
        phrase = " ".join(words).lower()
        lexicon = self._lexicon
        return (
            phrase in lexicon.countries
            or phrase in lexicon.state_codes
            or lexicon.us_cities.population(phrase) is not None
            or lexicon.world_cities.population(phrase) is not None
        )


def _shape(word: str) -> int:
    if len(word) == 1:
        return LETTER if word.isupper() else SMALL_LETTER
    if word.isupper():
        return UPPER
    return CAPITAL if word[0].isupper() else LOWER


def _derived(bits: int) -> int:
    """Whether the word may be part of a name, and whether it is worth a closer look."""
    announcing = ANNOUNCING if bits & _ANNOUNCERS else 0
    if bits & (NEVER | SMALL_LETTER | LETTER | ORDINARY) or bits & CUE & ~MAKES_THING:
        return announcing
    # What makes a place is a name as well ("Park", "Hill") if it is a frequent one.
    if bits & MAKES_THING and not bits & (STRONG | AMBIGUOUS):
        return announcing
    return NAMEABLE | CANDIDATE
