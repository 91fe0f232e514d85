"""Going on after an interruption: which files of an earlier run need not be done again.

A file is finished if the earlier manifest says that all its documents were done, with this policy
and this key, and its output is there and no older than the input. Everything else is done again.

A run that was killed outright could not put its manifest in place. What it had written of it
serves as well, but for the rows at the end: those of the file under way.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from incognote.core.errors import UsageError
from incognote.engine.files import leftovers
from incognote.engine.ledger import MANIFEST, Manifest
from incognote.engine.sources import Source


@dataclass(slots=True)
class _Rows:
    """The rows of one file, which stand together: where, and whether all were done."""

    manifest: Path
    file: str
    start: int
    end: int
    done: bool = True


class EarlierRun:
    """The manifest of an earlier run into the same place, or what there is of it."""

    def __init__(self, manifest: Manifest, output: Callable[[Source], Path]) -> None:
        """The rows must agree with those of `manifest`, that of this run, on policy and key.
        `output` says where the new form of a source stands."""
        path = manifest.file.path
        self._stamp = manifest.stamp
        self._tag = manifest.name_tag
        self._output = output
        self._rows = self._read(path) if path.exists() else {}
        self._left = leftovers(path)
        for left in self._left:
            rows = self._read(left)
            if rows:
                rows.popitem()
            self._rows |= rows

    def _read(self, manifest: Path) -> dict[str, _Rows]:
        found: dict[str, _Rows] = {}
        at = 0
        with manifest.open("rb") as lines:
            for line in lines:
                if not line.endswith(b"\n"):
                    break  # cut off when the run was killed
                try:
                    row = json.loads(line)
                    file = row["file"]
                    rows = found.setdefault(row.get("source", file), _Rows(manifest, file, at, at))
                    rows.done &= row["status"] == "done" and self._stamp.items() <= row.items()
                except (ValueError, KeyError, TypeError):
                    raise UsageError(f"{manifest}: not a manifest of incognote") from None
                at = rows.end = at + len(line)
        return found

    def finished(self, source: Source) -> bytes | None:
        """The rows of a source that is finished, to be carried over; else None."""
        rows = self._rows_of(source)
        if rows is None or not rows.done or source.path is None:
            return None
        output = self._output(replace(source, alias=rows.file))
        if not output.exists():
            return None
        if output.stat().st_mtime_ns < source.path.stat().st_mtime_ns:
            return None
        with rows.manifest.open("rb") as lines:
            lines.seek(rows.start)
            return lines.read(rows.end - rows.start)

    def name_of(self, source: Source) -> str | None:
        """What the output of a source was called, if there is one worth keeping."""
        rows = self._rows_of(source)
        return rows.file if rows and rows.done else None

    def _rows_of(self, source: Source) -> _Rows | None:
        return self._rows.get(source.name) or self._rows.get(self._tag(source.name))

    def forget(self) -> None:
        """All that was left by runs that were killed has been carried over or done again."""
        for left in self._left:
            run = left.name.removeprefix(f".{MANIFEST}")  # the end of every name it wrote under
            for partial in left.parent.rglob(f".*{run}"):
                partial.unlink(missing_ok=True)
