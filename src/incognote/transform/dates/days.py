"""Days of the calendar, and where a birth is written: for what knows a text but no record."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date

from incognote.transform.dates.forms import read

_BIRTH_BEFORE = re.compile(
    r"\b(?:d\.?\s?[o0]\.?\s?b\b|birth|born|nac|geb|née?)[^\n\d]{0,16}$", re.IGNORECASE
)
_NEAR = 24
_LEAP_YEAR = 2000


def is_birth_at(start: int, text: str) -> bool:
    return bool(_BIRTH_BEFORE.search(text, max(start - _NEAR, 0), start))


def is_real(written: str) -> bool:
    """Whether every full date in it is one: 00/00/1968 and 2/30/2021 are not."""
    return all(
        (real.month, real.day) == (when.month, when.day)
        for when in read(written).dates
        if when.exact and when.month is not None and when.day is not None
        for real in [valid(when.year or _LEAP_YEAR, when.month, when.day)]
    )


def valid(year: int, month: int, day: int) -> date:
    """The nearest real date: the 30th of February is its last day, month 13 is January."""
    year = min(max(year, 1), 9999)
    month = (month - 1) % 12 + 1
    return date(year, month, min(max(day, 1), monthrange(year, month)[1]))
