"""What a person sees of a run: a bar on a terminal, nothing in a pipe, and a line at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from incognote.core.errors import UsageError
from incognote.engine.ledger import MANIFEST, Summary
from incognote.engine.sources import STREAM, find_sources
from incognote.engine.stream import Settings

# Failures beyond these are counted on the terminal; the quarantine list has them all.
_SHOWN = 20

Run = Callable[[str, str, Settings], Summary]


def run_and_tell(run: Run, where: str, out: str, settings: Settings, *, quiet: bool) -> Summary:
    """Run with a progress bar where someone is watching, and sum up on standard error."""
    told = 0

    def report(message: str) -> None:
        nonlocal told
        told += 1
        if told <= _SHOWN:
            print(f"quarantined: {message}", file=sys.stderr)

    if not quiet and not settings.resume and (note := _overwriting(out)):
        print(f"note: {note}", file=sys.stderr)
    with _bar(where, quiet=quiet) as advance:
        summary = run(where, out, replace(settings, report=report, progress=advance))
    if told > _SHOWN:
        print(f"quarantined: {told - _SHOWN} more, see the list", file=sys.stderr)
    if not quiet:
        print(_closing_line(summary), file=sys.stderr)
    return summary


def _overwriting(out: str) -> str:
    """What a run is about to write over, for those who meant another place."""
    if Path(out).is_file():
        return f"{out} is there already and is written anew"
    if (Path(out) / MANIFEST).is_file():
        return f"{out} holds an earlier run: files of the same name are written anew, others stay"
    return ""


def _closing_line(summary: Summary) -> str:
    parts = [counted(summary.documents, "document"), counted(summary.labels.total(), "span")]
    if summary.quarantined:
        parts.append(f"{summary.quarantined:,} quarantined")
    if summary.carried:
        parts.append(f"{summary.carried:,} finished earlier")
    return ", ".join(parts)


@contextmanager
def _bar(where: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    if quiet or where == STREAM or not sys.stderr.isatty():
        yield lambda _bytes, _documents: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.fields[documents]:,} documents"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=_size(where), documents=0)

        def advance(more_bytes: int, more_documents: int) -> None:
            documents = bar.tasks[task].fields["documents"] + more_documents
            bar.update(task, advance=more_bytes, documents=documents)

        yield advance


def _size(where: str) -> int:
    if not Path(where).exists():
        raise UsageError(f"{where}: no such file or folder")
    return sum(source.size for source in find_sources(where))


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
