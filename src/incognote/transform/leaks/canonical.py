"""Text as the leak check reads it: what looks alike, or is not seen at all, makes no difference.

Accents, wide letters and marks of no width go, so that "Sm\u200bith" is Smith and "Nunez" Núñez.
ASCII, as nearly all text is, is only put in lower case.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from incognote.core.text.letters import is_invisible
from incognote.core.text.phrases import lower


class _Letters(dict[int, str]):
    """For `str.translate`: a character without accents and width; "" for marks and the unseen."""

    def __missing__(self, code: int) -> str:
        self[code] = _plain(chr(code))
        return self[code]


def _plain(char: str) -> str:
    if is_invisible(char) or unicodedata.category(char).startswith("M"):
        return ""
    composed = unicodedata.normalize("NFKC", char)
    # Accents fall off; what stays together otherwise (Hangul) is left together.
    parts = unicodedata.normalize("NFKD", composed)
    if all(unicodedata.category(mark).startswith("M") for mark in parts[1:]):
        return parts[0]
    return composed


_LETTERS = _Letters()


@dataclass(frozen=True, slots=True)
class Canonical:
    """A text in canonical letters, as cased as it was and in lower case, letter for letter."""

    cased: str
    folded: str
    source: str
    _offsets: Sequence[int] | None

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch appears in the source, with the marks that belong to its end."""
        if self._offsets is None:
            return start, end
        first, last = self._offsets[start], self._offsets[end - 1] + 1
        while last < len(self.source) and not _LETTERS[ord(self.source[last])]:
            last += 1
        return first, last


def canonical(text: str) -> Canonical:
    """The text to search in, or to search for."""
    if text.isascii():
        return Canonical(text, text.lower(), text, None)
    plain = text.translate(_LETTERS)
    offsets = None
    if any(len(_LETTERS[ord(char)]) != 1 for char in set(text)):
        offsets = [at for at, char in enumerate(text) for _ in _LETTERS[ord(char)]]
    return Canonical(plain, lower(plain), text, offsets)
