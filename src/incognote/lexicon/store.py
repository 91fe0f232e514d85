"""Reads tables out of lexicon.zip, each only when it is first asked for."""

from __future__ import annotations

import sys
import zipfile
from array import array
from importlib.resources import files


def lines(member: str) -> list[str]:
    text = _read(member).decode()
    return text.split("\n") if text else []


def numbers(member: str) -> array[int]:
    column = array("I")
    column.frombytes(_read(member))
    if sys.byteorder == "big":
        column.byteswap()
    return column


def octets(member: str) -> bytes:
    return _read(member)


def _read(member: str) -> bytes:
    # Opened anew for each table: a handle kept open would not survive a fork.
    with (
        files("incognote.lexicon").joinpath("lexicon.zip").open("rb") as handle,
        zipfile.ZipFile(handle) as archive,
    ):
        return archive.read(member)
