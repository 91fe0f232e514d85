"""`incognote histogram`: how many persons are in each cell, with differential privacy."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from incognote.cli import DONE
from incognote.cli.options import show_pairs
from incognote.cli.release.tables import (
    add_hierarchies,
    add_person,
    add_table,
    hierarchies_from,
    names_in,
    read_people,
)
from incognote.core.errors import UsageError

if TYPE_CHECKING:
    from incognote.anonymize.counts.histogram import Histogram


def configure(parser: argparse.ArgumentParser) -> None:
    add_table(parser)
    parser.add_argument("--by", metavar="A,B", required=True, help="attributes to count by")
    parser.add_argument(
        "--epsilon", metavar="E", type=float, required=True, help="what it may cost"
    )
    parser.add_argument(
        "--delta", metavar="D", type=float, help="use the Gaussian mechanism with this δ"
    )
    parser.add_argument(
        "--contributions",
        metavar="N",
        type=int,
        default=1,
        help="rows that one person may have (default: %(default)s)",
    )
    parser.add_argument(
        "--method",
        choices=("auto", "cells", "cube"),
        default="auto",
        help="noise on cells, or DPCube; auto takes the cube above 10,000 cells",
    )
    add_person(parser)
    add_hierarchies(parser)
    parser.add_argument(
        "--level",
        metavar="A=N",
        action="append",
        default=[],
        help="level of the hierarchy to count by; may be repeated",
    )
    parser.add_argument(
        "--ledger",
        metavar="FILE",
        type=Path,
        help="add what is spent here; refuse beyond the budget",
    )
    parser.add_argument("--budget", metavar="E", type=float, help="ε of a new ledger")
    parser.add_argument(
        "--budget-delta", metavar="D", type=float, help="δ of a new ledger (default: 0)"
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT", default="-", help="CSV to write (default: standard output)"
    )
    parser.add_argument("--quiet", action="store_true", help="no summary")


def run(args: argparse.Namespace) -> int:
    from incognote.anonymize.counts.budget import Ledger
    from incognote.anonymize.counts.histogram import histogram

    if args.ledger is None and (args.budget is not None or args.budget_delta is not None):
        raise UsageError("a budget belongs to a ledger: give --ledger as well")
    by = names_in(args.by)
    levels = _levels(args.level)
    data = _table(args, by)
    found = histogram(
        data,
        by,
        args.epsilon,
        delta=args.delta,
        contributions=args.contributions,
        method=args.method,
        hierarchies=hierarchies_from(args.hierarchy),
        levels=levels,
    )
    if args.ledger:
        # Spent before anything is written: nobody has seen a release that fails afterwards,
        # and costs all the same.
        Ledger(args.ledger, args.budget, args.budget_delta).spend(
            f"histogram by {', '.join(by)}", found.epsilon, found.delta
        )
    if args.output == "-":
        _write(sys.stdout, by, found)
    else:
        with Path(args.output).open("w", encoding="utf-8", newline="") as file:
            _write(file, by, found)
        Path(f"{args.output}.json").write_text(
            json.dumps(found.as_dict(), indent=1) + "\n", "utf-8"
        )
    if not args.quiet:
        show_pairs(
            [
                ("cells", f"{found.counts.size:,} ({found.method})"),
                ("epsilon", f"{found.epsilon:g}"),
                ("delta", f"{found.delta:g}"),
                ("unit", f"a person, with at most {found.contributions} rows"),
                ("scale of the noise", f"{found.scale:.4g}"),
            ]
        )
    return DONE


def _table(args: argparse.Namespace, by: list[str]) -> dict[str, list[Any]]:
    if args.input.is_dir():
        from incognote.persons.view import read_view
        from incognote.persons.write_back import table_of

        return table_of(read_view(args.input), by, None)
    from incognote.anonymize.table import check_persons

    data = read_people(args.input)
    check_persons(data, args.person, args.contributions)
    return data


def _write(file: TextIO, by: list[str], found: Histogram) -> None:
    writer = csv.writer(file)
    writer.writerow([*by, "count"])
    writer.writerows(found.rows())


def _levels(options: list[str]) -> dict[str, int]:
    found = {}
    for option in options:
        name, _, level = option.partition("=")
        if not level.isdecimal():
            raise UsageError(f"--level {option}: write ATTRIBUTE=NUMBER")
        found[name] = int(level)
    return found
