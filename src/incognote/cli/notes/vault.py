"""`incognote vault verify|repair`: whether a vault can be opened, and what can be saved."""

from __future__ import annotations

import argparse
from pathlib import Path

from incognote.cli import DONE, WRONG
from incognote.cli.options import add_vault_key, vault_key_from


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    verify = actions.add_parser("verify", help="open every entry, and name the lines that fail")
    repair = actions.add_parser(
        "repair",
        help="write the vault again with all that opens; the old file stays as NAME.damaged",
    )
    for each in (verify, repair):
        each.add_argument("file", metavar="VAULT", type=Path, help="the vault")
        add_vault_key(each)


def run(args: argparse.Namespace) -> int:
    from incognote.transform.vault.file import repair_vault, verify_vault

    work = repair_vault if args.action == "repair" else verify_vault
    found = work(args.file, vault_key_from(args))
    print(f"{args.file}: {found.good:,} entries open")
    if found.torn:
        print(f"{found.torn:,} bytes at the end are a torn line: it is no entry")
    if found.bad_lines:
        shown = ", ".join(map(str, found.bad_lines[:20]))
        more = ", ..." if len(found.bad_lines) > 20 else ""
        print(f"{len(found.bad_lines):,} lines do not open: {shown}{more}")
    return WRONG if found.bad_lines and args.action == "verify" else DONE
