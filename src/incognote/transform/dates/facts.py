"""What the dates of a record say of each other: their order, their century, the note's day."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from incognote.core.caches import cached, once
from incognote.lexicon import lexicon
from incognote.transform.dates import forms as dateforms
from incognote.transform.dates.days import is_birth_at, valid
from incognote.transform.dates.forms import Form, WrittenDate, full_year
from incognote.transform.dates.holidays import HOLIDAYS
from incognote.transform.dates.month_year import Setting, is_month_year, leaning, pairs_of
from incognote.transform.dates.words import SEASON_MIDDLES
from incognote.transform.dates.writing import Style
from incognote.transform.record import NOTE_DATE, Mention, TransformRecord

_NUMERIC = re.compile(
    r"(?<!\d)(\d{1,2})\s?([/.\-])\s?(\d{1,2})(?:\s?\2\s?(\d{4}|\d{2}))?(?![\d/:])"
)
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_SHORT_MONTH = re.compile(r"\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b", re.IGNORECASE)
_WEEKDAY = re.compile(r"(?:mon|tue|wed|thu|fri|sat|sun)", re.IGNORECASE)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DAY_MONTH = re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b{_MONTH}\.? \d{{1,2}}\b(?!:)", re.IGNORECASE)
_HABIT = 2
_POSTCODE = re.compile(r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[\dW] ?[A-Z\d]{4}")
ISO = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)")
_BIRTH_FIELD = re.compile(r"birth|(?<![a-z])dob(?![a-z])|\bPID-7$", re.IGNORECASE)
_SHORT_YEAR = re.compile(r"(?:(?<=[\d/.\-A-Za-z][/.\- ])|(?<=['’`]))\d\d(?![\d:/.\-])")
_LATEST = 2030
# How long after a note a month may lie to be in a year of its own: drugs and cards expire.
_SHELF_LIFE = 10
_NO_YEAR = date(2023, 7, 1)  # an ordinary year; only February 29 makes a difference

_read = cached(8192)(dateforms.read)


class DateFacts:
    """What the dates of a record say about each other."""

    def __init__(self, record: TransformRecord) -> None:
        self._spanish = record.is_spanish
        dates = [mention for mention in record.mentions if mention.label == "DATE"]
        texts = [mention.text for mention in dates]
        noted = ISO.match(record.document.meta.get(NOTE_DATE, ""))
        self.pivot = _pivot(record, int(noted[1]) if noted else 0)
        pairs = [pair for text in texts for pair in _NUMERIC.findall(text)]
        self.day_first = _day_first(record, pairs, texts, self.pivot)
        self._padded = _padded(pairs)
        self._short_months = any(map(_SHORT_MONTH.search, texts))
        self._text = record.text
        others = [mention.text for mention in dates if not is_birth(mention, record.text)]
        self.reference = self._reference(others, noted) or self._reference(texts, noted)
        self._noted = noted is not None
        self._setting = Setting(record.text, self.reference, leaning(texts))
        self._as_of = date(record.rules.as_of or _this_year(), 7, 1)
        self._stated = [text for label, text in record.document.known if label == "DATE"]

    def _reference(self, texts: list[str], noted: re.Match[str] | None) -> date | None:
        """The note's own date, or the latest full date in it."""
        if noted:
            return valid(*map(int, noted.groups()))
        return max(self._days(texts), default=None)

    def _days(self, texts: list[str]) -> list[date]:
        """The full dates among written ones."""
        return [
            valid(when.year, when.month, when.day)
            for text in texts
            for when in self.read(text).dates
            if when.exact and when.year and when.month and when.day
        ]

    def read(self, text: str) -> Form:
        """A written date, read for itself."""
        return _read(text, day_first=self.day_first, pivot=self.pivot)

    def form(self, mention: Mention) -> Form:
        """A date as it is to be read where it appears."""
        text, pivot = mention.text, self.pivot
        if not _SHORT_YEAR.search(text):
            return self.read(text)
        if self.reference is not None and is_birth(mention, self._text):
            pivot = min(pivot, self.reference.year)  # no patient is born after the note
        form = _read(text, day_first=self.day_first, pivot=pivot)
        pairs = pairs_of(form.text)
        if not pairs:
            return form
        if self.reference is not None:
            pivot = max(pivot, self.reference.year + _SHELF_LIFE)
        year = full_year(pairs[0].second, pivot)
        return _read(
            text,
            day_first=self.day_first,
            pivot=pivot,
            month_year=is_month_year(form.text, mention.start, mention.end, year, self._setting),
        )

    def now(self, day: date) -> date:
        """The day on which an age that begins on `day` is counted: the note's own date, or the
        latest date in it if that is later. Otherwise a birth date may be on its own, and nobody can
        be older than today. So does one that a field of the record states: the field knows no
        note, and the two must not differ."""
        known = self.reference
        if known is None or (not self._noted and day in self._days(self._stated)):
            return self._as_of
        return known if self._noted or known.year > day.year else self._as_of

    def style_of(self, text: str) -> Style:
        # Where the year comes first, numbers are padded.
        return Style(self._padded or text[:4].isdigit(), self._short_months, self._spanish)

    def resolve(self, when: WrittenDate) -> date:
        """The day that a written date means: itself, or the middle of the time it names."""
        now = self.reference or _NO_YEAR
        if when.exact:
            assert when.month is not None
            assert when.day is not None
            if when.year is not None:
                return valid(when.year, when.month, when.day)
            return self._nearest(when.month, when.day, now)
        year = when.year if when.year is not None else now.year
        if when.month is not None:
            return valid(year, when.month, 15)
        if when.day is not None:
            return valid(year, now.month, when.day)
        roles = when.roles
        if "quarter" in roles:
            return valid(year, roles["quarter"].value * 3 - 1, 15)
        if "season" in roles:
            return valid(year, *SEASON_MIDDLES[roles["season"].value])
        if "holiday" in roles:
            return HOLIDAYS[roles["holiday"].value].on(min(max(year, 1600), 9000))
        if "decade" in roles:
            written = roles["decade"].value
            # The middle of the ten years; "the 20s" of a note of this century are its own.
            century = 1900 if written > (self.pivot - 2000) % 100 else self.pivot // 100 * 100
            return valid((written if written > 99 else century + written) + 5, 1, 1)
        return valid(year, 7, 1)

    def _nearest(self, month: int, day: int, now: date) -> date:
        """A date without its year lies near the note; February 29 only in a leap year."""
        years = (now.year, now.year - 1, now.year + 1, now.year - 2, now.year + 2, now.year - 3)
        days = [valid(y, month, day) for y in years if 1 <= y <= 9999]
        fitting = [each for each in days if each.day == day] or days
        return min(fitting, key=lambda each: abs((each - now).days))


def _pivot(record: TransformRecord, noted: int) -> int:
    """The year that ends the hundred years in which two-digit years lie: soon after the latest
    date with its full year. Births and bare years are about the past, not the note."""
    dates = [m for m in record.mentions if m.label == "DATE"]
    if not any(_SHORT_YEAR.search(mention.text) for mention in dates):
        return _LATEST
    latest = noted
    short: list[int] = []
    for mention in dates:
        if is_birth(mention, record.text):
            continue
        years = [int(year) for year in _YEAR.findall(mention.text)]
        if years and any(map(str.isalnum, _YEAR.sub("", mention.text))):
            latest = max(latest, *years)
        short += map(int, _SHORT_YEAR.findall(mention.text))
    if not latest:
        return _LATEST
    pivot = latest + 2
    # What happened fifty years before all that is dated in full was written after it.
    if any(latest - (pivot - (pivot - year) % 100) > 50 for year in short):
        return max(pivot, _LATEST)
    return pivot


def names_birth(locator: str) -> bool:
    """Whether a field is one of births: "DOB", PID-7, Patient.birthDate."""
    return bool(_BIRTH_FIELD.search(locator))


def is_birth(mention: Mention, text: str) -> bool:
    return is_birth_at(mention.start, text)


@once
def _this_year() -> int:
    return datetime.now(UTC).year


def _is_british(record: TransformRecord) -> bool:
    return any(m.label == "ZIP" and _POSTCODE.fullmatch(m.text) for m in record.mentions)


def _is_american(record: TransformRecord) -> bool:
    return any(m.label == "STATE" and lexicon().state(m.text) for m in record.mentions)


def _day_first(
    record: TransformRecord, pairs: list[tuple[str, str, str, str]], texts: list[str], pivot: int
) -> bool:
    order = record.rules.date_order
    if order != "auto":
        return order == "day-first"
    if record.is_spanish:
        return True
    american = _is_american(record)
    days = sum(int(a) > 12 >= int(b) > 0 for a, _, b, _ in pairs)
    # In America one foreign paper does not say how the note itself is written.
    months = american + sum(int(b) > 12 >= int(a) > 0 for a, _, b, _ in pairs)
    dated = [text for text in texts if _WEEKDAY.match(text)]
    days += sum(_weekday_fits(text, pivot, day_first=True) for text in dated)
    months += sum(_weekday_fits(text, pivot, day_first=False) for text in dated)
    if days != months:
        return days > months
    # Who writes "17 June" more than once, and never "June 17", has the day first in numbers too;
    # in Britain once is enough. In America both are written in words.
    habit = sum(map(bool, map(_DAY_MONTH.search, texts)))
    enough = 1 if _is_british(record) else _HABIT
    if not american and habit >= enough and not any(map(_MONTH_DAY.search, texts)):
        return True
    # Dots are written where the day comes first.
    return bool(pairs) and all(sep == "." and year for _, sep, _, year in pairs)


def _weekday_fits(text: str, pivot: int, *, day_first: bool) -> bool:
    """Whether a date falls on the weekday written before it, read in this order only."""

    def fits(order: bool) -> bool:
        when = next(iter(_read(text, day_first=order, pivot=pivot).dates), None)
        if when is None or "weekday" not in when.roles or not when.exact or when.year is None:
            return False
        assert when.month is not None
        assert when.day is not None
        return valid(when.year, when.month, when.day).weekday() == when.roles["weekday"].value

    return fits(day_first) and not fits(not day_first)


def _padded(pairs: list[tuple[str, str, str, str]]) -> bool:
    zeros = sum(a[0] == "0" or b[0] == "0" for a, _, b, _ in pairs)
    bare = sum(len(a) == 1 or len(b) == 1 for a, _, b, _ in pairs)
    return zeros > bare


def plus(day: date, days: int) -> date:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return day - timedelta(days=days)
