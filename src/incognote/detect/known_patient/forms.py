"""The ways in which a fact about a patient may be written in a note."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from itertools import islice, product

from incognote.core.text.calendar import MONTHS
from incognote.lexicon import lexicon

_DATE_FORMATS = ("%Y-%m-%d", "%m/%d/%Y", "%Y%m%d", "%m/%d/%y", "%d.%m.%Y", "%B %d, %Y")
_KINDS = {
    "street": "st",
    "avenue": "ave",
    "road": "rd",
    "drive": "dr",
    "lane": "ln",
    "boulevard": "blvd",
    "court": "ct",
    "place": "pl",
    "apartment": "apt",
    "highway": "hwy",
}
_DIRECTIONS = {"north": "n", "south": "s", "east": "e", "west": "w"}
_WRITTEN = {
    form: (long, short, f"{short}.")
    for long, short in (_KINDS | _DIRECTIONS).items()
    for form in (long, short)
}
_UNIT = re.compile(
    r",?\s+((?:apt|apartment|unit|suite|ste|fl|floor)\b\.?\s*\S+|#\s?\S+)$", re.IGNORECASE
)
# Four words that can be written in three ways; longer lines are no address.
_MOST_FORMS = 81
# Titles, degrees and what a table says beside a name: "Ana Will (daughter)".
_NO_NAME = frozenset(
    """mr mrs ms miss dr md do rn np pa jr sr ii iii iv phd lpn dds husband wife spouse partner son
    daughter mother father parent brother sister sibling aunt uncle cousin niece nephew grandmother
    grandfather grandson granddaughter guardian friend neighbor caregiver unknown self""".split()
)


def name_parts(value: str) -> list[str]:
    """The words of a name, without titles, initials and what appears in brackets."""
    words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", re.sub(r"\([^)]*\)", " ", value))
    return [word for word in words if len(word) > 1 and word.lower() not in _NO_NAME]


def nicknames(part: str) -> frozenset[str]:
    return lexicon().nicknames(part)


def date_forms(value: str) -> Iterator[str]:
    """A date in the usual orders, separators and abbreviations; as it is if it cannot be read."""
    yield value
    day = _date(value)
    if day is None:
        return
    years = (f"{day:%Y}", f"{day:%y}")
    months = {f"{day.month}", f"{day:%m}"}
    days = {f"{day.day}", f"{day:%d}"}
    for month, number, year, mark in product(months, days, years, "/-."):
        yield f"{month}{mark}{number}{mark}{year}"
        yield f"{number}{mark}{month}{mark}{year}"
        if len(year) == 4:
            yield f"{year}{mark}{month}{mark}{number}"
    yield f"{day:%Y%m%d}"
    name = MONTHS[day.month - 1]
    ordinals = {f"{day.day}{ending}" for ending in ("st", "nd", "rd", "th")}
    for month, number, year in product((name, name[:3], f"{name[:3]}."), days | ordinals, years):
        yield f"{month} {number}, {year}"
        yield f"{month} {number} {year}"
        yield f"{number} {month} {year}"
        yield f"{number}-{month}-{year}"
        yield f"{number} of {month} {year}"


def _date(value: str) -> date | None:
    for form in _DATE_FORMATS:
        try:
            return datetime.strptime(value, form).date()  # noqa: DTZ007 - a date has no zone
        except ValueError:
            continue
    return None


def street_forms(value: str) -> Iterator[str]:
    """An address line, kinds and directions spelt out or abbreviated, with its unit or without."""
    found = _UNIT.search(value)
    street = value[: found.start()] if found else value
    words = [word.rstrip(".,") for word in street.split()]
    # A dot is a mark of its own to the matcher.
    ways = [_WRITTEN.get(word.lower(), (word,)) for word in words]
    for way in islice(product(*ways), _MOST_FORMS):
        written = " ".join(way)
        yield written
        if found:
            unit = found[1].strip()
            yield from (f"{written} {unit}", f"{written}, {unit}")


def number_pattern(value: str) -> str:
    """A regular expression for a number or code, whatever separates its characters."""
    telling = [re.escape(char) for char in value if char.isalnum()]
    return r"(?<!\w)" + r"[\s().\-/]{0,2}".join(telling) + r"(?!\w)"
