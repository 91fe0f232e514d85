"""What a run reads: files, folders, or standard input, listed once."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from incognote.core.errors import ReadError, UsageError

STREAM = "-"


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read. `name` is its path below the root of the input; `alias` is that of its
    output, where the name is PHI and was changed. `location` is where it lies ("": the standard
    input); a string, because there may be millions."""

    name: str
    location: str = field(default="", repr=False)
    alias: str = ""

    @property
    def path(self) -> Path | None:
        return Path(self.location) if self.location else None

    @property
    def new_name(self) -> str:
        return self.alias or self.name

    def with_new_name(self, text: str) -> str:
        """An id or message about this source as it may be written beside the outputs."""
        if not self.alias:
            return text
        return re.sub(rf"(?<!\w){re.escape(self.name)}(?!\w)", lambda _: self.alias, text)

    @property
    def size(self) -> int:
        try:
            return os.stat(self.location).st_size if self.location else 0  # noqa: PTH116
        except OSError:
            return 0  # opening the file reports the error


@dataclass(frozen=True, slots=True)
class Inputs:
    """All that a run reads. Names of sources are paths below `root`."""

    sources: tuple[Source, ...]
    root: Path = Path()
    is_folder: bool = False

    @property
    def is_stream(self) -> bool:
        return any(not source.location for source in self.sources)

    @property
    def size(self) -> int:
        return sum(source.size for source in self.sources)


def open_source(path: Path | None) -> AbstractContextManager[BinaryIO]:
    if path is None:
        return nullcontext(sys.stdin.buffer)
    if path.is_dir():
        reason = "is a link, which is not followed" if path.is_symlink() else "unreadable"
        raise ReadError(f"a folder: {reason}")
    if path.exists() and not path.is_file():
        raise ReadError("neither a file nor a folder")  # a pipe would be waited for for ever
    return path.open("rb")


def list_inputs(where: str | Sequence[str], leave_out: frozenset[Path] = frozenset()) -> Inputs:
    """The files at `where`, in an order that does not depend on the file system.

    Of one folder, names are paths below it; of several inputs, paths below the folder that they
    have in common. Hidden files and the run's own outputs (`leave_out`, resolved) are passed over.
    Folders that cannot be listed, and links to folders, are listed as they are: opening them is
    an error that names them.
    """
    given = [where] if isinstance(where, str) else list(where)
    if not given:
        raise UsageError("nothing to read was given")
    if STREAM in given:
        if len(given) > 1:
            raise UsageError("the standard input cannot be read beside files")
        return Inputs((Source("stdin"),))
    paths = [Path(each) for each in given]
    if len(paths) == 1:
        (path,) = paths
        root = path if path.is_dir() else path.parent
        return Inputs(tuple(_found(path, root, leave_out)), root, is_folder=path.is_dir())
    root = Path(os.path.commonpath([path.absolute().parent for path in paths]))
    found = {
        source.location: source
        for path in paths
        for source in _found(path.absolute(), root, leave_out)
    }
    return Inputs(tuple(found.values()), root, is_folder=True)


def _found(path: Path, root: Path, leave_out: frozenset[Path]) -> Iterator[Source]:
    if path.is_dir():
        yield from _walk(path, root, leave_out)
    elif path.is_file():
        yield Source(_name(path, root), str(path))
    else:
        raise UsageError(f"{path}: no such file or folder")


def _walk(top: Path, root: Path, leave_out: frozenset[Path]) -> Iterator[Source]:
    unlisted: list[Path] = []
    for folder, folders, files in os.walk(
        top, onerror=lambda error: unlisted.append(Path(error.filename))
    ):
        here = Path(folder)
        links = [each for each in folders if (here / each).is_symlink()]
        for file in sorted([*files, *links]):
            path = here / file
            if not file.startswith(".") and not _is_any(path, leave_out):
                yield Source(_name(path, root), str(path))
        folders[:] = sorted(
            each
            for each in folders
            if not each.startswith(".") and not _is_any(here / each, leave_out)
        )
    for path in unlisted:
        yield Source(_name(path, root), str(path))


def _name(path: Path, root: Path) -> str:
    """The path below the root as text. Names, too, come in Windows-1252 from old systems."""
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
