"""Text burned into pictures: found by OCR and painted over.

All words of two characters or more are covered, whether they look like PHI or not: a burned-in line
is a name plate far more often than a finding, and OCR is too unsure to bet on the difference.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from incognote.core.errors import MissingExtra

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MIN_SCORE = 0.3
_MARGIN = 4


@cache
def _reader() -> Any:
    try:
        from rapidocr_onnxruntime import RapidOCR
    except ModuleNotFoundError:
        raise MissingExtra("reading text in pictures", "ocr") from None
    return RapidOCR()


def require_ocr() -> None:
    """A MissingExtra now rather than halfway through a file."""
    _reader()


def text_boxes(picture: NDArray[Any]) -> list[tuple[int, int, int, int]]:
    """(left, top, right, bottom) of every word in a picture of any depth and number of channels."""
    import numpy as np

    values = picture.astype(np.float32)
    low, high = float(values.min()), float(values.max())
    grey = ((values - low) * (255.0 / max(high - low, 1e-6))).astype(np.uint8)
    if grey.ndim == 2:
        grey = np.stack([grey] * 3, axis=-1)
    found, _ = _reader()(grey)
    boxes = []
    for corners, text, score in found or ():
        if float(score) >= _MIN_SCORE and len(text.strip()) > 1:
            xs = [point[0] for point in corners]
            ys = [point[1] for point in corners]
            boxes.append(
                (
                    max(int(min(xs)) - _MARGIN, 0),
                    max(int(min(ys)) - _MARGIN, 0),
                    int(max(xs)) + _MARGIN,
                    int(max(ys)) + _MARGIN,
                )
            )
    return boxes


def cover(picture: NDArray[Any], boxes: list[tuple[int, int, int, int]], fill: Any) -> None:
    """Paints over the boxes, in place; works on one picture or a stack of frames."""
    for left, top, right, bottom in boxes:
        picture[..., top:bottom, left:right, :] = fill
