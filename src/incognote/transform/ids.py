"""Identifiers: other characters of the same class in the same places, with valid check digits
where the original's were valid."""

from __future__ import annotations

import re
import string
from itertools import islice

from incognote.core import checkdigits
from incognote.transform.draw import Dice
from incognote.transform.record import Mention, Record
from incognote.transform.spelling import squeeze

_MASKED = re.compile(r"[xX*#•]")
_FILE_ENDING = re.compile(r"\.[A-Za-z]{2,4}$")
_DIGIT_WORDS = "zero one two three four five six seven eight nine".split()
_SPOKEN = re.compile(rf"\b(?:{'|'.join(_DIGIT_WORDS)}|oh)\b", re.IGNORECASE)


def identifier(mention: Mention, record: Record) -> str:
    """The surrogate of any number or code that identifies."""
    return redraw(mention.label, mention.text, record)


def redraw(label: str, text: str, record: Record) -> str:
    """Another value of the same shape, never an original of the record."""
    ending = _FILE_ENDING.search(text)
    tail = ending[0] if ending else ""
    body = text[: len(text) - len(tail)]
    plain = _plain(body)
    scheme = checkdigits.scheme_of(plain) if plain.isascii() else None

    def make(attempt: int) -> str:
        # The label is no part of the question: a number is the same number under another label.
        dice = record.scope.draws.dice("ID", plain, attempt)
        new = _like(plain, dice, record, scheme)
        if scheme is not None:
            new = scheme.repair(new)
        return _lay_out(body, new) + tail

    if _SPOKEN.search(body) and not any(char.isdigit() for char in body):
        return _speak(body, record)
    return record.first_other(label, text, make)


def _plain(text: str) -> str:
    return squeeze(text).upper()


def _like(plain: str, dice: Dice, record: Record, scheme: checkdigits.Scheme | None) -> str:
    letters = checkdigits.VIN_LETTERS if scheme is checkdigits.VIN else string.ascii_uppercase
    out: list[str] = []
    # All zeros is a placeholder: nothing of its form is worth keeping.
    seen_digit = not plain.strip("0")
    for i, char in enumerate(plain):
        if char.isdigit():
            # A leading zero is part of the form; elsewhere the first digit is never zero.
            zero_first = not seen_digit and char == "0"
            out.append(
                "0" if zero_first else str(dice.below(10) if seen_digit else 1 + dice.below(9))
            )
            seen_digit = seen_digit or not zero_first
        elif scheme is checkdigits.DEA and i == 1:
            # The second letter of a DEA number is its holder's initial.
            out.append(record.scope.letter(char))
        elif scheme is checkdigits.IBAN and i < 2:
            out.append(char)
        else:
            out.append(dice.pick(letters))
    return "".join(out)


def _lay_out(body: str, new: str) -> str:
    """The new characters in the old layout: separators and letter case as they were."""
    source = iter(new)
    out = []
    for char in body:
        # One character for each, though "ß" was two when the new ones were counted.
        fresh = "".join(islice(source, len(_plain(char))))[:1]
        out.append((fresh.lower() if char.islower() else fresh) or char)
    return "".join(out)


def _speak(body: str, record: Record) -> str:
    """Digits said in words ("one oh seven two") become other digits in words."""
    dice = record.scope.draws.dice("SPOKEN", squeeze(body))
    return _SPOKEN.sub(lambda m: _other_digit(m[0], dice), body)


def _other_digit(word: str, dice: Dice) -> str:
    old = _DIGIT_WORDS.index(word.lower()) if word.lower() in _DIGIT_WORDS else 0
    return _DIGIT_WORDS[(old + 1 + dice.below(9)) % 10]


def ssn(mention: Mention, record: Record) -> str:
    """Never issued: 900 to 999 is no SSN, and a middle pair below 50 is no taxpayer number.

    Masked places ("xxx-xx-1234") stay masked.
    """
    text = mention.text
    digits = "".join(char for char in text if char.isdigit())

    def make(attempt: int) -> str:
        dice = record.scope.draws.dice("SSN", digits, attempt)
        if len(digits) == 9 and not _MASKED.search(text):
            new = f"9{dice.below(100):02d}{1 + dice.below(49):02d}{1 + dice.below(9999):04d}"
        else:
            new = "".join(str(dice.below(10)) for _ in digits)
        source = iter(new)
        return "".join(next(source) if char.isdigit() else char for char in text)

    if not digits:
        return redraw("SSN", text, record)
    return record.first_other("SSN", text, make)
