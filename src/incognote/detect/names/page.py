"""A view as the names detector reads it: words with their facts, where lines break, and runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from incognote.detect.names.facts import CAPITAL, LOWER, NOTABLE, UPPER

if TYPE_CHECKING:
    from incognote.core.types import View
    from incognote.detect.names.facts import Facts

_WINDOW = 5  # words looked at on either side to see whether capitals mean anything here
_COLUMN_GAP = 3  # so many blanks part two columns or fields


class Page:
    """Token texts and facts in parallel lists, with the few questions asked about their gaps."""

    __slots__ = (
        "bits",
        "ends",
        "facts",
        "gaps",
        "lower_case",
        "notable",
        "starts",
        "text",
        "words",
    )

    def __init__(self, view: View, facts: Facts) -> None:
        self.facts = facts
        # Restored capitals help in a note without any. In one of nothing but capitals the words
        # around a name say more than a restored case that does not know the name.
        self.text = text = view.text if view.text.isupper() else view.cased
        self.starts, self.ends = view.tokens.starts, view.tokens.ends
        self.words = view.tokens_in(text).words
        self.gaps = view.tokens.gaps
        self.bits = list(map(facts.__getitem__, self.words))
        self.notable = [at for at, bits in enumerate(self.bits) if bits & NOTABLE]
        capitals = len([bits for bits in self.bits if bits & (CAPITAL | UPPER)])
        smalls = len([bits for bits in self.bits if bits & LOWER])
        # A note typed without the shift key: a few capitals at most (units, abbreviations).
        self.lower_case = smalls > 12 * capitals

    def __len__(self) -> int:
        return len(self.words)

    def glued(self, index: int) -> bool:
        """No space between this token and the one before."""
        return 0 < index < len(self.words) and not self.gaps[index]

    def breaks(self, index: int) -> bool:
        """A line ends between the token before and this one, or the page starts or ends here."""
        return not 0 < index < len(self.words) or "\n" in self.gaps[index]

    def gap(self, index: int) -> bool:
        """Whether the token starts a new line, column or field."""
        if not 0 < index < len(self.words):
            return True
        blanks = self.gaps[index]
        return len(blanks) >= _COLUMN_GAP or "\n" in blanks or "\t" in blanks

    def in_capitals(self, index: int) -> bool:
        """The words around are capitals too, so that capitals say nothing."""
        upper = lower = 0
        for step in (-1, 1):
            at, seen = index + step, 0
            while 0 <= at < len(self.words) and seen < _WINDOW:
                bits = self.bits[at]
                if bits & UPPER:
                    upper += 1
                    seen += 1
                elif bits & (LOWER | CAPITAL):
                    lower += 1
                    seen += 1
                elif step * (at - index) > 3 * _WINDOW:
                    break
                at += step
        return upper > 2 * lower


@dataclass(slots=True)
class Run:
    """Tokens [first, stop) of a page: `names` are the indexes of whole words, `initials` those of
    single letters."""

    first: int
    stop: int
    names: list[int]
    initials: list[int]
    comma: bool = False
    nickname: bool = False
    suffix: bool = False
