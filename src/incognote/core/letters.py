"""Counts letters by their case, fast where the text is plain ASCII, as nearly all text is."""

from __future__ import annotations

import string

_CAPITALS = string.ascii_uppercase.encode()
_NO_LETTERS = bytes(set(range(128)) - set(string.ascii_letters.encode()))


def count_letters(text: str) -> tuple[int, int]:
    """How many capitals a text has, and how many letters in all."""
    if text.isascii():
        # Deleting bytes runs at memory speed; asking each character takes fifty times as long.
        letters = text.encode("ascii").translate(None, _NO_LETTERS)
        return len(letters) - len(letters.translate(None, _CAPITALS)), len(letters)
    found = list(filter(str.isalpha, text))
    return sum(map(str.isupper, found)), len(found)
