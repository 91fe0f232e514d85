"""Compressed pictures as streams of segments: what is no picture is cut out, no pixel changes.

JPEG, JPEG-LS and JPEG 2000 have room for comments, whole EXIF blocks and thumbnails between the
segments that make the picture, and decoders pass over anything behind its end.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping

from incognote.core.errors import ReadError

_JPEG, _JPEG_2000 = b"\xff\xd8", b"\xff\x4f"
_SCAN, _END = 0xDA, 0xD9
_APPLICATION, _COMMENT = range(0xE0, 0xF0), 0xFE
# Segments of applications that decoders need, by their first bytes, and how much of them: density
# (a thumbnail may follow), and which colours the components are.
_NEEDED = {0xE0: (b"JFIF\0", 12), 0xE8: (b"mrfx", 5), 0xEE: (b"Adobe", 12)}
_PROFILE = {0xE2: (b"ICC_PROFILE\0", 0xFFFF)}
# Within a scan, a marker is what neither fills, nor is stuffed, nor restarts.
_MARKER = re.compile(rb"\xff[\x80-\xcf\xd8-\xfe]")
_TILE, _TILE_DATA, _REMARK = 0x90, 0x93, 0x64
_TILE_HEAD = 12

_BROKEN = ReadError("a compressed picture that is broken or of an unknown kind")


def is_jpeg(stream: bytes) -> bool:
    return stream.startswith(_JPEG)


def bare(stream: bytes, *, with_profile: bool = False) -> bytes:
    """The stream with nothing in it but the picture; a ReadError where it cannot be followed.

    The colour profile of a JPEG is no part of its pixels, but they look wrong without it.
    """
    try:
        if is_jpeg(stream):
            return b"".join(_jpeg(stream, _NEEDED | _PROFILE if with_profile else _NEEDED))
        if stream.startswith(_JPEG_2000):
            return b"".join(_jpeg_2000(stream))
    except (IndexError, struct.error):
        raise _BROKEN from None
    raise _BROKEN


def _jpeg(stream: bytes, needed: Mapping[int, tuple[bytes, int]]) -> Iterator[bytes]:
    yield _JPEG
    at = 2
    while True:
        if stream[at] != 0xFF:
            raise _BROKEN
        marker = stream[at + 1]
        if marker == 0xFF:  # fills
            at += 1
            continue
        if marker == _END:
            yield stream[at : at + 2]
            return
        end = _segment_end(stream, at)
        if marker in needed:
            head, length = needed[marker]
            body = stream[at + 4 : end][:length]
            if body.startswith(head):
                # No thumbnail: none is as wide and high as nothing.
                body += b"\0\0" if marker == 0xE0 else b""
                yield struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body
        elif marker not in _APPLICATION and marker != _COMMENT:
            if marker == _SCAN:
                found = _MARKER.search(stream, end)
                if not found:
                    raise _BROKEN
                end = found.start()
            yield stream[at:end]
        at = end


def _jpeg_2000(stream: bytes) -> Iterator[bytes]:
    yield _JPEG_2000
    at = 2
    while stream[at + 1] != _TILE:
        at, kept = _kept(stream, at)
        yield kept
    while stream[at : at + 2] == b"\xff\x90":
        (length,) = struct.unpack_from(">I", stream, at + 6)
        end = at + length if length else stream.rindex(b"\xff\xd9")
        if not at + _TILE_HEAD < end <= len(stream):
            raise _BROKEN
        inner, parts = at + _TILE_HEAD, []
        while stream[inner + 1] != _TILE_DATA:
            inner, kept = _kept(stream, inner)
            parts.append(kept)
        body = b"".join(parts) + stream[inner:end]
        length = len(body) + _TILE_HEAD if length else 0
        yield stream[at : at + 6] + struct.pack(">I", length) + stream[at + 10 : at + 12] + body
        at = end
    if stream[at : at + 2] != b"\xff\xd9":
        raise _BROKEN
    yield b"\xff\xd9"


def _kept(stream: bytes, at: int) -> tuple[int, bytes]:
    """Where the next segment of JPEG 2000 starts, and this one, unless it is a remark."""
    end = _segment_end(stream, at)
    return end, b"" if stream[at + 1] == _REMARK else stream[at:end]


def _segment_end(stream: bytes, at: int) -> int:
    (length,) = struct.unpack_from(">H", stream, at + 2)
    end: int = at + 2 + length
    if stream[at] != 0xFF or length < 2 or end > len(stream):
        raise _BROKEN
    return end
