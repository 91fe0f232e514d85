"""Going on after an interruption: which files of an earlier run need not be done again.

A file is finished if the earlier manifest says that all its documents were done and the file was
written, with this policy and this key, and if input and output still have the hashes that stand
there. Everything else is done again.

A run that was killed outright could not put its manifest in place. What it had written of it
serves as well. Lines that a full disk or a crash destroyed are passed over: their files lack the
rows that make them finished.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from incognote.core.errors import UsageError
from incognote.engine.output.files import leftovers
from incognote.engine.output.ledger import DONE, WRITTEN, Manifest
from incognote.engine.output.paths import MANIFEST
from incognote.engine.sources import Source


@dataclass(slots=True)
class FileRows:
    """The rows of one file, which appear together: where, and what they say. `written` is the row
    of the file itself, which comes last."""

    manifest: Path
    file: str
    start: int
    end: int
    documents: int = 0
    all_done: bool = True
    written: dict[str, Any] | None = None

    @property
    def is_whole(self) -> bool:
        written = self.written
        return written is not None and self.all_done and written["documents"] == self.documents


def read_manifest(path: Path) -> Iterator[FileRows]:
    """The rows of each file; a UsageError if nothing in the file is a row of ours."""
    rows: FileRows | None = None
    at = found = 0
    with path.open("rb") as lines:
        for line in lines:
            row = _row(line)
            if row is None:
                if rows:  # what the lost line said cannot be known
                    rows.all_done = False
                    yield rows
                rows = None
            elif row["status"] == WRITTEN and rows and rows.file == row["file"]:
                rows.written, rows.end = row, at + len(line)
                yield rows
                rows = None
            else:
                if rows is None or rows.file != row["file"]:
                    if rows:
                        yield rows
                    rows = FileRows(path, row["file"], at, at)
                rows.documents += 1
                rows.all_done &= row["status"] == DONE
                rows.end = at + len(line)
            found += row is not None
            at += len(line)
    if rows:
        yield rows
    if at and not found:
        raise UsageError(f"{path}: not a manifest of incognote")


def _row(line: bytes) -> dict[str, Any] | None:
    """A row of a manifest, or None for a line that was cut off or destroyed."""
    try:
        row = json.loads(line)
        is_row = isinstance(row["file"], str) and isinstance(row["status"], str)
    except (ValueError, KeyError, TypeError):
        return None
    return row if is_row and line.endswith(b"\n") else None


class EarlierRun:
    """The manifest of an earlier run into the same place, or what there is of it."""

    def __init__(self, manifest: Manifest, output: Callable[[Source], Path]) -> None:
        """The rows must agree with those of `manifest`, that of this run, on policy and key.
        `output` says where the new form of a source appears."""
        path = manifest.file.path
        self._manifest = manifest
        self._output = output
        self._left = leftovers(path)
        self._rows: dict[str, FileRows] = {}
        for each in [*([path] if path.exists() else []), *self._left]:
            for rows in read_manifest(each):
                if self._agrees(rows):
                    assert rows.written
                    self._rows[rows.written.get("source", rows.file)] = rows

    def _agrees(self, rows: FileRows) -> bool:
        return rows.is_whole and self._manifest.stamp.items() <= (rows.written or {}).items()

    def finished(self, source: Source) -> bytes | None:
        """The rows of a source that is finished, to be carried over; else None."""
        rows = self._rows_of(source)
        if rows is None or rows.written is None:
            return None
        tag = self._manifest.file_tag(source)
        if tag is None or tag != rows.written.get("input"):
            return None
        output = self._output(replace(source, alias=rows.file))
        if file_hash(output) != rows.written.get("output"):
            return None
        with rows.manifest.open("rb") as lines:
            lines.seek(rows.start)
            return lines.read(rows.end - rows.start)

    def name_of(self, source: Source) -> str | None:
        """What the output of a source was called, if there is one worth keeping."""
        rows = self._rows_of(source)
        return rows.file if rows else None

    def _rows_of(self, source: Source) -> FileRows | None:
        return self._rows.get(source.name) or self._rows.get(self._manifest.name_tag(source.name))

    def forget(self) -> None:
        """All that was left by runs that were killed has been carried over or done again."""
        for left in self._left:
            run = left.name.removeprefix(f".{MANIFEST}")  # the end of every name it wrote under
            for partial in left.parent.rglob(f".*{run}"):
                partial.unlink(missing_ok=True)


def file_hash(path: Path) -> str | None:
    """The hash of a file as the manifest states it; None if there is no such file."""
    if not path.is_file():
        return None
    try:
        with path.open("rb") as stream:
            return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"
    except OSError:
        return None
