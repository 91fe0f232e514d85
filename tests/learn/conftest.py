"""A small made-up corpus, enough to train something on."""

from __future__ import annotations

import random

import pytest

from incognote.learn.data import Note

FIRST = ("Anna", "Boris", "Carmen", "Dwayne", "Elif", "Femi", "Greta", "Hugo")
LAST = ("Abara", "Bergstrom", "Castillo", "Dunmore", "Eklund", "Farrow", "Gupta", "Hollis")


def make_note(number: int, rng: random.Random) -> Note:
    parts: list[str] = []
    marks = []

    def add(text: str, label: str = "") -> None:
        start = sum(map(len, parts))
        parts.append(text)
        if label:
            marks.append((start, start + len(text), label))

    add("Patient: ")
    add(f"{rng.choice(FIRST)} {rng.choice(LAST)}", "PATIENT")
    add("\nSeen by Dr. ")
    add(rng.choice(LAST), "DOCTOR")
    add(" on ")
    add(f"{rng.randint(1, 12)}/{rng.randint(1, 28)}/{rng.randint(2000, 2025)}", "DATE")
    add(f".\n\nBlood pressure {rng.randint(100, 160)}/{rng.randint(60, 95)}, no fever. MRN ")
    add(str(rng.randint(100000, 999999)), "MEDICALRECORD")
    add(", takes lisinopril 10 mg daily and walks well.\n")
    return Note(f"g{number % 3}_{number}", "".join(parts), tuple(marks))


@pytest.fixture(scope="session")
def notes() -> list[Note]:
    rng = random.Random(4)
    return [make_note(number, rng) for number in range(60)]
