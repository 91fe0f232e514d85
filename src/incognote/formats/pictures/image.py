"""PNG, JPEG and TIFF: words in the picture painted over, EXIF and other metadata left behind."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Document, Failure, Result
from incognote.formats.base import Record, require_modules, whole
from incognote.formats.pictures.codestream import bare
from incognote.formats.pictures.ocr import require_ocr
from incognote.formats.pictures.pixels import BurnedIn, check_painted, paint, renditions
from incognote.policy import KEEP, FormatRules

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_MAX_PIXELS = 100_000_000
_ORIENTATION = 0x0112
# Pictures of more than 8 bits keep them (X-rays come as such), faxes their one.
_AS_IT_IS = ("1", "L", "I", "I;16", "I;16B", "F")


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
        def opened() -> _File:
            self.require(rules)
            return _File.opened(stream.read(), name, rules)

        yield whole(name, opened)


@dataclass(frozen=True, slots=True)
class _File:
    """The frames of a picture as bare pixels, and the words in each."""

    kind: str
    frames: list[NDArray[Any]] = field(repr=False)
    words: list[BurnedIn]
    # A JPEG as it came, where it can be written back without being compressed again.
    stream: bytes = field(repr=False)
    options: dict[str, Any]

    @classmethod
    def opened(cls, data: bytes, name: str, rules: FormatRules) -> _File:
        from PIL import Image, ImageSequence

        frames: list[NDArray[Any]] = []
        pixels = 0
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they quote what the file says of itself
                with Image.open(io.BytesIO(data)) as picture:
                    kind = picture.format or "PNG"
                    options = _options(picture)
                    is_upright = picture.getexif().get(_ORIENTATION, 1) == 1
                    for frame in ImageSequence.Iterator(picture):
                        pixels += frame.width * frame.height
                        if pixels > _MAX_PIXELS:
                            break
                        frames.append(_pixels(frame))
        except Exception:  # noqa: BLE001 - the library raises whatever its parser meets
            raise ReadError("a broken or truncated picture") from None
        if pixels > _MAX_PIXELS:
            raise ReadError("too large a picture")
        stream = data if kind == "JPEG" and is_upright else b""
        read = [] if rules.images == KEEP else frames
        words = [BurnedIn(partial(renditions, each), name, rules) for each in read]
        return cls(kind, frames, words, stream, options)

    @property
    def documents(self) -> tuple[Document, ...]:
        return tuple(document for each in self.words for document in each.documents)

    def render(self, results: Sequence[Result]) -> bytes:
        rest = list(results)
        painted = False
        for pixels, words in zip(self.frames, self.words, strict=False):
            own, rest = rest[: len(words.documents)], rest[len(words.documents) :]
            boxes = words.boxes(own)
            painted = painted or bool(boxes)
            paint(pixels if pixels.ndim == 3 else pixels[..., None], boxes, 0)
            for picture in renditions(pixels):
                check_painted(picture, boxes)
        if self.stream and not painted:
            return bare(self.stream)
        return self._saved()

    def _saved(self) -> bytes:
        from PIL import Image

        pictures = [Image.fromarray(pixels) for pixels in self.frames]
        options = self.options
        if len(pictures) > 1:
            options = options | {"save_all": True, "append_images": pictures[1:]}
        out = io.BytesIO()
        # Saved from bare pixels, so that no EXIF, comment, profile or thumbnail comes along.
        pictures[0].save(out, format=self.kind, **options)
        return out.getvalue()


def _options(picture: Any) -> dict[str, Any]:
    """How the picture is saved: not much larger than it was, and as large on paper."""
    options: dict[str, Any] = {"quality": 95} if picture.format in ("JPEG", "MPO") else {}
    if picture.format == "TIFF":
        many = getattr(picture, "n_frames", 1) > 1
        options["compression"] = "group4" if picture.mode == "1" and not many else "tiff_deflate"
    density = picture.info.get("dpi")
    return options | {"dpi": (float(density[0]), float(density[1]))} if density else options


def _pixels(frame: Any) -> NDArray[Any]:
    import numpy as np
    from PIL import Image, ImageOps

    upright = ImageOps.exif_transpose(frame)
    if upright.has_transparency_data:
        # On paper: what is clear shows nothing, whatever colour lies under it.
        paper = Image.new("RGBA", upright.size, "white")
        upright = Image.alpha_composite(paper, upright.convert("RGBA"))
    if upright.mode not in _AS_IT_IS:
        upright = upright.convert("RGB")
    return np.array(upright)
