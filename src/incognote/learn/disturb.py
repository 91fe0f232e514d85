"""What happens to notes on their way: lost case, lost line breaks, slips of the keyboard and scan.

Each function returns a new note whose marks still cover the same words.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable

from incognote.learn.data import Mark, Note

Edit = Callable[[str], str]
_CONFUSED = {"0": "O", "O": "0", "1": "l", "l": "1", "5": "S", "S": "5", "m": "rn", "8": "B"}


def upper_case(note: Note) -> Note:
    return _by_character(note, lambda c: c.upper() if len(c.upper()) == 1 else c)


def lower_case(note: Note) -> Note:
    return _by_character(note, lambda c: c.lower() if len(c.lower()) == 1 else c)


def drop_line_breaks(note: Note, rng: random.Random, rate: float) -> Note:
    return _by_character(note, lambda c: " " if c == "\n" and rng.random() < rate else c)


def noise(note: Note, rng: random.Random, rate: float) -> Note:
    """Replaces, drops, doubles or inserts letters and digits; white space stays."""

    def slip(char: str) -> str:
        if char.isspace() or rng.random() >= rate:
            return char
        if char in _CONFUSED and rng.random() < 0.5:
            return _CONFUSED[char]
        other = rng.choice(string.digits if char.isdigit() else string.ascii_lowercase)
        return rng.choice((other, "", char + char, char + other))

    return _by_character(note, slip)


def _by_character(note: Note, edit: Edit) -> Note:
    """Applies an edit to every character and moves the marks along; an emptied mark is dropped."""
    parts = [edit(char) for char in note.text]
    ends = [0]
    for part in parts:
        ends.append(ends[-1] + len(part))
    marks: list[Mark] = [
        (ends[start], ends[end], label)
        for start, end, label in note.marks
        if ends[start] < ends[end]
    ]
    return Note(note.id, "".join(parts), tuple(marks))
