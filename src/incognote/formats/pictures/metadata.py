"""Pictures without what cameras and programs write into them, every pixel as it was.

What only describes a JPEG or PNG (EXIF, XMP, comments, times, thumbnails) is left out; what its
colours are stays. Pictures of other kinds come back as they are.
"""

from __future__ import annotations

import struct

from incognote.formats.pictures.codestream import bare, is_jpeg

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_TOLD = (b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME")


def without_metadata(data: bytes) -> bytes:
    """A ReadError for a JPEG that cannot be followed."""
    if data.startswith(_PNG):
        return _png(data)
    return bare(data, with_profile=True) if is_jpeg(data) else data


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
