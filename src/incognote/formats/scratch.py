"""Folders for programs that take files and nothing else. They hold clinical text.

A folder goes when its work is done. What a run leaves that was killed outright goes when the next
one starts: whoever works in a folder holds a lock in it, which ends with the process.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_PREFIX = "incognote-"
_LOCK = "lock"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder of one's own, which is gone afterwards whatever happens."""
    # It gets its name when it is locked: `sweep` in another process must not come between.
    made = Path(tempfile.mkdtemp(prefix=f".{_PREFIX}"))
    folder = made.with_name(made.name[1:])
    try:
        with (made / _LOCK).open("wb") as lock:
            _locked(lock)
            made.rename(folder)
            yield folder
    finally:
        for each in (made, folder):
            _remove(each)


def sweep() -> None:
    """Removes the folders of runs that are no more."""
    try:
        place = Path(tempfile.gettempdir())
    except OSError:
        return  # a full disk: whoever needs a folder there will say so
    for lock in place.glob(f"{_PREFIX}*/{_LOCK}"):
        try:
            with lock.open("r+b") as held:
                left = _locked(held)
        except OSError:
            continue  # somebody else's, or gone already
        if left:
            _remove(lock.parent)


def _remove(folder: Path) -> None:
    """The lock goes last, when nothing else is left: by it, `sweep` finds what could not go yet,
    or what whoever was killed here did not get to."""
    for each in folder.glob("*"):
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each, ignore_errors=True)
        elif each.name != _LOCK:
            with suppress(OSError):
                each.unlink()
    if {each.name for each in folder.glob("*")} <= {_LOCK}:
        shutil.rmtree(folder, ignore_errors=True)


def _locked(file: BinaryIO) -> bool:
    """Whether this process now holds the lock; never where a system has no such locks."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
