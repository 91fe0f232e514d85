"""Stretches of text: where words appear, and which are taken."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

_PAST_ANY_END = 1 << 62
_CAPITALISED = re.compile(r"[A-ZÀ-Þ][^\W\d_]+")
_ASCII_CAPITALISED = re.compile(r"[A-Z][A-Za-z]+")  # the same for plain text, and faster


def capitalised(text: str) -> set[str]:
    """The different words of a text that begin with a capital. What a few of them are is asked
    once, and only those are looked for: most words of a note never need to be looked at."""
    return set((_ASCII_CAPITALISED if text.isascii() else _CAPITALISED).findall(text))


def places(words: Iterable[str], text: str, whole: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where words appear as an expression wants them to."""
    for word in words:
        at = text.find(word)
        while at >= 0:
            match = whole.match(text, at)
            if match and match[0] == word:
                yield match.span()
            at = text.find(word, at + len(word))


def union(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches sorted, and those that touch as one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def is_taken(start: int, end: int, taken: Sequence[tuple[int, int]]) -> bool:
    """Whether a stretch touches one of others, which are sorted and disjoint."""
    before = bisect_right(taken, (start, _PAST_ANY_END)) - 1
    if before >= 0 and taken[before][1] > start:
        return True
    return before + 1 < len(taken) and taken[before + 1][0] < end


def is_covered(start: int, end: int, stretches: Sequence[tuple[int, int]]) -> bool:
    """Whether a stretch lies within one of others, which are sorted and disjoint."""
    before = bisect_right(stretches, (start, _PAST_ANY_END)) - 1
    return before >= 0 and stretches[before][1] >= end
