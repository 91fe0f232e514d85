"""What happens to notes on their way: lost case, lost or moved line breaks, lost punctuation, slips
of the keyboard and scan.

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
    return _by_character(note, lambda c: _same_length(c, str.upper))


def lower_case(note: Note) -> Note:
    return _by_character(note, lambda c: _same_length(c, str.lower))


def drop_line_breaks(note: Note, rng: random.Random, rate: float) -> Note:
    return _by_character(note, lambda c: " " if c == "\n" and rng.random() < rate else c)


def drop_punctuation(note: Note, rng: random.Random, rate: float) -> Note:
    """Loses marks that end a phrase, as hurried typing does; those inside numbers stay."""
    text = note.text

    def kept(index: int) -> bool:
        inside = text[index + 1 : index + 2].isalnum()
        return text[index] not in ".,:;" or inside or rng.random() >= rate

    keeps = iter([kept(index) for index in range(len(text))])
    return _by_character(note, lambda c: c if next(keeps) else "")


def wrap_lines(note: Note, rng: random.Random, width: int) -> Note:
    """Breaks lines at spaces before they grow longer than `width`, inside marks too."""
    column = 0

    def moved(char: str) -> str:
        nonlocal column
        if char == "\n" or (char == " " and column > width - rng.randint(0, 10)):
            column = 0
            return "\n"
        column += 1
        return char

    return _by_character(note, moved)


def recase_marks(note: Note, change: Edit) -> Note:
    """Changes the letters of marks alone: people write names without capitals, or all in them."""
    inside = bytearray(len(note.text))
    for start, end, label in note.marks:
        if label in ("PATIENT", "DOCTOR", "CITY", "HOSPITAL", "STREET"):
            inside[start:end] = b"\1" * (end - start)
    marked = iter(inside)
    return _by_character(note, lambda c: _same_length(c, change) if next(marked) else c)


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


def _same_length(char: str, change: Edit) -> str:
    new = change(char)
    return new if len(new) == 1 else char


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
