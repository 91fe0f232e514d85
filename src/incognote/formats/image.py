"""PNG, JPEG and TIFF: text in the picture painted over, EXIF and other metadata left behind."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, BinaryIO

from incognote.core.errors import MissingExtra, ReadError
from incognote.core.types import Failure
from incognote.formats.base import Record
from incognote.formats.pixels import cover, require_ocr, text_boxes
from incognote.policy import FormatRules

_MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_MAX_PIXELS = 100_000_000


class ImageFormat:
    name = "image"
    suffixes = (".png", ".jpg", ".jpeg", ".tif", ".tiff")

    def sniff(self, head: bytes) -> bool:
        return head.startswith(_MAGIC)

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        del rules
        try:
            data = _cleaned(stream.read())
        except (ReadError, MissingExtra) as error:
            yield Failure(name, ReadError.stage, type(error).__name__, f"{name}: {error}")
            return
        yield Record((), lambda _: data)


def _cleaned(data: bytes) -> bytes:
    try:
        from PIL import Image, ImageSequence
    except ModuleNotFoundError:
        raise MissingExtra("the format 'image'", "ocr") from None
    require_ocr()
    try:
        with Image.open(io.BytesIO(data)) as picture:
            if picture.width * picture.height > _MAX_PIXELS:
                raise ReadError("too large a picture")
            kind = picture.format or "PNG"
            frames = [_painted(frame) for frame in ImageSequence.Iterator(picture)]
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise ReadError("a broken or truncated picture") from None
    out = io.BytesIO()
    options: dict[str, Any] = {"quality": 95} if kind == "JPEG" else {}
    if len(frames) > 1:
        options |= {"save_all": True, "append_images": frames[1:]}
    # Saved from bare pixels, so that no EXIF, comment, profile or thumbnail comes along.
    frames[0].save(out, format=kind, **options)
    return out.getvalue()


def _painted(frame: Any) -> Any:
    import numpy as np
    from PIL import Image, ImageOps

    upright = ImageOps.exif_transpose(frame)
    # Pictures of more than 8 bits keep them: X-rays come as such.
    if upright.mode not in ("I", "I;16", "F"):
        upright = upright.convert("L" if upright.mode in ("1", "L") else "RGB")
    pixels = np.array(upright)
    layered = pixels if pixels.ndim == 3 else pixels[..., None]
    cover(layered, text_boxes(pixels), 0)
    return Image.fromarray(pixels)
