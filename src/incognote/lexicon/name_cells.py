"""Names in cells: names that may replace each other, of about the same frequency.

A cell holds names of one origin and sex; ordinary words ("Baker"), and words that are as good a
given as a family name ("Thomas"), have cells of their own where there are enough. Each name is in
one cell only: a word is a given or a family name here, whichever it mostly is. Cells are compiled
by tools/build_lexicon/name_cells.py and hold 100 names or more.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from incognote.core.caches import cached
from incognote.core.people import Sex
from incognote.lexicon import store
from incognote.lexicon.lexicon import lexicon
from incognote.lexicon.origins import TABLES, Kind
from incognote.lexicon.people import written

NONE = 0xFFFF
KINDS: tuple[Kind, Kind] = ("first", "last")


class NameCell(NamedTuple):
    """`rows` are those of the table of names, most frequent first."""

    key: str
    kind: Kind
    rows: Sequence[int]

    def __len__(self) -> int:
        return len(self.rows)

    def name(self, index: int) -> str:
        """As it is usually written."""
        return written(lexicon().name_table(self.kind).key(self.rows[index]))


class _Cells:
    def __init__(self, kind: Kind) -> None:
        table = TABLES[kind]
        keys = store.lines(f"{table}/cell_keys")
        self.of = store.numbers(f"{table}/cell")
        rows = [array("I") for _ in keys]
        self.index = array("I", bytes(4 * len(self.of)))
        for row, number in enumerate(self.of):
            if number != NONE:
                self.index[row] = len(rows[number])
                rows[number].append(row)
        self.cells = [NameCell(key, kind, each) for key, each in zip(keys, rows, strict=True)]
        # The rarest names of each origin: the last band of its plain cells.
        self.rarest = {cell.key.split(":")[1]: cell for cell in self.cells}
        # Of given names, also of each sex: "first_names:anglo:female:8".
        self.rarest |= {":".join(cell.key.split(":")[1:3]): cell for cell in self.cells}


@cached(4)
def _cells(kind: Kind) -> _Cells:
    return _Cells(kind)


@cached(65536)
def name_place(folded: str) -> tuple[NameCell, int] | None:
    """The cell of a name and its index there; None where no list knows it."""
    for kind in KINDS:
        row = lexicon().name_table(kind).row(folded)
        if row is not None:
            cells = _cells(kind)
            number = cells.of[row]
            if number != NONE:
                return cells.cells[number], cells.index[row]
    return None


def rarest_names(kind: Kind, origin: str, sex: Sex = "") -> NameCell:
    """The rarest names of an origin, given names also of a sex or of either: where names go that no
    list knows."""
    rarest = _cells(kind).rarest
    if kind == "first":
        own = f":{sex or 'either'}"
        return rarest.get(origin + own) or rarest["anglo" + own]
    return rarest.get(origin) or rarest["anglo"]


def name_cells(kind: Kind) -> Sequence[NameCell]:
    return _cells(kind).cells
