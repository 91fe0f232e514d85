"""Ages: over 89 become one group, in the form of the sentence; the rest as the policy says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from incognote.core.errors import PolicyError
from incognote.transform.dates.words import like_case, number_words, read_number
from incognote.transform.record import Mention, TransformRecord
from incognote.transform.spelling import fold

OLDEST = 89
_DIGITS = re.compile(r"\d+")
_AGES = re.compile(r"(\d+)(?:[.,]\d+)?\+?")
_YOUNG_UNIT = re.compile(
    r"[\s-]*(?:m\.?o\.?\b|mos?\b|months?\b|wks?\b|weeks?\b|w\.?o\.?\b|days?\b|d\.?o\.?\b|hours?\b|hrs?\b)",
    re.IGNORECASE,
)
# "1,104 months" as one thing: small units can state a great age.
_IN_UNITS = re.compile(
    r"([\d.]+)[\s-]*(?:(m\.?o\.?\b|mos?\b|mths?\b|months?\b)|(wks?\b|weeks?\b|w\.?o\.?\b)|(days?\b|d\.?o\.?\b))",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)
_A_YEAR = (12, 52.18, 365.25)  # months, weeks, days
_GREAT_WORDS = {"nonagenarian": 90, "centenarian": 100}
_ONES_ES = {
    word: value
    for value, forms in enumerate(
        "uno|un|una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce"
        " quince dieciseis diecisiete dieciocho diecinueve veinte veintiuno|veintiun|veintiuna"
        " veintidos veintitres veinticuatro"
        " veinticinco veintiseis veintisiete veintiocho veintinueve".split(),
        1,
    )
    for word in forms.split("|")
}
_TENS_ES = {
    word: 10 * value
    for value, word in enumerate(
        "treinta cuarenta cincuenta sesenta setenta ochenta noventa cien".split(), 3
    )
}
_DECADES = "teens twenties thirties forties fifties sixties seventies eighties nineties".split()


def years(mention: Mention, record: TransformRecord) -> int | None:
    """The age in years, the highest of several, or None where it is no number that can be read."""
    text = _THOUSANDS.sub("", mention.text)
    unit = _YOUNG_UNIT.match(record.text, mention.end)
    if counted := _IN_UNITS.search(text + unit[0] if unit else text):
        in_a_year = next(n for n, found in zip(_A_YEAR, counted.groups()[1:], strict=True) if found)
        return int(float(counted[1].strip(".")) / in_a_year)
    if unit:
        return 0
    if numbers := _AGES.findall(text):
        return max(map(int, numbers))
    words = re.findall(r"[a-z]+", mention.text.lower())
    for word, age in _GREAT_WORDS.items():
        if any(each.endswith(word) for each in words):
            return age
    if "hundred" in words:
        return 100
    if (spanish := _read_spanish(mention.text)) is not None:
        return spanish
    for i, word in enumerate(words):
        if word in _DECADES:
            return 10 + 10 * _DECADES.index(word)
        value = read_number(words[i : i + 2]) or read_number(words[i : i + 1])
        if value:
            return value
    return None


def _read_spanish(text: str) -> int | None:
    """An age in Spanish words: "treinta y uno", "setenta años"."""
    words = fold(text).split()
    if not words or words[0] not in _ONES_ES | _TENS_ES:
        return None
    if words[0] in _ONES_ES:
        return _ONES_ES[words[0]]
    rest = words[2] if words[1:2] == ["y"] and len(words) > 2 else ""
    return _TENS_ES[words[0]] + _ONES_ES.get(rest, 0)


def grouped(text: str) -> str:
    """An age over 89 as the one group of the oldest, written like the original."""
    if _IN_UNITS.search(_THOUSANDS.sub("", text)):
        return "90+ years"
    text = _ORDINAL.sub("", text)
    if any(text.lower().endswith(word) for word in _GREAT_WORDS):
        return like_case(text, "person of 90 or older")
    if re.search(r"\d['’]?s\b", text, re.IGNORECASE):
        return _DIGITS.sub("90", text, count=1) + " or older"
    if _DIGITS.search(text):
        return _AGES.sub(lambda age: "90+" if int(age[1]) > OLDEST else age[0], text)
    if _read_spanish(text) is not None:
        return like_case(text, "noventa o más")
    if any(word in text.lower() for word in _DECADES):
        return like_case(text, "nineties or older")
    return like_case(text, "ninety-plus")


@dataclass(frozen=True, slots=True)
class Age90:
    """Ages over 89 become "90+"; younger ones stay. One that cannot be read may be any."""

    label: str
    labels: ClassVar[frozenset[str]] = frozenset({"AGE"})

    def replace(self, mention: Mention, record: TransformRecord) -> str:
        age = years(mention, record)
        if age is None:
            return f"[{self.label}]"
        return grouped(mention.text) if age > OLDEST else mention.text

    def explain(self) -> str:
        return 'kept up to 89; over 89 it becomes "90+"'


@dataclass(frozen=True, slots=True)
class Generalize:
    """Ages in bands of `width` years ("60-69"); over 89 is one band."""

    label: str
    width: int = 10
    labels: ClassVar[frozenset[str]] = frozenset({"AGE"})

    def __post_init__(self) -> None:
        if not 2 <= self.width <= 45:
            raise PolicyError(f"labels.{self.label}.width: must be 2 to 45")

    def replace(self, mention: Mention, record: TransformRecord) -> str:
        age = years(mention, record)
        if age is None:
            return f"[{self.label}]"
        if age > OLDEST:
            return grouped(mention.text)
        if age == 0:
            return mention.text
        low = age // self.width * self.width
        return f"{low}-{min(low + self.width - 1, OLDEST)}"

    def explain(self) -> str:
        return f'generalised to bands of {self.width} years; over 89 it becomes "90+"'


@dataclass(frozen=True, slots=True)
class Shift:
    """Every number moves by one amount of at most `by`, never 0, the same for the whole scope."""

    label: str
    by: int = 3
    labels: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        if self.by < 1:
            raise PolicyError(f"labels.{self.label}.by: must be at least 1")
        if self.label in ("DATE", "TIME"):
            # Day, month and year moved each for itself make no date.
            raise PolicyError(f"labels.{self.label}: shift is for numbers; surrogate moves dates")

    def replace(self, mention: Mention, record: TransformRecord) -> str:
        dice = record.scope.draws.dice(f"SHIFT-{self.label}", str(self.by))
        amount = (1 + dice.below(self.by)) * (1 if dice.below(2) else -1)
        if self.label == "AGE":
            age = years(mention, record)
            if age == 0:
                return mention.text
            if age is None:
                return f"[{self.label}]"
            if age > OLDEST:
                return grouped(mention.text)
            if not _DIGITS.search(mention.text):
                return like_case(mention.text, number_words(self._age(age, amount)))
        return _DIGITS.sub(lambda m: self._moved(m[0], amount), mention.text)

    def _moved(self, digits: str, amount: int) -> str:
        value = int(digits)
        value = self._age(value, amount) if self.label == "AGE" else abs(value + amount)
        return f"{value:0{len(digits)}d}"

    def _age(self, age: int, amount: int) -> int:
        # An age moves back from the edges rather than over them.
        for moved in (age + amount, age - amount):
            if 1 <= moved <= OLDEST:
                return moved
        return age - 1 if age > 1 else age + 1

    def explain(self) -> str:
        return f"moved by at most {self.by}, the same for everything of the scope"
