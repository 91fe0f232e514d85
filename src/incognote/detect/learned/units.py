"""Units: the smallest pieces that a learned model labels, and what they look like.

A unit is a run of letters, a run of digits, or a run of one punctuation mark, so "67yo" is two
units and an age can end inside it. Sub-word vocabularies lose letter case, digit length and line
breaks; `shape` and `layout` give them back to the model as two small numbers for each unit.
"""

from __future__ import annotations

import re

from incognote.core.caches import cached

UNIT = re.compile(r"[^\W\d_]+|\d+|([^\w\s])\1*|_+")

# Shapes: 0 is padding; punctuation, six letter cases, then digits by length and value.
_LETTERS = {"lower": 2, "title": 3, "upper": 4, "initial": 5, "mixed": 6, "letter": 7}
_DIGITS_BASE = 8
SHAPES = 32
# Layouts: what comes before the unit. 0 is padding.
GLUED, SPACE, GAP, LINE, BLANK_LINE, CONTINUES = 1, 2, 3, 4, 5, 6
LAYOUTS = 8

Offsets = list[tuple[int, int]]


def split(text: str) -> Offsets:
    """The units of a text as [start, end) pairs."""
    return [match.span() for match in UNIT.finditer(text)]


@cached(65_536)
def shape(unit: str) -> int:
    if unit[0].isdecimal():
        return _DIGITS_BASE + _digit_shape(unit)
    if not unit[0].isalpha():
        return 1
    if len(unit) == 1:
        return _LETTERS["initial"] if unit.isupper() else _LETTERS["letter"]
    if unit.islower():
        return _LETTERS["lower"]
    if unit.isupper():
        return _LETTERS["upper"]
    if unit[0].isupper() and unit[1:].islower():
        return _LETTERS["title"]
    return _LETTERS["mixed"]


def _digit_shape(digits: str) -> int:
    """Numbers that can be months, days, minutes or years differ from those that cannot."""
    size = len(digits)
    if size == 1:
        return 0
    if size == 2:
        value = int(digits)
        return 1 + (value > 12) + (value > 31) + (value > 59)
    if size == 3:
        return 5
    if size == 4:
        if digits[:2] in {"19", "20"}:
            return 6
        clock = int(digits[:2]) < 24 and int(digits[2:]) < 60
        return 7 if clock else 8
    return 9 + min(size, 16) - 5


def layouts(text: str, units: Offsets) -> list[int]:
    """For each unit, the kind of white space before it."""
    kinds = []
    end = 0
    for start, stop in units:
        if start == end:
            kinds.append(GLUED if start else LINE)
        elif start == end + 1 and text[end] == " ":
            kinds.append(SPACE)
        else:
            breaks = text.count("\n", end, start)
            kinds.append(GAP if not breaks else LINE if breaks == 1 else BLANK_LINE)
        end = stop
    return kinds
