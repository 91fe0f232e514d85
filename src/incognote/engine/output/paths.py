"""Where a run writes: never over what it reads."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from incognote.core.errors import UsageError
from incognote.engine.output.files import AtomicFile, Stream
from incognote.engine.sources import STREAM, Source

MANIFEST = "manifest.jsonl"
QUARANTINE = "quarantine.jsonl"
_LISTS = (MANIFEST, QUARANTINE)


@dataclass(frozen=True, slots=True)
class OutputPlace:
    """Where `deid` writes: into a folder, to one file, or (neither) to standard output."""

    folder: Path | None
    file: Path | None = None

    @classmethod
    def of(cls, where: str | Sequence[str], out: str) -> OutputPlace:
        given = [Path(each) for each in _listed(where) if each != STREAM]
        needs_folder = len(given) > 1 or any(path.is_dir() for path in given)
        if out == STREAM:
            if needs_folder:
                raise UsageError("several notes need a folder to be written to (-o)")
            return cls(None)
        target = Path(out)
        if needs_folder and target.exists() and not target.is_dir():
            raise UsageError(f"{out}: is a file, but a folder is needed")
        if needs_folder or target.is_dir() or out.endswith(("/", os.sep)):
            for path in given:
                refuse_over(path, target if path.is_dir() else target / path.name)
            return cls(target)
        for path in given:
            refuse_over(path, target)
        return cls(target.parent, target)

    def lists(self) -> frozenset[Path]:
        """The run's own lists, beside the outputs."""
        return resolved(*(self.folder / name for name in _LISTS)) if self.folder else frozenset()

    def own_files(self) -> frozenset[Path]:
        if self.folder is None:
            return frozenset()
        if self.file is None:
            return resolved(self.folder)
        return resolved(self.file) | self.lists()

    def is_taken(self, source: Source) -> bool:
        """Whether the output would have the name of one of the run's own lists."""
        return self.folder is not None and self.path(source).resolve() in self.lists()

    def path(self, source: Source) -> Path:
        assert self.folder
        return self.file or self.folder / source.new_name

    def sink(self, source: Source, mode: int = 0o666) -> AtomicFile | Stream:
        return AtomicFile(self.path(source), mode) if self.folder else Stream(sys.stdout.buffer)


def refuse_over(given: Path, written: Path) -> None:
    """A UsageError where writing there could write over what is read."""
    source, target = given.resolve(), written.resolve()
    if target == source:
        raise UsageError("the output would overwrite the input")
    # `notes/in/a.txt` would become `notes/a.txt`, and `notes/in/in/b.txt` an input.
    if given.is_dir() and target in source.parents:
        raise UsageError("the output would be written around the input, and perhaps over it")


def resolved(*paths: Path | None) -> frozenset[Path]:
    """Those that are given, in the one form in which paths can be compared."""
    return frozenset(path.resolve() for path in paths if path)


def _listed(where: str | Sequence[str]) -> list[str]:
    return [where] if isinstance(where, str) else list(where)
