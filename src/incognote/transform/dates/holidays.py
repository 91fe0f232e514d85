"""Named days: where they fall in a year, and which of them lies nearest to a date."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from importlib.resources import files
from operator import itemgetter

from incognote.core.caches import cached
from incognote.transform.dates.words import WEEKDAY_OF


@dataclass(frozen=True, slots=True)
class Holiday:
    index: int
    name: str
    rule: str
    common: bool

    def on(self, year: int) -> date:
        if self.rule.startswith("easter"):
            return _easter(year) + timedelta(days=int(self.rule.split()[1]))
        if "-" in self.rule[:3]:
            return date(year, int(self.rule[:2]), int(self.rule[3:5]))
        month, nth, weekday, *later = self.rule.split()
        day = _nth_weekday(year, int(month), int(nth), WEEKDAY_OF[weekday])
        return day + timedelta(days=int(later[0]) if later else 0)


class _Calendar:
    """Reads its data file on first use."""

    @cached_property
    def _rows(self) -> tuple[tuple[Holiday, tuple[str, ...]], ...]:
        text = files("incognote.transform").joinpath("data/holidays.toml").read_text("utf-8")
        return tuple(
            (
                Holiday(i, row["names"][0], row["on"], row.get("common", False)),
                tuple(row["names"]),
            )
            for i, row in enumerate(tomllib.loads(text)["holiday"])
        )

    @cached_property
    def _by_name(self) -> dict[str, Holiday]:
        return {name.lower(): holiday for holiday, names in self._rows for name in names}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        names = sorted(self._by_name, key=len, reverse=True)
        return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)

    def find(self, text: str) -> tuple[int, int, Holiday] | None:
        match = self._pattern.search(text.replace("’", "'"))
        if match is None:
            return None
        return match.start(), match.end(), self._by_name[match[0].lower()]

    def __getitem__(self, index: int) -> Holiday:
        return self._rows[index][0]

    @cached_property
    def common(self) -> tuple[Holiday, ...]:
        return tuple(holiday for holiday, _ in self._rows if holiday.common)

    def nearest(self, day: date) -> Holiday:
        """The day that everybody keeps closest to a date."""
        near = [
            (abs((on - day).days), holiday.index, holiday)
            for year in (day.year - 1, day.year, day.year + 1)
            if 1 <= year <= 9998
            for on, holiday in self._year(year)
            if holiday.common
        ]
        return min(near, key=itemgetter(0, 1))[2]

    @cached(512)
    def _year(self, year: int) -> tuple[tuple[date, Holiday], ...]:
        return tuple((holiday.on(year), holiday) for holiday, _ in self._rows)


def _nth_weekday(year: int, month: int, nth: int, weekday: int) -> date:
    if nth > 0:
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))
    last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    return last - timedelta(days=(last.weekday() - weekday) % 7)


def _easter(year: int) -> date:
    """Gregorian Easter (the anonymous algorithm)."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    k = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * k) // 451
    month, day = divmod(h + k - 7 * m + 114, 31)
    return date(year, month, day + 1)


HOLIDAYS = _Calendar()
