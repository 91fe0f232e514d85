"""Going on after an interruption: which files of an earlier run need not be done again.

A file is finished if the earlier manifest says that all its documents were done, with this policy
and this key, and its output is there and no older than the input. Everything else is done again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from incognote.core.errors import UsageError
from incognote.engine.sources import Source


@dataclass(slots=True)
class _Rows:
    """The rows of one file, which stand together: where, and whether all were done."""

    start: int
    end: int
    done: bool = True


class EarlierRun:
    """The manifest of an earlier run into the same place."""

    def __init__(self, manifest: Path, stamp: dict[str, str]) -> None:
        """`stamp` is what every row must agree on: policy and key."""
        self._manifest = manifest
        self._rows: dict[str, _Rows] = {}
        if not manifest.exists():
            return
        at = 0
        with manifest.open("rb") as lines:
            for line in lines:
                try:
                    row = json.loads(line)
                    rows = self._rows.setdefault(row["file"], _Rows(at, at))
                    rows.done &= row["status"] == "done" and stamp.items() <= row.items()
                except (ValueError, KeyError, TypeError):
                    raise UsageError(f"{manifest}: not a manifest of incognote") from None
                at = rows.end = at + len(line)

    def finished(self, source: Source, output: Path) -> bytes | None:
        """The rows of a source that is finished, to be carried over; else None."""
        rows = self._rows.get(source.name)
        if rows is None or not rows.done or source.path is None or not output.exists():
            return None
        if output.stat().st_mtime_ns < source.path.stat().st_mtime_ns:
            return None
        with self._manifest.open("rb") as lines:
            lines.seek(rows.start)
            return lines.read(rows.end - rows.start)
