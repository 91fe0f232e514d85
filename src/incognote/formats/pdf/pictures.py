"""What a PDF page shows beside its text, rendered to be read and painted over.

Pictures on a page come in strips, turned, masked, behind boxes drawn over them. So they are not
edited where they lie: the page is rendered without its text, as a reader sees it, the words on that
rendering are painted over, and the one flat picture takes the place of everything that was drawn.
Nothing of the old pictures is left, be it cropped, covered or behind something else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DPI = 200
_MAX_PIXELS = 25_000_000
_DEEPEST = 15


def has_pictures(page: Any) -> bool:
    import pypdfium2.raw as pdfium

    return next(_objects(page, pdfium.FPDF_PAGEOBJ_IMAGE), None) is not None


def lines_drawn(page: Any) -> int:
    """How many lines and shapes a page draws."""
    import pypdfium2.raw as pdfium

    return sum(1 for _ in _objects(page, pdfium.FPDF_PAGEOBJ_PATH))


def rendered(page: Any, *, with_text: bool) -> NDArray[Any]:
    """The page as a reader sees it, upright, without notes and forms. The page changes by this."""
    import numpy as np
    import pypdfium2.raw as pdfium

    if not with_text:
        for each in _objects(page, pdfium.FPDF_PAGEOBJ_TEXT):
            pdfium.FPDFTextObj_SetTextRenderMode(each, pdfium.FPDF_TEXTRENDERMODE_INVISIBLE)
    width, height = page.get_size()
    scale = min(_DPI / 72, (_MAX_PIXELS / max(width * height, 1)) ** 0.5)
    bitmap = page.render(scale=scale, may_draw_forms=False, draw_annots=False)
    return np.array(bitmap.to_numpy()[..., 2::-1])  # PDFium has blue first


def lying(page: Any, picture: NDArray[Any]) -> NDArray[Any]:
    """A picture as upright as the reader sees it, as it must lie on a page that is shown turned."""
    import numpy as np

    turned: NDArray[Any] = np.rot90(picture, page.get_rotation() // 90)
    return turned


def _objects(page: Any, kind: int) -> Iterator[Any]:
    return iter(page.get_objects(filter=[kind], max_depth=_DEEPEST))
