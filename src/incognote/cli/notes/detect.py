"""`incognote detect`: one row of spans for each document."""

from __future__ import annotations

import argparse
from dataclasses import replace

from incognote.cli import DONE, QUARANTINED
from incognote.cli.options import (
    add_account,
    add_fields,
    add_input,
    add_policy,
    add_running,
    settings_from,
)
from incognote.cli.progress import Account, run_and_tell
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
    parser.add_argument(
        "--with-text",
        action="store_true",
        help="write the texts, too, so that `incognote corpus convert` can make any annotation "
        "format of the rows (they hold PHI)",
    )
    add_policy(parser)
    add_fields(parser)
    add_running(parser)
    add_account(parser)


def run(args: argparse.Namespace) -> int:
    settings = replace(settings_from(args), with_text=args.with_text)
    summary = run_and_tell(local.detect, args.input, args.output, settings, Account.of(args))
    return QUARANTINED if summary.quarantined else DONE
