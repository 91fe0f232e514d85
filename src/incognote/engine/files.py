"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import BinaryIO, Self

from incognote.core.errors import UsageError


class AtomicFile:
    """Written beside its place under another name; `commit` moves it there in one step.

    Left without a commit (an error, Ctrl-C), nothing remains. Nothing is created before the first
    byte is written, unless `commit` is called. A device or pipe is written to as it is: it must
    never be replaced by a file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._special = path.exists() and not path.is_file()
        name = path.name if self._special else f".{path.name}.{os.getpid()}.partial"
        self._partial = path.with_name(name)
        self._stream: BinaryIO | None = None
        self._begun = False  # before there is a stream: Ctrl-C may come between the two

    def write(self, data: bytes) -> None:
        with self._naming_the_file():
            self._open().write(data)

    def tell(self) -> int:
        return self._stream.tell() if self._stream else 0

    def rewind(self, to: int) -> None:
        """Forget what was written after position `to`."""
        if self._stream:
            self._stream.seek(to)
            self._stream.truncate()

    def flush(self) -> None:
        """What was written so far can be found by `leftovers`, should the run be killed."""
        if self._stream:
            self._stream.flush()

    def commit(self) -> None:
        with self._naming_the_file():
            stream = self._open()
            stream.flush()
            if not self._special:
                os.fsync(stream.fileno())
                self._partial.replace(self.path)
            stream.close()
        self._stream, self._begun = None, False

    def discard(self) -> None:
        if self._stream:
            with suppress(OSError):  # on a full disk, closing fails as writing did
                self._stream.close()
            self._stream = None
        if self._begun and not self._special:
            self._partial.unlink(missing_ok=True)

    def _open(self) -> BinaryIO:
        if self._stream is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._begun = True
            self._stream = self._partial.open("wb")
        return self._stream

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        """A full disk says nothing of what was being written to it."""
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be written: {error.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


def leftovers(path: Path) -> list[Path]:
    """What is left of a file by runs that were killed outright, the latest last."""
    found = path.parent.glob(f".{escape(path.name)}.*.partial")
    return sorted(found, key=lambda each: each.stat().st_mtime_ns)


class Stream:
    """A pipe or terminal: what is written is gone at once."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        self._stream.write(data)

    def commit(self) -> None:
        self._stream.flush()

    def discard(self) -> None:
        with suppress(OSError):
            self._stream.flush()
