"""The vault: the map back, encrypted, for the honest broker. It exists only if asked for.

A vault is a text file that only grows: a header, then one line for each document, sealed with
AES-256-GCM under a key of its own (never the surrogate key). Each line is bound to the header and
to its place, so lines can be neither moved, exchanged nor taken out unnoticed up to the last one.

    incognote-vault 1 <random id of this vault>
    <base64 of nonce and sealed JSON>

A second file beside it, `NAME.audit.jsonl`, says who looked and when, without values.
"""

from __future__ import annotations

import base64
import getpass
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from incognote.core.errors import MissingExtra, UsageError
from incognote.core.types import Document, Replacement, Result, Span

_MAGIC = "incognote-vault 1"
_SHORTEST_KEY = 16
_NONCE = 12


@dataclass(frozen=True, slots=True)
class Change:
    """[start, end) in the new text stood for `original`."""

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
        if _hash(text) != self.text_hash:
            raise UsageError(f"document {self.document}: not the text that was written")
        parts: list[str] = []
        at = 0
        for change in self.changes:
            parts += [text[at : change.start], change.original]
            at = change.end
        return "".join([*parts, text[at:]])


class VaultWriter:
    """Adds documents to a vault; makes it if it is not there."""

    def __init__(self, path: Path, key: bytes) -> None:
        self.path = path
        self._seal = _cipher(key)
        if path.exists():
            lines = path.read_text("ascii").splitlines()
            self._id = _header(lines, path)
            self._count = len(lines) - 1
            list(_open_lines(lines, self._seal, self._id, path))  # a wrong key is found now
        else:
            self._id = secrets.token_hex(16)
            self._count = 0
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with os.fdopen(os.open(path, flags, 0o600), "w", encoding="ascii") as new:
                new.write(f"{_MAGIC} {self._id}\n")
        self._file = path.open("a", encoding="ascii")

    def add(self, result: Result) -> None:
        entry = asdict(entry_of(result))
        nonce = secrets.token_bytes(_NONCE)
        sealed = self._seal.encrypt(nonce, json.dumps(entry).encode(), self._bound())
        self._file.write(base64.b64encode(nonce + sealed).decode() + "\n")
        self._count += 1

    def _bound(self) -> bytes:
        return f"{self._id}:{self._count}".encode()

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Vault:
    """Reads a vault. Every look is written to the audit file before it is answered."""

    def __init__(self, path: Path, key: bytes) -> None:
        try:
            lines = path.read_text("ascii").splitlines()
        except (OSError, UnicodeDecodeError):
            raise UsageError(f"{path}: no vault can be read there") from None
        self._audit = path.with_name(path.name + ".audit.jsonl")
        cipher = _cipher(key)
        self._entries = list(_open_lines(lines, cipher, _header(lines, path), path))

    def __len__(self) -> int:
        return len(self._entries)

    def restore(self, document: str, text: str, reason: str) -> str:
        """The original text of a document; the last time it was written counts."""
        return self._entry(document, text, reason).restore(text)

    def restored(self, document: Document, reason: str) -> Result:
        """A document that was written, turned back: its text, and what goes where in it.

        Where something was removed without a trace, only the text can be told.
        """
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
        for entry in reversed(self._entries):
            if entry.document == document and _hash(text) == entry.text_hash:
                return entry
        raise UsageError(f"document {document}: the vault does not hold this text")

    def look_up(
        self, value: str, reason: str, patient: str | None = None
    ) -> list[tuple[str, str, str]]:
        """What a surrogate stood for: (document, label, original) wherever it was used."""
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
            "user": _user(),
            "action": action,
            "document": document,
            "reason": reason,
        }
        descriptor = os.open(self._audit, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8") as audit:
            audit.write(json.dumps(row, ensure_ascii=False) + "\n")


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
    return Entry(document.id, document.patient_id or "", _hash(result.text), tuple(moved))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"


def _header(lines: list[str], path: Path) -> str:
    if not lines or not lines[0].startswith(_MAGIC + " "):
        raise UsageError(f"{path}: not a vault")
    return lines[0].removeprefix(_MAGIC + " ")


def _open_lines(lines: list[str], cipher: Any, vault_id: str, path: Path) -> Iterator[Entry]:
    from cryptography.exceptions import InvalidTag

    for i, line in enumerate(lines[1:]):
        try:
            sealed = base64.b64decode(line, validate=True)
            plain = cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], f"{vault_id}:{i}".encode())
        except (InvalidTag, ValueError):  # not base64, or too short to be sealed: cut off
            raise UsageError(f"{path}: line {i + 2}: wrong key, or the vault was changed") from None
        row = json.loads(plain)
        row["changes"] = tuple(Change(**change) for change in row["changes"])
        yield Entry(**row)


def _cipher(secret: bytes) -> Any:
    if len(secret) < _SHORTEST_KEY:
        raise UsageError(f"a vault key has at least {_SHORTEST_KEY} bytes")
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ModuleNotFoundError:
        raise MissingExtra("the vault", "vault") from None
    # Secrets come as text of any length; AES wants 32 bytes, and never those of another purpose.
    return AESGCM(hashlib.sha256(b"incognote vault key:" + secret).digest())
