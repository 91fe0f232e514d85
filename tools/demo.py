"""`make demo`: de-identify the sample notes with the command line and show them side by side."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

import incognote
from incognote.cli.show import marked
from incognote.engine.stream import Settings, read_documents
from incognote.transform import new_spans

ROOT = Path(__file__).parents[1]
OUT = "demo-out"
# A fixed key, so that everybody's demo shows the same surrogates. Never use it for real notes.
KEY = "the demonstration key of incognote"

# Input and policy of each run.
RUNS = (
    ("samples/notes", "i2b2-2014"),
    ("samples/notes.jsonl", "i2b2-2014"),
    ("samples/notes.csv", "samples/notes-csv.toml"),
)


def main() -> None:
    os.chdir(ROOT)
    shutil.rmtree(OUT, ignore_errors=True)
    console = Console()
    if not console.is_terminal:
        console = Console(width=140)
    for source, policy in RUNS:
        command = ["deid", source, "-o", f"{OUT}/{Path(source).name}", "--policy", policy]
        console.print(f"$ incognote {' '.join(command)}", style="bold", highlight=False)
        subprocess.run(
            [sys.executable, "-m", "incognote", *command],
            env={**os.environ, "INCOGNOTE_KEY": KEY},
            check=True,
        )
    for source, policy in RUNS:
        for result in results(source, policy):
            show(console, result)
    console.print(f"The files are in {OUT}/, each folder with its manifest.jsonl.")


def results(source: str, policy: str) -> Iterator[incognote.Result]:
    """The same work again in Python, for the positions of what was replaced."""
    deidentifier = incognote.Deidentifier(policy=policy, key=KEY)
    for document in read_documents(source, Settings(deidentifier.policy)):
        if isinstance(document, incognote.Document) and document.free_text:
            yield deidentifier.deid(document)


def show(console: Console, result: incognote.Result) -> None:
    table = Table("original", "de-identified", title=result.document.id, expand=True)
    table.columns[0].ratio = table.columns[1].ratio = 1
    table.add_row(
        marked(result.document.text, result.spans),
        marked(result.text or "", new_spans(result), names=False),
    )
    console.print(table)


if __name__ == "__main__":
    main()
