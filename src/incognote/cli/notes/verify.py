"""`incognote verify`: whether outputs are still as `deid` wrote them."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from incognote.cli import DONE, WRONG
from incognote.core.errors import printable


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("output", metavar="OUT", type=Path, help="the folder that deid wrote to")


def run(args: argparse.Namespace) -> int:
    from incognote.engine.output.verify import GOOD, verify_outputs

    counts: Counter[str] = Counter()
    for found in verify_outputs(args.output):
        counts[found.verdict] += 1
        if found.verdict != GOOD:
            print(f"{found.verdict}: {printable(found.file)}")
    said = [f"{counts[verdict]:,} {verdict}" for verdict in sorted(counts)]
    print(", ".join(said) or "the manifest names no file")
    return DONE if counts.keys() <= {GOOD} else WRONG
