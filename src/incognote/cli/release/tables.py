"""Tables of people on the command line: the options that name them and their attributes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.core.errors import UsageError

if TYPE_CHECKING:
    from incognote.anonymize import Hierarchy


def add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input",
        metavar="IN",
        type=Path,
        help="a CSV or Parquet table with one row for each person, or a view of `persons`",
    )


def add_person(group: argparse._ArgumentGroup | argparse.ArgumentParser) -> None:
    group.add_argument(
        "--person",
        metavar="A",
        default="",
        help="column that names the person: nobody may have more rows than are allowed (default: "
        '"person", where a table has it)',
    )


def add_hierarchies(group: argparse._ArgumentGroup | argparse.ArgumentParser) -> None:
    group.add_argument(
        "--hierarchy",
        metavar="A=FILE",
        action="append",
        default=[],
        help="hierarchy of an attribute: a CSV as ARX has it, intervals in TOML, or the name of "
        "one that ships; may be repeated (default: one that ships, where one is needed)",
    )


def read_people(path: Path) -> dict[str, list[Any]]:
    from incognote.anonymize.table import read_table

    if not path.is_file():
        raise UsageError(f"{path}: no such table")
    return read_table(path)


def hierarchies_from(options: Sequence[str]) -> dict[str, Hierarchy]:
    """What `--hierarchy A=FILE` and `--hierarchy A=name` say."""
    from incognote.anonymize import read_hierarchy, shipped, shipped_names

    found: dict[str, Hierarchy] = {}
    for option in options:
        name, equals, where = option.partition("=")
        if not equals or not name or not where:
            raise UsageError(f"--hierarchy {option}: write ATTRIBUTE=FILE")
        ready = where in shipped_names() and not Path(where).exists()
        found[name] = shipped(where) if ready else read_hierarchy(Path(where), name)
    return found


def names_in(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
