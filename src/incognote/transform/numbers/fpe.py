"""Format-preserving encryption of identifiers: reversible with the key, same shape.

An identifier is one number in a mixed radix (ten for each digit, twenty-six for each letter).
FF1 permutes the decimal numerals of that number; results that lie outside go round again until
one lies inside, which keeps the map one to one.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from importlib.util import find_spec
from typing import ClassVar

from incognote.core.errors import MissingExtra
from incognote.transform.numbers.ff1 import FF1, MIN_DOMAIN
from incognote.transform.numbers.ids import identifier
from incognote.transform.record import Mention, TransformRecord


class Cipher:
    """Encrypts and decrypts the values of a label under one key."""

    def __init__(self, key: bytes, label: str) -> None:
        self._ff1 = FF1(hmac.digest(key, b"ff1", "sha256"), 10)
        self._tweak = label.encode()

    def encrypt(self, text: str) -> str:
        return self._walk(text, forward=True)

    def decrypt(self, text: str) -> str:
        return self._walk(text, forward=False)

    def _walk(self, text: str, *, forward: bool) -> str:
        value, size = _rank(text)
        width = len(str(size - 1))
        step = self._ff1.encrypt if forward else self._ff1.decrypt
        # The form takes part, or values of two forms with the same rank would be distinguished.
        tweak = self._tweak + _shape(text).encode()
        while True:
            numerals = step([int(char) for char in f"{value:0{width}d}"], tweak)
            value = int("".join(map(str, numerals)))
            if value < size:
                return _unrank(value, text)


def long_enough(text: str) -> bool:
    """Whether the standard allows FF1 for a value of this shape."""
    return _rank(text)[1] >= MIN_DOMAIN


def _shape(text: str) -> str:
    return "".join("9" if _is_digit(c) else "a" if _is_letter(c) else "." for c in text)


def _is_digit(char: str) -> bool:
    return char.isascii() and char.isdigit()


def _is_letter(char: str) -> bool:
    return char.isascii() and char.isalpha()


def _rank(text: str) -> tuple[int, int]:
    value, size = 0, 1
    for char in text:
        if _is_digit(char):
            value, size = value * 10 + int(char), size * 10
        elif _is_letter(char):
            value, size = value * 26 + ord(char.upper()) - 65, size * 26
    return value, size


def _unrank(value: int, like: str) -> str:
    out: list[str] = []
    for char in reversed(like):
        if _is_digit(char):
            value, digit = divmod(value, 10)
            out.append(str(digit))
        elif _is_letter(char):
            value, letter = divmod(value, 26)
            out.append(chr(letter + (97 if char.islower() else 65)))
        else:
            out.append(char)
    return "".join(reversed(out))


@dataclass(frozen=True, slots=True)
class Fpe:
    """FF1 (NIST SP 800-38G) over letters and digits. With the key, the value can be decrypted
    without a vault. Values too short for the standard get a surrogate, which cannot be reversed."""

    label: str
    labels: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        if find_spec("cryptography") is None:  # said before the first document, not in it
            raise MissingExtra("the transform 'fpe'", "vault")

    def replace(self, mention: Mention, record: TransformRecord) -> str:
        if not long_enough(mention.text):
            return identifier(mention, record)
        # The same value is the same code for every patient: a code is one-to-one or irreversible.
        return Cipher(record.scope.key, self.label).encrypt(mention.text)

    def explain(self) -> str:
        return "encrypted in its own format (FF1), reversible with the key"
