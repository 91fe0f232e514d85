"""Zip, tar and gzip: members are processed one by one, each by its own format, and repacked."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Document, Failure, Result
from incognote.formats import HEAD, format_of, known_suffixes
from incognote.formats.archives.zips import (
    MAX_BYTES,
    MAX_MEMBERS,
    MAX_RATIO,
    members,
    pack,
    safe_name,
)
from incognote.formats.base import DEEPEST, Record, refused
from incognote.formats.file_names import Renaming
from incognote.policy import KEEP, FormatRules

# How large a file with holes may be beyond its archive.
_HOLES = 1 << 20
_GZIP = b"\x1f\x8b"
# What a block of bgzip begins with, up to its length.
_BLOCK_HEAD = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0"
_BLOCK = 0xFF00


@dataclass(frozen=True, slots=True)
class _Opened:
    """An archive: its members, and how they are packed again under the names they shall have."""

    names: list[str] = field(repr=False)
    contents: list[bytes] = field(repr=False)
    pack: Callable[[list[str], list[bytes]], bytes] = field(repr=False)


class ZipFormat:
    name = "zip"
    suffixes = (".zip",)

    def sniff(self, head: bytes) -> bool:
        # Office files are zips, too, and are asked by their own formats first.
        return head[:4] == b"PK\x03\x04"

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        def opened() -> _Opened:
            parts = members(stream, name)
            infos = [info for info, _ in parts]
            return _Opened(
                [info.filename for info in infos],
                [data for _, data in parts],
                lambda names, new: pack(zip(infos, new, strict=True), names),
            )

        yield _archive(opened, name, rules)


class TarFormat:
    name = "tar"
    suffixes = (".tar", ".tgz")

    def sniff(self, head: bytes) -> bool:
        return head[257:262] == b"ustar"

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        def opened() -> _Opened:
            data = stream.read()
            packed = data[:2] == _GZIP
            infos, contents = _tar_members(_gunzip(data, name) if packed else data, name)

            def write(names: list[str], new: list[bytes]) -> bytes:
                tar = _pack_tar(infos, names, new)
                return gzip.compress(tar, mtime=0) if packed else tar

            return _Opened([_slashed(info) for info in infos], contents, write)

        yield _archive(opened, name, rules)


class GzipFormat:
    name = "gzip"
    suffixes = (".gz",)

    def sniff(self, head: bytes) -> bool:
        return head[:2] == _GZIP

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        inner = _inner(name)

        def opened() -> _Opened:
            data = stream.read()
            in_blocks = data[3:4] == b"\x04" and data[10:16] == _BLOCK_HEAD[10:]
            content = _gunzip(data, name)
            return _Opened([inner], [content], lambda _, new: _gzip(new[0], in_blocks=in_blocks))

        # The content has no name of its own: it goes by that of its file.
        yield _archive(opened, name, rules, naming=KEEP)


def _inner(name: str) -> str:
    return name.removesuffix(".gz") if name.endswith(".gz") else f"{name} content"


def _archive(
    opened: Callable[[], _Opened], name: str, rules: FormatRules, naming: str = ""
) -> Record | Failure:
    """One record: a member that cannot be read fails the archive, since it cannot be left out.

    `naming` is what becomes of the names of members, where the policy has no say in it.
    """
    naming = naming or rules.names
    try:
        _check_depth(name)
        archive = opened()
        inner = [
            []
            if member.endswith("/") or not data
            # Where names may be PHI, members go by their number in messages, ids and the manifest.
            else _records(member, data, f"{name} > {_called(member, number, rules.names)}", rules)
            for number, (member, data) in enumerate(
                zip(archive.names, archive.contents, strict=True), start=1
            )
        ]
    except ReadError as error:
        return refused(name, error)
    renaming = Renaming(naming, known_suffixes(), frozenset(archive.names).__contains__, name)
    asking = [
        renaming.documents(member, [d for record in records for d in record.documents])
        for member, records in zip(archive.names, inner, strict=True)
    ]

    def render(results: Sequence[Result]) -> bytes:
        rest = list(results)
        contents: list[bytes] = []
        names: list[str] = []
        for member, records, asked in zip(archive.names, inner, asking, strict=True):
            data = b""
            for record in records:
                own, rest = rest[: len(record.documents)], rest[len(record.documents) :]
                data += record.render(own)
            contents.append(data)
            own, rest = rest[: len(asked)], rest[len(asked) :]
            new = renaming.settle(member, own)
            names.append(f"{new}/" if new and member.endswith("/") else new)
        return archive.pack(names, contents)

    documents: list[Document] = []
    for records, asked in zip(inner, asking, strict=True):
        documents += [document for record in records for document in record.documents]
        documents += asked
    return Record(tuple(documents), render)


def _check_depth(name: str) -> None:
    if name.count(" > ") >= DEEPEST:
        raise ReadError(f"{name}: archives nested too deeply")


def _called(member: str, number: int, naming: str) -> str:
    return member if naming == KEEP else f"{number}{PurePosixPath(member).suffix}"


def _records(member: str, data: bytes, where: str, rules: FormatRules) -> list[Record]:
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
                infos.append(info)
                _check_tar(infos, len(data), where)
                member = tar.extractfile(info)
                contents.append(member.read() if member else b"")
            rest = data[tar.offset :]
    except ReadError:
        raise
    except Exception:  # noqa: BLE001 - a damaged header raises whatever its fields make of it
        raise ReadError(f"{where}: a broken or truncated tar file") from None
    # The library takes a member that it cannot read for the end.
    if rest.strip(b"\0"):
        raise ReadError(f"{where}: a broken or truncated tar file")
    if len({info.name for info in infos}) != len(infos):
        raise ReadError(f"{where}: two members have one name")
    return infos, contents


def _check_tar(infos: Sequence[tarfile.TarInfo], size: int, where: str) -> None:
    """A ReadError for a member, the last of those so far, that is not to be trusted."""
    info = infos[-1]
    if len(infos) > MAX_MEMBERS:
        raise ReadError(f"{where}: more than {MAX_MEMBERS:,} members")
    if not safe_name(info.name):
        raise ReadError(f"{where}: a member's name leads out of the archive")
    if not info.isfile() and not info.isdir():
        raise ReadError(f"{where}: holds a link or a device")
    # Nothing is packed in a tar, but a file with holes may be any size.
    if info.size > max(size, _HOLES):
        raise ReadError(f"{where}: a member has suspiciously large holes")


def _slashed(info: tarfile.TarInfo) -> str:
    """The name of a member, that of a folder with a slash behind it, as zips have it."""
    return f"{info.name}/" if info.isdir() else info.name


def _pack_tar(
    infos: Sequence[tarfile.TarInfo], names: Sequence[str], contents: Sequence[bytes]
) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:") as tar:
        for info, name, data in zip(infos, names, contents, strict=True):
            if not name:
                continue
            # Who packed it, and when, is left out.
            fresh = tarfile.TarInfo(name.rstrip("/"))
            fresh.type = tarfile.DIRTYPE if info.isdir() else tarfile.REGTYPE
            fresh.mode, fresh.size = info.mode, len(data)
            tar.addfile(fresh, io.BytesIO(data))
    return buffer.getvalue()
