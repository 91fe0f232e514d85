"""Where a run writes: next to nothing it reads, and never over it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from incognote.core.errors import UsageError
from incognote.engine.files import AtomicFile, Stream
from incognote.engine.ledger import MANIFEST, QUARANTINE
from incognote.engine.sources import STREAM, Source


@dataclass(frozen=True, slots=True)
class Place:
    """Where `deid` writes: into a folder, to one file, or (neither) to standard output."""

    folder: Path | None
    file: Path | None = None

    @classmethod
    def of(cls, where: str, out: str) -> Place:
        given = None if where == STREAM else Path(where)
        from_folder = given is not None and given.is_dir()
        if out == STREAM:
            if from_folder:
                raise UsageError("the notes of a folder need a folder to be written to (-o)")
            return cls(None)
        target = Path(out)
        if from_folder and target.exists() and not target.is_dir():
            raise UsageError(f"{out}: is a file, but a folder is needed")
        if from_folder or target.is_dir() or out.endswith("/"):
            place, written = cls(target), target if from_folder else target / (given or target).name
        else:
            place, written = cls(target.parent, target), target
        if given is not None:
            refuse_over(given, written)
        return place

    def own_files(self) -> frozenset[Path]:
        if self.folder is None:
            return frozenset()
        if self.file is None:
            return resolved(self.folder)
        return resolved(self.file, self.folder / MANIFEST, self.folder / QUARANTINE)

    def is_taken(self, source: Source) -> bool:
        """Whether the output would have the name of one of the run's own lists."""
        return self.folder is not None and self.path(source) in (
            self.folder / MANIFEST,
            self.folder / QUARANTINE,
        )

    def path(self, source: Source) -> Path:
        assert self.folder
        return self.file or self.folder / source.new_name

    def sink(self, source: Source) -> AtomicFile | Stream:
        return AtomicFile(self.path(source)) if self.folder else Stream(sys.stdout.buffer)


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
