"""What a generator may know: the mentions of one document, its scope and its policy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from string import ascii_lowercase
from typing import Any, TypeVar, cast

from incognote.core.errors import TransformError
from incognote.core.letters import visible
from incognote.core.types import Document, Span
from incognote.policy import Policy, TransformRules
from incognote.transform.draw import Draws, letter_map
from incognote.transform.originals import Originals
from incognote.transform.spelling import fold, squeeze
from incognote.transform.wordindex import WordIndex

T = TypeVar("T")

WORD = re.compile(r"[^\W_]+")
# Their values come from so small a set, or move so strictly together, that a surrogate may meet
# another original by chance: a shift by three days turns the 5th into the 8th.
CALENDAR = frozenset({"DATE", "TIME", "AGE"})

# What generators ask of a record besides its text: the dates of the note, and of the first.
NOTE_DATE, FIRST_NOTE_DATE = NOTED = "note_date", "first_note_date"

_MEMO = 8192
_ATTEMPTS = 64
_FEW = 20


@dataclass(frozen=True, slots=True)
class Mention:
    """One span with its text, as a reader sees it."""

    label: str
    text: str = field(repr=False)
    start: int
    end: int
    span: Span


class Scope:
    """What shares surrogates. Remembers answers only to be fast: forgetting changes nothing."""

    def __init__(self, key: bytes, name: str, rules: TransformRules) -> None:
        self.key = key
        self.draws = Draws(key, name)
        self._rules = rules
        self._memo: dict[Any, Any] = {}

    @cached_property
    def letters(self) -> dict[str, str]:
        return letter_map(self.draws)

    def letter(self, char: str) -> str:
        """The letter that stands for one: of an initial, or of a word's first letter."""
        image = self.letters.get(fold(char)[:1])
        if image is None:
            if not char.isalpha():
                return char
            image = self.draws.pick(_alphabet(char), "LETTER", char.casefold())
        return image.upper() if char.isupper() else image

    @property
    def shifts(self) -> tuple[int, ...]:
        return _shifts(
            self._rules.min_shift_days, self._rules.max_shift_days, self._rules.keep_weekday
        )

    @cached_property
    def shift_days(self) -> int:
        """How far dates move, forward or back; never 0."""
        dice = self.draws.dice("DATE", "")
        days = dice.pick(self.shifts)
        return days if dice.below(2) else -days

    def memo(self, question: tuple[Any, ...], answer: Callable[[], T]) -> T:
        found = self._memo.get(question, self)
        if found is self:
            if len(self._memo) >= _MEMO:
                self._memo.clear()
            found = self._memo[question] = answer()
        return cast("T", found)


class Record:
    """One document while it is transformed."""

    def __init__(
        self,
        document: Document,
        spans: Iterable[Span],
        scope: Scope,
        policy: Policy,
        corpus: Originals | None = None,
    ) -> None:
        self.document = document
        self.text = document.text
        self.scope = scope
        self.policy = policy
        self.rules = policy.transform
        self.corpus = corpus
        self.mentions = [
            Mention(span.label, _seen(document.text, span), span.start, span.end, span)
            for span in spans
        ]
        self._known: dict[Any, Any] = {}
        self.numbers: dict[tuple[str, str], int] = {}

    def know(self, kind: Callable[[Record], T]) -> T:
        """What a room of generators derives from the whole record, worked out once."""
        found = self._known.get(kind)
        if found is None:
            found = self._known[kind] = kind(self)
        return cast("T", found)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of every original, case-folded."""
        texts = [mention.text for mention in self.mentions if mention.label not in CALENDAR]
        return frozenset(WORD.findall("\n".join(texts).casefold()))

    @cached_property
    def wholes(self) -> frozenset[str]:
        """Every original as a whole: case-folded, letters and digits only."""
        return frozenset(squeeze(m.text) for m in self.mentions if m.label not in CALENDAR)

    @cached_property
    def _long_words(self) -> WordIndex:
        return WordIndex(word for word in self.words if len(word) >= 4)

    def taken(self, word: str) -> bool:
        """Whether a new word would show an original of this record."""
        word = word.casefold()
        return word in self.words or self._long_words.holds(word)

    def first_free(
        self, label: str, make: Callable[[int], str], *taken: Callable[[str], bool]
    ) -> str:
        """The first answer that is not taken: that shows no original, unless told otherwise. Where
        all answers are taken, the next way to tell is asked; there may be none left."""
        for is_taken in taken or (self.taken,):
            for attempt in range(_ATTEMPTS):
                candidate = make(attempt)
                if not is_taken(candidate):
                    return candidate
        raise TransformError(f"no free surrogate for a {label}")

    def first_other(self, label: str, own: str, make: Callable[[int], str]) -> str:
        """The first answer that is no original as a whole. Values of one or two characters are so
        few that all may be taken; then only the value's own is refused."""
        own = squeeze(own)
        if len(own) <= 2 and len(self.wholes) > _FEW:
            return self.first_free(label, make, lambda new: squeeze(new) == own)
        return self.first_free(label, make, self.is_original)

    def is_original(self, text: str) -> bool:
        return squeeze(text) in self.wholes


def _alphabet(char: str) -> str:
    """Letters to draw from for one that is none of ours: Cyrillic and Greek ones of their own."""
    for letters in ("абвгдежзиклмнопрстуфхэюя", "αβγδεζηθικλμνξοπρστφχψω"):
        if letters[0] <= char.casefold() <= letters[-1]:
            return letters.replace(char.casefold(), "")
    return ascii_lowercase


def _seen(text: str, span: Span) -> str:
    """What nobody sees would hide a value from the readers of numbers and dates: 9\u200b5 is 95."""
    written = text[span.start : span.end]
    return visible(written) or written


@cache
def _shifts(low: int, high: int, whole_weeks: bool) -> tuple[int, ...]:
    """Whole weeks leave weekdays where they were: all or none. Whole years are never used: they
    would leave "March 5" where it was."""
    return tuple(
        days
        for days in range(low, high + 1)
        if (days % 7 == 0) == whole_weeks and not _whole_years(days)
    )


def _whole_years(days: int) -> bool:
    years = round(days / 365.25)
    return years >= 1 and abs(days - years * 365.25) < 1.5
