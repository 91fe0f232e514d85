"""File formats: each module reads and writes one of them; here is how a file finds its own."""

from __future__ import annotations

from pathlib import PurePath

from incognote.core import registry
from incognote.core.caches import once
from incognote.core.errors import ReadError
from incognote.formats.base import Format

# How much of a file `sniff` is shown.
HEAD = 4096

# The general formats are asked after the special ones: FHIR is JSON, and nearly all is text.
_GENERAL = ("xml", "jsonl", "json", "csv", "text")


def format_named(name: str) -> Format:
    made: Format = registry.load("format", name)()
    return made


def format_of(name: str, head: bytes) -> Format:
    """The format of a file by its name, or by its first bytes where the name leaves it open.

    A name that says text leaves it open: feeds of HL7 are called .txt, and a PDF read as text
    would hide what it shows.
    """
    suffix = PurePath(name).suffix.lower()
    by_name = [each for each in _all_formats() if suffix in each.suffixes]
    if all(each.name in _GENERAL for each in by_name):
        for each in _all_formats():
            if each.name not in _GENERAL and each.sniff(head):
                return each
    if len(by_name) == 1:
        return by_name[0]
    for each in by_name or _all_formats():
        if each.sniff(head):
            return each
    if by_name:
        return by_name[-1]  # the most general reader says best what is wrong
    raise ReadError("no format is known for this file")


def known_suffixes() -> tuple[str, ...]:
    """The endings of file names that show the format and nothing else, as in
    `patient.fhir.json`."""
    called = tuple(f".{each.name}" for each in _all_formats())
    return (*called, ".ccda", *(suffix for each in _all_formats() for suffix in each.suffixes))


@once
def _all_formats() -> tuple[Format, ...]:
    special = [name for name in registry.names("format") if name not in _GENERAL]
    general = [name for name in _GENERAL if name in registry.names("format")]
    return tuple(map(format_named, [*special, *general]))


__all__ = ["HEAD", "Format", "format_named", "format_of", "known_suffixes"]
