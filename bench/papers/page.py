"""A page about a paper: what it did, how it is done here, what came out, where we differ."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
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
        lines += [f"### {table.title}", "", *table_lines(table)]
    lines += ["## Where we differ, and why", "", about.differs]
    return "\n".join(lines).rstrip() + "\n"


def table_lines(table: Table) -> list[str]:
    return [_row(table.head), _row(["---"] * len(table.head)), *map(_row, table.rows), ""]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def titled(tables: Iterable[Table], corpus: str) -> Iterator[Table]:
    """With the corpus in the title, where several were studied."""
    for table in tables:
        yield Table(f"{table.title} ({corpus})" if corpus else table.title, table.head, table.rows)


def say(line: str) -> None:
    """What a long run has done so far."""
    print(line, file=sys.stderr, flush=True)
