"""Spelling: folded forms to compare by, letter case to write in."""

from __future__ import annotations

import re
import unicodedata

# A word letter by letter, with one sign between the letters: "S M I T H"; wider gaps part words.
SPACED = re.compile(r"(?<![^\W_])[^\W\d_]([ .\-])[^\W\d_](?![^\W_])(?:\1[^\W\d_](?![^\W_]))+")
_NOT_ALNUM = re.compile(r"[\W_]+")


def squeeze(text: str) -> str:
    """Letters and digits only, case-folded: "04-77 81" and "047781" are one number."""
    return _NOT_ALNUM.sub("", text.casefold())


def fold(word: str) -> str:
    """Lower case without accents: "Núñez" and "NUNEZ" are one name."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFKD", word)
    return "".join(char for char in parts if not unicodedata.combining(char)).casefold()


def case_like(original: str, word: str) -> str:
    """`word` in the case of `original`; where lengths match, mixed case letter by letter."""
    if original.isupper():
        return word.upper()
    if original.islower():
        return word.lower()
    if original[:1].isupper() and not any(char.isupper() for char in original[1:]):
        return word[:1].upper() + word[1:].lower()
    if len(original) == len(word):
        pairs = zip(original, word, strict=True)
        return "".join(new.upper() if old.isupper() else new.lower() for old, new in pairs)
    return word[:1].upper() + word[1:]
