"""Scanned notes: digits read as letters ("O4/l2/1937") and letters read as digits ("Ga11agher").

Only a note that shows such errors several times is touched: in a clean one "O2" is oxygen. Each
character is replaced by exactly one other, so that every offset of the view stays true.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import replace

from incognote.core.types import Tokens, View

_ENOUGH = 3  # errors that make a note a scan
# Every error has a digit beside a letter; starting at the digit makes the search fast.
_ERROR = re.compile(
    r"[0-9](?:[OlI](?=[0-9/-])(?<![A-Za-z][0-9].)|[/-][OlI][0-9OlI]|(?<=[a-z]{2}[01])1?[a-z]{2})"
)
# A number: parts of digits and what is read for digits, with a true digit somewhere.
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9])[0-9OolI|]{1,20}(?:[/.:-][0-9OolI|]{1,20}){0,6}(?![A-Za-z0-9])"
)
_OXYGEN = re.compile(r"[Oo]2")
_AS_DIGITS = str.maketrans("OolI|", "00111")
# Inside a word, at its start or at its end.
_WORD = re.compile(
    r"(?<=[A-Za-z])[01]{1,2}(?=[A-Za-z])"
    r"|(?<![A-Za-z0-9])[01](?=[a-z]{2})"
    r"|(?<=[a-z]{2})1(?![A-Za-z0-9])"
)
_AS_LETTERS = str.maketrans("01", "ol")


def legible(view: View) -> View:
    """The view with its misread characters put right, or the view itself where there are few."""
    if len(_ERROR.findall(view.text)) < _ENOUGH:
        return view
    repairs = list(_repairs(view.text))
    text = _with(view.text, repairs)
    return replace(
        view,
        text=text,
        cased=text if view.cased is view.text else _with(view.cased, repairs),
        tokens=_joined(text, view.tokens),
    )


def _repairs(text: str) -> Iterator[tuple[int, str]]:
    """Where a stretch starts, and what it should read. Numbers first: they hold no word."""
    taken = 0
    for number in _NUMBER.finditer(text):
        found = number[0]
        digits = sum(c.isdigit() for c in found)
        if digits and digits < len(found.strip("/.:-")) and not _OXYGEN.fullmatch(found):
            yield from _words(text, taken, number.start())
            yield number.start(), found.translate(_AS_DIGITS)
            taken = number.end()
    yield from _words(text, taken, len(text))


def _words(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    for misread in _WORD.finditer(text, start, end):
        letters = misread[0].translate(_AS_LETTERS)
        around = text[max(0, misread.start() - 1) : misread.end() + 1]
        yield misread.start(), letters.upper() if around.isupper() else letters


def _with(text: str, repairs: list[tuple[int, str]]) -> str:
    parts: list[str] = []
    done = 0
    for start, right in repairs:
        parts += text[done:start], right
        done = start + len(right)
    return "".join([*parts, text[done:]])


def _joined(text: str, tokens: Tokens) -> Tokens:
    """Tokens that touch and are now all letters or all digits are one."""
    starts, ends = array("l"), array("l")
    for start, end in zip(tokens.starts, tokens.ends, strict=True):
        if ends and ends[-1] == start and _same_kind(text[start - 1], text[start]):
            ends[-1] = end
        else:
            starts.append(start)
            ends.append(end)
    return Tokens.cut(text, starts, ends)


def _same_kind(left: str, right: str) -> bool:
    return (left.isdigit() and right.isdigit()) or (left.isalpha() and right.isalpha())
