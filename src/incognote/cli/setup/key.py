"""`incognote key new`: a secret key, random and for its owner only."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from incognote.cli import DONE
from incognote.core.errors import UsageError
from incognote.core.keys import new_key


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    new = actions.add_parser("new", help="write a new random key to a file")
    new.add_argument("file", metavar="FILE", type=Path, help="must not exist yet")


def run(args: argparse.Namespace) -> int:
    path: Path = args.file
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(
            f"{path}: is there already; a key that is lost cannot be made again"
        ) from None
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(new_key() + "\n")
    print(f"wrote {path}: keep it safe, and apart from what it makes")
    return DONE
