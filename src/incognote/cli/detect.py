"""`incognote detect`: one row of spans for each document."""

from __future__ import annotations

import argparse

from incognote.cli import DONE, QUARANTINED
from incognote.cli.options import add_fields, add_input, add_policy, add_running, settings_from
from incognote.cli.progress import run_and_tell
from incognote.engine import local
from incognote.engine.sources import STREAM


def configure(parser: argparse.ArgumentParser) -> None:
    add_input(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        default=STREAM,
        help="JSON Lines file to write (default: standard output)",
    )
    add_policy(parser)
    add_fields(parser)
    add_running(parser)


def run(args: argparse.Namespace) -> int:
    settings = settings_from(args)
    summary = run_and_tell(local.detect, args.input, args.output, settings, quiet=args.quiet)
    return QUARANTINED if summary.quarantined else DONE
