"""The file format: a zip of plain tables, one member a column, so that anybody can look inside.

Keys are newline-joined UTF-8; a column beside them is packed little-endian numbers in key order.
"""

from __future__ import annotations

import sys
import zipfile
from array import array
from collections.abc import Iterable
from pathlib import Path

EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed time stamp: same content, same bytes


def lines(rows: Iterable[str]) -> bytes:
    return "\n".join(rows).encode()


def numbers(values: Iterable[int]) -> bytes:
    column = array("I", values)
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()


def write(path: Path, tables: dict[str, bytes]) -> int:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(tables):
            info = zipfile.ZipInfo(name, EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, tables[name], compresslevel=9)
    return path.stat().st_size
