"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import BinaryIO, Self

from incognote.core.errors import UsageError

# A file system counts bytes, not letters.
_LONGEST_NAME = 255
# What is wrong with one name or place, while others can still be written.
_OF_ONE_FILE = frozenset(
    {errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL, errno.EISDIR, errno.ENOTDIR, errno.ELOOP}
)


class CannotWrite(UsageError):  # noqa: N818 - reads as what happened
    """A file cannot be written. `concerns_others` says that no other file could be either."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"{path}: cannot be written: {error.strerror}")
        self.concerns_others = error.errno not in _OF_ONE_FILE
        self.reason = error.strerror or "cannot be written"


class AtomicFile:
    """Written beside its place under another name; `commit` moves it there in one step.

    Left without a commit (an error, Ctrl-C), nothing remains. Nothing is created before the first
    byte is written, unless `commit` is called. A device or pipe is written to as it is: it must
    never be replaced by a file.
    """

    def __init__(self, path: Path, mode: int = 0o666) -> None:
        """`mode` are the permissions, as far as the user's umask leaves them."""
        self.path = path
        self._mode = mode
        self._special = path.exists() and not path.is_file()
        self._partial = path if self._special else _partial(path)
        self._stream: BinaryIO | None = None
        self._hash = hashlib.sha256()
        self._begun = False  # before there is a stream: Ctrl-C may come between the two

    def write(self, data: bytes) -> None:
        with self._naming_the_file():
            self._open().write(data)
        self._hash.update(data)

    @property
    def sha256(self) -> str:
        """Of all that was written, if nothing was taken back."""
        return self._hash.hexdigest()

    def tell(self) -> int:
        return self._stream.tell() if self._stream else 0

    def rewind(self, to: int) -> None:
        """Forget what was written after position `to`."""
        if self._stream:
            with self._naming_the_file():
                self._stream.seek(to)
                self._stream.truncate()

    def flush(self) -> None:
        """What was written so far can be found by `leftovers`, should the run be killed."""
        if self._stream:
            with self._naming_the_file():
                self._stream.flush()

    def commit(self) -> None:
        with self._naming_the_file():
            stream = self._open()
            stream.flush()
            if not self._special:
                os.fsync(stream.fileno())
                self._partial.replace(self.path)
                sync_folder(self.path.parent)
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
            flags = os.O_WRONLY | os.O_CREAT | (0 if self._special else os.O_TRUNC)
            self._stream = os.fdopen(os.open(self._partial, flags, self._mode), "wb")
        return self._stream

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        """A full disk says nothing of what was being written to it."""
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise CannotWrite(self.path, error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


def _partial(path: Path) -> Path:
    """The name under which a file is written. It ends in the process, so that what a killed run
    leaves can be found; a name that leaves no room for that is hashed."""
    end = f".{os.getpid()}.partial"
    name = f".{path.name}{end}"
    if len(os.fsencode(name)) > _LONGEST_NAME:
        name = f".{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:32]}{end}"
    return path.with_name(name)


def sync_folder(folder: Path) -> None:
    """A name in a folder is as lasting as a file only after this."""
    if hasattr(os, "O_DIRECTORY"):
        with suppress(OSError):  # not every file system can
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


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
