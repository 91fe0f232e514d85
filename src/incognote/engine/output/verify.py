"""Whether the files of a run are still those that it wrote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from incognote.core.errors import UsageError
from incognote.engine.output.paths import MANIFEST, QUARANTINE
from incognote.engine.output.resume import file_hash, read_manifest

GOOD, CHANGED, MISSING, UNKNOWN = "good", "changed", "missing", "unknown"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is the matter with one file of an output folder."""

    file: str
    verdict: str


def verify_outputs(folder: Path) -> Iterator[Verdict]:
    """Every file that the manifest names, and every file that it does not name."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        raise UsageError(f"{folder}: has no {MANIFEST}, which the outputs are compared with")
    named: set[Path] = set()
    for rows in read_manifest(manifest):
        path = folder / rows.file
        if rows.written is None:
            continue  # nothing of it was written: all its documents are in quarantine
        named.add(path)
        found = file_hash(path)
        if found is None:
            yield Verdict(rows.file, MISSING)
        else:
            yield Verdict(rows.file, GOOD if found == rows.written["output"] else CHANGED)
    own = {manifest, folder / QUARANTINE}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        is_hidden = any(part.startswith(".") for part in name.parts)
        if not path.is_dir() and path not in named | own and not is_hidden:
            yield Verdict(name.as_posix(), UNKNOWN)
