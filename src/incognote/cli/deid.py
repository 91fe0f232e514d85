"""`incognote deid`: the same files again, with the PHI replaced."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from incognote.cli import DONE, QUARANTINED
from incognote.cli.options import (
    add_fields,
    add_input,
    add_key,
    add_policy,
    add_running,
    add_vault_key,
    key_from,
    settings_from,
    vault_key_from,
)
from incognote.cli.progress import run_and_tell
from incognote.core.errors import UsageError
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
    parser.add_argument(
        "--resume",
        action="store_true",
        help="pass over files that an earlier run with this policy and key has finished",
    )
    group = parser.add_argument_group("the way back")
    group.add_argument(
        "--vault",
        metavar="FILE",
        type=Path,
        help="also write an encrypted map back here, for `incognote reidentify`; "
        "without it nothing can be reversed",
    )
    add_vault_key(group)
    add_fields(parser)
    add_running(parser)


def run(args: argparse.Namespace) -> int:
    if args.resume and args.vault:
        raise UsageError("a vault holds one whole run: --resume and --vault exclude each other")
    settings = settings_from(args)  # before the key: a wrong policy is all there is to say
    key = key_from(args)
    settings = replace(settings, key=key, resume=args.resume)
    with ExitStack() as open_files:
        if args.vault:
            from incognote.transform.vault import VaultWriter

            secret = vault_key_from(args)
            if secret == key:
                raise UsageError("the vault needs another key than the surrogates")
            vault = open_files.enter_context(VaultWriter(args.vault, secret))
            settings = replace(settings, vault=vault)
        summary = run_and_tell(local.deid, args.input, args.output, settings, quiet=args.quiet)
    return QUARANTINED if summary.quarantined else DONE
