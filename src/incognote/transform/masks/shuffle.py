"""Dates shuffled within the corpus: each goes to another date that is written in the same form."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from incognote.core.caches import cached
from incognote.transform.dates.facts import is_birth
from incognote.transform.dates.holidays import HOLIDAYS
from incognote.transform.dates.shift import shifted
from incognote.transform.dates.words import SEASON_OF, month_of, weekday_of
from incognote.transform.record import Mention, TransformRecord


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Another date of the corpus in the same format class; alone in its class, it is shifted.

    Intervals are lost, the distribution of dates stays. Needs a first pass over the corpus.
    """

    label: str
    labels: ClassVar[frozenset[str]] = frozenset({"DATE"})
    needs_originals: ClassVar[bool] = True

    def replace(self, mention: Mention, record: TransformRecord) -> str:
        text = mention.text
        trades = record.know(Trades)
        if is_birth(mention, record.text):  # another's birth would contradict the age
            return shifted(mention, record)
        for form in (format_class, loose_class):
            traded = trades.other(text, form)
            if traded is not None:
                return traded
        new = shifted(mention, record)
        if not any(map(str.isdigit, text)):
            return new or trades.spelled(text)
        if loose_class(new) == loose_class(text) and new not in trades.own:
            return new
        return _renumbered(text, record)  # no form that we read: another language, a bad scan

    def explain(self) -> str:
        return "replaced by another date of the corpus, written in the same form"


def format_class(text: str) -> str:
    """Digits as 9, words by what they are (a month, a weekday, a season) and by their case: what
    two dates must share to trade places. What a scanner made of digits are digits; feasts trade
    with feasts."""
    feast = HOLIDAYS.find(text)
    if feast is not None:
        text = f"{text[: feast[0]]}<feast>{text[feast[1] :]}"
    text = _NUMBER.sub(lambda m: "9" * len(m[0]), text)
    return re.sub(r"(?<![<\w])[^\W\d_]+(?![>\w])", lambda m: _word_class(m[0]), text)


def _word_class(word: str) -> str:
    lower = word.lower()
    case = "A" if word.isupper() else "Aa" if word[0].isupper() else "a"
    if month_of(lower) is not None:
        return f"{case}<month{'' if len(word) > 3 else ' short'}>"
    if weekday_of(lower) is not None:
        short = "" if lower.endswith("day") else " many" if lower.endswith("days") else " short"
        return f"{case}<weekday{short}>"
    return f"{case}<season>" if lower in SEASON_OF else f"{case}{lower if lower in _PLAIN else ''}"


_PLAIN = frozenset("of the early late mid in on and to".split())


def loose_class(text: str) -> str:
    """The same for a date that is alone in its class: 9/9 and 10/10, May and MAY are alike. Years
    stay apart from days, or 2022-11-30 would go to 11-30-2022."""
    return re.sub(r"9+", lambda m: m[0] if len(m[0]) > 2 else "9", format_class(text)).casefold()


_NUMBER = re.compile(r"\d|(?<=\d)[OlI]+(?![^\W\d_])|\b[OlI]+(?=\d)|\b[OlI]+\b")


class Trades:
    """Which dates of a record go to which of other notes."""

    def __init__(self, record: TransformRecord) -> None:
        assert record.corpus is not None
        self._dates = record.corpus.dates
        self._dice = record.scope.draws.dice
        self.own = {mention.text for mention in record.mentions if mention.label == "DATE"}
        self._found: dict[tuple[Callable[[str], str], str], dict[str, str]] = {}

    def other(self, text: str, form: Callable[[str], str]) -> str | None:
        key = form, form(text)
        if key not in self._found:
            self._found[key] = self._deal(_by_form(self._dates, form).get(key[1], []))
        return self._found[key].get(text)

    def spelled(self, text: str) -> str:
        """Any date in words with a month, for one in words that nothing reads."""
        months = [
            date
            for date in sorted(self._dates)
            if "<month" in format_class(date) and not any(map(str.isdigit, date))
        ]
        others = [date for date in months if date not in self.own]
        return self._dice("SPELLED", text).pick(others) if others else ""

    def _deal(self, dates: Sequence[str]) -> dict[str, str]:
        """To each own date the next on a ring in secret order that is no own one, nor dealt yet
        while there are others. The ring is the same for all notes of a patient, so that most
        dates go where they go in the other notes."""
        ring = sorted(dates, key=lambda date: self._dice("SHUFFLE", date).below(2**64))
        others = {date for date in ring if date not in self.own}
        dealt: dict[str, str] = {}
        for place, date in enumerate(ring):
            if date in self.own and others:
                following = [d for d in (*ring[place + 1 :], *ring[:place]) if d in others]
                free = [d for d in following if d not in dealt.values()]
                dealt[date] = (free or following)[0]
        return dealt


@cached(4)
def _by_form(dates: frozenset[str], form: Callable[[str], str]) -> dict[str, list[str]]:
    found = defaultdict(list)
    for text in sorted(dates):
        found[form(text)].append(text)
    return dict(found)


def _renumbered(text: str, record: TransformRecord) -> str:
    """Other numbers of as many digits: days for days, years of the same century for years."""
    own = record.know(Trades).own

    def make(attempt: int) -> str:
        dice = record.scope.draws.dice("DATE NUMBERS", text, attempt)

        def number(match: re.Match[str]) -> str:
            old = match[0]
            if len(old) == 1:
                return str(1 + dice.below(9))
            if len(old) == 2:
                return str(10 + dice.below(19))
            return old[:2] + "".join(str(dice.below(10)) for _ in old[2:])

        return re.sub(r"\d+", number, text)

    return record.first_free("date", make, lambda new: new in own)
