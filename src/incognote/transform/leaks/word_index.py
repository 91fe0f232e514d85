"""Many words looked for in one text at once, inside longer words too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

# Shorter words are not looked for: two letters are everywhere.
SHORTEST = 3


class WordIndex:
    """Words by how they begin and how long they are.

    A text is gone through once, however many words there are: a long document with thousands of
    names takes no longer, letter for letter, than a short one.
    """

    __slots__ = ("_lengths", "_starts", "_words")

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(word for word in words if len(word) >= SHORTEST)
        self._lengths: dict[str, set[int]] = {}
        for word in self._words:
            self._lengths.setdefault(word[:SHORTEST], set()).add(len(word))
        self._starts = frozenset(self._lengths)

    def inside(self, text: str) -> Iterator[tuple[int, str]]:
        """Every place where a word appears, and the word."""
        for at in range(len(text) - SHORTEST + 1):
            for length in self._lengths.get(text[at : at + SHORTEST], ()):
                word = text[at : at + length]
                if word in self._words:
                    yield at, word

    def holds(self, text: str) -> bool:
        """Whether any of the words appears in the text. Nearly always the first look says no."""
        starts = [text[at : at + SHORTEST] for at in range(len(text) - SHORTEST + 1)]
        return not self._starts.isdisjoint(starts) and any(True for _ in self.inside(text))
