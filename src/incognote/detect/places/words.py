"""What a single word can be: one number of bits, worked out once and kept."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from incognote.core.caches import BoundedDict, cached, once
from incognote.lexicon import Lexicon, fold, fold_place, lexicon
from incognote.lexicon.words import NO_TOWN, Rank, is_among, is_borne, is_word

WORD = 1 << 0
CAPITAL = 1 << 1
UPPER = 1 << 2
DIGITS = 1 << 3
STOP = 1 << 4  # never part of a name
GENERIC = 1 << 5  # inside names, but does not make one
PART = 1 << 6  # an ordinary word that names of places are made of
COMMON = 1 << 7  # an ordinary, clinical or drug word
HEAD = 1 << 8  # last word of a phrase that ends a facility's or organisation's name
CITY = 1 << 9  # first word of a known city
STATE = 1 << 10  # first word of a state, a province or its abbreviation
COUNTRY = 1 << 11  # first word of a country or nationality
LANDMARK = 1 << 12
OPENER = 1 << 13  # starts the name of a landmark: "Lake", "Fort"
JOB = 1 << 14  # last word of a job
ROAD = 1 << 15  # starts the number of a road: "Route", "I", "US"
PARTICLE = 1 << 16  # de, la, von: joins words of one name
PERSON = 1 << 17  # a first name or surname, and no ordinary word
CLINICAL = 1 << 18  # a drug, a word of diagnoses, an abbreviation
EPONYM = 1 << 19
KNOWN = 1 << 20  # first word of a chain, agency or service that everybody knows
LANGUAGE = 1 << 21  # a language that names no country
FAMILIAR = 1 << 22  # an ordinary word that everybody uses
JOB_CUE = 1 << 23  # announces a job
WORK = 1 << 24  # a verb of working: "drives", "taught"
MAKES_NAME = 1 << 25  # no function word and no kind of place
MAKES_UNCASED = 1 << 26  # the same where letter case says nothing
# What single tokens start a rule by.
LISTED = KNOWN | STATE | COUNTRY | ROAD | JOB | JOB_CUE | WORK

_TOKEN = re.compile(r"[^\W\d_]+|\d+|['’]s\b|[^\w\s]")
_DOTTED_STATES = frozenset("NSWPRD")  # N.Y., S.C., W. Va., P.R., R.I., D.C.
_PARTICLES = frozenset("de la del du des le los las el y van von der di da do dos".split())
_ROADS = frozenset("i us sr rt rte route hwy highway interstate fm loop exit mile milepost".split())


def tokens(phrase: str) -> tuple[str, ...]:
    """The phrase cut as views are cut: "women's" is two tokens."""
    return tuple(_TOKEN.findall(phrase.lower()))


@once
def cues() -> Mapping[str, Any]:
    """cues.toml: section -> name -> words, or phrases where lines hold several words."""
    path = files("incognote.detect.places").joinpath("cues.toml")
    return tomllib.loads(path.read_text("utf-8"))


@cached(256)
def word_list(section: str, name: str) -> frozenset[str]:
    return frozenset(cues()[section][name].split())


@cached(256)
def phrase_list(section: str, name: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tokens(line) for line in cues()[section][name].strip().splitlines())


class Vocabulary(BoundedDict[str, int]):
    """Word as written -> its bits. Looks a word up once."""

    def __init__(self, bound: int = 100_000) -> None:
        super().__init__(f"{__name__}.vocabulary", bound)
        lex = lexicon()
        self._lexicon = lex
        self.heads = _heads(lex)
        self.states = _by_first_word(
            {**dict.fromkeys(lex.regions, ""), **dict.fromkeys(lex.state_codes, "")}
        )
        self.countries = _by_first_word({**lex.countries, **lex.nationalities})
        self.cities = _by_first_word(
            dict.fromkeys([*lex.us_cities.keys(), *lex.world_cities.keys()], "")
        )
        self.known = _known()
        self.work = _work()
        self._listed = self._lists()

    def _lists(self) -> Mapping[str, int]:
        """Word in lower case -> the bits of all lists that hold it."""
        part, generic = word_list("words", "part"), word_list("words", "generic")
        landmarks = word_list("heads", "landmarks")
        # A word that is a head by itself appears inside names; "in" of "walk-in" does not.
        single = {phrase[0] for phrase in self.heads if len(phrase) == 1}
        jobs = self._lexicon.profession_heads | word_list("jobs", "extra_heads")
        lists: tuple[tuple[int, Iterable[str]], ...] = (
            (STOP, word_list("words", "stop") - part - generic - landmarks - single),
            (GENERIC, generic),
            (PART, part),
            (HEAD, (phrase[-1] for phrase in self.heads)),
            (LANDMARK, landmarks),
            (OPENER, word_list("heads", "landmark_openers")),
            (JOB, jobs),
            (JOB, (f"{job}s" for job in jobs)),
            (ROAD, _ROADS),
            (PARTICLE, _PARTICLES),
            (KNOWN, self.known),
            (LANGUAGE, word_list("words", "languages")),
            (JOB_CUE, word_list("jobs", "before") | word_list("jobs", "fields") | {"as"}),
            (WORK, self.work),
        )
        table: dict[str, int] = {}
        for bit, words in lists:
            for word in words:
                table[word] = table.get(word, 0) | bit
        return table

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary, (self.bound,)

    def __missing__(self, word: str) -> int:
        bits = self._classify(word)
        self[word] = bits
        return bits

    def _classify(self, word: str) -> int:
        if word.isdecimal():
            return DIGITS | (KNOWN if word in self.known else 0)
        if not word[:1].isalpha():
            return (KNOWN if word in self.known else 0) | self._listed.get(word.lower(), 0)
        lower = word.lower()
        key = fold(word)
        lex = self._lexicon
        bits = WORD | self._listed.get(lower, 0)
        if word[0].isupper():
            bits |= CAPITAL
            if len(word) > 1 and word.isupper():
                bits |= UPPER
        ordinary = lex.is_ordinary(key)
        frequent = ordinary and is_among(key, Rank.FAMILIAR)
        # "Orr" is a name where "ORR" is an abbreviation.
        short = lex.is_abbreviation(word if word.istitle() else word.upper())
        clinical = short or lex.is_drug(key) or (lex.is_clinical(key) and not frequent)
        common = short or is_word(key)
        person = not common and is_borne(key, NO_TOWN)
        country = word == "U" or key in self.countries or key.removesuffix("s") in self.countries
        for bit, holds in (
            (COMMON, common),
            (CITY, fold_place(lower) in self.cities),
            (STATE, key in self.states or word in _DOTTED_STATES),
            (COUNTRY, country),
            (PERSON, person),
            (CLINICAL, clinical),
            (EPONYM, lex.is_eponym(key)),
            (FAMILIAR, frequent),
        ):
            if holds:
                bits |= bit
        return bits | (_makes_name(bits) if len(word) > 1 else 0)


def _makes_name(bits: int) -> int:
    if bits & (GENERIC | STOP):
        return 0
    if bits & PART:
        return MAKES_NAME | MAKES_UNCASED
    cased = bits & CAPITAL and (not bits & CLINICAL or bits & CITY)
    return (MAKES_NAME if cased else 0) | (0 if bits & COMMON else MAKES_UNCASED)


def _heads(lex: Lexicon) -> dict[tuple[str, ...], tuple[str, bool]]:
    """Head phrase -> label and whether a single word before it makes a name."""
    table: dict[tuple[str, ...], tuple[str, bool]] = {}
    weak = phrase_list("heads", "weak_organizations")
    for phrase in lex.organization_heads:
        key = tokens(phrase)
        table[key] = "ORGANIZATION", key not in weak
    weak = phrase_list("heads", "weak")
    for phrase in lex.facility_heads:
        key = tokens(phrase)
        table[key] = "HOSPITAL", key not in weak
    return table


def _work() -> dict[str, frozenset[str]]:
    """Verb -> what is worked with."""
    return {
        verb: frozenset(row["objects"].split())
        for row in cues()["work"]
        for verb in row["verbs"].split()
    }


def _known() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """First token -> known names with it, longest first, and their labels."""
    table: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name, label in (("hospitals", "HOSPITAL"), ("organizations", "ORGANIZATION")):
        for phrase in phrase_list("known", name):
            table.setdefault(phrase[0], []).append((phrase, label))
    for rows in table.values():
        rows.sort(key=lambda row: (-len(row[0]), row))
    return table


def _by_first_word(keys: Iterable[str]) -> dict[str, int]:
    """First word -> how many words the longest key with it has."""
    longest: dict[str, int] = {}
    for key in keys:
        words = key.replace("-", " ").split()
        if words and longest.get(words[0], 0) < len(words):
            longest[words[0]] = len(words)
    return longest
