"""Writes a date that was read by `forms` again, with other values in the same form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from incognote.core.text.calendar import SEASONS
from incognote.transform.dates import words
from incognote.transform.dates.forms import Form, compact_layout
from incognote.transform.dates.holidays import Holiday
from incognote.transform.dates.lexer import Field


@dataclass(frozen=True, slots=True)
class Moved:
    """New values for one date of a form."""

    date: date
    weekday: int
    season: int = 0
    holiday: Holiday | None = None


@dataclass(frozen=True, slots=True)
class Style:
    """How a record writes dates, for where a single date does not show it: numbers padded to two
    digits, months cut to three letters (is "May" a whole word?), in Spanish (is "nov"?)."""

    padded: bool = False
    short_months: bool = False
    spanish: bool = False


def write(form: Form, moved: Sequence[Moved], style: Style) -> str:
    """The form with new values."""
    out: list[tuple[int, int, str]] = []
    style = replace(style, padded=_padding(form, style.padded))
    for i, (when, new) in enumerate(zip(form.dates, moved, strict=True)):
        for role, each in when.roles.items():
            out.append((each.start, each.end, _render(role, each, new, style, form.text)))
        if "month" not in when.roles and "day" in when.roles and len(form.dates) > 1:
            _add_month(out, form, i, moved, style)
    pieces: list[str] = []
    at = 0
    for start, end, text in sorted(out):
        pieces += [form.text[at:start], text]
        at = end
    pieces.append(form.text[at:])
    return "".join(pieces)


def _padding(form: Form, default: bool) -> bool:
    numbers = [
        f.word
        for when in form.dates
        for role, f in when.roles.items()
        if f.kind == "N" and role != "year"
    ]
    if any(word.startswith("0") for word in numbers):
        return True
    if any(len(word) == 1 for word in numbers):
        return False
    named = next((p for p in form.dates if "month" in p.roles and "day" in p.roles), None)
    if named is not None and named.roles["month"].kind == "M":
        # "14-AUG-2018" and "12OCT93" come from machines that pad; "14 August" does not.
        first, second = sorted((named.roles["day"].start, named.roles["month"].start))
        joint = form.text[first:second].lstrip("0123456789")
        return joint in ("", "-", "/")
    return default


def _render(role: str, each: Field, new: Moved, style: Style, text: str) -> str:
    match role:
        case "month" if each.kind == "M":
            lower = each.word.lower()
            # "May" is both the word and its abbreviation; what appears around it decides.
            near = text[each.end : each.end + 1], text[max(each.start - 1, 0) : each.start]
            short = (len(lower) <= 4 and lower not in ("june", "july", "may")) or (
                lower == "may" and (style.short_months or "." in near or "-" in near)
            )
            return words.month_like(each.word, new.date.month, short, style.spanish)
        case "month":
            return _number(new.date.month, each.word, style.padded)
        case "day" if each.kind == "O":
            return ordinal(new.date.day, each.word)
        case "day":
            return _number(new.date.day, each.word, style.padded)
        case "year" if each.word[:1].isalpha():
            said = words.year_words(new.date.year)
            if each.value < 100:
                said = words.number_words(new.date.year % 100)
            return words.like_case(each.word, said)
        case "year" if len(each.word) >= 4:
            return f"{new.date.year:04d}"
        case "year":
            return each.word[:-2] + f"{new.date.year % 100:02d}"
        case "decade":
            year = new.date.year // 10 * 10
            digits = re.sub(r"\D", "", each.word)
            return each.word.replace(digits, f"{year if len(digits) == 4 else year % 100:02d}")
        case "weekday":
            return words.weekday_like(each.word, new.weekday)
        case "quarter":
            return each.word[0] + str((new.date.month + 2) // 3)
        case "season":
            name = SEASONS[new.season]
            fall = "fall" in text.lower()
            return words.like_case(each.word, "fall" if name == "autumn" and fall else name)
        case "holiday":
            assert new.holiday is not None
            name = words.like_case(each.word, new.holiday.name)
            return re.sub(r"^The (?=[A-Z][a-z])", "the ", name)
        case _:
            return _write_compact(each.word, new.date)


def _number(value: int, word: str, pad: bool) -> str:
    if word[:1].isalpha():
        return words.like_case(word, words.number_words(value))
    return f"{value:02d}" if pad and len(word) == 2 else str(value)


def ordinal(day: int, word: str) -> str:
    if word[:1].isalpha():
        return words.like_case(word, words.ordinal_words(day))
    suffix = words.ordinal_suffix(day)
    return f"{day}{suffix.upper() if word[-1].isupper() else suffix}"


def _write_compact(word: str, new: date) -> str:
    layout = compact_layout(word)
    written = new.strftime(layout.replace("%Y", f"{new.year:04d}"))  # strftime does not pad years
    return written + word[len(written) :]


def _add_month(
    out: list[tuple[int, int, str]], form: Form, i: int, moved: Sequence[Moved], style: Style
) -> None:
    """Say the other month too: "March 28-31" may become "March 31-April 3"."""
    lender = next((p for p in (*form.dates[:i][::-1], *form.dates[i:]) if "month" in p.roles), None)
    if lender is None or "day" not in lender.roles:
        return
    if moved[i].date.month == moved[form.dates.index(lender)].date.month:
        return
    month, day = lender.roles["month"], lender.roles["day"]
    name = _render("month", month, moved[i], style, form.text)
    own = form.dates[i].roles["day"]
    if month.start < day.start:
        out.append((own.start, own.start, name + form.text[month.end : day.start]))
    else:
        out.append((own.end, own.end, form.text[day.end : month.start] + name))
