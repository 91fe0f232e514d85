"""Streets and other named places: the words that say a kind stay, names and numbers change."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise

from incognote.lexicon import lexicon
from incognote.transform.originals import street_core
from incognote.transform.record import Mention, Record
from incognote.transform.spelling import case_like, fold, squeeze
from incognote.transform.worddata import word_list
from incognote.transform.words import altered

_TOKEN = re.compile(r"\d+(?:st|nd|rd|th)\b|\d+|[^\W\d_]+(?:['’.][^\W\d_]+)*", re.IGNORECASE)
_ORDINAL = re.compile(r"(\d+)(st|nd|rd|th)$", re.IGNORECASE)
# Roads that go by a number: the county of "County Road 12" is no name.
_NUMBERED = frozenset({"highway", "hwy", "rd", "road", "route", "rt"})
_DIGIT = re.compile(r"\d")
_COORDINATES = re.compile(r"\d+\.\d+\s?°?\s?[NSEW]\b")
_NUMBER_WORDS = tuple("one two three four five six seven eight nine ten".split())


def street(mention: Mention, record: Record) -> str:
    """Another street name and number; kind, direction and the form of a unit stay."""
    kept = word_list("places", "street_kinds") | word_list("places", "address_words")
    kept |= word_list("places", "directions")
    kept -= _kind_as_name(mention.text, kept)

    def make(attempt: int) -> str:
        return renamed(mention, record, kept, _street_word, attempt)

    def taken(new: str) -> bool:
        known = record.corpus is not None and street_core(new) in record.corpus.streets
        return known or record.is_original(new)

    return record.first_free("STREET", make, taken)


def _kind_as_name(text: str, kept: frozenset[str]) -> frozenset[str]:
    """The word that is the name where all words say kinds: the mill of "12 Mill Street"."""
    words = [token.lower() for token in _TOKEN.findall(text) if len(token) > 1 and token.isalpha()]
    if kept.issuperset(words):
        plain = kept - word_list("places", "directions")
        for word, after in reversed(list(pairwise(words))):
            numbered = after in _NUMBERED and word in word_list("places", "address_words")
            if word in plain and after in word_list("places", "street_kinds") and not numbered:
                return frozenset({word})
    return frozenset()


def other_place(mention: Mention, record: Record) -> str:
    """Another place of the same kind: "Emmet County", "Highway 74", "PO Box 12", "Lime Park"."""
    if _COORDINATES.search(mention.text):
        return coordinates(mention, record)
    kept = word_list("places", "features") | word_list("places", "address_words")
    kept |= word_list("places", "directions")
    kept -= _feature_as_name(mention.text)

    def make(attempt: int) -> str:
        return renamed(mention, record, kept, fancy_place, attempt)

    return record.first_other("LOCATION-OTHER", mention.text, make)


def _feature_as_name(text: str) -> frozenset[str]:
    """The spring of "Spring Creek Colony": of two kinds in front, the first is the name."""
    words = [token.lower() for token in _TOKEN.findall(text)[:2]]
    features = word_list("places", "features") - word_list("places", "qualifiers")
    if len(words) == 2 and words[0] in features and not _DIGIT.search(text):
        return frozenset({words[0]} if words[1] in word_list("places", "features") else ())
    return frozenset()


def renamed(
    mention: Mention,
    record: Record,
    kept: frozenset[str],
    word: Callable[[str, Record, int], str],
    attempt: int = 0,
) -> str:
    """Every word that is not kept, and every number, becomes another."""
    text = mention.text
    changed = False

    def other(match: re.Match[str]) -> str:
        nonlocal changed
        token = match[0]
        if token[0].isdigit():
            changed = True
            return other_number(token, record, attempt)
        if token.lower().replace(".", "") in kept:
            return token
        if not changed and token.lower() in _NUMBER_WORDS:  # "One Elm Plaza"
            changed = True
            dice = record.scope.draws.dice("NUMBER", token.lower(), attempt)
            others = tuple(word for word in _NUMBER_WORDS if word != token.lower())
            return case_like(token, dice.pick(others))
        changed = True
        if len(token) == 1 and mention.label == "LOCATION-OTHER" and _DIGIT.search(text):
            return token  # the I of "I-80"
        if len(token) == 1:
            dice = record.scope.draws.dice("LETTER", token.lower(), attempt)
            return case_like(token, dice.pick("abcdefghklmnprstw".replace(token.lower(), "")))
        return _cased(token, word(token, record, attempt))

    new = _TOKEN.sub(other, text)
    if changed:
        return new
    # Nothing but kinds and directions ("Park Place", "Mill Street"): the first word is the name.
    return _TOKEN.sub(lambda m: _cased(m[0], word(m[0], record, attempt)), text, count=1)


def _cased(token: str, new: str) -> str:
    return case_like(token, new) if token.isupper() or token.islower() else new


def other_number(token: str, record: Record, attempt: int) -> str:
    """Another number with as many digits; "27th" becomes "93rd"."""
    ordinal = _ORDINAL.match(token)
    digits = ordinal[1] if ordinal else token
    dice = record.scope.draws.dice("NUMBER", digits, attempt)
    if digits[0] == "0":
        new = "0" + "".join(str(dice.below(10)) for _ in digits[1:])
    else:
        new = str(1 + dice.below(9)) + "".join(str(dice.below(10)) for _ in digits[1:])
    if new == digits:
        new = digits[:-1] + str((int(digits[-1]) + 1) % 10 or 1)
    if ordinal is None:
        return new
    value = int(new)
    teen = 11 <= value % 100 <= 13
    suffix = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return new + (suffix.upper() if ordinal[2].isupper() else suffix)


@cache
def _street_names() -> tuple[str, ...]:
    return tuple(name for name in lexicon().streets if " " not in name and len(name) > 2)


def _street_word(token: str, record: Record, attempt: int) -> str:
    folded = fold(token)

    def make(more: int) -> str:
        return record.scope.draws.pick(_street_names(), "STREET", folded, attempt * 64 + more)

    return record.first_free("STREET", make)


def fancy_place(token: str, record: Record, attempt: int) -> str:
    """A made-up word for a made-up word; a street's name for a word people know."""
    if lexicon().word_rank(token) is not None or not token.isalpha():
        return _street_word(token, record, attempt)
    return altered(token, record, attempt)


def coordinates(mention: Mention, record: Record) -> str:
    """Degrees move by one to three, all further digits are drawn anew."""
    dice = record.scope.draws.dice("COORDINATES", squeeze(mention.text))

    def other(match: re.Match[str]) -> str:
        whole = int(match[1])
        moved = whole - 1 - dice.below(3) if whole > 3 else whole + 1 + dice.below(3)
        rest = "".join(str(dice.below(10)) for _ in match[2][1:])
        return f"{moved}{match[2][:1]}{rest}"

    return re.sub(r"(\d+)(\.\d+|)", other, mention.text)
