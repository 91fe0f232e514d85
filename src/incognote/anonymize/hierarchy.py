"""Generalisation hierarchies: from a value, level by level, to "*".

A hierarchy is written as ARX writes it, one row for each value: `leaf;level 1;...;*`. Rows may be
of different length: a short one repeats its leaf.
Numbers and days may be given as intervals in TOML:

    widths = [5, 10, 20]     # years, or whatever the numbers count
    top = 90                 # this value and all above are one
"""

from __future__ import annotations

import csv
import datetime as dt
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from incognote.anonymize.table import MISSING, Column, Floats, Ints, as_text
from incognote.core.errors import UsageError

ROOT = "*"
Path_ = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Values and what they become. `path(value)` is the value as text at level 0, 1, ... up to "*";
    None where the hierarchy does not know it. All paths of one hierarchy are of one length.

    `leaves` are all values of a hierarchy that lists them; one that computes has none. `spec` is
    what `from_spec` makes the same hierarchy of again.
    """

    name: str
    path: Callable[[Any], Path_ | None] = field(repr=False)
    levels: int
    leaves: tuple[str, ...] = field(default=(), repr=False)
    spec: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def tree(self, column: Column) -> Tree:
        """The hierarchy over a column's values. A value it does not know is an error that names
        the row."""
        paths = []
        for code, value in enumerate(column.values):
            path = self.path(value)
            if path is None:
                row = int(np.argmax(column.codes == code)) + 1
                raise UsageError(
                    f"{column.name}, row {row}: the hierarchy does not know this value"
                )
            paths.append(path)
        listed = set(self.leaves) - {path[0] for path in paths}
        others = [path for leaf in sorted(listed) if (path := self.path(leaf))]
        return _tree(column, paths, others, self.levels)


@dataclass(frozen=True, slots=True)
class Tree:
    """`nodes[level, code]` is the node of a value at a level; nodes count from 0 at each level.

    The last code is that of missing values: at level 0 they are themselves, above they are "*" or
    a node of their own, as `nodes` says. `sizes[level][node]` counts the leaves below a node.
    """

    nodes: Ints = field(repr=False)
    labels: tuple[tuple[str, ...], ...] = field(repr=False)
    sizes: tuple[Floats, ...] = field(repr=False)
    leaves: int

    @property
    def levels(self) -> int:
        return len(self.labels)


def _tree(column: Column, paths: list[Path_], others: list[Path_], levels: int) -> Tree:
    missing = ("", *[""] * (levels - 2), ROOT) if levels > 1 else ("",)
    known = [*paths, missing]
    nodes = np.zeros((levels, len(known)), dtype=np.int64)
    labels: list[tuple[str, ...]] = []
    sizes: list[Floats] = []
    parents: dict[tuple[int, str], str] = {}
    has_missing = bool((column.codes == MISSING).any())
    counted = [*paths, *others, *([missing] if has_missing else [])]
    for level in range(levels):
        index: dict[str, int] = {}
        for code, path in enumerate(known):
            nodes[level, code] = index.setdefault(path[level], len(index))
            if level + 1 < levels:
                parent = parents.setdefault((level, path[level]), path[level + 1])
                if parent != path[level + 1]:
                    row = int(np.argmax(column.codes == code)) + 1
                    raise UsageError(
                        f"{column.name}, row {row}: a value of level {level} has two parents"
                    )
        count = np.zeros(len(index))
        for path in counted:
            if path[level] in index:
                count[index[path[level]]] += 1
        labels.append(tuple(index))
        sizes.append(count)
    return Tree(nodes, tuple(labels), tuple(sizes), len(counted))


# ----------------------------------------------------------------------------------- written ones


def from_rows(name: str, rows: Sequence[Sequence[str]]) -> Hierarchy:
    """A hierarchy from its rows, as ARX writes them."""
    filled = [tuple(cell.strip() for cell in row) for row in rows if any(row)]
    if not filled:
        raise UsageError(f"hierarchy {name}: it is empty")
    levels = max(len(row) for row in filled)
    if any(row[-1] != ROOT for row in filled):
        levels += 1
    table: dict[str, Path_] = {}
    parents: dict[tuple[int, str], str] = {}
    for number, row in enumerate(filled, 1):
        body = row[:-1] if row[-1] == ROOT else row
        path = (*[body[0]] * (levels - 1 - len(body)), *body, ROOT)
        if table.setdefault(row[0], path) != path:
            raise UsageError(f"hierarchy {name}, row {number}: a value is listed twice")
        for level in range(levels - 1):
            parent = parents.setdefault((level, path[level]), path[level + 1])
            if parent != path[level + 1]:
                raise UsageError(
                    f"hierarchy {name}, row {number}: a value of level {level} has two parents"
                )
    return Hierarchy(
        name, lambda value: table.get(as_text(value)), levels, tuple(table), {"rows": filled}
    )


def intervals(name: str, widths: Sequence[float], top: float | None = None) -> Hierarchy:
    """Numbers in wider and wider intervals, each width a multiple of the one before."""
    if not widths or any(width <= 0 for width in widths):
        raise UsageError(f"hierarchy {name}: widths must be above 0")
    for narrow, wide in pairwise(widths):
        if wide % narrow:
            raise UsageError(f"hierarchy {name}: each width must be a multiple of the one before")

    def path(value: Any) -> Path_ | None:
        number = _as_number(value)
        if number is None:
            return None
        if top is not None and number >= top:
            return (*[f"{top:g}+"] * (len(widths) + 1), ROOT)
        steps = []
        for width in widths:
            low = number // width * width
            high = low + width - 1
            if top is not None:
                high = min(high, top - 1)
            steps.append(f"{low:g}-{high:g}" if high > low else f"{low:g}")
        return (as_text(value), *steps, ROOT)

    return Hierarchy(name, path, len(widths) + 2, (), {"widths": list(widths), "top": top})


def _as_number(value: Any) -> float | None:
    if isinstance(value, int | float):
        return float(value)
    try:
        return float(str(value))
    except ValueError:
        return None


def computed(name: str, path: Callable[[Any], Path_ | None], levels: int) -> Hierarchy:
    """One of those that ship."""
    return Hierarchy(name, path, levels, (), {"shipped": name})


def read_hierarchy(path: Path, name: str = "") -> Hierarchy:
    """A hierarchy from a file: CSV as ARX has it, or intervals in TOML."""
    name = name or path.stem
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text file in UTF-8") from None
    if path.suffix.lower() == ".toml":
        return _from_toml(name, text)
    separator = ";" if ";" in text else ","
    try:
        rows = list(csv.reader(text.splitlines(), delimiter=separator, strict=True))
    except csv.Error:
        raise UsageError(f"hierarchy {name}: not a CSV file") from None
    return from_rows(name, rows)


def _from_toml(name: str, text: str) -> Hierarchy:
    try:
        table: Mapping[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise UsageError(f"hierarchy {name}: not a TOML file") from None
    if unknown := sorted(table.keys() - {"widths", "top"}):
        raise UsageError(f"hierarchy {name}: not understood: {', '.join(unknown)}")
    widths = table.get("widths")
    if not isinstance(widths, list) or not all(isinstance(each, int | float) for each in widths):
        raise UsageError(f"hierarchy {name}: `widths` must be a list of numbers")
    top = table.get("top")
    if top is not None and not isinstance(top, int | float):
        raise UsageError(f"hierarchy {name}: `top` must be a number")
    return intervals(name, widths, top)


def day_of(value: Any) -> dt.date | None:
    """A day from a date or its ISO form."""
    if isinstance(value, dt.date):
        return value
    try:
        return dt.date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
