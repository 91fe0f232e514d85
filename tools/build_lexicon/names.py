"""People: surnames and first names with counts, sex and ethnicity shares; nicknames."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from origins import origin_column, share_rows, taught_names
from pack import lines, numbers
from sources import Sources

from incognote.lexicon.fold import fold

SHARES = ("pctwhite", "pctblack", "pcthispanic", "pctapi")
# Older census lists and birth registrations add names that died out, if enough people bore them.
OLD_CENSUS_MINIMUM = 200
SSA_MINIMUM = 100
# Scripts that a Latin reading of the note cannot hold are left out.
LONGEST = 24


def name_tables(sources: Sources) -> dict[str, bytes]:
    tables = {**_surnames(sources), **_first_names(sources), **_nicknames(sources)}
    listed = {
        name
        for table in ("surnames", "first_names")
        for name in tables[f"{table}/keys"].decode().split("\n")
    }
    return tables | {"names/taught": taught_names(listed)}


def _proper(name: str) -> bool:
    return 2 <= len(name) <= LONGEST and name.isascii() and name.isalpha()


def _packed_shares(table: dict[str, list[Any]], row: int) -> bytes:
    """Four bytes, 0 to 200, in half percents."""
    return bytes(min(200, round((table[share][row] or 0) * 2)) for share in SHARES)


def _add_census(
    rows: dict[str, tuple[int, bytes]], table: dict[str, list[Any]], minimum: int
) -> None:
    for row, raw in enumerate(table["name"]):
        name = fold(raw)
        count = table["count"][row]
        if raw != "ALL OTHER NAMES" and _proper(name) and name not in rows and count >= minimum:
            rows[name] = count, _packed_shares(table, row)


def _faker_names(sources: Sources, attribute: str) -> set[str]:
    """Names of other countries, in Latin letters; a name of several words gives no entry."""
    return {
        fold(name)
        for names in sources.faker_strings("person", attribute).values()
        for name in names
        if _proper(fold(name)) and len(name) > 2 and name[0].isupper()
    }


def _columns(table: str, rows: dict[str, tuple[int, bytes]]) -> tuple[list[str], dict[str, bytes]]:
    """Most frequent first: rank is position, and pools for surrogates are prefixes."""
    order = sorted(rows, key=lambda name: (-rows[name][0], name))
    return order, {
        f"{table}/keys": lines(order),
        f"{table}/count": numbers(rows[name][0] for name in order),
        f"{table}/shares": b"".join(rows[name][1] for name in order),
    }


def _surnames(sources: Sources) -> dict[str, bytes]:
    rows: dict[str, tuple[int, bytes]] = {}
    _add_census(rows, sources.census_names("2020"), 0)
    for year in ("2010", "2000"):
        _add_census(rows, sources.census_names(year), OLD_CENSUS_MINIMUM)
    for name in _faker_names(sources, "last_names"):
        rows.setdefault(name, (0, bytes(4)))
    order, tables = _columns("surnames", rows)
    shares: dict[str, dict[str, float]] = {}
    for year in ("2000", "2010", "2020"):
        shares |= share_rows(sources.census_names(year))
    counts = [rows[name][0] for name in order]
    column, letters = origin_column(sources, "last", order, counts, shares)
    return tables | {"surnames/origin": column, "surnames/letters": letters}


def _first_names(sources: Sources) -> dict[str, bytes]:
    rows: dict[str, tuple[int, bytes]] = {}
    female: dict[str, float] = {}
    census = sources.census_names("2020_first_names")
    _add_census(rows, census, 0)
    for row, raw in enumerate(census["name"]):
        female[fold(raw)] = (census["pctfemale"][row] or 0) / 100
    for name, (girls, boys) in sources.ssa_names().items():
        if name not in rows and _proper(name) and girls + boys >= SSA_MINIMUM:
            rows[name] = 0, bytes(4)
            female[name] = girls / (girls + boys)
    for attribute, share in (("first_names_f", 1.0), ("first_names_m", 0.0), ("first_names", 0.5)):
        for name in _faker_names(sources, attribute):
            if rows.setdefault(name, (0, bytes(4)))[0] == 0:
                female.setdefault(name, share)
    order, tables = _columns("first_names", rows)
    tables["first_names/female"] = bytes(round(female[name] * 200) for name in order)
    counts = [rows[name][0] for name in order]
    column, letters = origin_column(sources, "first", order, counts, share_rows(census))
    return tables | {"first_names/origin": column, "first_names/letters": letters}


def _nicknames(sources: Sources) -> dict[str, bytes]:
    """Both directions: the nicknames of William, and the full forms of Bill."""
    variants: defaultdict[str, set[str]] = defaultdict(set)
    for name, nickname in sources.nicknames():
        variants[fold(name)].add(fold(nickname))
        variants[fold(nickname)].add(fold(name))
    return {
        "nicknames": lines(
            f"{name}\t{' '.join(sorted(variants[name] - {name}))}" for name in sorted(variants)
        )
    }
