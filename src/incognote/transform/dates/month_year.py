"""Whether "6/18" is a day in June or June 2018.

What cannot be a day is a year ("6/00", "5/68", "4/31"). What may be both is weighed: the words in
front ("in 6/18", "on 6/18"), what the record's other pairs of numbers are, and whether such a day
lies near the note, as days without a year do. In doubt it is a day.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

_PAIR = re.compile(r"(?<![\d/])(\d{1,2})\s?/\s?(\d\d)(?![\d:]|\s?/)|^(\d{1,2})-(\d\d)$")
_DAY = re.compile(
    r"(?:1[3-9]|2\d|3[01])[/.](?:1[0-2]|0?[1-9])|\d{1,2}/\d|[^\W\d_]{2,}\.?,? \d{1,2}/\d{1,2}"
)
_NAMED = re.compile(r"[^\W\d_]{3}")
_CLOCK = re.compile(
    r",?\s*(?:@|at\b)?\s*(?:\d{1,2}:\d\d|[0-2]\d[0-5]\d\b(?!/|\.\d))", re.IGNORECASE
)
_EXPIRY = re.compile(r"\bexp(?:\.|ires?|iry|iration)?(?: date)?\W*$", re.IGNORECASE)
_OF_A_DAY = re.compile(
    r"\b(?:on|dated|today|yesterday|tomorrow|tonight|due|seen|visit|appt|adm|admit|admitted|d/c|"
    r"discharged?|dictated|this|summary of|by)\W*$",
    re.IGNORECASE,
)
# How strongly the words in front suggest a month of a year.
_OF_A_MONTH = (
    (re.compile(r"\b(?:in|early|mid|late|circa)[ -]$", re.IGNORECASE), 3.0),
    (
        re.compile(
            r"\b(?:quit|dx'?d?|diagnosed|retired|sober|remission|divorced|hired|married)\W*$",
            re.IGNORECASE,
        ),
        2.0,
    ),
    (re.compile(r"\b(?:since|hx|h/o|s/p|last|previously)\W*$", re.IGNORECASE), 1.0),
)
_BEFORE = 24
_NEAR, _NEARER = 90, 45
_ENOUGH = 1.0


class NumberPair(NamedTuple):
    """Two numbers, the second of two digits."""

    month: int
    second: int

    @property
    def is_year(self) -> bool:
        """Whether the second number cannot be a day."""
        return not 1 <= self.second <= self.last_day

    @property
    def last_day(self) -> int:
        return monthrange(2024, self.month)[1]


def pairs_of(text: str) -> list[NumberPair]:
    """The pairs that may be a month and a year; none where one of them cannot be."""
    found = [tuple(map(int, filter(None, groups))) for groups in _PAIR.findall(text)]
    # Named months and weekdays leave no doubt.
    if not found or _NAMED.search(text) or not all(1 <= month <= 12 for month, _ in found):
        return []
    return [NumberPair(*pair) for pair in found]


class Setting(NamedTuple):
    """What a record says about its pairs: its text, the day of the note where it is known, and by
    how strongly the certain ones suggest years."""

    text: str
    day: date | None
    others: float


def leaning(texts: Iterable[str]) -> float:
    """How strongly the certain pairs of a record suggest years, from -1 to 1."""
    years = days = False
    for text in texts:
        pairs = pairs_of(text)
        years = years or any(pair.is_year for pair in pairs)
        days = days or _DAY.fullmatch(text) is not None
    return float(years) - float(days)


def is_month_year(text: str, start: int, end: int, year_of: int, setting: Setting) -> bool:
    """Whether the pairs of a date that appears from `start` to `end` are months and years.

    `year_of` is the full year that the second number of the first pair would be.
    """
    pairs = pairs_of(text)
    if not pairs or any(pair.is_year for pair in pairs):
        return bool(pairs)
    if _CLOCK.match(setting.text, end):
        return False
    before = setting.text[max(start - _BEFORE, 0) : start]
    month, today = pairs[0].month, setting.day
    if _EXPIRY.search(before):
        ends = pairs[0].second == pairs[0].last_day  # as permits do
        return not ends and (today is None or (year_of, month) >= (today.year, today.month))
    if _OF_A_DAY.search(before) or (today and (year_of, month) > (today.year, today.month)):
        return False
    said = (weight for words, weight in _OF_A_MONTH if words.search(before))
    weight = setting.others + next(said, 0.0)
    if today is not None:
        weight -= _nearness(pairs[0], today)
    return weight >= _ENOUGH


def _nearness(pair: NumberPair, today: date) -> float:
    """The evidence for a day from how near to the note it would lie."""
    days = [
        abs((date(year, pair.month, min(pair.second, 28)) - today).days)
        for year in (today.year - 1, today.year, today.year + 1)
        if 1 <= year <= 9999
    ]
    nearest = min(days)
    return 2.0 if nearest <= _NEARER else 1.0 if nearest <= _NEAR else 0.0
