"""File formats: each module reads and writes one of them; here is how a file finds its own."""

from __future__ import annotations

from functools import cache
from pathlib import PurePath

from incognote.core import registry
from incognote.core.errors import ReadError
from incognote.formats.base import Format

# How much of a file `sniff` is shown.
HEAD = 4096

# Nearly everything looks like text, and much text looks like a table: these are asked last.
_LAST = ("csv", "text")


def format_named(name: str) -> Format:
    made: Format = registry.load("format", name)()
    return made


def format_of(name: str, head: bytes) -> Format:
    """The format of a file by its name, or by its first bytes where the name leaves it open."""
    suffix = PurePath(name).suffix.lower()
    by_name = [each for each in _all_formats() if suffix in each.suffixes]
    if len(by_name) == 1:
        return by_name[0]
    for each in by_name or _all_formats():
        if each.sniff(head):
            return each
    raise ReadError("no format is known for this file")


@cache
def _all_formats() -> tuple[Format, ...]:
    order = sorted(
        registry.names("format"), key=lambda n: (_LAST.index(n) if n in _LAST else -1, n)
    )
    return tuple(map(format_named, order))


__all__ = ["HEAD", "Format", "format_named", "format_of"]
