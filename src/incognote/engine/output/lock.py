"""One run at a time into one folder: two would mix their files and lose a manifest."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from incognote.core.errors import UsageError


@contextmanager
def locked_folder(folder: Path | None) -> Iterator[None]:
    """Holds the folder while a run writes to it; a UsageError if another run does.

    The lock is on the folder itself and ends with the process, however that ends. Where a system
    or a file system has no such locks, there is none.
    """
    if folder is None:
        yield
        return
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}") from None
    descriptor = _lock(folder)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)
        if is_new:  # a run that is refused leaves nothing behind
            with suppress(OSError):
                folder.rmdir()


def _lock(folder: Path) -> int | None:
    try:
        import fcntl
    except ImportError:
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise UsageError(f"{folder}: another run is writing here") from None
        return None
    return descriptor
