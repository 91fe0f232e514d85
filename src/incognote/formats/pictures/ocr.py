"""The words in a picture: found by OCR, each character with the place where it appears.

The recogniser reads letters well and blanks badly: it was trained on a script that has none. So the
blanks are put back from the picture itself, where a gap in the ink is wider than between letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from incognote.core.caches import once
from incognote.formats.base import require_modules

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Below this the recogniser saw texture, not text.
_MIN_SCORE = 0.3
# Below this it saw text, but the words are not reliable.
_SURE_SCORE = 0.7
# A gap between words, in heights of their line: between letters, between capitals, between digits
# (a 1 appears far from its neighbours), and where the recogniser saw a blank itself.
_LETTER_GAP, _CAPITAL_GAP, _DIGIT_GAP, _SEEN_GAP = 0.17, 0.22, 0.33, 0.08
# These are close to the word before them.
_CLOSING = ",.;:!?)'’"
# A gap between columns of a form: what appears beyond it is another thought.
_COLUMN_GAP = 1.5
# A line that is higher than wide by this much runs up or down the page.
_UPRIGHT = 1.5
# With fewer characters than this the orientation of a page cannot be determined.
_TELLING = 6


class Box(NamedTuple):
    """A rectangle of pixels, right and bottom excluded."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def area(self) -> int:
        return max(self.right - self.left, 0) * max(self.bottom - self.top, 0)

    def grown(self, by: int) -> Box:
        return Box(max(self.left - by, 0), max(self.top - by, 0), self.right + by, self.bottom + by)

    def turned_back(self, width: int) -> Box:
        """The box before its picture, of that width, was turned to the left by a quarter."""
        return Box(width - self.bottom, self.left, width - self.top, self.right)

    def common(self, other: Box) -> int:
        """The area that both cover."""
        return Box(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        ).area


@dataclass(frozen=True, slots=True)
class Line:
    """A stretch of text in one place; `places` has a box for each of its characters."""

    text: str = field(repr=False)
    box: Box
    places: tuple[Box, ...] = field(repr=False)
    sure: bool = True

    @property
    def is_upright(self) -> bool:
        return self.box.bottom - self.box.top > _UPRIGHT * (self.box.right - self.box.left)


@dataclass(frozen=True, slots=True)
class Reading:
    """The lines of a picture in reading order, and the text they make."""

    lines: tuple[Line, ...] = ()
    # What comes before each line: nothing, a tab or the end of the line above.
    leads: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "".join(lead + line.text for lead, line in zip(self.leads, self.lines, strict=True))

    def between(self, start: int, end: int) -> Iterator[Box]:
        """The boxes of the characters [start, end) of the text, one for each line they touch."""
        at = 0
        for lead, line in zip(self.leads, self.lines, strict=True):
            at += len(lead)
            touched = line.places[max(start - at, 0) : max(end - at, 0)]
            if touched:
                yield _around(touched)
            at += len(line.text)


def require_ocr() -> None:
    """A MissingExtra now rather than halfway through a file."""
    require_modules("reading text in pictures", "ocr", "rapidocr_onnxruntime", "PIL")


class _Recogniser:
    """The recogniser. It turns lines that are upside down by itself and does not say so, but
    then the places of their letters are wrong: so what it turned is noted as it goes by."""

    def __init__(self) -> None:
        from rapidocr_onnxruntime import RapidOCR

        self._engine = RapidOCR()
        self._turn = self._engine.text_cls
        self._engine.text_cls = self._noted
        self._turned: list[bool] = []

    def _noted(self, crops: Any) -> Any:
        found = self._turn(crops)
        self._turned = [
            "180" in label and score > self._turn.cls_thresh for label, score in found[1]
        ]
        return found

    def __call__(self, picture: NDArray[Any]) -> tuple[list[Line], bool]:
        """The lines of a picture in any order, and whether most of them are upside down."""
        found, _ = self._engine(picture, return_word_box=True)
        grey = picture.mean(axis=-1)
        lines = [
            _line(grey, corners, places, characters, float(score))
            for corners, text, score, places, characters, _ in found or ()
            if float(score) >= _MIN_SCORE and len(text.strip()) > 1
        ]
        return lines, sum(self._turned) > len(self._turned) / 2


@once
def _recogniser() -> _Recogniser:
    return _Recogniser()


def read_picture(picture: NDArray[Any]) -> Reading:
    """The words in a picture of any depth, with one channel or three."""
    import numpy as np

    values = picture.astype(np.float32)
    low, high = float(values.min()), float(values.max())
    bytes_ = ((values - low) * (255.0 / max(high - low, 1e-6))).astype(np.uint8)
    coloured = np.stack([bytes_] * 3, axis=-1) if bytes_.ndim == 2 else bytes_
    recognise = _recogniser()
    lines, on_head = recognise(coloured)
    turns = 0
    if sum(len(line.text) for line in lines) >= _TELLING:
        if _run_upwards(lines):
            turns = 1
            lines, on_head = recognise(np.rot90(coloured, turns).copy())
        if on_head:
            turns += 2
            lines, _ = recognise(np.rot90(coloured, turns).copy())
    return _turned_back(_in_order(lines), turns, coloured.shape[:2])


def _run_upwards(lines: Sequence[Line]) -> bool:
    """Whether most of the text runs up or down the picture: the page was scanned sideways."""
    upwards = sum(len(line.text) for line in lines if line.is_upright)
    return upwards > sum(len(line.text) for line in lines) / 2


def _turned_back(reading: Reading, turns: int, shape: Sequence[int]) -> Reading:
    """A reading of a picture that was turned, with its boxes where they lie on the picture."""
    for turn in range(turns, 0, -1):
        width = shape[1] if turn % 2 else shape[0]
        lines = tuple(
            replace(
                line,
                box=line.box.turned_back(width),
                places=tuple(place.turned_back(width) for place in line.places),
            )
            for line in reading.lines
        )
        reading = replace(reading, lines=lines)
    return reading


def _line(
    grey: NDArray[Any], corners: Any, places: Any, characters: Sequence[str], score: float
) -> Line:
    box = _bounds(corners)
    height = box.bottom - box.top
    inked = _inked_columns(grey, box)
    text, boxes, seen = "", list[Box](), False
    for character, corners_ in zip(characters, places, strict=False):
        if character.isspace():
            seen = True
            continue
        place = _bounds(corners_)
        if boxes:
            gap = _SEEN_GAP if seen else _usual_gap(text[-1], character)
            if _widest_gap(inked, boxes[-1], place, box.left) > gap * height:
                text += " "
                right = max(place.left, boxes[-1].right)
                boxes.append(Box(boxes[-1].right, box.top, right, box.bottom))
        text += character
        boxes.append(place)
        seen = False
    line = Line(text, box, tuple(boxes), score >= _SURE_SCORE)
    # Of a line that runs up the page it is not known where each letter appears.
    return replace(line, places=(box,) * len(text)) if line.is_upright else line


def _usual_gap(before: str, after: str) -> float:
    if after in _CLOSING or (before.isdigit() and after.isdigit()):
        return _DIGIT_GAP
    return _CAPITAL_GAP if before.isupper() and after.isupper() else _LETTER_GAP


def _inked_columns(grey: NDArray[Any], box: Box) -> NDArray[Any]:
    """Which columns of a line hold ink: what differs from the ground, be it dark or light."""
    import numpy as np

    crop = grey[box.top : box.bottom, box.left : box.right]
    if not crop.size:
        return np.zeros(1, dtype=bool)
    ground = np.median(crop)
    strongest = np.abs(crop - ground).max()
    columns: NDArray[Any] = (np.abs(crop - ground) > 0.4 * strongest).any(axis=0)
    return columns


def _widest_gap(inked: NDArray[Any], before: Box, after: Box, left: int) -> int:
    """The longest run of columns without ink between the middles of two characters."""
    start = (before.left + before.right) // 2 - left
    end = (after.left + after.right) // 2 - left
    longest = run = 0
    for column in inked[max(start, 0) : max(end, 0)]:
        run = 0 if column else run + 1
        longest = max(longest, run)
    return longest


def _in_order(lines: Sequence[Line]) -> Reading:
    """Row by row, and within a row from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda each: (each.box.top + each.box.bottom, each.box.left)):
        last = rows[-1][-1].box if rows else None
        middle = (line.box.top + line.box.bottom) / 2
        if last and last.top <= middle < last.bottom:
            rows[-1].append(line)
        else:
            rows.append([line])
    ordered: list[Line] = []
    leads: list[str] = []
    for row in rows:
        row.sort(key=lambda each: each.box.left)
        leads.append("\n" if ordered else "")
        for left, right in pairwise(row):
            far = right.box.left - left.box.right > _COLUMN_GAP * (right.box.bottom - right.box.top)
            leads.append("\t" if far else " ")
        ordered += row
    return Reading(tuple(ordered), tuple(leads))


def _bounds(corners: Any) -> Box:
    xs, ys = [point[0] for point in corners], [point[1] for point in corners]
    return Box(max(int(min(xs)), 0), max(int(min(ys)), 0), int(max(xs)) + 1, int(max(ys)) + 1)


def _around(boxes: Sequence[Box]) -> Box:
    return Box(
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
    )
