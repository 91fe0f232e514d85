"""What a word is as a name: mostly given or mostly family, of which sex, and
which full form a nickname belongs to. All answers depend on the word alone."""

from __future__ import annotations

from typing import Literal

from incognote.core.caches import cached
from incognote.core.people import NamePart, PartKind, Sex
from incognote.lexicon.letters import likely_sex, reads_as_given
from incognote.lexicon.lexicon import lexicon
from incognote.lexicon.people import Name

Pool = Literal["given", "family"]
_GIVEN_KINDS = ("given", "middle", "nickname")
# A name belongs to a sex if this share of its bearers does.
_SHARE = 0.7
_SYLLABLE = 6
_FREQUENT = 20_000
# The share of women among those with a man's name.
_HARDLY_EVER = 0.02
_SYLLABLE_SHARE = 0.5


@cached(65536)
def name_pool(word: str) -> Pool | None:
    """What the word mostly is; None where no list knows it. `word` is folded."""
    given = lexicon().first_name_bearers(word)
    family = lexicon().surname_bearers(word)
    if given is None and family is None:
        return None
    return "given" if (given or 0) > (family or 0) or family is None else "family"


def likely_pool(word: str) -> Pool:
    """What the word mostly is; by its letters where no list knows it."""
    return name_pool(word) or ("given" if reads_as_given(word) else "family")


@cached(65536)
def family_share(word: str) -> float:
    """Of all who bear the word as a name, how many bear it as a family name; 0.5 for unknown."""
    given = lexicon().first_name_bearers(word)
    family = lexicon().surname_bearers(word)
    if given is None and family is None:
        return 0.5
    # Other sources count no bearers; one bearer each leaves a share to compare.
    given, family = (given or 0) + (given is not None), (family or 0) + (family is not None)
    return family / (given + family)


def sex_of(name: Name) -> Sex:
    return "female" if name.female >= _SHARE else "male" if name.female <= 1 - _SHARE else ""


@cached(65536)
def name_sex(word: str) -> Sex:
    """The sex of a given name, by its full form; empty where it is borne by both, or unknown."""
    if _calls_both(word):
        return ""
    found = lexicon().first_name(full_form(word))
    return "" if found is None else sex_of(found)


@cached(65536)
def _calls_both(word: str) -> bool:
    """Whether a nickname is short for names of both sexes, as Alex and Chris are."""
    own = lexicon().first_name(word)
    if own is None or not _HARDLY_EVER < own.female < 1 - _HARDLY_EVER:
        return False
    longer = (other for other in lexicon().nicknames(word) if other.startswith(word[:3]))
    rows = (lexicon().first_name(other) for other in longer if len(other) > len(word))
    sexes = {sex_of(row) for row in rows if row is not None and row.count > _FREQUENT}
    return {"female", "male"} <= sexes


@cached(65536)
def full_form(word: str) -> str:
    """The most likely full form of a nickname ("beth" -> "elizabeth"); itself if none."""
    lex = lexicon()
    own = lex.first_name(word)
    if own is None or _calls_both(word):
        return word
    best = (0, 0, word)
    for other in lex.nicknames(word):
        row = lex.first_name(other)
        if row is None or row.count <= own.count or sex_of(row) != sex_of(own):
            continue
        if len(other) < len(word) and other[:3] != word[:3]:
            continue
        best = max(best, (_shared(other, word), row.count, other))
    # "Bob" is "Bobby" is "Robert"; frequencies rise on the way, so it ends.
    return word if best[2] == word else full_form(best[2])


@cached(65536)
def name_part(word: str, kind: PartKind) -> NamePart:
    """A part of a name. Which names are like it depends on the word alone, not on the note; only
    only the note shows whether a word on no list is a given name."""
    pool = name_pool(word)
    if pool is None:
        if kind in _GIVEN_KINDS:
            return NamePart(kind, word, word, "given", likely_sex(word))
        return NamePart(kind, word, word, "family")
    if pool == "family":
        return NamePart(kind, word, word, pool)
    return NamePart(kind, word, full_form(word), pool, name_sex(word))


@cached(16384)
def may_call(one: str, other: str) -> bool:
    """Whether two given names may be one person's: "bill" and "william", "mike" and "michael"."""
    if one == other:
        return True
    lex = lexicon()
    return (
        other in lex.nicknames(one)
        or one in lex.nicknames(other)
        or full_form(one) == full_form(other)
    )


def masculine(word: str) -> str:
    """The form for men of a Slavic family name as women bear it ("kowalska", "petrova"); "" for
    any other."""
    for ending, own in (("ska", "ski"), ("cka", "cki"), ("ova", "ov"), ("eva", "ev")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending) + own
    return ""


@cached(4096)
def is_syllable(word: str) -> bool:
    """Whether a word may be half of an East or Southeast Asian given name like "Mei-Ling"."""
    lex = lexicon()
    rows = [row for row in (lex.first_name(word), lex.surname(word)) if row]
    asian = not rows or any(row.ethnicity[3] > _SYLLABLE_SHARE for row in rows)
    return len(word) <= _SYLLABLE and asian


def _shared(a: str, b: str) -> int:
    """Length of the longest stretch of letters both have."""
    return max(
        (j - i for i in range(len(b)) for j in range(i + 1, len(b) + 1) if b[i:j] in a), default=0
    )
