"""`incognote persons`: notes of any format as a table of people, with provenance."""

from __future__ import annotations

import argparse
from pathlib import Path

from incognote.cli import DONE, QUARANTINED
from incognote.cli.options import (
    add_fields,
    add_input,
    add_key,
    add_policy,
    add_running,
    key_from,
    settings_from,
    show_failures,
    show_pairs,
)
from incognote.core.errors import UsageError
from incognote.core.types import Failure


def configure(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="VIEW",
        type=Path,
        required=True,
        help="folder for mentions, links and persons as Parquet (they hold PHI: mode 0600)",
    )
    add_policy(parser)
    add_key(parser)
    group = parser.add_argument_group("linking")
    group.add_argument(
        "--link",
        choices=("stated", "exact", "probable"),
        default="exact",
        help="how far documents of one person are linked: by ids that the source states, also by "
        "equal record numbers, also by Splink (default: %(default)s)",
    )
    group.add_argument(
        "--loops",
        metavar="N",
        type=int,
        default=0,
        help="read again with what the other notes of a person say, at most twice "
        "(default: %(default)s)",
    )
    group = parser.add_argument_group("other shapes")
    group.add_argument(
        "--csv", metavar="FILE", type=Path, help="also write the people as CSV (holds PHI)"
    )
    group.add_argument(
        "--omop",
        metavar="FILE",
        type=Path,
        help="also write OMOP's table person as CSV (holds PHI)",
    )
    add_fields(parser)
    add_running(parser, quarantine=False)


def run(args: argparse.Namespace) -> int:
    from incognote.persons.reading import read_people
    from incognote.persons.view import omop_columns, write_csv, write_view

    settings = settings_from(args)
    if args.output.is_file():
        raise UsageError(f"{args.output}: a file, not a folder")
    failures: list[Failure] = []
    view = read_people(
        args.input,
        settings,
        key_from(args),
        args.link,
        args.loops,
        failures.append,
        frozenset({args.output.resolve()}),
    )
    write_view(view, args.output)
    if args.csv:
        write_csv(view.table(), args.csv)
    if args.omop:
        write_csv(omop_columns(view), args.omop)
    if not args.quiet:
        show_pairs(
            [
                ("documents", f"{len(view.owner):,}, {len(failures):,} could not be read"),
                ("persons", f"{len(view.persons):,}, linked by {view.method}"),
                ("mentions", f"{len(view.mentions):,}"),
                (
                    "identifiers that contradict",
                    f"{view.conflicts:,}, in {len(view.contradicting):,} documents",
                ),
            ]
        )
    show_failures(failures)
    return QUARANTINED if failures else DONE
