"""One file, read record by record in this process.

A file is read in chunks of records. The reader hands out the documents of each record; the
function that writes a record back stays here. When the outcomes are known, `settle` turns them
into bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from incognote.core.errors import wording
from incognote.core.types import Document, Failure
from incognote.engine.packing import PackedResult, unpack
from incognote.engine.sources import open_source
from incognote.formats import HEAD, format_named, format_of
from incognote.formats.base import Record, Unreadable, with_records
from incognote.policy import FormatRules

# A chunk ends here, so that a folder of books takes no more memory than one of notes, nor a table
# of columns that are not read.
_CHUNK_CHARACTERS = 1_000_000
_CHUNK_RECORDS = 256


@dataclass(frozen=True, slots=True)
class FileRequest:
    """Which file to read and how. `keep` says that its records will be settled."""

    name: str
    path: Path | None = field(repr=False)
    rules: FormatRules
    format: str = ""
    chunk_documents: int = 32
    keep: bool = True
    keep_raw: bool = False
    memory: int = 0
    seconds: int = 0


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """A record of a file, or a piece of it that could not be read (`failure`). The number 0 stands
    for a file whose reader is gone."""

    number: int
    documents: tuple[Document, ...] = field(default=(), repr=False)
    required: bool = False
    failure: Failure | None = None
    bytes_read: int = 0

    @property
    def count(self) -> int:
        """How many documents a person would count: fields of one row share its id."""
        return len({document.id for document in self.documents})


@dataclass(frozen=True, slots=True)
class Chunk:
    records: tuple[ReadRecord, ...]
    is_last: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of the documents of a record; None if it is not to be written."""

    number: int
    results: tuple[PackedResult, ...] | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Settled:
    """The new bytes of a record, or (None) why there are none; `raw` are its old bytes. `is_lost`
    says that no record of the file can be written any more."""

    data: bytes | None = field(default=None, repr=False)
    failure: Failure | None = None
    raw: bytes | None = field(default=None, repr=False)
    is_lost: bool = False


class OpenFile:
    """A file under way: chunks of its records out, their outcomes in."""

    def __init__(self, request: FileRequest) -> None:
        self._request = request
        self._records = self._read()
        self._kept: dict[int, Record | Failure] = {}
        self._count = 0

    def next_chunk(self) -> Chunk:
        found: list[ReadRecord] = []
        documents = characters = 0
        for content, bytes_read in self._records:
            record = self._keep(content, bytes_read)
            found.append(record)
            documents += len(record.documents)
            characters += sum(len(document.text) for document in record.documents)
            is_full = (
                documents >= self._request.chunk_documents
                or characters >= _CHUNK_CHARACTERS
                or len(found) >= _CHUNK_RECORDS
            )
            if is_full:
                return Chunk(tuple(found), is_last=False)
        return Chunk(tuple(found), is_last=True)

    def settle(self, answers: Sequence[Answer]) -> list[Settled]:
        return [self._settle(answer) for answer in answers]

    def _keep(self, content: Record | Failure, bytes_read: int) -> ReadRecord:
        self._count += 1
        if isinstance(content, Record):
            content = _bounded(content, self._request)
        if self._request.keep:
            self._kept[self._count] = content
        if isinstance(content, Record):
            documents, required = content.documents, content.required
            return ReadRecord(self._count, documents, required, bytes_read=bytes_read)
        plain = Failure(content.document_id, content.stage, content.error, content.message)
        return ReadRecord(self._count, failure=plain, bytes_read=bytes_read)

    def _settle(self, answer: Answer) -> Settled:
        content = self._kept.pop(answer.number)
        if isinstance(content, Failure) or answer.results is None:
            return Settled(raw=self._raw(content))
        try:
            results = list(map(unpack, content.documents, answer.results))
            return Settled(content.render(results))
        except Exception as error:  # noqa: BLE001 - fail closed
            first = content.documents[0].id if content.documents else self._request.name
            failure = Failure(first, "write", type(error).__name__, wording(error))
            return Settled(failure=failure, raw=self._raw(content))

    def _raw(self, content: Record | Failure) -> bytes | None:
        if not self._request.keep_raw or not isinstance(content, Record | Unreadable):
            return None
        return content.raw() if callable(content.raw) else content.raw

    def _read(self) -> Iterator[tuple[Record | Failure, int]]:
        try:
            with open_source(self._request.path) as stream:
                yield from self._read_stream(stream)
        except Exception as error:  # noqa: BLE001 - fail closed: no file may stop the others
            yield unreadable(self._request.name, error), 0

    def _read_stream(self, stream: BinaryIO) -> Iterator[tuple[Record | Failure, int]]:
        request = self._request
        # A buffered stream shows its first bytes without consuming them.
        head = stream.peek(HEAD)[:HEAD]  # type: ignore[attr-defined]
        if not head:
            # Without a byte there is nothing to hide, whatever the format: it stays as it is.
            yield Record((Document(request.name, "", locator=request.name),), lambda _: b""), 0
            return
        found = format_named(request.format) if request.format else format_of(request.name, head)
        before = 0
        contents = found.read(stream, request.name, request.rules)
        for content in with_records(contents, request.name):
            now = stream.tell() if request.path else 0
            yield content, now - before
            before = now


def unreadable(name: str, error: Exception) -> Failure:
    message = wording(error)
    kind = type(error).__name__
    if isinstance(error, MemoryError):
        kind, message = "MemoryLimit", "takes more memory than one file may (--memory-limit)"
    return Failure(name, "read", kind, message if name in message else f"{name}: {message}")


def _bounded(record: Record, request: FileRequest) -> Record | Failure:
    """The record, unless its texts alone would fill the memory of the process that asked."""
    if request.memory:
        size = sum(sys.getsizeof(document.text) for document in record.documents)
        if size > request.memory // 8:
            return unreadable(request.name, MemoryError())
    return record
