"""Zip, tar and gzip: members are processed one by one, each by its own format, and repacked."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Failure, Result
from incognote.formats import HEAD, format_of
from incognote.formats.base import Record
from incognote.formats.zips import MAX_BYTES, MAX_MEMBERS, MAX_RATIO, members, pack, safe_name
from incognote.policy import FormatRules

_MAX_DEPTH = 3
_GZIP = b"\x1f\x8b"
# What a block of bgzip begins with, up to its length.
_BLOCK_HEAD = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0"
_BLOCK = 0xFF00


class ZipFormat:
    name = "zip"
    suffixes = (".zip",)

    def sniff(self, head: bytes) -> bool:
        # Office files are zips, too, and are asked by their own formats first.
        return head[:4] == b"PK\x03\x04"

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        def opened() -> tuple[list[str], list[bytes], Callable[[list[bytes]], bytes]]:
            parts = members(stream, name)
            infos = [info for info, _ in parts]
            names = [info.filename for info in infos]
            return (
                names,
                [data for _, data in parts],
                lambda new: pack(zip(infos, new, strict=True)),
            )

        yield _archive(opened, name, rules)


class TarFormat:
    name = "tar"
    suffixes = (".tar", ".tgz")

    def sniff(self, head: bytes) -> bool:
        return head[257:262] == b"ustar"

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        def opened() -> tuple[list[str], list[bytes], Callable[[list[bytes]], bytes]]:
            data = stream.read()
            packed = data[:2] == _GZIP
            infos, contents = _tar_members(_gunzip(data, name) if packed else data, name)

            def write(new: list[bytes]) -> bytes:
                tar = _pack_tar(infos, new)
                return gzip.compress(tar, mtime=0) if packed else tar

            return [info.name for info in infos], contents, write

        yield _archive(opened, name, rules)


class GzipFormat:
    name = "gzip"
    suffixes = (".gz",)

    def sniff(self, head: bytes) -> bool:
        return head[:2] == _GZIP

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        inner = name.removesuffix(".gz") if name.endswith(".gz") else f"{name} content"

        def opened() -> tuple[list[str], list[bytes], Callable[[list[bytes]], bytes]]:
            data = stream.read()
            in_blocks = data[3:4] == b"\x04" and data[10:16] == _BLOCK_HEAD[10:]
            content = _gunzip(data, name)
            return [inner], [content], lambda new: _gzip(new[0], in_blocks=in_blocks)

        yield _archive(opened, name, rules)


def _archive(
    opened: Callable[[], tuple[list[str], list[bytes], Callable[[list[bytes]], bytes]]],
    name: str,
    rules: FormatRules,
) -> Record | Failure:
    """One record: a member that cannot be read fails the archive, since it cannot be left out."""
    try:
        _check_depth(name)
        names, contents, write = opened()
        inner = [
            [] if member.endswith("/") or not data else _records(member, data, name, rules)
            for member, data in zip(names, contents, strict=True)
        ]
    except ReadError as error:
        message = str(error) if name in str(error) else f"{name}: {error}"
        return Failure(name, error.stage, type(error).__name__, message)

    def render(results: Sequence[Result]) -> bytes:
        rest = list(results)
        written: list[bytes] = []
        for records in inner:
            data = b""
            for record in records:
                own, rest = rest[: len(record.documents)], rest[len(record.documents) :]
                data += record.render(own)
            written.append(data)
        return write(written)

    documents = tuple(d for records in inner for record in records for d in record.documents)
    return Record(documents, render)


def _check_depth(name: str) -> None:
    if name.count(" > ") >= _MAX_DEPTH:
        raise ReadError(f"{name}: archives nested too deeply")


def _records(member: str, data: bytes, archive: str, rules: FormatRules) -> list[Record]:
    where = f"{archive} > {member}"
    found = []
    for record in format_of(member, data[:HEAD]).read(io.BytesIO(data), where, rules):
        if isinstance(record, Failure):
            raise ReadError(record.message or f"{where}: cannot be read")
        found.append(record)
    return found


def _gunzip(data: bytes, where: str) -> bytes:
    """Decompressed, but never more than a limit, whatever the file promises."""
    limit = min(MAX_BYTES, max(len(data) * MAX_RATIO, 1 << 20))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            content = packed.read(limit + 1)
    except (EOFError, OSError, zlib.error):
        raise ReadError(f"{where}: a broken or truncated gzip file") from None
    if len(content) > limit:
        raise ReadError(f"{where}: packed suspiciously tightly")
    return content


def _gzip(content: bytes, *, in_blocks: bool) -> bytes:
    """Packed again; in the blocks of bgzip where the file came in them, so that it can be indexed.

    A block says in its header how long it is, and an empty one ends the file.
    """
    if not in_blocks:
        return gzip.compress(content, mtime=0)
    packed = b""
    for start in range(0, len(content) + _BLOCK, _BLOCK):
        block = content[start : start + _BLOCK]
        deflate = zlib.compressobj(wbits=-15)
        body = deflate.compress(block) + deflate.flush()
        packed += _BLOCK_HEAD + struct.pack("<H", len(_BLOCK_HEAD) + len(body) + 9) + body
        packed += struct.pack("<II", zlib.crc32(block), len(block))
    return packed


def _tar_members(data: bytes, where: str) -> tuple[list[tarfile.TarInfo], list[bytes]]:
    infos: list[tarfile.TarInfo] = []
    contents: list[bytes] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for info in tar:
                if len(infos) >= MAX_MEMBERS:
                    raise ReadError(f"{where}: more than {MAX_MEMBERS:,} members")
                if not safe_name(info.name):
                    raise ReadError(f"{where}: a member's name leads out of the archive")
                if not info.isfile() and not info.isdir():
                    raise ReadError(f"{where}: holds a link or a device")
                member = tar.extractfile(info)
                infos.append(info)
                contents.append(member.read() if member else b"")
    except (tarfile.TarError, EOFError):
        raise ReadError(f"{where}: a broken or truncated tar file") from None
    return infos, contents


def _pack_tar(infos: Sequence[tarfile.TarInfo], contents: Sequence[bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:") as tar:
        for info, data in zip(infos, contents, strict=True):
            # Who packed it is nobody's business.
            info.uname = info.gname = ""
            info.uid = info.gid = 0
            info.pax_headers = {}
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data) if info.isfile() else None)
    return buffer.getvalue()
