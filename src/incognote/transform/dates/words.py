"""The words dates are written with: months, weekdays, ordinals, years in words, seasons."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from incognote.core.caches import cached, once
from incognote.core.text.calendar import MONTHS, SEASONS, WEEKDAYS
from incognote.transform.spelling import fold
from incognote.transform.word_data import NUMBER_WORDS

# The middle of each season, as month and day.
SEASON_MIDDLES = ((1, 15), (4, 15), (7, 15), (10, 15))

MONTH_OF = {name.lower(): i + 1 for i, name in enumerate(MONTHS)}
MONTH_OF |= {name[:3].lower(): i + 1 for i, name in enumerate(MONTHS)}
MONTH_OF |= {"sept": 9, "janu": 1, "febr": 2}

WEEKDAY_OF = {name.lower(): i for i, name in enumerate(WEEKDAYS)}
WEEKDAY_OF |= {name.lower() + "s": i for i, name in enumerate(WEEKDAYS)}
WEEKDAY_OF |= {name[:3].lower(): i for i, name in enumerate(WEEKDAYS)}
WEEKDAY_OF |= {"mo": 0, "we": 2, "fr": 4}
WEEKDAY_OF |= {"tues": 1, "weds": 2, "thur": 3, "thurs": 3, "tu": 1, "th": 3, "sa": 5, "su": 6}
_LONGER = {1: "Tues", 2: "Weds", 3: "Thurs"}

# Months as numerals, where day and year are beside them: "21.X.2024".
ROMAN = tuple("I II III IV V VI VII VIII IX X XI XII".split())

SEASON_OF = {name: i for i, name in enumerate(SEASONS)} | {"fall": 3}

_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first "
    "twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh "
    "twenty-eighth twenty-ninth thirtieth thirty-first"
).split()
ORDINAL_OF = {word: i + 1 for i, word in enumerate(_ORDINALS)}

_NUMBER_OF = {word: i for i, word in enumerate(NUMBER_WORDS)}
_NUMBER_OF |= {word: 20 + 10 * i for i, word in enumerate(_TENS)}


@once
def _languages() -> tuple[dict[str, list[str]], ...]:
    path = files("incognote.transform").joinpath("data/calendar.toml")
    tables = tomllib.loads(path.read_text("utf-8")).values()
    return tuple({kind: names.split() for kind, names in table.items()} for table in tables)


@cached(1024)
def _abroad(kind: str, lower: str) -> list[str] | None:
    """All "months" or "weekdays" of the language in which a word is one of them, whole or cut
    short as it is; no English."""
    if lower in (MONTH_OF if kind == "months" else WEEKDAY_OF):
        return None
    folded = fold(lower)
    for language in _languages():
        for names in (language[kind], language.get(f"{kind}_short", [])):
            if any(folded == fold(name) for name in names):
                return names
    return None


@once
def _spanish_short_months() -> list[str]:
    return _abroad("months", "ene") or []


def month_of(lower: str) -> int | None:
    """The month a word names, in any language."""
    abroad = _abroad("months", lower)
    return [fold(name) for name in abroad].index(fold(lower)) + 1 if abroad else MONTH_OF.get(lower)


def weekday_of(lower: str) -> int | None:
    abroad = _abroad("weekdays", lower)
    return [fold(name) for name in abroad].index(fold(lower)) if abroad else WEEKDAY_OF.get(lower)


def number_words(value: int) -> str:
    """1 to 99 in words."""
    if value < 20:
        return NUMBER_WORDS[value]
    tens, unit = divmod(value, 10)
    return _TENS[tens - 2] + (f"-{NUMBER_WORDS[unit]}" if unit else "")


def read_number(words: list[str]) -> int | None:
    """One or two words as a number below 100: ["seventy", "one"], ["nine"], ["oh", "five"]."""
    if len(words) == 1:
        return _NUMBER_OF.get(words[0])
    if len(words) == 2:
        first, second = words
        if first in ("oh", "o") and 0 < _NUMBER_OF.get(second, 0) < 10:
            return _NUMBER_OF[second]
        if first in _TENS and 0 < _NUMBER_OF.get(second, 0) < 10:
            return _NUMBER_OF[first] + _NUMBER_OF[second]
    return None


def read_year(words: list[str]) -> int | None:
    """A year in words: "nineteen seventy-one", "twenty twenty one", "two thousand five"."""
    words = [word for word in words if word != "and"]
    if words[:2] == ["two", "thousand"]:
        rest = read_number(words[2:]) if words[2:] else 0
        return None if rest is None else 2000 + rest
    century = _NUMBER_OF.get(words[0]) if words else None
    if century in (18, 19, 20) and len(words) > 1:
        rest = read_number(words[1:])
        return None if rest is None or rest < 1 else century * 100 + rest
    return None


def year_words(year: int) -> str:
    century, rest = divmod(year, 100)
    if century == 20 and rest < 10:
        return "two thousand" + (f" {NUMBER_WORDS[rest]}" if rest else "")
    if rest == 0:
        return f"{number_words(century)} hundred"
    return f"{number_words(century)} {'oh ' if rest < 10 else ''}{number_words(rest)}"


def ordinal_words(day: int) -> str:
    return _ORDINALS[day - 1]


def ordinal_suffix(day: int) -> str:
    if 11 <= day <= 13:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def weekday_like(word: str, weekday: int) -> str:
    """Another weekday, written as this one is: full, plural, three letters, one letter."""
    lower = word.lower()
    abroad = _abroad("weekdays", lower)
    if abroad:
        return like_case(word, abroad[weekday])
    if len(lower) <= 2:
        return like_case(word, WEEKDAYS[weekday][:2])
    if lower.endswith("days"):
        return like_case(word, WEEKDAYS[weekday] + "s")
    if lower.endswith("day"):
        return like_case(word, WEEKDAYS[weekday])
    short = WEEKDAYS[weekday][:3]
    return like_case(word, _LONGER.get(weekday, short) if len(lower) > 3 else short)


def month_like(word: str, month: int, short: bool, spanish: bool = False) -> str:
    """Another month, written as this one is. "nov" is Spanish where the record is."""
    if word.upper() in ROMAN:
        return like_case(word * 2, ROMAN[month - 1])
    abroad = _abroad("months", word.lower()) or (
        _spanish_short_months() if spanish and short else None
    )
    if abroad:
        return like_case(word, abroad[month - 1])
    name = MONTHS[month - 1]
    if short:
        name = "Sept" if len(word) == 4 and month == 9 else name[:3]
    return like_case(word, name)


def like_case(original: str, word: str) -> str:
    """`word` in the letter case of `original`: UPPER, lower or as it is."""
    letters = [char for char in original if char.isalpha()]
    if letters and all(char.isupper() for char in letters) and (len(letters) > 1 or len(word) == 1):
        return word.upper()
    if letters and all(char.islower() for char in letters):
        return word.lower()
    if letters and letters[0].isupper():
        return word[:1].upper() + word[1:]
    return word


def is_number_word(word: str) -> bool:
    parts = word.split("-")
    return all(p in _NUMBER_OF or p in ORDINAL_OF or p in ("thousand", "oh", "and") for p in parts)
