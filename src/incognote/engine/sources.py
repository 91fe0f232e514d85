"""What a run reads: one file, every file of a folder, or standard input."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from incognote.core.errors import UsageError

STREAM = "-"


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read. `name` is its path below the folder that was asked for; `alias` is that of
    its output, where the name is PHI and was changed."""

    name: str
    path: Path | None
    alias: str = ""

    @property
    def new_name(self) -> str:
        return self.alias or self.name

    def told(self, text: str) -> str:
        """An id or message about this source as it may be written beside the outputs."""
        if not self.alias:
            return text
        return re.sub(rf"(?<!\w){re.escape(self.name)}(?!\w)", lambda _: self.alias, text)

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path else 0

    def open(self) -> AbstractContextManager[BinaryIO]:
        return self.path.open("rb") if self.path else nullcontext(sys.stdin.buffer)


def find_sources(where: str, leave_out: frozenset[Path] = frozenset()) -> Iterator[Source]:
    """The files at `where`, in an order that does not depend on the file system.

    Hidden files and the run's own outputs (`leave_out`, resolved) are passed over.
    """
    if where == STREAM:
        yield Source("stdin", None)
        return
    root = Path(where)
    if root.is_file():
        yield Source(root.name, root)
        return
    if not root.is_dir():
        raise UsageError(f"{where}: no such file or folder")
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(
            each
            for each in folders
            if not each.startswith(".") and (here / each).resolve() not in leave_out
        )
        for file in sorted(files):
            path = here / file
            if not file.startswith(".") and path.resolve() not in leave_out:
                yield Source(path.relative_to(root).as_posix(), path)
