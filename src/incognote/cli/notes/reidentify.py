"""`incognote reidentify`: the honest broker's way back, through a vault and on the record."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from incognote.cli import DONE
from incognote.cli.options import add_fields, add_policy, add_vault_key, policy_from, vault_key_from
from incognote.cli.progress import counted
from incognote.core.errors import UsageError
from incognote.engine import local
from incognote.engine.settings import Settings
from incognote.engine.sources import STREAM


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input", metavar="IN", nargs="*", help="what deid wrote: files, a folder, or -"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        default=STREAM,
        help="file or folder for the restored documents (default: standard output)",
    )
    parser.add_argument("--vault", metavar="FILE", type=Path, required=True, help="the vault")
    add_vault_key(parser)
    parser.add_argument(
        "--reason", metavar="TEXT", required=True, help="why; written to the vault's audit file"
    )
    parser.add_argument("--value", metavar="TEXT", help="look up what one surrogate stood for")
    parser.add_argument("--patient", metavar="ID", help="look it up for this patient only")
    parser.add_argument("--format", metavar="NAME", default="", help="read every file as this")
    add_policy(parser)
    add_fields(parser)


def run(args: argparse.Namespace) -> int:
    from incognote.transform.vault.file import Vault

    if bool(args.input) == (args.value is not None):
        raise UsageError("give either documents to restore or --value")
    vault = Vault(args.vault, vault_key_from(args))
    if args.value is not None:
        found = vault.look_up(args.value, args.reason, args.patient)
        for document, label, original in found:
            row = {"document": document, "label": label, "original": original}
            print(json.dumps(row, ensure_ascii=False))
        if not found:
            print("no surrogate in the vault is written like that", file=sys.stderr)
        return DONE
    settings = Settings(policy_from(args), format=args.format)
    count = local.restore(args.input, args.output, vault, args.reason, settings)
    print(f"restored {counted(count, 'document')}", file=sys.stderr)
    return DONE
