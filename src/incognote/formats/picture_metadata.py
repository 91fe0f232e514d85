"""Pictures without what cameras and programs write into them, every pixel as it was.

JPEG and PNG are sequences of segments: those that only describe (EXIF, XMP, comments, times) are
left out. Pictures of other kinds come back as they are.
"""

from __future__ import annotations

import struct

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_TOLD = (b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME")
# Application segments 1 to 13, 15 and comments; 0 (JFIF), 2 (colours) and 14 (colours) stay.
_JPEG_TOLD = frozenset((0xFE, 0xE1, *range(0xE3, 0xEE), 0xEF))
_SCAN = 0xDA


def without_metadata(data: bytes) -> bytes:
    if data.startswith(_PNG):
        return _png(data)
    return _jpeg(data) if data.startswith(b"\xff\xd8\xff") else data


def _png(data: bytes) -> bytes:
    kept, at = [_PNG], len(_PNG)
    while at + 8 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        end = at + 12 + length
        kind = data[at + 4 : at + 8]
        if kind not in _PNG_TOLD:
            kept.append(data[at:end])
        at = end
        if kind == b"IEND":
            break
    return b"".join(kept)


def _jpeg(data: bytes) -> bytes:
    kept, at = [data[:2]], 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        (length,) = struct.unpack_from(">H", data, at + 2)
        if marker == _SCAN:
            # What stands behind the end of the picture, as previews do, is none of it.
            end = data.rfind(b"\xff\xd9")
            kept.append(data[at : end + 2] if end > at else data[at:])
            break
        if marker not in _JPEG_TOLD:
            kept.append(data[at : at + 2 + length])
        at += 2 + length
    return b"".join(kept)
