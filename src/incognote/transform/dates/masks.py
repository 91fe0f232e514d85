"""Dates that are not moved: cut to their year, or counted in days since the first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from incognote.transform.dates.days import valid
from incognote.transform.dates.facts import ISO, DateFacts, is_birth
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
        facts = record.know(DateFacts)
        dates = facts.form(mention).dates
        dated = [when for when in dates if when.year is not None or "decade" in when.roles]
        if not dated or any(shows_great_age(when, facts) for when in dated):
            return f"[{self.label}]" + _full_stop(mention, record.text)
        years = sorted({when.year for when in dated if when.year is not None})
        if not years:
            the = _THE.match(mention.text)
            decades = (when.roles["decade"].word for when in dated)
            return (the[0] if the else "") + "-".join(dict.fromkeys(decades))
        if _TIME_OF_STAMP.match(record.text, mention.end):
            return f"{years[0]}-XX-XX"  # as ISO 8601-2 writes an unknown day
        return self._in_words("-".join(map(str, years)), mention, record)

    def _in_words(self, years: str, mention: Mention, record: TransformRecord) -> str:
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
