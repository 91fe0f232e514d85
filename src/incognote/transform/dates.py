"""Dates: moved by one number of days for the whole scope, written as they were written.

All dates of a patient move together, so every interval stays. What is less than a day of the
calendar (a year, a month, a weekday, a season) moves to where the shift takes its middle, and by
at least one step, so that it never stays the same.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from incognote.lexicon import lexicon
from incognote.transform import datewriting
from incognote.transform.datefacts import DateFacts, plus, valid
from incognote.transform.dateforms import Form, Part
from incognote.transform.datelex import Field
from incognote.transform.datewords import like_case
from incognote.transform.datewriting import Moved
from incognote.transform.holidays import HOLIDAYS
from incognote.transform.ids import redraw
from incognote.transform.record import Mention, Record
from incognote.transform.schedules import moved_schedule

_FISCAL = re.compile(r"(?<![A-Za-z])([FC]Y ?['’]?)(\d\d)(?!\d)")
_FULL_FISCAL = re.compile(r"([FC]Y ?['’]?)\d\d(\d\d)")
_OLDEST_AGE = 89


def shifted(mention: Mention, record: Record) -> str:
    """The surrogate of a date."""
    if _FISCAL.search(mention.text):  # "FY23" is read as "FY2023", and written short again
        full = replace(mention, text=_FISCAL.sub(r"\g<1>20\2", mention.text))
        return _FULL_FISCAL.sub(r"\1\2", shifted(full, record))
    facts = record.know(DateFacts)
    form = facts.form(mention)
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
    new = plus(old, days)
    step = 1 if days > 0 else -1
    roles = part.roles
    season = new.month % 12 // 3
    if not part.exact and "weekday" not in roles and "decade" not in roles:
        if "season" in roles and season == roles["season"].value and part.year is None:
            season = (season + step) % 4
        elif "quarter" in roles:
            same = (new.month - 1) // 3 == (old.month - 1) // 3
            if same and not _year_moves(part, old, new):
                new = plus(new, step * 91)
        elif part.month is not None and new.month == old.month and not _year_moves(part, old, new):
            new = plus(new, step * 30)
        elif set(roles) == {"year"} and new.year == old.year:
            new = valid(new.year + step, new.month, new.day)
        elif part.month is None and part.day is not None and new.day == old.day:
            new = plus(new, step)
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
    now = plus(facts.now(part.year), days)
    age = now.year - new.year - ((now.month, now.day) < (new.month, new.day))
    if age <= _OLDEST_AGE:
        return new
    return valid(now.year - _OLDEST_AGE - 1, new.month, new.day)


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
