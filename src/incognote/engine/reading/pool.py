"""The readers of a run: which process reads which file, and what happens when one dies.

A file that comes in one chunk shares its process with others. If the process dies of another file
before the chunk is settled, the chunk is read again elsewhere. A file of several chunks has a
process to itself until its last chunk is settled, so that it never pays for another file.
"""

from __future__ import annotations

import atexit
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Self

from incognote.core.types import Failure
from incognote.engine.reading.process import ReaderLost, ReaderProcess, can_start
from incognote.engine.reading.records import (
    Answer,
    Chunk,
    FileRequest,
    OpenFile,
    ReadRecord,
    Settled,
)

# Processes that outlive their run, so that a program that makes many runs starts few of them.
_idle: list[ReaderProcess] = []
_IDLE = 1


class ReaderPool:
    """Opens files, each in a process that is free for it, or in this one (`isolate=False`)."""

    def __init__(self, *, isolate: bool) -> None:
        self._isolate = isolate and can_start()
        self._free: list[ReaderProcess] = []
        self._all: list[ReaderProcess] = []
        self._files = 0
        if self._isolate:
            self._free.append(self._fresh())

    def open(self, request: FileRequest) -> FileReader:
        self._files += 1
        stdin = _stdin() if request.path is None else None
        if not self._isolate or (request.path is None and stdin is None):
            return LocalFile(request)
        if request.path is None:
            reader = ReaderProcess(stdin)
            self._all.append(reader)
            return IsolatedFile(request, self._files, self, reader)
        return IsolatedFile(request, self._files, self)

    def take(self) -> ReaderProcess:
        while self._free:
            reader = self._free.pop()
            if not reader.is_lost:
                return reader
        return self._fresh()

    def give(self, reader: ReaderProcess) -> None:
        if reader.is_full or reader.is_lost:
            if not reader.open_files:
                self._end(reader)
        elif reader not in self._free:
            self._free.append(reader)

    def _fresh(self) -> ReaderProcess:
        while _idle:
            reader = _idle.pop()
            if reader.is_current():
                break
            reader.end()
        else:
            reader = ReaderProcess()
        self._all.append(reader)
        return reader

    def _end(self, reader: ReaderProcess) -> None:
        self._all.remove(reader)
        reader.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for reader in self._all:
            clean = not reader.open_files and not reader.is_lost and reader in self._free
            if clean and len(_idle) < _IDLE:
                _idle.append(reader)
            else:
                reader.end()
        self._all, self._free = [], []


class LocalFile:
    """A file that this process reads."""

    def __init__(self, request: FileRequest) -> None:
        self._file = OpenFile(request)

    def chunks(self) -> Iterator[Chunk]:
        while True:
            chunk = self._file.next_chunk()
            yield chunk
            if chunk.is_last:
                return

    def settle(self, chunk: Chunk, answers: Sequence[Answer]) -> list[Settled]:
        del chunk
        return self._file.settle(answers)


class IsolatedFile:
    """A file that another process reads."""

    def __init__(
        self,
        request: FileRequest,
        number: int,
        pool: ReaderPool,
        reader: ReaderProcess | None = None,
    ) -> None:
        self._request = request
        self._number = number
        self._pool = pool
        self._reader = reader or pool.take()
        self._given = reader is not None  # it has the standard input: no other file, no second try
        self._chunks = 0
        name = request.name
        self._failure = Failure(name, "read", "ReaderDied", f"{name}: its reader is gone")

    def chunks(self) -> Iterator[Chunk]:
        try:
            chunk = self._open()
            while not chunk.is_last:
                self._reader.read_ahead(self._number, self._request.seconds)
                yield chunk
                chunk = self._reader.next_chunk(self._request.seconds)
                self._chunks += 1
        except ReaderLost as error:
            # What was read before cannot be written any more: its file is lost as a whole.
            yield Chunk((self._lost(error),), is_last=True)
            return
        self._chunks += 1
        if not self._request.keep:
            self._reader.open_files -= 1
        if (self._chunks == 1 or not self._request.keep) and not self._given:
            self._pool.give(self._reader)
        yield chunk

    def settle(self, chunk: Chunk, answers: Sequence[Answer]) -> list[Settled]:
        alone = chunk.is_last and self._chunks == 1
        try:
            if self._reader.is_lost:
                if not alone or self._given:
                    return self._all_lost(answers)
                self._reader = self._pool.take()
                self._open()
            settled = self._reader.settle(
                self._number, list(answers), self._request.seconds, is_last=chunk.is_last
            )
        except ReaderLost as error:
            self._lost(error)
            return self._all_lost(answers)
        if chunk.is_last:
            self._reader.open_files -= 1
            if not self._given:
                self._pool.give(self._reader)
        return settled

    def _open(self) -> Chunk:
        """The first chunk. A process that was killed from outside is not the file's fault."""
        try:
            chunk = self._reader.open(self._number, self._request)
        except ReaderLost as error:
            if not error.from_outside or self._given:
                raise
            self._reader = self._pool.take()
            chunk = self._reader.open(self._number, self._request)
        self._reader.open_files += 1
        return chunk

    def _lost(self, error: ReaderLost) -> ReadRecord:
        name = self._request.name
        self._failure = Failure(name, "read", error.error, f"{name}: {error}")
        return ReadRecord(0, failure=self._failure)

    def _all_lost(self, answers: Sequence[Answer]) -> list[Settled]:
        return [Settled(failure=self._failure, is_lost=True) for _ in answers]


FileReader = LocalFile | IsolatedFile


def _stdin() -> int | None:
    """The standard input as another process can read it; None where a program has replaced it."""
    try:
        stdin = sys.__stdin__
        return stdin.fileno() if stdin and stdin is sys.stdin else None
    except (OSError, ValueError, AttributeError):
        return None


@atexit.register
def _end_idle() -> None:
    while _idle:
        with suppress(OSError):
            _idle.pop().end()
