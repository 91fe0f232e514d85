"""Pools of names to draw from, by sex, origin and first letter, and which name stands for which."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, lru_cache
from os.path import commonpath
from typing import Literal

from incognote.lexicon import Name, lexicon
from incognote.transform.spelling import fold
from incognote.transform.worddata import words_of

Kind = Literal["first", "last"]
KINDS: tuple[Kind, Kind] = ("first", "last")

# Shares of the population (census 2020): an origin is what a name has more of than everybody has.
_BASE = (0.60, 0.12, 0.19, 0.06)
_ORIGINS = ("white", "black", "hispanic", "api")
_ENOUGH = 2
_BRIEF = 5
# A sentence stumbles over a name that is one of the most frequent words ("Mr. No", "Dr. Her",
# "Man called"), unless it is as frequent as a name ("White", "Mark").
_EVERYDAY = 1500
_FAMILIAR = 200_000
# So few people have the name that readers take it for the word: "Lady Bare", "Mr. Coffin".
_HARDLY_A_NAME = 20_000


@lru_cache(maxsize=65536)
def known(kind: Kind, word: str) -> Name | None:
    """What the lists say of a folded name."""
    return lexicon().first_name(word) if kind == "first" else lexicon().surname(word)


@lru_cache(maxsize=65536)
def origin(name: Name) -> str:
    ratios = [share / base for share, base in zip(name.ethnicity, _BASE, strict=True)]
    return _ORIGINS[ratios.index(max(ratios))]


def sex(name: Name) -> str:
    return "female" if name.female >= 0.7 else "male" if name.female <= 0.3 else ""


@cache
def _index(kind: Kind) -> dict[tuple[str, str, str], tuple[str, ...]]:
    """(sex, origin, letter) -> names; an empty sex or origin stands for all."""
    lex = lexicon()
    names = lex.first_names() if kind == "first" else lex.surnames()
    index: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for written in names:
        row = known(kind, fold(written))
        if row is None or "'" in written:  # "O'Brien" stands for its like only
            continue
        if _is_everyday(written, row):
            continue
        of, letter = origin(row), fold(written)[0]
        sexes = {sex(row), ""} if kind == "first" else {""}
        for each in sexes:
            index[each, of, letter].append(written)
            index[each, "", letter].append(written)
    return {key: tuple(found) for key, found in index.items()}


def _is_everyday(written: str, row: Name) -> bool:
    rank = lexicon().word_rank(written)
    if not row.common_word or rank is None:
        return False
    return row.count < (_FAMILIAR if rank < _EVERYDAY else _HARDLY_A_NAME)


@cache
def pool(kind: Kind, sex_: str, origin_: str, letter: str) -> tuple[str, ...]:
    """Names that begin with a letter. Where few fit, origin is given up, then the letter: the
    wrong sex would contradict the note."""
    index = _index(kind)
    found = index.get((sex_, origin_, letter), ())
    if len(found) >= _ENOUGH:
        return found
    wider = index.get((sex_, "", letter), ())
    if len(wider) >= 2:
        return wider
    return everyone(kind, sex_)


@cache
def brief(sex_: str, origin_: str, letter: str) -> tuple[str, ...]:
    """Names that are short enough to be what somebody is called."""
    return tuple(name for name in pool("first", sex_, origin_, letter) if len(name) <= _BRIEF)


@cache
def syllables(letter: str) -> tuple[str, ...]:
    """What one half of a name like "Mei-Ling" may be, beginning with a letter."""
    every = words_of("names", "syllables")
    return tuple(each for each in every if each.lower().startswith(letter)) or every


@cache
def everyone(kind: Kind, sex_: str) -> tuple[str, ...]:
    """Names of any origin and letter."""
    index = _index(kind)
    return tuple(name for key, names in index.items() if key[:2] == (sex_, "") for name in names)


@cache
def prefixed(prefix: str) -> tuple[str, ...]:
    """Surnames that begin with "Mc" or "O'"; none without a prefix."""
    return (
        ()
        if not prefix
        else tuple(name for name in lexicon().surnames() if name.startswith(prefix))
    )


@lru_cache(maxsize=65536)
def formal(word: str) -> str:
    """The full form a nickname most likely stands for ("beth" -> "elizabeth"); itself if none."""
    own = known("first", word)
    best = (0, 0, word)
    for other in lexicon().nicknames(word):
        row = known("first", other)
        if row is None or own is None or row.count <= own.count or sex(row) != sex(own):
            continue
        if len(other) < len(word) and len(commonpath((other, word))) < 3:
            continue
        best = max(best, (_shared(other, word), row.count, other))
    # "Bob" is "Bobby" is "Robert"; frequencies rise on the way, so it ends.
    return word if best[2] == word else formal(best[2])


@lru_cache(maxsize=16384)
def full_forms(word: str) -> frozenset[str]:
    """The names that a nickname may stand for, of either sex; none where it is no nickname."""
    own = known("first", word)
    if own is None:
        return frozenset()
    return frozenset(
        other
        for other in lexicon().nicknames(word)
        if other.startswith(word) and len(other) > len(word) and formal(other) == other
    )


@lru_cache(maxsize=16384)
def short_forms(name: str) -> tuple[str, ...]:
    """Nicknames of a surrogate that are frequent names themselves, in a fixed order."""
    forms = (form.capitalize() for form in sorted(lexicon().nicknames(name)))
    return tuple(form for form in forms if form in _frequent() and formal(fold(form)) == fold(name))


@cache
def _frequent() -> frozenset[str]:
    return frozenset(lexicon().first_names())


def _shared(a: str, b: str) -> int:
    """Length of the longest stretch of letters both have."""
    return max(
        (j - i for i in range(len(b)) for j in range(i + 1, len(b) + 1) if b[i:j] in a), default=0
    )
