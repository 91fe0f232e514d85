"""Measures the workbench and prints tables.

    python -m bench.workbench [limits] [load] [actions] [ordering] [--out FILE] [--small]

`limits` times the editor in Chromium and a project of 100,000 notes; `load` lets 20 people work at
once on SQLite and 200 on PostgreSQL, and counts edits that were confirmed and are not there;
`actions` plays gold as the annotator through the API, with and without suggestions; `ordering`
trains after each batch and writes F1 against notes, words and actions for each ordering.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.workbench import limits, load, simulate

Row = dict[str, Any]
PARTS: dict[str, Callable[[bool], list[Row]]] = {
    "limits": limits.run,
    "load": load.run,
    "actions": simulate.actions,
    "ordering": simulate.ordering,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.workbench", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="default: all")
    parser.add_argument("--out", type=Path, help="write the numbers as JSON")
    parser.add_argument("--small", action="store_true", help="a tenth of everything: does it run?")
    options = parser.parse_args()
    console = Console(width=None if Console().is_terminal else 130, highlight=False)
    found: dict[str, list[Row]] = {}
    for name in options.parts or PARTS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        found[name] = PARTS[name](options.small)
        console.print(table(name, found[name]))
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(found, indent=1), "utf-8")


def table(name: str, rows: list[Row]) -> Table:
    grid = Table(title=name)
    for column in rows[0] if rows else ():
        grid.add_column(column, justify="left" if isinstance(rows[0][column], str) else "right")
    for row in rows:
        grid.add_row(*(_cell(value) for value in row.values()))
    return grid


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.3f}" if value < 10 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
