"""Where a name comes from, by language: listed for known names, taught for some others (those
that tools/build_lexicon/curated/origins.txt has and no list), estimated from the letters of the
rest."""

from __future__ import annotations

from typing import Literal, NamedTuple
from zlib import crc32

from incognote.core.caches import cached, once
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
# So much more evidence, in nats, does another origin need than the English one.
_HEAD_START = 2
TABLES = {"first": "first_names", "last": "surnames"}


def grams(name: str) -> list[int]:
    """The runs of two to four letters in a folded name, its ends marked, as columns."""
    marked = f"^{name}$".encode()
    return [
        crc32(marked[at : at + size]) % BUCKETS
        for size in _RUNS
        for at in range(len(marked) - size + 1)
    ]


class Taught(NamedTuple):
    """What a name on no list is: "last", "female" or "male", and where it comes from."""

    what: str
    origin: str


@once
def taught() -> dict[str, Taught]:
    """Names on no list of which we know more than their letters, folded."""
    rows = (line.split("\t") for line in store.lines("names/taught"))
    return {name: Taught(what, origin) for name, what, origin in rows}


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
    if known := taught().get(folded):
        return known.origin
    table = _letters(kind)
    columns = grams(folded)
    scores = [
        sum(table[row * BUCKETS + column] for column in columns) for row in range(len(ORIGINS))
    ]
    scores[ORIGINS.index("anglo")] += _HEAD_START * SCALE
    return ORIGINS[scores.index(max(scores))]
