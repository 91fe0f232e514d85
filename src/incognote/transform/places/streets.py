"""Streets and other named places: the words that say a kind stay, names and numbers change."""

from __future__ import annotations

import re
from itertools import pairwise

from incognote.core.caches import once
from incognote.lexicon import lexicon
from incognote.transform.leaks.originals import street_core
from incognote.transform.numbers.ids import remapped
from incognote.transform.people.name_words import real_word
from incognote.transform.places import spanish
from incognote.transform.places.renaming import TOKEN, renamed
from incognote.transform.pools import from_pool
from incognote.transform.record import Mention, TransformRecord
from incognote.transform.spelling import fold, squeeze
from incognote.transform.word_data import word_list

# Roads that go by a number: the county of "County Road 12" is no name.
_NUMBERED = frozenset({"highway", "hwy", "rd", "road", "route", "rt"})
_DEGREES = re.compile(r"\d[.°]\d|\d ?(?:°|deg)|\d ?[NSEW]\b|\b[NSEW] ?\d")


def street(mention: Mention, record: TransformRecord) -> str:
    """Another street name and number; kind, direction and the form of a unit stay."""
    if record.is_spanish or spanish.is_street(mention.text):
        return spanish.street(mention, record)
    kept = word_list("places", "street_kinds") | word_list("places", "address_words")
    kept |= word_list("places", "directions")
    kept -= _kind_as_name(mention.text, kept)

    def make(attempt: int) -> str:
        return renamed(mention, record, kept, street_name, attempt)

    def known(new: str) -> bool:
        if record.corpus is None:
            return False
        # "Rt 2 Box 118" and "400 South" have no name that could belong to another street.
        if numbered:
            return record.is_original(new)
        return street_core(new) in record.corpus.streets

    words = (token.lower().replace(".", "") for token in TOKEN.findall(mention.text))
    numbered = all(word in kept or len(word) == 1 or word[0].isdigit() for word in words)
    return record.chose(record.first_free("STREET", make, known))


def _kind_as_name(text: str, kept: frozenset[str]) -> frozenset[str]:
    """The word that is the name where all words say kinds: the mill of "12 Mill Street"."""
    words = [token.lower() for token in TOKEN.findall(text) if len(token) > 1 and token.isalpha()]
    if kept.issuperset(words):
        plain = kept - word_list("places", "directions")
        for word, after in reversed(list(pairwise(words))):
            numbered = after in _NUMBERED and word in word_list("places", "address_words")
            if word in plain and after in word_list("places", "street_kinds") and not numbered:
                return frozenset({word})
    return frozenset()


@once
def _street_names() -> tuple[str, ...]:
    return tuple(name for name in lexicon().streets if " " not in name and len(name) > 2)


def street_name(token: str, record: TransformRecord, attempt: int = 0) -> str:
    """The surrogate of the name of a street, or of a place that is named as streets are."""
    folded = fold(token)
    own = from_pool("street", folded, record)
    if own is not None:
        return own
    names, listed = _street_names(), _street_ranks()
    if folded in listed and not attempt:
        return record.chose(names[record.scope.permuted("streets", len(names), listed[folded])])
    return record.chose(record.scope.draws.pick(names, "STREET", folded, attempt))


@once
def _street_ranks() -> dict[str, int]:
    return {fold(name): rank for rank, name in enumerate(_street_names())}


def place_name(token: str, record: TransformRecord, attempt: int = 0) -> str:
    """A street's name for a word people know, a family name for any other."""
    if lexicon().word_rank(token) is not None or not token.isalpha():
        return street_name(token, record, attempt)
    return real_word(token, record, salt=str(attempt or ""))


def coordinates(mention: Mention, record: TransformRecord) -> str:
    """Degrees move by one to three, all further digits are drawn anew. A point of a grid ("17T
    584937 4477522", "87G8P27V+VV") is a code as others are."""
    if not _DEGREES.search(mention.text):
        return remapped(mention.text, record)
    dice = record.scope.draws.dice("COORDINATES", squeeze(mention.text))

    def other(match: re.Match[str]) -> str:
        whole = int(match[1])
        moved = whole - 1 - dice.below(3) if whole > 3 else whole + 1 + dice.below(3)
        rest = "".join(str(dice.below(10)) for _ in match[2][1:])
        return f"{moved}{match[2][:1]}{rest}"

    return re.sub(r"(\d+)(\.\d+|)", other, mention.text)
