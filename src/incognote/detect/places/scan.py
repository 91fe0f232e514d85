"""A view as the rules read it: words with their bits, gaps, lines and runs of name words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from incognote.core.text.letters import count_letters
from incognote.core.types import View
from incognote.detect.places.words import (
    CAPITAL,
    CITY,
    CLINICAL,
    COMMON,
    FAMILIAR,
    GENERIC,
    HEAD,
    LANDMARK,
    LISTED,
    MAKES_NAME,
    MAKES_UNCASED,
    PART,
    PARTICLE,
    PERSON,
    STOP,
    UPPER,
    WORD,
    Vocabulary,
)

GLUED, BLANK, COLUMN, LINE = 0, 1, 2, 3
# A view with a smaller share of capitalised words than this was typed without them.
_LOWER_CASE_NOTE = 0.05
_LINE_END = re.compile("\n")
_CASED_NAME = WORD | STOP | CAPITAL
_DOTTED = frozenset("st ste mt ft hosp med ctr univ mem gen co dept inc no sgt bros".split())


class Run(NamedTuple):
    """Tokens [first, end) that may be one name, on a line that has letter case or not; `named` are
    those of them that make a name."""

    first: int
    end: int
    cased: bool
    named: Sequence[int]


class _Widths(dict[str, int]):
    """White space -> what it is. Nearly all of it is one of a few, which are looked up."""

    def __missing__(self, gap: str) -> int:
        if "\n" in gap:
            return LINE
        return BLANK if len(gap) == 1 else COLUMN


_WIDTHS = _Widths({"": GLUED, " ": BLANK, "\n": LINE})


class Scan:
    """Built in one pass; after that every method looks at a few tokens."""

    def __init__(self, view: View, vocabulary: Vocabulary) -> None:
        text = self.text = view.cased
        self.starts, self.ends = view.tokens.starts, view.tokens.ends
        self.words = view.tokens_in(text).words
        self._gaps = list(map(_WIDTHS.__getitem__, view.tokens.gaps))
        self._lower = list(map(str.lower, self.words))
        self.bits = list(map(vocabulary.__getitem__, self.words))
        self.listed = [at for at, bits in enumerate(self.bits) if bits & LISTED]
        self.vocabulary = vocabulary
        self.before: dict[int, int] = {}  # of `context.word_before`: rule after rule asks the same
        self._line_ends = [mark.start() for mark in _LINE_END.finditer(text)]
        self._line_case: dict[int, bool] = {}
        words = [bits & (WORD | CAPITAL | UPPER) for bits in self.bits if bits & WORD]
        titled, small = words.count(WORD | CAPITAL), words.count(WORD)
        self._lower_note = titled < _LOWER_CASE_NOTE * len(words) < small
        self.run_list = list(self.runs())
        self.run_at = {run.first: run for run in self.run_list}
        self.run_to = {run.end: run for run in self.run_list}

    def __len__(self) -> int:
        return len(self.words)

    def lower(self, at: int) -> str:
        """The word in lower case; empty outside the view."""
        return self._lower[at] if 0 <= at < len(self._lower) else ""

    def gap(self, at: int) -> int:
        """What lies between token `at` and the one before it."""
        return self._gaps[at] if 0 < at < len(self._gaps) else LINE

    def cased(self, at: int) -> bool:
        """Whether capitals mean anything on this token's line."""
        if self._lower_note:
            return False
        line = bisect_right(self._line_ends, self.starts[at])
        known = self._line_case.get(line)
        if known is None:
            start = self._line_ends[line - 1] if line else 0
            end = self._line_ends[line] if line < len(self._line_ends) else len(self.text)
            capitals, letters = count_letters(self.text[start:end])
            known = self._line_case[line] = capitals < 0.7 * letters
        return known

    def specific(self, at: int, cased: bool) -> bool:
        """A word that makes a name: not a function word, not a kind of place."""
        return bool(self.bits[at] & (MAKES_NAME if cased else MAKES_UNCASED))

    def telling(self, at: int) -> bool:
        """A word that is hardly used but in names, or that names of places are made of."""
        bits = self.bits[at]
        if bits & (PART | FAMILIAR):
            return bool(bits & PART)
        return not bits & CLINICAL or bool(bits & CITY)

    def run_holding(self, at: int) -> Run | None:
        """The run that token `at` is inside of, if it starts not far before."""
        for back in range(at, max(-1, at - 6), -1):
            run = self.run_at.get(back)
            if run:
                return run if run.end > at else None
        return None

    def may_be_person(self, first: int, end: int) -> bool:
        """Whether every word of the stretch is a person's name."""
        return all(self.bits[at] & PERSON or not self.bits[at] & WORD for at in range(first, end))

    def runs(self) -> Iterator[Run]:
        """Stretches of words that may be names, left to right, none overlapping."""
        needed = WORD if self._lower_note else WORD | CAPITAL
        end = 0
        for at in [at for at, bits in enumerate(self.bits) if bits & (needed | STOP) == needed]:
            if at < end or not self._name_word(at, cased := self.cased(at)):
                continue
            end = self._grow(at + 1, cased)
            makes = MAKES_NAME if cased else MAKES_UNCASED
            named = [word for word in range(at, end) if self.bits[word] & makes]
            yield Run(at, end, cased, named)

    def _name_word(self, at: int, cased: bool) -> bool:
        bits = self.bits[at]
        if cased:
            return bits & _CASED_NAME == WORD | CAPITAL
        if not bits & WORD or bits & STOP:
            return False
        return bool(bits & (PART | GENERIC | HEAD | LANDMARK)) or not bits & COMMON

    def _grow(self, at: int, cased: bool) -> int:
        n = len(self.words)
        while at < n:
            gap = self._gaps[at]
            if gap >= COLUMN:
                break
            if self._name_word(at, cased):
                at += 1
                continue
            word = self.words[at]
            if gap == GLUED and word.lower() in ("'s", "’s"):
                at += 1
            elif word in ("'", "’") and gap == GLUED and self._joins(at + 1, cased, BLANK):
                at += 2
            elif word == "." and gap == GLUED and self._joins(at + 1, cased, BLANK):
                before = self.words[at - 1]
                if len(before) > 1 and before.lower() not in _DOTTED:
                    break
                at += 2
            elif (word in "-’'" and gap == GLUED and self._joins(at + 1, cased, GLUED)) or (
                word in "&+" and self._joins(at + 1, cased, BLANK)
            ):
                at += 2
            elif self.bits[at] & PARTICLE and gap == BLANK:
                ahead = at + 1
                while ahead < n and self.bits[ahead] & PARTICLE and self.gap(ahead) == BLANK:
                    ahead += 1
                if not self._joins(ahead, cased, BLANK):
                    break
                at = ahead + 1
            else:
                break
        return at

    def _joins(self, at: int, cased: bool, widest: int) -> bool:
        return at < len(self.words) and self.gap(at) <= widest and self._name_word(at, cased)
