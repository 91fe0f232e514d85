"""UCI Adult as three public projects carry it."""

from __future__ import annotations

from pathlib import Path

import pytest

from incognote.anonymize import read_hierarchy
from incognote.anonymize.table import read_table

# As qiyuangong/Mondrian reads it: which fields are quasi-identifiers, and which are categories.
_FIELDS = (
    ("age", 0, False),
    ("workclass", 1, True),
    ("education_num", 4, False),
    ("marital_status", 5, True),
    ("occupation", 6, True),
    ("race", 8, True),
    ("sex", 9, True),
    ("native_country", 13, True),
)


def folder(shared: Path, name: str) -> Path:
    found = shared / "data/adult" / name
    if not found.is_dir():
        pytest.skip(f"{name} of UCI Adult is not beside this checkout")
    return found


def of_mondrian(shared: Path, *, numbered: bool) -> dict[str, list[object]]:
    """The 30,162 complete rows. `numbered`: categories as numbers in the order they first appear."""
    columns: dict[str, list[object]] = {name: [] for name, _, _ in _FIELDS}
    seen: dict[str, dict[str, int]] = {name: {} for name, _, _ in _FIELDS}
    for line in (folder(shared, "mondrian") / "adult.data").read_text().splitlines():
        if not line.strip() or "?" in line:
            continue
        cells = [cell.strip() for cell in line.split(",")]
        for name, field, category in _FIELDS:
            value: object = cells[field] if category else int(cells[field])
            if category and numbered:
                value = seen[name].setdefault(cells[field], len(seen[name]))
            columns[name].append(value)
    return columns


def trees_of_mondrian(shared: Path):
    where = folder(shared, "mondrian")
    return {
        name: read_hierarchy(where / f"adult_{name}.txt", name)
        for name, _, category in _FIELDS
        if category
    }


def of_arx(shared: Path):
    """ARX's adult.csv without occupation, and its hierarchies."""
    where = folder(shared, "arx")
    table = read_table(where / "adult.csv")
    quasi = [name for name in table if name != "occupation"]
    trees = {name: read_hierarchy(where / f"adult_hierarchy_{name}.csv", name) for name in quasi}
    return table, quasi, trees
