"""The word lists beside the generators (data/*.toml), read once."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def words_of(table: str, name: str) -> tuple[str, ...]:
    """A list in its order."""
    return tuple(_table(table)[name].split())


@cache
def word_list(table: str, name: str) -> frozenset[str]:
    """A list to look words up in."""
    return frozenset(words_of(table, name))


@cache
def _table(table: str) -> dict[str, str]:
    path = files("incognote.transform").joinpath(f"data/{table}.toml")
    rows: dict[str, str] = tomllib.loads(path.read_text("utf-8"))
    return rows
