"""Dates that are not moved: cut to a period, or counted in days since the first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from incognote.core.errors import PolicyError
from incognote.transform.dates.days import valid
from incognote.transform.dates.facts import ISO, DateFacts, is_birth
from incognote.transform.dates.forms import WrittenDate
from incognote.transform.dates.schedules import is_schedule
from incognote.transform.dates.shift import shows_great_age
from incognote.transform.record import FIRST_NOTE_DATE, Mention, TransformRecord

_THE = re.compile(r"the\s+", re.IGNORECASE)
_TIME_OF_STAMP = re.compile(r"T\d\d:?\d\d")
_BEFORE_YEAR = re.compile(r"(?<!\w)(on(?:\s+the)?|the)\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Year:
    """Only the year or the decade of a date stays (Safe Harbor), so that the sentence can still be
    read; a date without one becomes a tag, and so does what would reveal an age over 89. The
    weekdays of a schedule ("5 mg Mon Wed Fri") are no dates and stay."""

    label: str
    labels: ClassVar[frozenset[str]] = frozenset({"DATE"})

    def replace(self, mention: Mention, record: TransformRecord) -> str:
        if is_schedule(mention, record.text):
            return mention.text
        dated = _dated(mention, record)
        if not dated:
            return f"[{self.label}]" + _full_stop(mention, record.text)
        years = sorted({when.year for when in dated if when.year is not None})
        if not years:
            return _decades(dated, mention)
        if _TIME_OF_STAMP.match(record.text, mention.end):
            return f"{years[0]}-XX-XX"  # as ISO 8601-2 writes an unknown day
        return _in_words("-".join(map(str, years)), "year", mention, record)

    def explain(self) -> str:
        return "reduced to its year or decade; a tag without one, or where it shows an age over 89"


PERIODS = ("week", "month", "quarter", "years")


@dataclass(frozen=True, slots=True)
class Period:
    """Only the week, the month or the quarter of a date stays, or the `width` years that it lies
    in; of one that does not say so much, its year. Otherwise like `year`."""

    label: str
    of: str = "month"
    width: int = 5
    labels: ClassVar[frozenset[str]] = frozenset({"DATE"})

    def __post_init__(self) -> None:
        if self.of not in PERIODS:
            raise PolicyError(f"labels.{self.label}.of: must be one of {', '.join(PERIODS)}")
        if not 2 <= self.width <= 100:
            raise PolicyError(f"labels.{self.label}.width: must be 2 to 100")

    def replace(self, mention: Mention, record: TransformRecord) -> str:
        if is_schedule(mention, record.text):
            return mention.text
        dated = _dated(mention, record)
        if not dated:
            return f"[{self.label}]" + _full_stop(mention, record.text)
        with_year = [when for when in dated if when.year is not None]
        if not with_year:
            return _decades(dated, mention)
        if _TIME_OF_STAMP.match(record.text, mention.end):
            when = with_year[0]
            month = f"{when.month:02d}" if self.of == "month" and when.month else "XX"
            return f"{when.year}-{month}-XX"
        periods = dict.fromkeys(map(self._period, with_year))
        return _in_words(" to ".join(periods), "day in", mention, record)

    def _period(self, when: WrittenDate) -> str:
        year, month = when.year or 0, when.month if when.month in range(1, 13) else None
        if self.of == "years":
            low = year // self.width * self.width
            return f"{low}-{low + self.width - 1}"
        if self.of == "week" and month and when.day:
            iso = valid(year, month, when.day).isocalendar()
            return f"week {iso.week} of {iso.year}"
        if self.of == "month" and month:
            return f"{month:02d}/{year}"
        if self.of == "quarter" and (month or "quarter" in when.roles):
            quarter = (month + 2) // 3 if month else when.roles["quarter"].value
            return f"Q{quarter} {year}"
        return str(year)

    def explain(self) -> str:
        of = f"{self.width} years that it lies in" if self.of == "years" else self.of
        return f"reduced to the {of}; a tag without a year, or where it shows an age over 89"


def _dated(mention: Mention, record: TransformRecord) -> list[WrittenDate]:
    """The dates that say a year or a decade; none where one of them shows a great age."""
    facts = record.know(DateFacts)
    dates = facts.form(mention).dates
    dated = [when for when in dates if when.year is not None or "decade" in when.roles]
    return [] if any(shows_great_age(when, facts) for when in dated) else dated


def _decades(dated: Sequence[WrittenDate], mention: Mention) -> str:
    the = _THE.match(mention.text)
    decades = (when.roles["decade"].word for when in dated)
    return (the[0] if the else "") + "-".join(dict.fromkeys(decades))


def _in_words(reduced: str, the: str, mention: Mention, record: TransformRecord) -> str:
    """As the words before it need it: "on a day in 2020", "in the year 2020"."""
    before = _BEFORE_YEAR.search(record.text, max(mention.start - 8, 0), mention.start)
    if before is None:
        return reduced
    new = {"on": "a day in", "the": the, "onthe": "day in"}["".join(before[1].lower().split())]
    return f"{new.upper() if before[1].isupper() else new} {reduced}"


@dataclass(frozen=True, slots=True)
class Relative:
    """Days since the first: since the patient's first note where the source states its date
    (`first_note_date`), otherwise since the earliest date of the document that is no birth."""

    label: str
    labels: ClassVar[frozenset[str]] = frozenset({"DATE"})

    def replace(self, mention: Mention, record: TransformRecord) -> str:
        facts = record.know(DateFacts)
        dates = [when for when in facts.form(mention).dates if when.exact]
        # The days since a birth would be the exact age.
        if not dates or is_birth(mention, record.text):
            return f"[{self.label}]"
        first = record.know(_first_day)
        return " to ".join(f"day {(facts.resolve(when) - first).days:+d}" for when in dates)

    def explain(self) -> str:
        return "replaced by the number of days since the first note; a tag where no day is written"


def _full_stop(mention: Mention, text: str) -> str:
    """That of "Aug.", where it ends the sentence too."""
    behind = text[mention.end :].lstrip()[:1]
    return "." if mention.text.endswith(".") and (not behind or behind.isupper()) else ""


def _first_day(record: TransformRecord) -> date:
    given = ISO.match(record.document.meta.get(FIRST_NOTE_DATE, ""))
    if given:
        return valid(*map(int, given.groups()))
    facts = record.know(DateFacts)
    return min(
        facts.resolve(when)
        for mention in record.mentions
        if mention.label == "DATE" and not is_birth(mention, record.text)
        for when in facts.form(mention).dates
        if when.exact
    )
