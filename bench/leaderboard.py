"""docs/papers/leaderboard.md, from runs that were measured.

    python -m bench.leaderboard                      the page again, from bench/measured/
    python -m bench.leaderboard --measure NAME ...   measures tools on the unseen notes first

A run is a file of its own: tool and version, corpus, command, machine, date, scores. A tool that
has no file was not run, and the page says so. Nobody writes numbers by hand.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.notes import CORPORA, ROOT, notes
from bench.papers.page import Table, table_lines
from incognote import __version__
from incognote.core.types import AnnotatedDocument

Run = Mapping[str, Any]
MEASURED = ROOT / "bench" / "measured"
PAGE = ROOT / "docs" / "papers" / "leaderboard.md"
CORPUS = "unseen"
# Every tool that a reader may ask about: how it runs here, or why it does not.
TOOLS = {
    "incognote:i2b2-2014": "the default policy",
    "incognote:fast": "the policy `fast`",
    "incognote:rules": "rules and lists alone",
    "presidio": "Presidio with spaCy's small English model",
    "scrubadub": "scrubadub",
    "philter": "Philter (philter-lite, its delta configuration, parts of speech by spaCy)",
    "openmed": "OpenMed's patterns alone",
    "openmed-models": "OpenMed's models: on a hub, not on a package index",
    "pydeid": "pyDeid: its name on the package index is that of an empty package",
    "physionet-deid": "deid of PhysioNet: a Perl program",
    "nlm-scrubber": "NLM-Scrubber: a program of its own",
    "clinideid": "CliniDeID: a Java program",
    "jsl": "John Snow Labs: commercial",
}


def main() -> None:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m bench.leaderboard", description=__doc__, formatter_class=as_written
    )
    parser.add_argument("--measure", nargs="+", metavar="NAME", choices=[*TOOLS], default=[])
    parser.add_argument("--peers", metavar="PYTHON", help="interpreter that has the other tools")
    options = parser.parse_args()
    gold = notes(CORPUS)
    for name in options.measure:
        python = sys.executable if name.startswith("incognote") else options.peers
        if python is None:
            parser.error(f"{name} needs --peers, the interpreter that has it")
        keep(measured(name, python, gold, " ".join(["python -m bench.leaderboard", *_said()])))
    PAGE.write_text(page(runs(), fingerprint()), "utf-8")
    print(PAGE.read_text("utf-8"))


def _said() -> list[str]:
    """The command without paths of this machine."""
    return [Path(word).name if os.sep in word else word for word in sys.argv[1:]]


def measured(name: str, python: str, gold: Sequence[AnnotatedDocument], command: str) -> Run:
    from bench.__main__ import machine, tool

    found = tool(name, python, gold)
    return {
        "tool": name,
        "version": found.get("version") or __version__,
        "command": command,
        "machine": machine(),
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "corpus": CORPUS,
        "corpus_sha256": fingerprint(),
        **found,
    }


def fingerprint() -> str:
    """Which state of the notes was measured on."""
    return hashlib.sha256(CORPORA[CORPUS].read_bytes()).hexdigest()


def keep(run: Run) -> None:
    MEASURED.mkdir(exist_ok=True)
    path = MEASURED / f"{run['tool'].replace(':', '-')}.json"
    path.write_text(json.dumps(run, indent=1) + "\n", "utf-8")


def runs() -> list[Run]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(MEASURED.glob("*.json"))]


def page(found: Sequence[Run], corpus: str) -> str:
    """The best group C score first; runs on another state of the notes come in a table of their
    own."""
    current = [run for run in found if run["corpus_sha256"] == corpus]
    ranked = sorted(current, key=lambda run: -run["subsets"]["group C"]["f1"])
    older = [run for run in found if run["corpus_sha256"] != corpus]
    missing = [name for name in TOOLS if name not in {run["tool"] for run in current}]
    intro = (
        f"Measured runs alone, on the {len(notes(CORPUS))} notes of `data/unseen.jsonl`, which no "
        "rule and no model learned from (they are invented, and written to be hard): words, PHI or "
        "not, clock times neutral. [Measuring](../guides/evaluation.md) says what is counted. "
        "Labels of other tools count as PHI of their nearest label of ours."
    )
    lines = [
        "# Leaderboard",
        "",
        intro,
        "",
        *table_lines(scores_table(ranked)),
        "## How each was run",
        "",
        *table_lines(runs_table(ranked)),
        "Speed stands in [the benchmark](../guides/benchmark.md), which needs a quiet machine.",
        "",
        "## Not run",
        "",
        *(f"- {TOOLS[name]}" for name in missing),
        "",
    ]
    if older:
        names = ", ".join(sorted(TOOLS.get(run["tool"], run["tool"]) for run in older))
        lines += [f"Measured on another state of the notes, and left out: {names}.", ""]
    return "\n".join([*lines, _TO_ADD, ""])


_TO_ADD = (
    "To add a row: `make bench` builds an environment with the tools that a package index has, and "
    "`python -m bench.leaderboard --measure presidio --peers bench/.venv/bin/python` writes a run "
    "and this page. What a tool wrote by itself is measured with `incognote evaluate`, which reads "
    "[the output of many](../guides/evaluation.md#a-report)."
)


def scores_table(ranked: Sequence[Run]) -> Table:
    head = ["tool", "group C: recall", "precision", "F1", "all: recall", "precision", "F1", "leak"]
    rows = []
    for run in ranked:
        cells = [
            f"{run['subsets'][subset][score]:.4f}"
            for subset in ("group C", "all")
            for score in ("recall", "precision", "f1")
        ]
        leaks = f"{run['subsets']['all']['leaking_notes']}/{run['notes']}"
        rows.append([_name(run), *cells, leaks])
    return Table("", head, rows)


def runs_table(ranked: Sequence[Run]) -> Table:
    rows = [
        [_name(run), run["version"], f"`{run['command']}`", run["machine"], run["date"]]
        for run in ranked
    ]
    return Table("", ["tool", "version", "command", "machine", "date"], rows)


def _name(run: Run) -> str:
    said = TOOLS.get(run["tool"], run["tool"])
    return f"incognote, {said}" if run["tool"].startswith("incognote") else said


if __name__ == "__main__":
    main()
