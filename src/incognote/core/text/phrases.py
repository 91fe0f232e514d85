"""Finds many phrases in one pass over a text, and words in spite of a typing error."""

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
            words = tuple(_WORD.findall(self._fold(phrase)))
            if words:
                self._by_first.setdefault(words[0], []).append((words, value))
        for entries_of_word in self._by_first.values():
            entries_of_word.sort(key=lambda entry: -len(entry[0]))

    def _fold(self, text: str) -> str:
        return lower(text) if self._ignore_case else text

    def __len__(self) -> int:
        return sum(map(len, self._by_first.values()))

    def find(self, text: str) -> Iterator[Match[T]]:
        """Matches from left to right; none overlaps another."""
        found = list(_WORD.finditer(self._fold(text)))
        words = [word[0] for word in found]
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


def lower(text: str) -> str:
    """Lower case in the same length: one letter of Unicode would get longer, and move offsets."""
    folded = text.lower()
    return folded if len(folded) == len(text) else "".join(c.lower()[0] for c in text)


# A longer string is no word but damage, and its spellings would take its length squared to list.
_LONGEST = 60


class Misspellings(Generic[T]):
    """Knows words, each with a value, by spellings that are one error away."""

    def __init__(self, entries: Iterable[tuple[str, T]]) -> None:
        self._words: dict[str, T] = {}
        self._near: dict[str, list[str]] = {}
        self._ends: set[str] = set()
        for word, value in entries:
            if word not in self._words and len(word) <= _LONGEST:
                self._words[word] = value
                self._ends |= {word[:2], word[-2:] + "$"}
                for spelling in _less_one(word):
                    self._near.setdefault(spelling, []).append(word)

    def __len__(self) -> int:
        return len(self._words)

    def intended(self, written: str) -> T | None:
        """The value of the word that was meant; None if it is written right or too wrong."""
        if written in self._words or len(written) > _LONGEST + 1:
            return None
        # One error spares the first two letters of a longer word or the last two: most words of a
        # text are dismissed here.
        if len(written) > 4 and self._ends.isdisjoint((written[:2], written[-2:] + "$")):
            return None
        # Two words are one error apart only if they share a form with at most one letter less.
        for spelling in _less_one(written):
            for word in self._near.get(spelling, ()):
                if one_error(word, written):
                    return self._words[word]
        return None


def _less_one(word: str) -> list[str]:
    return [word, *(word[:i] + word[i + 1 :] for i in range(len(word)))]


def one_error(intended: str, written: str) -> bool:
    """Whether two words differ by one letter changed, added, left out or swapped."""
    if abs(len(intended) - len(written)) > 1 or intended == written:
        return False
    shorter, longer = sorted((intended, written), key=len)
    at = next((i for i, char in enumerate(shorter) if char != longer[i]), len(shorter))
    if len(shorter) < len(longer):
        return shorter[at:] == longer[at + 1 :]
    swapped = shorter[:at] + shorter[at : at + 2][::-1] + shorter[at + 2 :]
    return shorter[at + 1 :] == longer[at + 1 :] or swapped == longer
