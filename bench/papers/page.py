"""A page about a paper: what it did, how it is done here, what came out, where we differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class About:
    """The parts of a page that people write."""

    title: str
    source: str
    did: str
    here: str
    differs: str
    folded: bool = False  # trained and tested by cross-validation


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def write_page(about: About, tables: Iterable[Table], corpus: str) -> str:
    lines = [f"# {about.title}", "", about.source, "", "## What the paper did", "", about.did, ""]
    lines += ["## How it is done here", "", about.here, "", "## What came out", ""]
    lines += [f"Corpus: {corpus}. The command above writes this page again.", ""]
    for table in tables:
        lines += [f"### {table.title}", "", _row(table.head), _row(["---"] * len(table.head))]
        lines += [*map(_row, table.rows), ""]
    lines += ["## Where we differ, and why", "", about.differs]
    return "\n".join(lines).rstrip() + "\n"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
