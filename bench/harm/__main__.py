"""Measures the harm rate over our tables and the public fixtures; prints JSON or the changes."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import bench.harm
from bench.harm.rate import FIXTURES, MORE_FIXTURES, rates
from bench.harm.tables import table_rates
from incognote.pipeline import Pipeline
from incognote.policy import DEFAULT, KEEP, load_policy

# The longest file has 2,000 messages of one generator: it would drown all others.
_LARGEST = 600_000


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.harm",
        description=bench.harm.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--policy", default=DEFAULT)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N changes a format")
    parser.add_argument("files", type=Path, nargs="*", help="instead of the fixtures")
    options = parser.parse_args()
    policy = load_policy(options.policy)
    # Pixels are no values, and reading them takes longest.
    policy = replace(policy, formats=replace(policy.formats, images=KEEP))
    every = options.files or sorted(
        path
        for folder in (FIXTURES, MORE_FIXTURES)
        for path in folder.rglob("*.*")
        if path.stat().st_size <= _LARGEST
    )
    pipeline = Pipeline(policy, b"a key for measuring, and nothing else")
    found = ({} if options.files else table_rates(pipeline)) | rates(every, pipeline)
    for kind, harm in found.items():
        for change in harm.changes[: options.show]:
            print(kind, change.file, change.place, repr(change.before), "->", repr(change.after))
    rows = {
        kind: {
            "values": harm.values,
            "changed": len(harm.changes),
            "per_1000": round(harm.rate, 2),
            "refused": harm.refused,
            "broken": harm.broken,
        }
        for kind, harm in sorted(found.items())
    }
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
