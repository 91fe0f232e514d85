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

from incognote.core.errors import ReadError, UsageError

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
        try:
            return self.path.stat().st_size if self.path else 0
        except OSError:
            return 0  # whoever opens it will say what is wrong

    def open(self) -> AbstractContextManager[BinaryIO]:
        if self.path is None:
            return nullcontext(sys.stdin.buffer)
        if self.path.is_dir():
            reason = "is a link, which is not followed" if self.path.is_symlink() else "unreadable"
            raise ReadError(f"a folder: {reason}")
        if self.path.exists() and not self.path.is_file():
            raise ReadError("neither a file nor a folder")  # a pipe would be waited for for ever
        return self.path.open("rb")


def find_sources(where: str, leave_out: frozenset[Path] = frozenset()) -> Iterator[Source]:
    """The files at `where`, in an order that does not depend on the file system.

    Hidden files and the run's own outputs (`leave_out`, resolved) are passed over. Folders that
    cannot be listed, and links to folders, are handed out as they are: whoever opens them is told.
    """
    if where == STREAM:
        yield Source("stdin", None)
        return
    root = Path(where)
    if root.is_file():
        yield Source(_name(root, root.parent), root)
        return
    if not root.is_dir():
        raise UsageError(f"{where}: no such file or folder")
    unlisted: list[Path] = []
    for folder, folders, files in os.walk(
        root, onerror=lambda error: unlisted.append(Path(error.filename))
    ):
        here = Path(folder)
        links = [each for each in folders if (here / each).is_symlink()]
        for file in sorted([*files, *links]):
            path = here / file
            if not file.startswith(".") and not _is_any(path, leave_out):
                yield Source(_name(path, root), path)
        folders[:] = sorted(
            each
            for each in folders
            if not each.startswith(".") and not _is_any(here / each, leave_out)
        )
    for path in unlisted:
        yield Source(_name(path, root), path)


def _name(path: Path, root: Path) -> str:
    """The path below the folder as text. Names, too, come in Windows-1252 from old systems."""
    name = path.relative_to(root).as_posix()
    try:
        name.encode()
    except UnicodeEncodeError:
        raw = os.fsencode(name)
        text = raw.decode("cp1252", "backslashreplace")
        return raw.decode("utf-8", "backslashreplace") if (root / text).exists() else text
    return name


def _is_any(path: Path, places: frozenset[Path]) -> bool:
    try:
        return path.resolve() in places
    except (OSError, RuntimeError):
        return False  # a link to itself
