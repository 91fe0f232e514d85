"""Weekdays by their letters: "MWF", "T-Th-S", "M/W/F", as dialysis and clinics are scheduled."""

from __future__ import annotations

import re

from incognote.lexicon import lexicon
from incognote.transform.dates.words import WEEKDAY_OF
from incognote.transform.record import Mention

_DAY = re.compile(r"Tu|Th|Sa|Su|[MTWRFS]", re.IGNORECASE)
_SCHEDULE = re.compile(
    r"(?:Tu|Th|Sa|Su|[MTWRFS])(?P<joint>[-/, &]{0,3})(?:(?:Tu|Th|Sa|Su|[MTWRFS])[-/, &]{0,3})*",
    re.IGNORECASE,
)
_WEEKDAY = r"(?:mon|tue?s?|wed|thur?s?|fri|sat|sun)(?:day|nesday|sday|rsday|urday)?\.?"
# Letters and longer names side by side: "M W F Sun".
_MIXED = re.compile(
    rf"(?:(?:{_WEEKDAY}|Tu|Th|Sa|Su|[MTWRFS])(?:[-/, &]{{1,3}}|$)){{2,}}", re.IGNORECASE
)
_PLURAL = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days", re.IGNORECASE)
_ONE = re.compile(_WEEKDAY, re.IGNORECASE)
_REPEATED = re.compile(
    r"\b(?:every|each|weekly(?:\s+on)?|q|alternate|once a week on|week on)\s+(?:other\s+)?$",
    re.IGNORECASE,
)
_HABIT = re.compile(r"\s(?:mornings|afternoons|evenings|nights)\b", re.IGNORECASE)
_BESIDE_BEFORE = re.compile(
    rf"\b{_WEEKDAY}\s?(?:[,/&+-]|and|or|to|thru|through)?\s?$", re.IGNORECASE
)
_BESIDE_BEHIND = re.compile(
    rf"\s?(?:[,/&+-]|and|or|to|thru|through)?\s?{_WEEKDAY}(?!\w)", re.IGNORECASE
)
# What is given, taken or done again and again.
_ROUTINE = re.compile(
    r"\d\s?(?:mg|mcg|units?|ml|g|tabs?|caps?|puffs?|iu|meq)\b|\b(?:dialysis|hd|ihd|tabs?|tablets?|doses?|"
    r"takes?|taking|weekly|daily|qd|schedule[sd]?|infusions?|injections?|therapy|classes|"
    r"days of the week)\b",
    re.IGNORECASE,
)
_DOSE = re.compile(r"\d\s?(?:mg|mcg|units?|ml|g|tabs?|caps?|puffs?|iu|meq)\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{5,}")
_REACH = 60
_FIRST = frozenset("MTWRFSmtwrfs")
_DAYS = {"m": 0, "tu": 1, "w": 2, "th": 3, "r": 3, "f": 4, "sa": 5, "su": 6}
_LETTERS = ("M", "T", "W", "Th", "F", "Sa", "Su")


def is_schedule(mention: Mention, text: str) -> bool:
    """Whether weekdays say how often something happens, not when it happened: "every Monday",
    "on Tuesdays", "HD MWF", "5 mg Mon Wed Fri"."""
    said, start, end = mention.text, mention.start, mention.end
    if _PLURAL.fullmatch(said):
        return True
    before = text[max(0, start - _REACH) : start]
    sentence = re.split(r"[.!?]\s|\n", before)[-1]
    if _ONE.fullmatch(said):
        if _REPEATED.search(before) or _HABIT.match(text, end):
            return True
        beside = _BESIDE_BEFORE.search(before) or _BESIDE_BEHIND.match(text, end)
        return bool(beside and _ROUTINE.search(sentence))
    letters = _SCHEDULE.fullmatch(said) or _MIXED.fullmatch(said)
    return bool(letters and len(_DAY.findall(said)) > 1 and _ROUTINE.search(sentence))


def is_dosing(mention: Mention, text: str) -> bool:
    """Whether a schedule says on which weekdays a drug is taken: "5 mg Mon Wed Fri". Moved days
    would be another prescription; dialysis and clinics, which visits are tied to, move."""
    if not is_schedule(mention, text):
        return False
    before = re.split(r"[.!?]\s|\n", text[max(0, mention.start - _REACH) : mention.start])[-1]
    words = lexicon()
    return bool(_DOSE.search(before)) or any(
        words.is_drug(word) and not words.is_ordinary(word) for word in _WORD.findall(before)
    )


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
    # Where nothing is between them, three letters stay three letters: "MWF" and "TTS".
    short = len(written) > 1 and not match["joint"] and all(len(day) == 1 for day in written)
    out = _written(text, new, short)
    if out.casefold() == text.casefold():
        out = _written(text, new, short=False)
    if text.islower():
        return out.lower()
    # "TTHS" is in capitals; "MWF" may as well be "M", "W" and "F".
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
    if "tu" in used:
        letters[1] = "Tu"
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
