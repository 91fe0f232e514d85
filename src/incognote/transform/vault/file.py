"""The vault: the map back, encrypted, for the honest broker. It exists only if asked for.

It is sealed under a key of its own, never the surrogate key. A second file beside it,
`NAME.audit.jsonl`, says who looked and when, without values.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from incognote.core.errors import UsageError
from incognote.core.types import Document, Replacement, Result, Span
from incognote.transform.vault.entries import Entry, FileName, entry_of, text_hash
from incognote.transform.vault.sealed import Header, Lines, Seal


class VaultWriter:
    """Adds entries to a vault; makes it, and its folder, if it is not there.

    It holds a lock, because two writers would spoil each other's lines. A line that an earlier run
    could not finish is taken off first.
    """

    def __init__(self, path: Path, key: bytes) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(self._descriptor, path)
            self._begin(key)
        except BaseException:
            os.close(self._descriptor)
            raise
        self._file = os.fdopen(self._descriptor, "ab")

    def _begin(self, key: bytes) -> None:
        if os.fstat(self._descriptor).st_size == 0:
            header = Header.new()
            self._seal, self._count = Seal(key, header), 0
            os.write(self._descriptor, header.line.encode())
            os.fsync(self._descriptor)
            return
        found = Lines.of(self.path)
        self._seal, self._count = Seal(key, found.header), len(found.lines)
        _checked(found, self._seal, self.path)  # a wrong key is found now
        if found.torn:
            os.ftruncate(self._descriptor, found.whole_bytes)
        os.lseek(self._descriptor, 0, os.SEEK_END)

    def add(self, result: Result) -> None:
        self._add(entry_of(result))

    def add_file(self, new: str, old: str) -> None:
        """A file was written under a new name; its old one comes back with it."""
        if new != old:
            self._add(FileName(new, old))

    def _add(self, entry: Entry | FileName) -> None:
        self._file.write(self._seal.sealed(entry, self._count).encode())
        self._count += 1

    def sync(self) -> None:
        """What was added survives a crash."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        try:
            self.sync()
        finally:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Vault:
    """Reads a vault. Every look is written to the audit file before it is answered."""

    def __init__(self, path: Path, key: bytes) -> None:
        found = Lines.of(path)
        entries = _checked(found, Seal(key, found.header), path)
        self._copied_ids = found.header.version == 1
        self._audit = path.with_name(path.name + ".audit.jsonl")
        self._entries = [entry for entry in entries if isinstance(entry, Entry)]
        self._names = {entry.new: entry.old for entry in entries if isinstance(entry, FileName)}
        # The last time that a text was written under an id counts.
        self._by_text = {(entry.document, entry.text_hash): entry for entry in self._entries}

    def __len__(self) -> int:
        return len(self._entries)

    def old_name(self, new: str) -> str:
        """What a file was called before `deid` wrote it under this name."""
        return self._names.get(new, new)

    def restore(self, document: str, text: str, reason: str) -> str:
        """The original text of a document; the last time it was written counts."""
        return self._entry(document, text, reason).restore(text)

    def restored(self, document: Document, reason: str) -> Result:
        """A document that was written, turned back: its text, and what goes where in it.

        Where something was removed without a trace, only the text is known. The runs of version
        0.1 copied the ids of rows and patients: fields that such a vault does not hold are theirs.
        """
        held = (document.id, text_hash(document.text)) in self._by_text
        if self._copied_ids and not held and not document.free_text:
            return Result(document, (), text=document.text)
        entry = self._entry(document.id, document.text, reason)
        swaps = tuple(
            Replacement(Span(change.start, change.end, change.label), change.original, "vault")
            for change in entry.changes
            if change.start < change.end
        )
        whole = len(swaps) == len(entry.changes)
        text = entry.restore(document.text)
        return Result(document, (), replacements=swaps if whole else (), text=text)

    def _entry(self, document: str, text: str, reason: str) -> Entry:
        self._log("restore", document, reason)
        entry = self._by_text.get((document, text_hash(text)))
        if entry is None:
            raise UsageError(f"document {document}: the vault does not hold this text")
        return entry

    def look_up(
        self, value: str, reason: str, patient: str | None = None
    ) -> list[tuple[str, str, str]]:
        """What a surrogate replaced: (document, label, original) wherever it was used."""
        self._log("look up", "", reason)
        return [
            (entry.document, change.label, change.original)
            for entry in self._entries
            if patient is None or entry.patient == patient
            for change in entry.changes
            if change.new == value
        ]

    def _log(self, action: str, document: str, reason: str) -> None:
        row = {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            **_user(),
            "action": action,
            "document": document,
            "reason": reason,
        }
        descriptor = os.open(self._audit, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8") as audit:
            audit.write(json.dumps(row, ensure_ascii=False) + "\n")


@dataclass(frozen=True, slots=True)
class Condition:
    """What `verify` finds: how many entries open, the numbers of the lines that do not, and how
    many bytes were torn off the end."""

    good: int
    bad_lines: tuple[int, ...]
    torn: int


def verify_vault(path: Path, key: bytes) -> Condition:
    found = Lines.of(path)
    opened = [entry is not None for entry in found.entries(Seal(key, found.header))]
    bad = tuple(number for number, good in enumerate(opened, start=2) if not good)
    return Condition(sum(opened), bad, found.torn)


def repair_vault(path: Path, key: bytes) -> Condition:
    """Writes the vault again with all entries that can still be opened. The damaged file stays
    beside it as `NAME.damaged`.

    A line that is not where it was written is looked for at other places, since lost lines and two
    writers at once move those behind them.
    """
    found = Lines.of(path)
    seal = Seal(key, found.header)
    entries = [
        entry if entry is not None else _elsewhere(line, seal, place, len(found.lines))
        for place, (line, entry) in enumerate(zip(found.lines, found.entries(seal), strict=True))
    ]
    good = [entry for entry in entries if entry is not None]
    bad = tuple(number for number, entry in enumerate(entries, start=2) if entry is None)
    if not good and bad:
        raise UsageError(f"{path}: nothing in it can be opened: a wrong key, or not a vault")
    fresh = path.with_name(f".{path.name}.{os.getpid()}.partial")
    with suppress(FileNotFoundError):
        fresh.unlink()
    with VaultWriter(fresh, key) as writer:
        for entry in good:
            writer._add(entry)  # noqa: SLF001 - the same module
    damaged = path.with_name(f"{path.name}.damaged")
    if damaged.exists():
        raise UsageError(f"{damaged}: is there already; put it away first")
    path.rename(damaged)
    fresh.rename(path)
    return Condition(len(good), bad, found.torn)


def _elsewhere(line: str, seal: Seal, place: int, count: int) -> Entry | FileName | None:
    nearest = sorted(range(count + 1), key=lambda other: abs(other - place))
    return next(
        (entry for other in nearest if (entry := seal.opened(line, other)) is not None), None
    )


def _checked(found: Lines, seal: Seal, path: Path) -> list[Entry | FileName]:
    entries: list[Entry | FileName] = []
    for number, entry in enumerate(found.entries(seal), start=2):
        if entry is None:
            raise UsageError(
                f"{path}: line {number}: wrong key, or the vault was changed; "
                "`incognote vault verify` says more, `incognote vault repair` saves the rest"
            )
        entries.append(entry)
    return entries


def _lock(descriptor: int, path: Path) -> None:
    try:
        import fcntl
    except ImportError:
        return  # a system without such locks
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise UsageError(f"{path}: another run is writing to this vault") from None


def _user() -> dict[str, object]:
    """Who runs this, as the system knows it; a variable of the environment can say anything."""
    if not hasattr(os, "getuid"):
        import getpass

        return {"user": getpass.getuser()}
    import pwd

    uid = os.getuid()
    try:
        return {"user": pwd.getpwuid(uid).pw_name, "uid": uid}
    except KeyError:
        return {"user": str(uid), "uid": uid}


__all__ = ["Condition", "Vault", "VaultWriter", "repair_vault", "verify_vault"]
