"""The word lists beside the generators (data/*.toml), read once."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from incognote.core.caches import cached

NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip


@cached(256)
def words_of(table: str, name: str) -> tuple[str, ...]:
    """A list in its order."""
    return tuple(table_of(table)[name].split())


@cached(256)
def word_list(table: str, name: str) -> frozenset[str]:
    """A list to look words up in."""
    return frozenset(words_of(table, name))


def groups_of(table: str, name: str) -> list[list[str]]:
    """Lists of names that may replace each other."""
    groups: list[list[str]] = table_of(table)[name]
    return groups


@cached(64)
def table_of(table: str) -> dict[str, Any]:
    """A whole data file."""
    path = files("incognote.transform").joinpath(f"data/{table}.toml")
    return tomllib.loads(path.read_text("utf-8"))
