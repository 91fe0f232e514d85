"""Where a name comes from, by language: listed for known names, estimated from the letters of
others."""

from __future__ import annotations

from typing import Literal
from zlib import crc32

from incognote.core.caches import cached
from incognote.lexicon import store

Kind = Literal["first", "last"]

ORIGINS = (
    "anglo",
    "african american",
    "hispanic",
    "germanic",
    "nordic",
    "italian",
    "french",
    "slavic",
    "greek",
    "jewish",
    "arabic",
    "north indian",
    "south indian",
    "chinese",
    "korean",
    "japanese",
    "vietnamese",
    "southeast asian",
    "african",
    "pacific",
    "native american",
)
# The table of letters: a row for each origin, a column for each bucket of runs of letters.
BUCKETS = 4096
SCALE = 16
_RUNS = (2, 3, 4)
TABLES = {"first": "first_names", "last": "surnames"}


def grams(name: str) -> list[int]:
    """The runs of two to four letters in a folded name, its ends marked, as columns."""
    marked = f"^{name}$".encode()
    return [
        crc32(marked[at : at + size]) % BUCKETS
        for size in _RUNS
        for at in range(len(marked) - size + 1)
    ]


@cached(4)
def _listed(kind: Kind) -> bytes:
    return store.octets(f"{TABLES[kind]}/origin")


@cached(4)
def _letters(kind: Kind) -> memoryview:
    return memoryview(store.octets(f"{TABLES[kind]}/letters")).cast("b")


def origin_of_row(kind: Kind, row: int) -> str:
    """The origin of a listed name."""
    return ORIGINS[_listed(kind)[row]]


@cached(16384)
def guess_origin(kind: Kind, folded: str) -> str:
    """The likeliest origin of a name on no list."""
    table = _letters(kind)
    columns = grams(folded)
    scores = [
        sum(table[row * BUCKETS + column] for column in columns) for row in range(len(ORIGINS))
    ]
    return ORIGINS[scores.index(max(scores))]
