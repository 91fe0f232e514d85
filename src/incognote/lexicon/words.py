"""Is this word more than a name? One answer for each way to ask, and one place for the thresholds.

| question | asked by a caller that ... |
|---|---|
| `is_medical` | must not take a disease or a drug for a person |
| `is_word` | found a name: may the word be meant instead? |
| `may_be_no_name` | searches all of a text for a known name, without a cue |
| `has_meaning` | searches for misspelt names: a word that exists is no misspelling |
| `is_borne` | has nothing but the word: do enough people bear it? |

A name may be none of the first three for one caller and some for another only because of what that
caller has to go on; `may_be_no_name` says so of short names ("Ray") and abbreviations ("Mai").
"""

from __future__ import annotations

from typing import NamedTuple

from incognote.core.caches import cached
from incognote.lexicon.lexicon import lexicon

# Names up to this length turn up by chance in any text.
SHORT = 3


class Borne(NamedTuple):
    """How many people bear a name before a word that may be one counts as one."""

    given: int
    family: int


# The name detector weighs other evidence, too.
WEIGHED = Borne(2_500, 3_000)
# Nearly every town is also a surname: rarer names are rather towns.
NO_TOWN = Borne(1_000, 3_000)
# No cue at all: "Misty holds Charity while".
UNCUED = Borne(4_000, 3_000)


class Rank:
    """Ranks of English words, the most frequent first: a word up to here is ..."""

    CONSTANT = 500  # in everybody's mouth, though diagnoses use it: "left", "about"
    EVERYDAY = 1_000  # no name at the beginning of a sentence: "He", "Last"
    FAMILIAR = 8_000  # no clinical word, though diagnoses use it: "range", "bridge"
    USUAL = 10_000  # known to everybody, and so no species
    UNUSUAL = 20_000  # a word of the language; beyond, hardly one


@cached(65536)
def is_medical(word: str) -> bool:
    """A word of diagnoses, findings, procedures, or a drug."""
    lex = lexicon()
    return lex.is_clinical(word) or lex.is_drug(word)


@cached(65536)
def is_word(word: str) -> bool:
    """An ordinary English word, more often than a name, or a medical one."""
    return lexicon().is_ordinary(word) or is_medical(word)


@cached(65536)
def may_be_no_name(word: str) -> bool:
    """Whether a word may well be no name: a word, an abbreviation, or very short."""
    return len(word) <= SHORT or is_word(word) or lexicon().is_abbreviation(word.upper())


@cached(65536)
def has_meaning(word: str) -> bool:
    """Whether a word is in the language, in medicine, or has given something its name."""
    lex = lexicon()
    return lex.word_rank(word) is not None or is_word(word) or lex.is_eponym(word)


def is_borne(word: str, by: Borne) -> bool:
    """Whether enough people bear a word as a given or as a family name."""
    lex = lexicon()
    given, family = lex.first_name_bearers(word), lex.surname_bearers(word)
    return (given or 0) >= by.given or (family or 0) >= by.family


def is_among(word: str, rank: int) -> bool:
    """Whether a word is one of the `rank` most frequent strings of English text."""
    found = lexicon().word_rank(word)
    return found is not None and found < rank
