"""What a generator may know: the mentions of one document, its scope and its policy."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast

from incognote.core.caches import BoundedDict, cached
from incognote.core.errors import TransformError
from incognote.core.people import NOBODY, People
from incognote.core.text.letters import visible
from incognote.core.types import Document, Span
from incognote.lexicon.language import is_spanish
from incognote.policy import Policy, TransformRules
from incognote.transform.draw import Draws
from incognote.transform.leaks.originals import Originals
from incognote.transform.leaks.word_index import WordIndex
from incognote.transform.numbers.identifiers import Identifiers
from incognote.transform.permutation import Cycle, Permutation
from incognote.transform.spelling import fold, squeeze

T = TypeVar("T")

WORD = re.compile(r"[^\W_]+")
# Their values come from so small a set, or move so strictly together, that a surrogate may meet
# another original by chance: a shift by three days turns the 5th into the 8th.
CALENDAR = frozenset({"DATE", "TIME", "AGE"})

# What generators ask of a record besides its text: the dates of the note, and of the first.
NOTE_DATE, FIRST_NOTE_DATE = NOTED = "note_date", "first_note_date"

# Staff have a map of initials of their own: who knows theirs learns nothing of the patient's.
KIN, STAFF = "kin", "staff"
# Initials: those of many names, those of few, and other scripts.
_ALPHABETS = (
    "abcdeghjklmnprstw",
    "fioquvxyz",
    "абвгдежзиклмнопрстуфхэюя",
    "αβγδεζηθικλμνξοπρστφχψω",
)

# Among so many values it does not show that one never appears.
LARGE_CELL = 1_000

_SEASON = 21
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

    def __init__(
        self,
        key: bytes,
        name: str,
        rules: TransformRules,
        identifiers: Identifiers | None = None,
    ) -> None:
        self.key = key
        self.draws = Draws(key, name)
        self._identifiers = identifiers
        self._rules = rules
        self._memo: BoundedDict[Any, Any] = BoundedDict(f"{__name__}.memo", _MEMO)
        self._permutations: dict[tuple[str, int, bool], Permutation | Cycle] = {}

    @cached_property
    def identifiers(self) -> Identifiers:
        """The map of numbers and codes: the corpus's, or this scope's own."""
        return self._identifiers or Identifiers(self.draws.key)

    def permuted(self, cell: str, size: int, index: int, *, stays: bool = True) -> int:
        """The image of a member of a cell: another one in large cells, and wherever it must not
        stay. In small cells, what is never seen would be the original."""
        stays = stays and size < LARGE_CELL
        permutation = self._permutations.get((cell, size, stays))
        if permutation is None:
            key = hmac.digest(self.draws.key, f"cell:{size}:{cell}".encode(), "sha256")
            kind = Permutation if stays else Cycle
            permutation = self._permutations[cell, size, stays] = kind(key, size)
        return permutation(index)

    @cached_property
    def may_stay(self) -> str:
        """Which name words a permutation may leave as they are in this scope: given names
        ("first"), family names ("last"), or none. So no full name stays by chance, few words do,
        and over many scopes each may."""
        return ("first", "last", "", "")[self.draws.dice("STAY", "").below(4)]

    def letter(self, char: str, role: str = KIN) -> str:
        """The surrogate of a letter whose name is not known. Frequent initials
        become frequent ones, rare ones rare ones."""
        plain = fold(char)[:1]
        for letters in _ALPHABETS:
            at = letters.find(plain)
            if plain and at >= 0:
                image = letters[self.permuted(f"letters:{letters[0]}:{role}", len(letters), at)]
                return image.upper() if char.isupper() else image
        return char

    @property
    def shifts(self) -> tuple[int, ...]:
        """All numbers of days that dates may move by. Their logarithm is what is not known of the
        shift; see the guide for what else reveals it."""
        rules = self._rules
        return _shifts(
            rules.min_shift_days, rules.max_shift_days, rules.keep_weekday, rules.season == "keep"
        )

    @cached_property
    def shift_days(self) -> int:
        """How far dates move, forward or back; never 0."""
        return self.draws.dice("DATE", "").pick(self.shifts)

    def memo(self, question: tuple[Any, ...], answer: Callable[[], T]) -> T:
        found = self._memo.get(question, self)
        if found is self:
            found = self._memo[question] = answer()
        return cast("T", found)


def _is_spanish(record: TransformRecord) -> bool:
    return is_spanish(record.text, record.policy.prepare.languages)


class TransformRecord:
    """A document while it is transformed: its mentions, its scope, and what is known of it."""

    def __init__(
        self,
        document: Document,
        spans: Iterable[Span],
        scope: Scope,
        policy: Policy,
        corpus: Originals | None = None,
        people: People = NOBODY,
    ) -> None:
        self.document = document
        self.text = document.text
        self.scope = scope
        self.policy = policy
        self.rules = policy.transform
        self.corpus = corpus
        self.people = people
        self.mentions = [
            Mention(span.label, _seen(document.text, span), span.start, span.end, span)
            for span in spans
        ]
        self._known: dict[Any, Any] = {}
        self.numbers: dict[tuple[str, str], int] = {}
        # Words and numbers that a permutation chose. One of them may be an original, as chance has
        # it: where it appears as a surrogate it is no leak.
        self._choices: list[str] = []
        self._chosen: set[str] = set()

    @property
    def is_spanish(self) -> bool:
        return self.know(_is_spanish)

    def know(self, kind: Callable[[TransformRecord], T]) -> T:
        """What a room of generators derives from the whole record, worked out once."""
        found = self._known.get(kind)
        if found is None:
            found = self._known[kind] = kind(self)
        return cast("T", found)

    def chose(self, surrogate: str) -> str:
        """Notes what a keyed permutation gave."""
        self._choices.append(surrogate)
        return surrogate

    @property
    def chosen(self) -> set[str]:
        """What permutations gave: whole values and their words."""
        while self._choices:  # seldom asked for, so it is worked out only then
            surrogate = self._choices.pop()
            self._chosen.update(WORD.findall(surrogate.casefold()))
            self._chosen.add(squeeze(surrogate))
        return self._chosen

    def identity(self, mention: Mention) -> str:
        """Who or what a mention is, however it is written: the same in all documents of a scope."""
        linked = self.people.at(mention.start)
        if linked is None:
            return squeeze(mention.text)
        person = linked[0]
        if person.role != "patient":
            return person.key
        return f"patient:{self.document.patient_id or person.names}"

    @property
    def shares_scope(self) -> bool:
        """Whether other documents share the surrogates of this one."""
        scope = self.rules.scope
        return scope == "corpus" or (scope == "patient" and bool(self.document.patient_id))

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
        """The first answer that is free: that shows no original, unless allowed to. Where
        all answers are taken, the next kind of answer is tried; there may be none left."""
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


def _seen(text: str, span: Span) -> str:
    """Without invisible characters, which would hide a number or a date: 9\u200b5 is 95."""
    written = text[span.start : span.end]
    return visible(written) or written


@cached(64)
def _shifts(low: int, high: int, whole_weeks: bool, seasons: bool) -> tuple[int, ...]:
    """Days, forward and back. Whole weeks leave weekdays where they were; whole years, give or take
    three weeks, leave the seasons."""
    if seasons:
        years = range(1, max(high // 365, 1) + 1)
        days = {
            round(365.2425 * year) + more for year in years for more in range(-_SEASON, _SEASON + 1)
        }
    else:
        days = set(range(low, high + 1))
    fitting = sorted(day for day in days if not whole_weeks or day % 7 == 0)
    return (*(-day for day in reversed(fitting)), *fitting)
