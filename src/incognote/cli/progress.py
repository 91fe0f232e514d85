"""What a person sees of a run: a bar on a terminal, nothing in a pipe, and a line at the end."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from incognote import __version__
from incognote.core.errors import UsageError, printable
from incognote.engine.output.ledger import Summary
from incognote.engine.output.paths import MANIFEST
from incognote.engine.settings import Settings, ignore

# Failures beyond these are counted on the terminal; the quarantine list has them all.
_SHOWN = 20

Run = Callable[[Sequence[str], str, Settings], Summary]


@dataclass(frozen=True, slots=True)
class Account:
    """What a run says of itself: a bar and a closing line unless `quiet`, a JSON `summary` in a
    file, and a `profile` of its stages."""

    quiet: bool = False
    summary: Path | None = None
    profile: bool = False
    engine: str = "local"

    @classmethod
    def of(cls, args: argparse.Namespace, engine: str = "local") -> Account:
        if args.summary and not args.summary.absolute().parent.is_dir():
            raise UsageError(f"{args.summary}: there is no such folder")
        return cls(args.quiet, args.summary, args.profile, engine)

    def close(self, summary: Summary, settings: Settings) -> None:
        if not self.quiet:
            print(_closing_line(summary), file=sys.stderr)
        if self.profile:
            print("\n".join(_profile(summary)), file=sys.stderr)
        if self.summary:
            row = {
                "incognote": __version__,
                "engine": self.engine,
                "workers": settings.workers,
                "policy": settings.policy.name,
                "policy_hash": settings.policy.hash,
                **summary.to_dict(),
            }
            try:
                self.summary.write_text(json.dumps(row, indent=2) + "\n", "ascii")
            except OSError as error:
                raise UsageError(f"{self.summary}: cannot be written: {error.strerror}") from None


def run_and_tell(
    run: Run, where: Sequence[str], out: str, settings: Settings, account: Account
) -> Summary:
    """Run with a progress bar where someone is watching, and sum up on standard error."""
    quiet, told = account.quiet, 0

    def report(message: str) -> None:
        nonlocal told
        told += 1
        if told <= _SHOWN:
            print(f"quarantined: {printable(message)}", file=sys.stderr)

    if not quiet and not settings.resume and (note := _overwriting(out)):
        print(f"note: {note}", file=sys.stderr)
    with _bar(quiet=quiet) as (start, advance):
        settings = replace(settings, report=report, started=start, progress=advance)
        summary = run(where, out, settings)
    if told > _SHOWN:
        print(f"quarantined: {told - _SHOWN} more, see the list", file=sys.stderr)
    account.close(summary, settings)
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
    if summary.kept:
        counts = ", ".join(f"{count:,} {label}" for label, count in summary.kept.most_common())
        parts.append(f"kept by the policy: {counts}")
    if summary.kept_fields:
        parts.append(f"copied by the policy: {', '.join(summary.kept_fields)}")
    return ", ".join(parts)


def _profile(summary: Summary) -> Iterator[str]:
    """Stages from the slowest on. They are those of all workers together."""
    total = sum(summary.seconds.values()) or 1.0
    slowest_first = sorted(summary.seconds.items(), key=lambda spent: -spent[1])
    for stage, seconds in slowest_first:
        yield f"{seconds:10.2f} s  {seconds / total:6.1%}  {stage}"
    rate = f"{summary.characters_a_second:,.0f} characters a second"
    yield f"{summary.elapsed:10.2f} s  elapsed, {rate}"


@contextmanager
def _bar(*, quiet: bool) -> Iterator[tuple[Callable[[int], None], Callable[[int, int], None]]]:
    if quiet or not sys.stderr.isatty():
        yield ignore, ignore
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.fields[documents]:,} documents"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TransferSpeedColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, documents=0)

        def start(size: int) -> None:
            bar.update(task, total=size or None)

        def advance(more_bytes: int, more_documents: int) -> None:
            documents = bar.tasks[task].fields["documents"] + more_documents
            bar.update(task, advance=more_bytes, documents=documents)

        yield start, advance


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
