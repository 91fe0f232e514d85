"""Zip, tar and gzip: members are processed one by one, each by its own format, and repacked."""

from __future__ import annotations

import gzip
import io
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
            content = _gunzip(stream.read(), name)
            return [inner], [content], lambda new: gzip.compress(new[0], mtime=0)

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
    content = b""
    try:
        while data:
            unpack = zlib.decompressobj(wbits=31)
            content += unpack.decompress(data, limit - len(content) + 1)
            if len(content) > limit or unpack.unconsumed_tail:
                raise ReadError(f"{where}: packed suspiciously tightly")
            if not unpack.eof:
                raise ReadError(f"{where}: a truncated gzip file")
            data = unpack.unused_data.lstrip(b"\0")
    except zlib.error:
        raise ReadError(f"{where}: a broken gzip file") from None
    return content


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
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data) if info.isfile() else None)
    return buffer.getvalue()
