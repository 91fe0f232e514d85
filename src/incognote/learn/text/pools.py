"""Pools of surfaces that training writes over the marked ones, so that no name is learned by heart.

Surfaces come from the training notes, from the lexicon, and from a pool folder if there is one:
one text file for each kind (`first.txt`, `last.txt`, `city.txt`, ...), one surface a line, in place
of the lexicon's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from incognote.learn.data import Note
from incognote.lexicon import lexicon

# Labels whose whole surface is swapped; the others are rewritten digit by digit or word by word.
SWAPPED = (
    "CITY",
    "COUNTRY",
    "HOSPITAL",
    "LOCATION-OTHER",
    "ORGANIZATION",
    "PROFESSION",
    "STATE",
    "STREET",
)
FILES = {"first": "FIRST", "last": "LAST"} | {label.lower(): label for label in SWAPPED}


@dataclass(frozen=True, slots=True)
class Pools:
    """Surfaces by kind: FIRST and LAST for name words, a label for everything swapped whole.

    `own` are surfaces met in the training notes, `more` those from elsewhere.
    """

    own: dict[str, list[str]] = field(repr=False)
    more: dict[str, list[str]] = field(repr=False)


def gather(notes: Iterable[Note], folder: Path | None = None) -> Pools:
    own: dict[str, set[str]] = defaultdict(set)
    for note in notes:
        for start, end, label in note.marks:
            surface = note.text[start:end]
            if label in SWAPPED and "\n" not in surface:
                own[label].add(surface)
            elif label in ("PATIENT", "DOCTOR"):
                words = [w.strip(".,") for w in surface.split()]
                words = [w for w in words if len(w) > 2 and w.isalpha()]
                if len(words) > 1 and "," not in surface:
                    own["FIRST"].update(words[:-1])
                    own["LAST"].add(words[-1])
    return Pools({kind: sorted(found) for kind, found in own.items()}, _more(folder))


def _more(folder: Path | None) -> dict[str, list[str]]:
    words = lexicon()
    more = {
        "FIRST": list(words.first_names()),
        "LAST": list(words.surnames()),
        "CITY": [words.us_cities[row].name for row in range(len(words.us_cities))],
        "PROFESSION": sorted(words.professions),
    }
    for name, kind in FILES.items():
        path = folder / f"{name}.txt" if folder else None
        if path and path.is_file():
            lines = path.read_text(encoding="utf-8").splitlines()
            more[kind] = [line.strip() for line in lines if line.strip()]
    return more
