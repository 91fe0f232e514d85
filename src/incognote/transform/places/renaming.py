"""Names of places, renamed: words that say a kind stay, names and numbers change."""

from __future__ import annotations

import re
from collections.abc import Callable

from incognote.transform.record import Mention, TransformRecord
from incognote.transform.spelling import case_like
from incognote.transform.word_data import NUMBER_WORDS

# The sign of an ordinal counts as a letter, and is no part of the door behind it ("2ºB").
_LETTERS = r"[^\W\d_ºª]+"
TOKEN = re.compile(rf"\d+(?:st|nd|rd|th)\b|\d+|{_LETTERS}(?:['’.]{_LETTERS})*", re.IGNORECASE)
_ORDINAL = re.compile(r"(\d+)(st|nd|rd|th)$", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_NUMBERS = NUMBER_WORDS[1:11]


def renamed(
    mention: Mention,
    record: TransformRecord,
    kept: frozenset[str],
    word: Callable[[str, TransformRecord, int], str],
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
        if not changed and token.lower() in _NUMBERS:  # "One Elm Plaza"
            changed = True
            dice = record.scope.draws.dice("NUMBER", token.lower(), attempt)
            others = tuple(word for word in _NUMBERS if word != token.lower())
            return case_like(token, dice.pick(others))
        changed = True
        if len(token) == 1 and mention.label == "LOCATION-OTHER" and _DIGIT.search(text):
            return token  # the I of "I-80"
        if len(token) == 1:
            dice = record.scope.draws.dice("LETTER", token.lower(), attempt)
            return case_like(token, dice.pick("abcdefghklmnprstw".replace(token.lower(), "")))
        return _cased(token, word(token, record, attempt))

    new = TOKEN.sub(other, text)
    if changed:
        return new
    # Nothing but kinds and directions ("Park Place", "Mill Street"): the first word is the name.
    return TOKEN.sub(lambda m: _cased(m[0], word(m[0], record, attempt)), text, count=1)


def _cased(token: str, new: str) -> str:
    return case_like(token, new) if token.isupper() or token.islower() else new


def other_number(token: str, record: TransformRecord, attempt: int) -> str:
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
