"""Finds many phrases in one pass over a text: whole words, any blanks between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Match(Generic[T]):
    start: int
    end: int
    value: T


class Phrases(Generic[T]):
    """A set of phrases, each with a value. The longest phrase wins; of equal ones, the first."""

    def __init__(self, entries: Iterable[tuple[str, T]], *, ignore_case: bool = True) -> None:
        self._ignore_case = ignore_case
        self._by_first: dict[str, list[tuple[tuple[str, ...], T]]] = {}
        for phrase, value in entries:
            words = tuple(self._fold(word) for word in _WORD.findall(phrase))
            if words:
                self._by_first.setdefault(words[0], []).append((words, value))
        for entries_of_word in self._by_first.values():
            entries_of_word.sort(key=lambda entry: -len(entry[0]))

    def _fold(self, word: str) -> str:
        return word.lower() if self._ignore_case else word

    def __len__(self) -> int:
        return sum(map(len, self._by_first.values()))

    def find(self, text: str) -> Iterator[Match[T]]:
        """Matches from left to right; none overlaps another."""
        found = list(_WORD.finditer(text))
        words = [self._fold(word[0]) for word in found]
        at = 0
        while at < len(words):
            entries = self._by_first.get(words[at], ())
            for phrase, value in entries:
                end = at + len(phrase)
                if tuple(words[at:end]) == phrase:
                    yield Match(found[at].start(), found[end - 1].end(), value)
                    at = end - 1
                    break
            at += 1
