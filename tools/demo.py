"""`make demo`: de-identify the sample notes with the command line and show them side by side."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

import incognote
from incognote.cli.notes.show import marked
from incognote.engine.events import read_documents
from incognote.engine.patients import Patients
from incognote.engine.settings import Settings
from incognote.transform import new_spans

ROOT = Path(__file__).parents[1]
OUT = "demo-out"
# A fixed key, so that everybody's demo shows the same surrogates. Never use it for real notes.
KEY = "the demonstration key of incognote"

# Input and policy of each run, and what to look at.
RUNS = (
    (
        "samples/notes",
        "i2b2-2014",
        "Text files do not say whose they are: each note stands alone. Parkinson and Foley stay.",
    ),
    (
        "samples/notes.jsonl",
        "i2b2-2014",
        "Rows with a patient id: ed-1 and pcp-2 tell of one patient, and agree in names and dates.",
    ),
    (
        "samples/notes.csv",
        "samples/notes-csv.toml",
        "A table told by a policy. A17 and A18 share a patient, and so name and initial.",
    ),
)
# Where nobody watches, as in a log: two columns that most lines of a note fit into.
WIDE = 140


def main() -> None:
    os.chdir(ROOT)
    shutil.rmtree(OUT, ignore_errors=True)
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = Console(width=WIDE, highlight=False)
    for source, policy, remark in RUNS:
        command = ["deid", source, "-o", f"{OUT}/{Path(source).name}", "--policy", policy]
        console.print(f"\n$ incognote {' '.join(command)}", style="bold", soft_wrap=True)
        subprocess.run(
            [sys.executable, "-m", "incognote", *command],
            env={**os.environ, "INCOGNOTE_KEY": KEY},
            check=True,
        )
        console.print(remark, style="italic")
        for result in results(source, policy):
            show(console, result)
    console.print(f"The files are in {OUT}/, each folder with its manifest.jsonl.")
    console.print(
        "Why a word was masked: .venv/bin/incognote explain samples/notes/nursing-note.txt"
    )


def results(source: str, policy: str) -> Iterator[incognote.Result]:
    """The same work again in Python, for the positions of what was replaced."""
    deidentifier = incognote.Deidentifier(policy=policy, key=KEY)
    documents = [
        document
        for document in read_documents(source, Settings(deidentifier.policy))
        if isinstance(document, incognote.Document) and document.free_text
    ]
    if deidentifier.policy.resolve.across_documents:
        patients = Patients()
        for document in documents:
            patients.add(deidentifier.detect(document))
        documents = [patients.with_known_values(document) for document in documents]
    for document in documents:
        result = deidentifier.deid(document)
        if result.spans:
            yield result


def show(console: Console, result: incognote.Result) -> None:
    table = Table(title=result.document.id, expand=True, box=box.SIMPLE_HEAD)
    for heading in ("original", "de-identified"):
        table.add_column(heading, ratio=1, overflow="fold")
    before = marked(result.document.text, result.spans)
    after = marked(result.text or "", new_spans(result), names=False)
    for left, right in side_by_side(before, after):
        table.add_row(left, right)
    console.print(table)


def side_by_side(before: Text, after: Text) -> list[tuple[Text, Text]]:
    """Line beside line. Where a replacement has taken a line end along, all beside all."""
    lines = before.split(allow_blank=True), after.split(allow_blank=True)
    if len(lines[0]) != len(lines[1]):
        return [(before, after)]
    return list(zip(*lines, strict=True))


if __name__ == "__main__":
    main()
