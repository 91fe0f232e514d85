"""Weekdays by their letters: "MWF", "T-Th-S", "M/W/F", as dialysis and clinics are scheduled."""

from __future__ import annotations

import re

from incognote.transform.datewords import WEEKDAY_OF

_DAY = re.compile(r"Tu|Th|Sa|Su|[MTWRFS]", re.IGNORECASE)
_SCHEDULE = re.compile(
    r"(?:Tu|Th|Sa|Su|[MTWRFS])(?P<joint>[-/, &]{0,3})(?:(?:Tu|Th|Sa|Su|[MTWRFS])[-/, &]{0,3})*",
    re.IGNORECASE,
)
_FIRST = frozenset("MTWRFSmtwrfs")
_DAYS = {"m": 0, "tu": 1, "w": 2, "th": 3, "r": 3, "f": 4, "sa": 5, "su": 6}
_LETTERS = ("M", "T", "W", "Th", "F", "Sa", "Su")


def moved_schedule(text: str, days: int) -> str | None:
    """The same number of weekdays, so many days later; None if it is no such schedule."""
    if text[:1] not in _FIRST:
        return None
    match = _SCHEDULE.fullmatch(text)
    if match is None or text.lower() in WEEKDAY_OF:  # "Sat" is no Saturday and Tuesday
        return None
    written = _DAY.findall(text)
    old = _read([day.lower() for day in written])
    new = [(day + days) % 7 for day in old]
    if not (len(new) == 2 and "-" in match["joint"]):  # "M-F" runs from one day to the other
        new.sort()
    # Where nothing stands between them, three letters stay three letters: "MWF" and "TTS".
    short = len(written) > 1 and not match["joint"] and all(len(day) == 1 for day in written)
    out = _written(text, new, short)
    if out.casefold() == text.casefold():
        out = _written(text, new, short=False)
    if text.islower():
        return out.lower()
    # "TTHS" is in capitals; "MWF" has nothing to tell it from "M", "W" and "F".
    return out.upper() if text.isupper() and any(len(day) > 1 for day in written) else out


def _written(text: str, days: list[int], short: bool) -> str:
    """The days in the places of the old ones, Thursday and Saturday as they are written there."""
    letters = dict(enumerate(_LETTERS))
    used = {day.lower() for day in _DAY.findall(text)}
    if short:
        letters = {day: name[:1] for day, name in letters.items()}
    if "s" in used:
        letters[5] = "S"
    if "r" in used:
        letters[3] = "R"
    fresh = iter(days)
    return _DAY.sub(lambda _: letters[next(fresh)], text)


def _read(written: list[str]) -> list[int]:
    """A second T is Thursday, a second S is Sunday."""
    days: list[int] = []
    for letters in written:
        if letters == "t":
            days.append(3 if 1 in days else 1)
        elif letters == "s":
            days.append(6 if 5 in days else 5)
        else:
            days.append(_DAYS[letters])
    return days
