"""What a vault keeps: of each document what changed in it, of each file what it was called."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from incognote.core.errors import UsageError
from incognote.core.types import Result


@dataclass(frozen=True, slots=True)
class Change:
    """[start, end) in the new text replaced `original`."""

    start: int
    end: int
    label: str
    original: str = field(repr=False)
    new: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of one document. `text_hash` is that of its new text."""

    document: str
    patient: str
    text_hash: str
    changes: tuple[Change, ...] = field(repr=False)

    def restore(self, text: str) -> str:
        """The original text. Only the very text that was written can be restored."""
        if text_hash(text) != self.text_hash:
            raise UsageError(f"document {self.document}: not the text that was written")
        parts: list[str] = []
        at = 0
        for change in self.changes:
            parts += [text[at : change.start], change.original]
            at = change.end
        return "".join([*parts, text[at:]])


@dataclass(frozen=True, slots=True)
class FileName:
    """A file that was written as `new` was called `old`."""

    new: str
    old: str = field(repr=False)


def entry_of(result: Result) -> Entry:
    """What the vault keeps of a result."""
    if result.text is None:
        raise UsageError("a result without new text has nothing to keep")
    new = {replacement.span: replacement.text for replacement in result.replacements}
    moved: list[Change] = []
    shift = 0
    for span in result.spans:
        text = new.get(span)
        if text is None:
            continue
        start = span.start + shift
        original = result.document.text[span.start : span.end]
        moved.append(Change(start, start + len(text), span.label, original, text))
        shift += len(text) - span.length
    document = result.document
    return Entry(document.id, document.patient_id or "", text_hash(result.text), tuple(moved))


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def to_row(entry: Entry | FileName) -> dict[str, Any]:
    return asdict(entry)


def from_row(row: Mapping[str, Any]) -> Entry | FileName:
    if "old" in row:
        return FileName(**row)
    changes = tuple(Change(**change) for change in row["changes"])
    return Entry(**{**row, "changes": changes})
