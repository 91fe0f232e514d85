"""Known cities, asked by the tokens of a scan."""

from __future__ import annotations

from incognote.detect.places.scan import Scan
from incognote.detect.places.words import CITY
from incognote.lexicon import fold_place, lexicon

_LONGEST = 4


def population(scan: Scan, first: int, end: int) -> int | None:
    """Of the largest city with exactly this name; None if there is none."""
    if not scan.bits[first] & CITY or end - first > 2 * _LONGEST:
        return None
    key = fold_place(scan.text[scan.starts[first] : scan.ends[end - 1]])
    lex = lexicon()
    here, abroad = lex.us_cities.population(key), lex.world_cities.population(key)
    return None if here is None and abroad is None else max(here or 0, abroad or 0)


def is_city(scan: Scan, first: int, end: int) -> bool:
    return population(scan, first, end) is not None


def states_of(scan: Scan, first: int, end: int) -> set[str]:
    """The states that have a city of this name."""
    name = scan.text[scan.starts[first] : scan.ends[end - 1]]
    return {city.state for city in lexicon().city(name)}


def longest_city_to(scan: Scan, first: int, end: int) -> int | None:
    """Where the longest known city that ends at `end` starts, not before `first`."""
    return next(
        (at for at in range(max(first, end - _LONGEST), end) if is_city(scan, at, end)), None
    )
