"""Dates: moved by one number of days for the whole scope, written as they were written.

All dates of a patient move together, so every interval stays. What is less than a day of the
calendar (a decade, a year, a month, a weekday, a season) moves to where the shift takes its middle.
It may stay what it is: a decade nearly always does.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from incognote.lexicon import fold, lexicon
from incognote.lexicon.name_cells import name_place
from incognote.transform.dates import writing as datewriting
from incognote.transform.dates.days import valid
from incognote.transform.dates.facts import DateFacts, plus
from incognote.transform.dates.forms import Form, WrittenDate
from incognote.transform.dates.holidays import HOLIDAYS
from incognote.transform.dates.lexer import Field
from incognote.transform.dates.schedules import is_dosing, moved_schedule
from incognote.transform.dates.words import like_case
from incognote.transform.dates.writing import Moved
from incognote.transform.numbers.ids import remapped
from incognote.transform.people.name_words import name_image
from incognote.transform.record import Mention, TransformRecord
from incognote.transform.word_data import table_of

_FISCAL = re.compile(r"(?<![A-Za-z])([FC]Y ?['’]?)(\d\d)(?!\d)")
_FULL_FISCAL = re.compile(r"([FC]Y ?['’]?)\d\d(\d\d)")
_OLDEST_AGE = 89
# The 09 of "CABG '09" is a year, and no day.
_AFTER_APOSTROPHE = re.compile(r"\d\d")
_APOSTROPHES = ("'", "’", "`")
_YEARS = re.compile(r"((?:1[89]|20)\d\d)(\s?[-–/]\s?['’]?)(\d\d)")
_YEAR_BEFORE = re.compile(r"(?<!\d)(?:1[89]|20)\d\d\s?[-–]\s?['’]?$")
_FEAST = re.compile(r"(.*\d.*?)\s*[(\[]([^()\[\]\d]+)[)\]]")
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
# Words before a person's name.
_CALLED = re.compile(
    r"\b(?:mr|mrs|ms|miss|mx|dr|nurse|daughter|son|wife|husband|sister|brother|mother|father|niece|"
    r"nephew|aunt|uncle|granddaughter|grandson|girlfriend|partner|named|called)\b\.?,?\s+$",
    re.IGNORECASE,
)
_NEAR = 20


def shifted(mention: Mention, record: TransformRecord) -> str:
    """The surrogate of a date."""
    if _FISCAL.search(mention.text):  # "FY23" is read as "FY2023", and written short again
        full = replace(mention, text=_FISCAL.sub(r"\g<1>20\2", mention.text))
        return _FULL_FISCAL.sub(r"\1\2", shifted(full, record))
    short = _AFTER_APOSTROPHE.fullmatch(mention.text)
    if short and mention.start and record.text.startswith(_APOSTROPHES, mention.start - 1):
        return shifted(replace(mention, text=f"'{mention.text}"), record)[1:]
    if _is_name(mention, record):
        return like_case(mention.text, name_image(fold(mention.text), record))
    if is_dosing(mention, record.text):
        return mention.text
    facts = record.know(DateFacts)
    days = record.scope.shift_days
    if short and (tail := _moved_tail(mention, record, days)):
        return tail
    years = _YEARS.fullmatch(mention.text)
    if years and int(years[3]) > max(12, int(years[1][2:])):
        return _moved_years(years, days)
    feast = _FEAST.fullmatch(mention.text)
    if feast and HOLIDAYS.find(feast[2]):  # of the old date: the new one is none, or another
        return shifted(replace(mention, text=feast[1]), record)
    form = facts.form(mention)
    schedule = moved_schedule(mention.text, days)
    if schedule is not None:
        return schedule
    if not form.dates and not form.unknown:
        return remapped(mention.text, record)
    text = form.text
    if form.dates:
        moved = [_move(when, facts, days) for when in form.dates]
        text = datewriting.write(form, moved, facts.style_of(form.text))
    if form.unknown and (not form.dates or any(map(_may_be_a_feast, form.unknown))):
        text = _rename(text, form, record)
    return text


def _move(when: WrittenDate, facts: DateFacts, days: int) -> Moved:
    old = facts.resolve(when)
    new = _hide_great_age(when, old, facts, days)
    roles = when.roles
    weekday = roles["weekday"].value + days if "weekday" in roles else new.weekday()
    holiday = HOLIDAYS.nearest(new) if "holiday" in roles else None
    return Moved(new, weekday % 7, new.month % 12 // 3, holiday)


def _hide_great_age(when: WrittenDate, old: date, facts: DateFacts, days: int) -> date:
    """The moved date. No birth year may show an age over 89: all who are older are 90 in the note's
    year."""
    new = plus(old, days)
    if when.year is None:
        return new
    now = plus(facts.now(old), days)
    age = now.year - new.year - ((now.month, now.day) < (new.month, new.day))
    if age <= _OLDEST_AGE:
        return new
    return valid(now.year - _OLDEST_AGE - 1, new.month, new.day)


def shows_great_age(when: WrittenDate, facts: DateFacts) -> bool:
    """Whether a date, left in its year or its decade, would reveal an age over 89."""
    if when.year is None and "decade" not in when.roles:
        return False
    day = facts.resolve(when)
    return facts.now(day).year - day.year > _OLDEST_AGE


def _may_be_a_feast(field: Field) -> bool:
    """Beside a date that is one without it, a clinical word is none: "1998, TURP 2006"."""
    lex = lexicon()
    clinical = lex.is_clinical(field.word) or lex.is_abbreviation(field.word)
    return len(field.word) > 3 and not clinical


def _rename(text: str, form: Form, record: TransformRecord) -> str:
    """Feasts that no table knows. Beside a date, they become the feast nearest to the new one,
    or nothing where none is near; alone, another named day."""
    if not form.dates and record.is_spanish:
        feasts = [" ".join(each.split()) for each in str(table_of("spanish")["feasts"]).split(",")]
        return record.chose(record.scope.draws.pick(feasts, "HOLIDAY", form.text.casefold()))
    if not form.dates:
        feast = record.scope.draws.pick(HOLIDAYS.common, "HOLIDAY", form.text.casefold())
        return like_case(form.unknown[0].word, feast.name)
    words = "|".join(re.escape(f.word) for f in form.unknown)
    found = [*re.finditer(rf"\b(?:{words})\b", text)]
    if not found:
        return text
    start, end = found[0].start(), found[-1].end()
    aside = _ASIDE.search(text)
    if aside and aside.start() <= start and end <= aside.end():
        start, end = aside.span()
    return text[:start].rstrip(" ,;-") + text[end:]


def _moved_tail(mention: Mention, record: TransformRecord, days: int) -> str:
    """The end of a range of years whose beginning was found for itself: the 13 of "2009-13"; ""
    where it is none."""
    before = _YEAR_BEFORE.search(record.text, max(0, mention.start - _NEAR), mention.start)
    years = _YEARS.fullmatch(before[0] + mention.text) if before else None
    if years is None or int(years[3]) <= max(12, int(years[1][2:])):
        return ""
    return _moved_years(years, days)[-len(mention.text) :]


def _moved_years(years: re.Match[str], days: int) -> str:
    """A range of years that says the century once: "1975-77"."""
    first = int(years[1])
    last = first // 100 * 100 + int(years[3])
    new = [plus(valid(year, 7, 1), days).year for year in (first, last)]
    if new[0] // 100 != new[1] // 100:
        return f"{new[0]}{years[2]}{new[1]}"
    return f"{new[0]}{years[2]}{new[1] % 100:02d}"


def _is_name(mention: Mention, record: TransformRecord) -> bool:
    """Whether a word that is a month or a feast is somebody's name here: "daughter April", "Ms.
    Christmas"."""
    if not mention.text.isalpha() or not _CALLED.search(
        record.text, max(mention.start - _NEAR, 0), mention.start
    ):
        return False
    return name_place(fold(mention.text)) is not None
