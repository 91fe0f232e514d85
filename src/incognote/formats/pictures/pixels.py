"""Text burned into pictures: found by OCR and painted over, then looked for again.

By default every word goes, whether it looks like PHI or not: a burned-in line is a name plate far
more often than a finding, and OCR is too unsure to bet on the difference. Scanned letters would be
left blank that way. For them a policy says `images = "read"`: the words are read like any other
text, those that are PHI are painted over, and so is what OCR saw but could not make out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from incognote.core.errors import LeakError
from incognote.core.types import Document, Result
from incognote.formats.base import new_text
from incognote.formats.pictures.ocr import Box, Reading, read_picture
from incognote.policy import READ, FormatRules

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MARGIN = 4
# A word that lies on paint by more than this share of itself was not painted over after all.
_SAME = 0.5
# OCR tears dates apart ("1 1 Ma r 2024"): what comes before a year may be its day and month.
_TORN_DAY = re.compile(r"(?:\d ?){1,2}[ ./-]{0,3}(?:\w[ .]?){1,4}[ ./,-]{0,3}\Z")
_LONGEST_DAY = 20
# A picture that uses less than this share of its range is read in a second rendition.
_USED = 0.5


@dataclass(slots=True)
class BurnedIn:
    """The words of one picture, or of the frames of a film, which share their boxes.

    OCR is slow, so pictures are read when somebody asks: for documents, where the policy reads
    them, or else not before there is something to write.
    """

    pictures: Callable[[], Iterable[NDArray[Any]]] = field(repr=False)
    doc_id: str
    rules: FormatRules
    locator: str = field(default="", repr=False)
    meta: Mapping[str, str] = field(default_factory=dict, repr=False)
    known: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    _readings: tuple[Reading, ...] | None = field(default=None, repr=False)

    @property
    def readings(self) -> tuple[Reading, ...]:
        if self._readings is None:
            found = map(read_picture, self.pictures())
            self._readings = tuple(reading for reading in found if reading.lines)
            self.pictures = tuple  # the pictures themselves are not needed any more
        return self._readings

    @property
    def documents(self) -> tuple[Document, ...]:
        if self.rules.images != READ:
            return ()
        where = self.locator or f"{self.doc_id} picture"
        return tuple(
            Document(self.doc_id, each.text, self.meta, where, known=self.known)
            for each in self.readings
        )

    def boxes(self, results: Sequence[Result]) -> list[Box]:
        """What is to be painted over; `results` are those of the documents, if there are any."""
        if self.rules.images != READ:
            return [line.box.grown(_MARGIN) for each in self.readings for line in each.lines]
        found: list[Box] = []
        for reading, result in zip(self.readings, results, strict=True):
            new_text(result)
            found += [line.box for line in reading.lines if not line.sure]
            for replacement in result.replacements:
                span = replacement.span
                if replacement.text != reading.text[span.start : span.end]:
                    found += reading.between(span.start, span.end)
            for span in result.spans:
                before = max(span.start - _LONGEST_DAY, 0), span.start
                if span.label == "DATE" and (day := _TORN_DAY.search(reading.text, *before)):
                    found += reading.between(day.start(), span.end)
        return [box.grown(_MARGIN) for box in found]


def renditions(
    picture: NDArray[Any], window: tuple[float, float] | None = None
) -> Iterator[NDArray[Any]]:
    """A picture as it may be shown: a deep one holds more shades than any screen.

    Its whole range comes first. Where few of its shades are used (one white pixel makes all else
    black), they are moved together; and `window` is the range that its own header asks for.
    """
    import numpy as np

    yield picture
    if picture.ndim != 2 or picture.dtype.itemsize < 2:
        return
    low, high = float(picture.min()), float(picture.max())
    if picture.dtype.kind in "iu":
        shades, ranks = np.unique(picture, return_inverse=True)
        if len(shades) > 1 and len(shades) < _USED * (high - low + 1):
            yield ranks.reshape(picture.shape)
    if window and window[1] - window[0] < _USED * (high - low):
        yield np.clip(picture, *window)


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
