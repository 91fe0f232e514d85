"""`incognote deid`: the same files again, with the PHI replaced."""

from __future__ import annotations

import argparse

from incognote.cli import DONE, QUARANTINED
from incognote.cli.options import (
    add_fields,
    add_input,
    add_key,
    add_policy,
    add_running,
    key_from,
    settings_from,
)
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
        help="file or folder to write, with manifest.jsonl beside it "
        "(default: standard output, without a manifest)",
    )
    add_policy(parser)
    add_key(parser)
    add_fields(parser)
    add_running(parser)


def run(args: argparse.Namespace) -> int:
    settings = settings_from(args, key_from(args))
    summary = run_and_tell(local.deid, args.input, args.output, settings, quiet=args.quiet)
    return QUARANTINED if summary.quarantined else DONE
