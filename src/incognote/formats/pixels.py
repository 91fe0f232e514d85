"""Text burned into pictures: found by OCR and painted over, then looked for again.

By default every word goes, whether it looks like PHI or not: a burned-in line is a name plate far
more often than a finding, and OCR is too unsure to bet on the difference. Scanned letters would be
left blank that way. For them a policy says `images = "read"`: the words are read like any other
text, those that are PHI are painted over, and so is what OCR saw but could not make out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from incognote.core.errors import LeakError
from incognote.core.types import Document, Result
from incognote.formats.base import new_text
from incognote.formats.ocr import Box, Reading, read_picture
from incognote.policy import READ, FormatRules

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MARGIN = 4
# A word that lies on paint by more than this share of itself was not painted over after all.
_SAME = 0.5


@dataclass(frozen=True, slots=True)
class BurnedIn:
    """The words of one picture, or of the frames of a film, which share their boxes."""

    readings: tuple[Reading, ...]
    documents: tuple[Document, ...] = field(repr=False)

    @classmethod
    def of(
        cls,
        pictures: Iterable[NDArray[Any]],
        doc_id: str,
        rules: FormatRules,
        *,
        locator: str = "",
        meta: Mapping[str, str] | None = None,
    ) -> BurnedIn:
        readings = tuple(reading for each in pictures if (reading := read_picture(each)).lines)
        if rules.images != READ:
            return cls(readings, ())
        where = locator or f"{doc_id} picture"
        return cls(
            readings, tuple(Document(doc_id, each.text, meta or {}, where) for each in readings)
        )

    def boxes(self, results: Sequence[Result]) -> list[Box]:
        """What is to be painted over; `results` are those of the documents, if there are any."""
        if not self.documents:
            return [line.box.grown(_MARGIN) for each in self.readings for line in each.lines]
        found: list[Box] = []
        for reading, result in zip(self.readings, results, strict=True):
            new_text(result)
            found += [line.box for line in reading.lines if not line.sure]
            for replacement in result.replacements:
                span = replacement.span
                if replacement.text != reading.text[span.start : span.end]:
                    found += reading.between(span.start, span.end)
        return [box.grown(_MARGIN) for box in found]


def paint(picture: NDArray[Any], boxes: Sequence[Box], fill: Any) -> None:
    """Paints over the boxes, in place: (..., rows, columns, channels), one frame or many."""
    for left, top, right, bottom in boxes:
        picture[..., top:bottom, left:right, :] = fill


def check_painted(picture: NDArray[Any], boxes: Sequence[Box]) -> None:
    """Reads a picture again: nothing may be legible where it was painted over."""
    if not boxes:
        return
    for line in read_picture(picture).lines:
        if max(line.box.common(box) for box in boxes) > _SAME * line.box.area:
            raise LeakError("text that was painted over can still be read")
