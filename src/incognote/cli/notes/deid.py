"""`incognote deid`: the same files again, with the PHI replaced."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.cli import DONE, QUARANTINED
from incognote.cli.options import (
    KEY_VARIABLE,
    add_account,
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
from incognote.cli.progress import Account, run_and_tell
from incognote.core.errors import UsageError
from incognote.core.keys import surrogate_key
from incognote.engine import local
from incognote.engine.settings import Settings
from incognote.engine.sources import STREAM

if TYPE_CHECKING:
    from incognote.persons.write_back import ReleasedValues

_CORPUS_SCOPE = (
    'transform.scope is "corpus": all patients share one date shift and one map of names, so one '
    "known date decodes every note, and equal names of two patients stay equal"
)


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
    parser.add_argument(
        "--view",
        metavar="ANON",
        type=Path,
        help="write the values of an anonymised view back into the notes: a folder of `anonymize`",
    )
    add_fields(parser)
    add_running(parser)
    group = parser.add_argument_group("the engine")
    group.add_argument(
        "--engine",
        choices=("local", "spark"),
        default="local",
        help="where the work is done: this machine, or Spark, which reads Parquet, JSON Lines or "
        "CSV from wherever Spark can and writes Parquet (default: %(default)s)",
    )
    group.add_argument(
        "--master",
        metavar="URL",
        default="",
        help="the Spark cluster (default: as spark-submit says, else this machine with --workers)",
    )
    add_account(parser)


def run(args: argparse.Namespace) -> int:
    if args.resume and args.view:
        raise UsageError("a view may have changed since: --resume and --view exclude each other")
    settings = settings_from(args)  # before the key: a wrong policy is all there is to say
    if args.engine == "spark":
        return _run_on_spark(args, replace(settings, resume=args.resume))
    if args.master:
        raise UsageError("--master is for --engine spark")
    key = key_from(args)
    settings = replace(settings, key=key, resume=args.resume)
    values = None
    if args.view:
        from incognote.persons.write_back import ReleasedValues, view_policy

        values = ReleasedValues.read(args.view)
        settings = replace(settings, policy=view_policy(settings.policy), view=values)
    with ExitStack() as open_files:
        if args.vault:
            from incognote.transform.vault.file import VaultWriter

            secret = vault_key_from(args)
            if surrogate_key(secret, "vault key") == key:
                raise UsageError("the vault needs another key than the surrogates")
            vault = open_files.enter_context(VaultWriter(args.vault, secret))
            settings = replace(settings, vault=vault)
        account = Account.of(args)
        _note_corpus_scope(settings, account)
        summary = run_and_tell(local.deid, args.input, args.output, settings, account)
    if values:
        _report_unknown(values, account)
    return QUARANTINED if summary.quarantined else DONE


def _report_unknown(values: ReleasedValues, account: Account) -> None:
    """Fixed rules are safe, but not what was asked for."""
    if values.unknown and not values.known:
        raise UsageError(
            "the view has read none of these documents, so only fixed rules were written: give "
            "`deid` the same path as `persons`"
        )
    if values.unknown and not account.quiet:
        print(
            f"note: {len(values.unknown)} documents are not in the view: fixed rules alone",
            file=sys.stderr,
        )


def _note_corpus_scope(settings: Settings, account: Account) -> None:
    if settings.policy.transform.scope == "corpus" and not account.quiet:
        print(f"note: {_CORPUS_SCOPE}", file=sys.stderr)


def _run_on_spark(args: argparse.Namespace, settings: Settings) -> int:
    from incognote.spark.command import SparkRun
    from incognote.spark.keys import KeyEnv, KeyFile

    if args.view or args.vault:
        raise UsageError("--view and --vault: not with --engine spark")
    if not args.key_file and KEY_VARIABLE not in os.environ:
        raise UsageError(f"workers read the key: --key-file or {KEY_VARIABLE}")
    key = KeyFile(str(args.key_file.absolute())) if args.key_file else KeyEnv(KEY_VARIABLE)
    run = SparkRun(key, args.master)
    account = Account.of(args, "spark")
    _note_corpus_scope(settings, account)
    summary = run_and_tell(run, args.input, args.output, settings, account)
    return QUARANTINED if summary.quarantined else DONE
