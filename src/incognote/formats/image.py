"""PNG, JPEG and TIFF: words in the picture painted over, EXIF and other metadata left behind."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from incognote.core.errors import MissingExtra, ReadError
from incognote.core.types import Document, Failure, Result
from incognote.formats.base import Record, refused, require_modules
from incognote.formats.ocr import require_ocr
from incognote.formats.pixels import BurnedIn, check_painted, paint
from incognote.policy import KEEP, FormatRules

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_MAX_PIXELS = 100_000_000
# Pictures of more than 8 bits keep them: X-rays come as such.
_DEEP = ("I", "I;16", "I;16B", "F")


class ImageFormat:
    name = "image"
    suffixes = (".png", ".jpg", ".jpeg", ".tif", ".tiff")

    def sniff(self, head: bytes) -> bool:
        return head.startswith(_MAGIC)

    def require(self, rules: FormatRules) -> None:
        require_modules("the format 'image'", "ocr", "PIL")
        if rules.images != KEEP:
            require_ocr()

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        try:
            self.require(rules)
            file = _File.opened(stream.read(), name, rules)
        except (ReadError, MissingExtra) as error:
            yield refused(name, error)
            return
        yield Record(file.documents, file.render)


@dataclass(frozen=True, slots=True)
class _File:
    """The frames of a picture as bare pixels, and the words in each."""

    kind: str
    frames: list[NDArray[Any]] = field(repr=False)
    words: list[BurnedIn]

    @classmethod
    def opened(cls, data: bytes, name: str, rules: FormatRules) -> _File:
        from PIL import Image, ImageSequence

        try:
            with Image.open(io.BytesIO(data)) as picture:
                if picture.width * picture.height > _MAX_PIXELS:
                    raise ReadError("too large a picture")
                kind = picture.format or "PNG"
                frames = [_pixels(frame) for frame in ImageSequence.Iterator(picture)]
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            raise ReadError("a broken or truncated picture") from None
        read = [] if rules.images == KEEP else frames
        return cls(kind, frames, [BurnedIn(partial(list, [each]), name, rules) for each in read])

    @property
    def documents(self) -> tuple[Document, ...]:
        return tuple(document for each in self.words for document in each.documents)

    def render(self, results: Sequence[Result]) -> bytes:
        from PIL import Image

        rest = list(results)
        for pixels, words in zip(self.frames, self.words, strict=False):
            own, rest = rest[: len(words.documents)], rest[len(words.documents) :]
            boxes = words.boxes(own)
            paint(pixels if pixels.ndim == 3 else pixels[..., None], boxes, 0)
            check_painted(pixels, boxes)
        pictures = [Image.fromarray(pixels) for pixels in self.frames]
        options: dict[str, Any] = {"quality": 95} if self.kind == "JPEG" else {}
        if len(pictures) > 1:
            options |= {"save_all": True, "append_images": pictures[1:]}
        out = io.BytesIO()
        # Saved from bare pixels, so that no EXIF, comment, profile or thumbnail comes along.
        pictures[0].save(out, format=self.kind, **options)
        return out.getvalue()


def _pixels(frame: Any) -> NDArray[Any]:
    import numpy as np
    from PIL import ImageOps

    upright = ImageOps.exif_transpose(frame)
    if upright.mode not in _DEEP:
        upright = upright.convert("L" if upright.mode in ("1", "L") else "RGB")
    return np.array(upright)
