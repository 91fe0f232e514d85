"""Zip files, opened with suspicion: limits on size, ratio and number, no passwords, no tricks."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import BinaryIO

from incognote.core.errors import ReadError

MAX_BYTES = 1 << 30
MAX_MEMBERS = 20_000
# XML and text deflate to a hundredth; what shrinks to a thousandth is meant to hurt.
MAX_RATIO = 400
_RATIO_FROM = 1 << 20


def members(stream: BinaryIO, where: str) -> list[tuple[zipfile.ZipInfo, bytes]]:
    """Every member with its content, in order; a ReadError where the file is not to be trusted."""
    try:
        with zipfile.ZipFile(stream) as archive:
            infos = archive.infolist()
            _check(infos, where)
            return [(info, archive.read(info)) for info in infos]
    except ReadError:
        raise
    except Exception:  # noqa: BLE001 - each way of packing has errors of its own
        raise ReadError(f"{where}: a broken or truncated zip file") from None


def pack(
    parts: Iterable[tuple[zipfile.ZipInfo, bytes]], names: Iterable[str] | None = None
) -> bytes:
    """The members again, in the same order and packed as they were, under their names unless others
    are given; a member whose new name is empty is left out.

    When a member was written is as much a date of the patient as any in it: it is not kept.
    """
    parts = list(parts)
    names = [info.filename for info, _ in parts] if names is None else names
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for (info, data), name in zip(parts, names, strict=True):
            if not name:
                continue
            fresh = zipfile.ZipInfo(name)
            fresh.compress_type = info.compress_type
            fresh.external_attr = info.external_attr
            archive.writestr(fresh, data)
    return buffer.getvalue()


def safe_name(name: str) -> bool:
    """Whether a member stays inside the folder it is unpacked to."""
    path = PurePosixPath(name.replace("\\", "/"))
    return not path.is_absolute() and ".." not in path.parts and ":" not in name[:3]


def _check(infos: list[zipfile.ZipInfo], where: str) -> None:
    if len(infos) > MAX_MEMBERS:
        raise ReadError(f"{where}: more than {MAX_MEMBERS:,} members")
    if sum(info.file_size for info in infos) > MAX_BYTES:
        raise ReadError(f"{where}: unpacks to more than {MAX_BYTES >> 20:,} MB")
    names = [info.filename for info in infos]
    if len(set(names)) != len(names):
        raise ReadError(f"{where}: two members have one name")
    for info in infos:
        if info.flag_bits & 1:
            raise ReadError(f"{where}: protected by a password")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise ReadError(f"{where}: holds a link or a device")
        if not safe_name(info.filename):
            raise ReadError(f"{where}: a member's name leads out of the archive")
        bomb = info.file_size > _RATIO_FROM and info.file_size > MAX_RATIO * info.compress_size
        if bomb:
            raise ReadError(f"{where}: a member is packed suspiciously tightly")
