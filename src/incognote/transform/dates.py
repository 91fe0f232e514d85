"""Dates: moved by one number of days for the whole scope, written as they were written.

All dates of a patient move together, so every interval stays. What is less than a day of the
calendar (a year, a month, a weekday, a season) moves to where the shift takes its middle, and by
at least one step, so that it never stays the same.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from typing import ClassVar

from incognote.lexicon import lexicon
from incognote.transform import dateforms, datewriting
from incognote.transform.dateforms import Field, Form, Part
from incognote.transform.datewords import SEASON_MIDDLES, like_case
from incognote.transform.datewriting import Moved, Style
from incognote.transform.holidays import HOLIDAYS
from incognote.transform.ids import redraw
from incognote.transform.record import Mention, Record
from incognote.transform.schedules import moved_schedule

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
_FISCAL = re.compile(r"(?<![A-Za-z])([FC]Y ?['’]?)(\d\d)(?!\d)")
_FULL_FISCAL = re.compile(r"([FC]Y ?['’]?)\d\d(\d\d)")
_ISO = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)")
_BIRTH_BEFORE = re.compile(
    r"\b(?:d\.?\s?[o0]\.?\s?b\b|birth|born|nac|geb|née?)[^\n\d]{0,16}$", re.IGNORECASE
)
_SHORT_YEAR = re.compile(r"(?:(?<=[\d/.\-A-Za-z][/.\- ])|(?<=['’`]))\d\d(?![\d:/.\-])")
_LATEST = 2030
_NEAR = 24
_THE = re.compile(r"the\s+", re.IGNORECASE)
_BEFORE_YEAR = re.compile(r"(?<!\w)(on(?:\s+the)?|the)\s+$", re.IGNORECASE)
_NO_YEAR = date(2023, 7, 1)  # an ordinary year; only February 29 could tell the difference
_OLDEST_AGE = 89

_read = lru_cache(maxsize=8192)(dateforms.read)


class DateFacts:
    """What the dates of a record say about each other."""

    def __init__(self, record: Record) -> None:
        texts = [mention.text for mention in record.mentions if mention.label == "DATE"]
        noted = _ISO.match(record.document.meta.get("note_date", ""))
        self.pivot = _pivot(record, int(noted[1]) if noted else 0)
        pairs = [pair for text in texts for pair in _NUMERIC.findall(text)]
        spelled = [] if _is_american(record) else texts
        self.day_first = _day_first(record.rules.date_order, pairs, texts, spelled, self.pivot)
        self._padded = _padded(pairs)
        self._short_months = any(map(_SHORT_MONTH.search, texts))
        self.reference = self._reference(texts, noted)
        self._noted = noted is not None
        self._as_of = date(record.rules.as_of or _this_year(), 7, 1)

    def _reference(self, texts: list[str], noted: re.Match[str] | None) -> date | None:
        """The note's own date, or the latest full date in it."""
        if noted:
            return _valid(*map(int, noted.groups()))
        days = [
            _valid(part.year, part.month, part.day)
            for text in texts
            for part in self.read(text).parts
            if part.exact and part.year and part.month and part.day
        ]
        return max(days, default=None)

    def read(self, text: str) -> Form:
        return _read(text, day_first=self.day_first, pivot=self.pivot)

    def now(self, year: int) -> date:
        """The day by which an age is judged that begins in `year`: the note's own date, or the
        latest date in it if that is later. Otherwise a birth date may stand alone, and nobody can
        be older than today."""
        known = self.reference
        return known if known and (self._noted or known.year > year) else self._as_of

    def style_of(self, text: str) -> Style:
        # Where the year comes first, numbers are padded.
        return Style(self._padded or text[:4].isdigit(), self._short_months)

    def resolve(self, part: Part) -> date:
        """The day a part stands for: itself, or the middle of what it names."""
        now = self.reference or _NO_YEAR
        if part.exact:
            assert part.month is not None
            assert part.day is not None
            if part.year is not None:
                return _valid(part.year, part.month, part.day)
            return self._nearest(part.month, part.day, now)
        year = part.year if part.year is not None else now.year
        if part.month is not None:
            return _valid(year, part.month, 15)
        if part.day is not None:
            return _valid(year, now.month, part.day)
        roles = part.roles
        if "quarter" in roles:
            return _valid(year, roles["quarter"].value * 3 - 1, 15)
        if "season" in roles:
            return _valid(year, *SEASON_MIDDLES[roles["season"].value])
        if "holiday" in roles:
            return HOLIDAYS[roles["holiday"].value].on(min(max(year, 1600), 9000))
        if "decade" in roles:
            written = roles["decade"].value
            return _valid(written if written > 99 else 1900 + written, 7, 1).replace(day=2)
        return _valid(year, 7, 1)

    def _nearest(self, month: int, day: int, now: date) -> date:
        """A date without its year lies near the note; February 29 only in a leap year."""
        years = (now.year, now.year - 1, now.year + 1, now.year - 2, now.year + 2, now.year - 3)
        days = [_valid(y, month, day) for y in years if 1 <= y <= 9999]
        fitting = [each for each in days if each.day == day] or days
        return min(fitting, key=lambda each: abs((each - now).days))


def shifted(mention: Mention, record: Record) -> str:
    """The surrogate of a date."""
    if _FISCAL.search(mention.text):  # "FY23" is read as "FY2023", and written short again
        full = replace(mention, text=_FISCAL.sub(r"\g<1>20\2", mention.text))
        return _FULL_FISCAL.sub(r"\1\2", shifted(full, record))
    facts = record.know(DateFacts)
    form = facts.read(mention.text)
    days = record.scope.shift_days
    schedule = moved_schedule(mention.text, days)
    if schedule is not None:
        return schedule
    if not form.parts and not form.unknown:
        return redraw("DATE", mention.text, record)
    text = form.text
    if form.parts:
        moved = [_move(part, facts, days) for part in form.parts]
        text = datewriting.write(form, moved, facts.style_of(form.text))
    if form.unknown and (not form.parts or any(map(_may_be_a_feast, form.unknown))):
        text = _rename(text, form, record)
    return text


def _move(part: Part, facts: DateFacts, days: int) -> Moved:
    old = facts.resolve(part)
    new = _plus(old, days)
    step = 1 if days > 0 else -1
    roles = part.roles
    season = new.month % 12 // 3
    if not part.exact and "weekday" not in roles and "decade" not in roles:
        if "season" in roles and season == roles["season"].value and part.year is None:
            season = (season + step) % 4
        elif "quarter" in roles:
            same = (new.month - 1) // 3 == (old.month - 1) // 3
            if same and not _year_moves(part, old, new):
                new = _plus(new, step * 91)
        elif part.month is not None and new.month == old.month and not _year_moves(part, old, new):
            new = _plus(new, step * 30)
        elif set(roles) == {"year"} and new.year == old.year:
            new = _valid(new.year + step, new.month, new.day)
        elif part.month is None and part.day is not None and new.day == old.day:
            new = _plus(new, step)
    new = _hide_great_age(part, new, facts, days)
    weekday = roles["weekday"].value + days if "weekday" in roles else new.weekday()
    holiday = HOLIDAYS.nearest(new, roles["holiday"].value) if "holiday" in roles else None
    return Moved(new, weekday % 7, season, holiday)


def _year_moves(part: Part, old: date, new: date) -> bool:
    return part.year is not None and old.year != new.year


def _hide_great_age(part: Part, new: date, facts: DateFacts, days: int) -> date:
    """No birth year may show an age over 89: all who are older are 90 in the note's year."""
    if part.year is None:
        return new
    now = _plus(facts.now(part.year), days)
    age = now.year - new.year - ((now.month, now.day) < (new.month, new.day))
    if age <= _OLDEST_AGE:
        return new
    return _valid(now.year - _OLDEST_AGE - 1, new.month, new.day)


def shows_great_age(part: Part, facts: DateFacts) -> bool:
    """Whether a date, left in its year or its decade, would tell of an age over 89."""
    year = facts.resolve(part).year if "decade" in part.roles else part.year
    return year is not None and facts.now(year).year - year > _OLDEST_AGE


def _may_be_a_feast(field: Field) -> bool:
    """Beside a date that is one without it, a clinical word is none: "1998, TURP 2006"."""
    lex = lexicon()
    clinical = lex.is_clinical(field.word) or lex.is_abbreviation(field.word)
    return len(field.word) > 3 and not clinical


def _rename(text: str, form: Form, record: Record) -> str:
    """Feasts that no table knows: another named day stands for them."""
    feast = record.scope.draws.pick(HOLIDAYS.common, "HOLIDAY", form.text.casefold())
    name = like_case(form.unknown[0].word, feast.name)
    if not form.parts:
        return name
    words = "|".join(re.escape(f.word) for f in form.unknown)
    found = [*re.finditer(rf"\b(?:{words})\b", text)]
    return text[: found[0].start()] + name + text[found[-1].end() :] if found else text


def _pivot(record: Record, noted: int) -> int:
    """The year that ends the hundred years in which two-digit years lie: soon after the latest
    date with its full year. Births and bare years tell of the past, not of the note."""
    dates = [m for m in record.mentions if m.label == "DATE"]
    if not any(_SHORT_YEAR.search(mention.text) for mention in dates):
        return _LATEST
    latest = noted
    short: list[int] = []
    for mention in dates:
        if _is_birth(mention, record.text):
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


def _is_birth(mention: Mention, text: str) -> bool:
    return bool(_BIRTH_BEFORE.search(text, max(mention.start - _NEAR, 0), mention.start))


@cache
def _this_year() -> int:
    return datetime.now(UTC).year


def _is_american(record: Record) -> bool:
    return any(m.label == "STATE" and lexicon().state(m.text) for m in record.mentions)


def _day_first(
    order: str,
    pairs: list[tuple[str, str, str, str]],
    texts: list[str],
    spelled: list[str],
    pivot: int,
) -> bool:
    """`spelled` are the texts in which the order of a day and a month in words tells that of
    numbers: not in America, where both orders are written in words."""
    if order != "auto":
        return order == "day-first"
    days = sum(int(a) > 12 >= int(b) > 0 for a, _, b, _ in pairs)
    months = sum(int(b) > 12 >= int(a) > 0 for a, _, b, _ in pairs)
    dated = [text for text in texts if _WEEKDAY.match(text)]
    days += sum(_weekday_fits(text, pivot, day_first=True) for text in dated)
    months += sum(_weekday_fits(text, pivot, day_first=False) for text in dated)
    if days != months:
        return days > months
    # Who writes "17 June" more than once, and never "June 17", has the day first in numbers too.
    habit = sum(map(bool, map(_DAY_MONTH.search, spelled)))
    if habit >= _HABIT and not any(map(_MONTH_DAY.search, spelled)):
        return True
    # Dots are written where the day comes first.
    return bool(pairs) and all(sep == "." and year for _, sep, _, year in pairs)


def _weekday_fits(text: str, pivot: int, *, day_first: bool) -> bool:
    """Whether a date falls on the weekday written before it, read in this order only."""

    def fits(order: bool) -> bool:
        part = next(iter(_read(text, day_first=order, pivot=pivot).parts), None)
        if part is None or "weekday" not in part.roles or not part.exact or part.year is None:
            return False
        assert part.month is not None
        assert part.day is not None
        return _valid(part.year, part.month, part.day).weekday() == part.roles["weekday"].value

    return fits(day_first) and not fits(not day_first)


def _padded(pairs: list[tuple[str, str, str, str]]) -> bool:
    zeros = sum(a[0] == "0" or b[0] == "0" for a, _, b, _ in pairs)
    bare = sum(len(a) == 1 or len(b) == 1 for a, _, b, _ in pairs)
    return zeros > bare


def _valid(year: int, month: int, day: int) -> date:
    """The nearest real date: the 30th of February is its last day, month 13 is January."""
    year = min(max(year, 1), 9999)
    month = (month - 1) % 12 + 1
    return date(year, month, min(max(day, 1), monthrange(year, month)[1]))


def _plus(day: date, days: int) -> date:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return day - timedelta(days=days)


@dataclass(frozen=True, slots=True)
class Year:
    """Only the year or the decade of a date stays (Safe Harbor), so that the sentence can still be
    read; a date without one becomes a tag, and so does what would tell of an age over 89."""

    label: str
    labels: ClassVar[frozenset[str]] = frozenset({"DATE"})

    def replace(self, mention: Mention, record: Record) -> str:
        facts = record.know(DateFacts)
        parts = facts.read(mention.text).parts
        dated = [part for part in parts if part.year is not None or "decade" in part.roles]
        if not dated or any(shows_great_age(part, facts) for part in dated):
            return f"[{self.label}]" + _full_stop(mention, record.text)
        years = sorted({part.year for part in dated if part.year is not None})
        if not years:
            the = _THE.match(mention.text)
            decades = (part.roles["decade"].word for part in dated)
            return (the[0] if the else "") + "-".join(dict.fromkeys(decades))
        return self._said("-".join(map(str, years)), mention, record)

    def _said(self, years: str, mention: Mention, record: Record) -> str:
        """As the words before it need it: "on a day in 2020", "in the year 2020"."""
        before = _BEFORE_YEAR.search(record.text, max(mention.start - 8, 0), mention.start)
        if before is None:
            return years
        new = {"on": "a day in", "the": "year", "onthe": "day in"}[
            "".join(before[1].lower().split())
        ]
        return f"{new.upper() if before[1].isupper() else new} {years}"

    def explain(self) -> str:
        return "reduced to its year or decade; a tag without one, or where it shows an age over 89"


@dataclass(frozen=True, slots=True)
class Relative:
    """Days since the first: since the patient's first note where the source tells its date
    (`first_note_date`), otherwise since the earliest date of the document."""

    label: str
    labels: ClassVar[frozenset[str]] = frozenset({"DATE"})

    def replace(self, mention: Mention, record: Record) -> str:
        facts = record.know(DateFacts)
        parts = [part for part in facts.read(mention.text).parts if part.exact]
        if not parts:
            return f"[{self.label}]"
        first = record.know(_first_day)
        return " to ".join(f"day {(facts.resolve(part) - first).days:+d}" for part in parts)

    def explain(self) -> str:
        return "replaced by the number of days since the first note; a tag where no day is written"


def _full_stop(mention: Mention, text: str) -> str:
    """That of "Aug.", where it ends the sentence too."""
    behind = text[mention.end :].lstrip()[:1]
    return "." if mention.text.endswith(".") and (not behind or behind.isupper()) else ""


def _first_day(record: Record) -> date:
    given = _ISO.match(record.document.meta.get("first_note_date", ""))
    if given:
        return _valid(*map(int, given.groups()))
    facts = record.know(DateFacts)
    return min(
        facts.resolve(part)
        for mention in record.mentions
        if mention.label == "DATE"
        for part in facts.read(mention.text).parts
        if part.exact
    )
