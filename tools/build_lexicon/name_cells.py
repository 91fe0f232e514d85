"""Divides names into cells of names that may replace each other (see lexicon/name_cells.py)."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable

from pack import lines, numbers

from incognote.lexicon.name_cells import NONE
from incognote.lexicon.origins import ORIGINS

SMALLEST = 100
SMALLEST_SEX = 30
# Borne by so many on either side, a word is as good a given as a family name: "Thomas", "Taylor".
BOTH_SHARE = 0.04
BOTH_BEARERS = 2_000
# Fewer bear it, and yet it is a given name to whoever reads it: "Barnaby", "Siegfried".
GIVEN_SHARE = 0.1
GIVEN_BEARERS = 100
# A name belongs to a sex if this share of its bearers does.
SEX_SHARE = 0.7

Split = Callable[[int], str]


def cell_tables(tables: dict[str, bytes]) -> dict[str, bytes]:
    given, family = _column(tables, "first_names"), _column(tables, "surnames")
    ordinary = set(tables["ordinary"].decode().split("\n"))
    return {
        **_kind(tables, "first_names", given, family, ordinary),
        **_kind(tables, "surnames", given, family, ordinary),
    }


def _column(tables: dict[str, bytes], table: str) -> dict[str, int]:
    counts = array("I")
    counts.frombytes(tables[f"{table}/count"])
    return dict(zip(tables[f"{table}/keys"].decode().split("\n"), counts, strict=True))


def _kind(
    tables: dict[str, bytes],
    table: str,
    given: dict[str, int],
    family: dict[str, int],
    ordinary: set[str],
) -> dict[str, bytes]:
    is_first = table == "first_names"
    keys = list(given if is_first else family)
    origins = tables[f"{table}/origin"]
    own = [
        row
        for row, key in enumerate(keys)
        if _is_given(key, given, family) == is_first and not _is_letters(key)
    ]
    women = dict(zip(given, tables["first_names/female"], strict=True))

    def origin(row: int) -> str:
        return ORIGINS[origins[row]]

    def sex(row: int) -> str:
        share = women.get(keys[row], 100) / 200
        return "female" if share >= SEX_SHARE else "male" if share <= 1 - SEX_SHARE else "either"

    def both(row: int) -> str:
        return "both" if _is_both(keys[row], given, family) else ""

    def sex_of_both(row: int) -> str:
        return sex(row) if both(row) else ""

    def word(row: int) -> str:
        return "word" if keys[row] in ordinary else ""

    splits: list[Split] = [origin, both, sex_of_both, word]
    if is_first:
        splits = [origin, sex, both, word]
    column = array("I", [NONE]) * len(keys)
    names: list[str] = []
    # The plain cells of an origin come last: the last of all is where its rarest names are.
    # Few given names of an origin may be men's: still no woman should get one.
    fewest = {"female": SMALLEST_SEX, "male": SMALLEST_SEX, "either": SMALLEST_SEX}
    parts = _divided(own, splits, table, fewest if is_first else {})
    for kind, rows in sorted(parts, key=lambda each: (-len(each[0]), each)):
        for number, band in enumerate(_bands(rows)):
            for row in band:
                column[row] = len(names)
            names.append(f"{kind}:{number}")
    return {f"{table}/cell": numbers(column), f"{table}/cell_keys": lines(names)}


def _is_given(key: str, given: dict[str, int], family: dict[str, int]) -> bool:
    """What a word mostly is."""
    return key in given and (key not in family or given[key] > family[key])


def _is_letters(key: str) -> bool:
    """Two letters that nobody can speak are initials or a title: "jr", "tj"."""
    return len(key) == 2 and key != "ng" and not set(key) & set("aeiouy")


def _is_both(key: str, given: dict[str, int], family: dict[str, int]) -> bool:
    first, last = given.get(key, 0), family.get(key, 0)
    if min(first, last) < BOTH_BEARERS:
        return GIVEN_BEARERS <= first <= last and first / (first + last) >= GIVEN_SHARE
    return BOTH_SHARE <= last / (first + last) <= 1 - BOTH_SHARE


def _divided(
    rows: list[int], splits: list[Split], name: str, fewest: dict[str, int]
) -> list[tuple[str, list[int]]]:
    """Rows split again and again, as long as every part is large enough; what is left over goes to
    the largest part."""
    if not splits:
        return [(name, rows)]
    parts: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        parts[splits[0](row)].append(row)
    large = {kind: part for kind, part in parts.items() if len(part) >= fewest.get(kind, SMALLEST)}
    if not large:
        return [(name, rows)]
    largest = max(large, key=lambda kind: len(large[kind]))
    for kind, part in parts.items():
        if kind not in large:
            large[largest] = sorted(large[largest] + part)
    return [
        found
        for kind, part in sorted(large.items())
        for found in _divided(part, splits[1:], f"{name}:{kind}" if kind else name, fewest)
    ]


def _bands(rows: list[int]) -> list[list[int]]:
    """Few frequent names, many rare ones: each band is as large as all before it."""
    bands: list[list[int]] = []
    at = 0
    while at < len(rows):
        size = max(SMALLEST, at)
        if len(rows) - at - size < SMALLEST:
            size = len(rows) - at
        bands.append(rows[at : at + size])
        at += size
    return bands
