"""`make bench`: accuracy, robustness, speed, memory, growth and formats, in one run.

    python -m bench [--policies i2b2-2014,...] [--peers PYTHON] [--skip-growth]
                    [--skip-streams] [--skip-harm] [--skip-rules] [--out DIR]

Other tools run under their own interpreter (`--peers`), which `make bench` prepares. Everything
runs on one core, one tool after the other. Prints tables and writes bench.json.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.accuracy import detected, scored
from bench.notes import ROOT, notes
from bench.variants import VARIANTS, varied
from incognote import __version__
from incognote.core.labels import all_labels
from incognote.core.types import AnnotatedDocument
from incognote.corpus import read_corpus, write_corpus
from incognote.corpus.labelmaps import label_map
from incognote.evaluate.scoring.subsets import UNTYPED, subsets
from incognote.evaluate.scoring.words import WordTable, by_label
from incognote.policy import DEFAULT

Row = dict[str, Any]
WORKER = Path(__file__).with_name("worker.py")
PEERS = ("presidio", "scrubadub", "philter", "openmed")


def main() -> None:
    options = arguments()
    console = Console(width=None if Console().is_terminal else 150, highlight=False)
    gold = notes("dev")
    found: Row = {"incognote": __version__, "machine": machine(), "tools": {}}
    failed: list[str] = []

    def measured(name: str, measure: Callable[[], Any]) -> Any:
        """What a part measures; None if it fails. Whatever was measured before is on the disk."""
        try:
            return measure()
        except Exception as error:  # noqa: BLE001 - the other parts are worth having
            reason = _reason(error)
            failed.append(f"{name}: {reason}")
            console.print(f"{name}: failed: {reason}")
            return None
        finally:
            write(options.out, {**found, "failed": failed})

    for policy in options.policies:
        run = partial(tool, f"incognote:{policy}", sys.executable, gold)
        if row := measured(f"incognote {policy}", run):
            found["tools"][f"incognote {policy}"] = row
    for name in PEERS:
        if options.peers is None:
            console.print(f"{name}: skipped, no --peers interpreter (make bench prepares one)")
        elif row := measured(name, partial(tool, name, options.peers, gold)):
            found["tools"][name] = row
    parts: dict[str, Callable[[], Any]] = {
        "robustness": partial(robustness, gold, options.policies[0])
    }
    if not options.skip_growth:
        # Rules alone: a model reads windows of one size, and 10 MB would take it ten minutes.
        parts["growth"] = partial(part, "bench.growth", "rules")
    if not options.skip_streams:
        parts["streams"] = partial(part, "bench.streams", "speed", "--policy", "rules")
    if not options.skip_harm:
        parts["harm"] = partial(part, "bench.harm")
    if not options.skip_rules:
        parts["rules"] = partial(part, "bench.rules", "--by-group", "--json")
    for name, measure in parts.items():
        value = measured(name, measure)
        if value is not None:
            found[name] = value
    path = write(options.out, {**found, "failed": failed})
    measured("tables", partial(show, console, found))
    console.print(f"written: {path}")
    if any(not each.startswith(PEERS) for each in failed):
        sys.exit(1)


def write(folder: Path, found: Row) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "bench.json"
    path.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return path


def _reason(error: Exception) -> str:
    said = getattr(error, "stderr", None)
    lines = said.strip().splitlines() if isinstance(said, str) else []
    return lines[-1] if lines else f"{type(error).__name__}: {error}"


def arguments() -> argparse.Namespace:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=as_written
    )
    parser.add_argument(
        "--policies",
        type=lambda text: text.split(","),
        default=[DEFAULT, "fast", "rules"],
        help="first one is varied",
    )
    parser.add_argument("--peers", metavar="PYTHON", help="interpreter that has the other tools")
    parser.add_argument("--skip-growth", action="store_true", help="leave the long notes out")
    parser.add_argument("--skip-streams", action="store_true", help="leave CSV, HL7 and so on out")
    parser.add_argument("--skip-rules", action="store_true", help="leave out what rules earn")
    parser.add_argument("--skip-harm", action="store_true", help="leave the public files out")
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "out")
    options = parser.parse_args()
    if options.peers and not Path(options.peers).exists():
        options.peers = None
    return options


def machine() -> str:
    return (
        f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}, one core"
    )


def tool(name: str, python: str, gold: Sequence[AnnotatedDocument]) -> Row:
    """One tool in its own process: scores of its spans, and what it cost."""
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder) / "notes.jsonl", Path(folder) / "spans.jsonl"
        write_corpus([AnnotatedDocument(doc.document, ()) for doc in gold], given, "jsonl")
        done = subprocess.run(
            [python, str(WORKER), name, str(given), str(found)],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        pred = [ours(doc, name) for doc in read_corpus(found)]
    cost: Row = json.loads(done.stdout.strip().splitlines()[-1])
    return cost | scores(scored(gold, pred)[1])


def ours(doc: AnnotatedDocument, tool_name: str) -> AnnotatedDocument:
    """Presidio's labels as ours; what has no counterpart is PHI of no kind, and hides in every
    subset."""
    mapping = label_map("presidio").labels if tool_name == "presidio" else {}
    named = (mapping.get(span.label) or span.label for span in doc.spans)
    labels = [label if label in all_labels() else UNTYPED for label in named]
    spans = [replace(span, label=name) for span, name in zip(doc.spans, labels, strict=True)]
    return AnnotatedDocument(doc.document, tuple(spans))


def scores(table: WordTable) -> Row:
    return {
        "subsets": {
            name: table.counts(wanted).as_row() | {"leaking_notes": table.leaking(wanted)}
            for name, wanted in subsets().items()
        },
        "labels": {name: counts.as_row() for name, counts in by_label(table).items()},
        "notes": len(table.documents),
        "tokeniser": table.tokeniser,
    }


def robustness(gold: Sequence[AnnotatedDocument], policy: str) -> Row:
    found = {}
    for name in VARIANTS:
        changed = varied(gold, name)
        _, table = scored(changed, detected(changed, policy))
        found[name] = scores(table)["subsets"]
    return found


def part(module: str, *arguments: str) -> Any:
    """What a part of the bench that runs in a process of its own prints, as JSON."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return json.loads(done.stdout)


def show(console: Console, found: Row) -> None:
    main_table = Table(
        "tool", "recall", "precision", "F1", "group C recall", "precision", "leaking notes",
        "chars/s", "start s", "peak MB",
        title="Development notes, words, PHI or not; one core, processor time",
    )  # fmt: skip
    for name, row in found["tools"].items():
        every, group = row["subsets"]["all"], row["subsets"]["group C"]
        main_table.add_row(
            name,
            *(f"{every[key]:.3f}" for key in ("recall", "precision", "f1")),
            *(f"{group[key]:.3f}" for key in ("recall", "precision")),
            f"{every['leaking_notes']}/{row['notes']}",
            f"{row['chars_per_s']:,.0f}",
            f"{row['start_s']:.2f}",
            f"{row['peak_mb']:.0f}",
        )
    console.print(main_table)
    first = next(iter(found["tools"].values()))
    table = Table("subset or label", "words", "recall", "precision", "F1", "missed", "false")
    for name, row in (first["subsets"] | first["labels"]).items():
        table.add_row(
            name,
            f"{row['tp'] + row['fn']:.0f}",
            *(f"{row[key]:.4f}" for key in ("recall", "precision", "f1")),
            f"{row['fn']:.0f}",
            f"{row['fp']:.0f}",
        )
    console.print(table)
    table = Table("variant", "recall", "precision", "F1", "leaking notes", title="Robustness")
    for name, rows in found.get("robustness", {}).items():
        row = rows["all"]
        table.add_row(
            name,
            *(f"{row[key]:.4f}" for key in ("recall", "precision", "f1")),
            f"{row['leaking_notes']}",
        )
    console.print(table)
    for title, columns, row_of in _PARTS:
        rows = found.get(title.lower(), ())
        if rows:
            table = Table(*columns, title=title)
            for row in rows if isinstance(rows, list) else rows.items():
                table.add_row(*row_of(row))
            console.print(table)


def _growth(row: Row) -> list[str]:
    return [row["case"], f"{row['seconds']:.3f}", f"{row['chars_per_s']:,.0f}", row["failed"]]


def _streams(named: tuple[str, Row]) -> list[str]:
    kind, row = named
    return [
        kind,
        f"{row['chars_per_s']:,.0f}",
        f"{row['of_text']:.2f}",
        f"{row['bytes_per_s']:,.0f}",
        f"{row['of_text_by_bytes']:.2f}",
    ]


def _harm(named: tuple[str, Row]) -> list[str]:
    kind, row = named
    counts = (f"{row['values']:,}", f"{row['changed']:,}", f"{row['per_1000']:.2f}")
    return [kind, *counts, f"{len(row['broken'])}"]


def _rules(named: tuple[str, Row]) -> list[str]:
    group, row = named
    return [group, *(f"{row[key]:,}" for key in ("fired", "missed", "false"))]


_PARTS: tuple[tuple[str, tuple[str, ...], Callable[[Any], list[str]]], ...] = (
    ("Growth", ("note", "seconds", "chars/s", ""), _growth),
    ("Streams", ("format", "chars/s", "of text", "bytes/s", "of text"), _streams),
    ("Harm", ("format", "values", "changed", "per 1,000", "broken"), _harm),
    ("Rules", ("group", "fired", "missed without it", "false alarms of it"), _rules),
)


if __name__ == "__main__":
    main()
