"""What a PDF page shows beside its text: removed, or rendered, painted over and put back flat.

Pictures on a page come in strips, turned, masked, behind boxes drawn over them. So they are not
edited where they lie: the page is rendered without its text, as a reader sees it, the words on that
rendering are painted over, and the one flat picture takes the place of everything that was drawn.
Nothing of the old pictures is left, be it cropped, covered or behind something else.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from incognote.formats.ocr import Box
from incognote.formats.pdf_text import take_off
from incognote.formats.pixels import check_painted, paint

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DPI = 200
_MAX_PIXELS = 25_000_000
_QUALITY = 85
_DEEPEST = 15


def has_pictures(page: Any) -> bool:
    import pypdfium2.raw as pdfium

    return next(_objects(page, pdfium.FPDF_PAGEOBJ_IMAGE), None) is not None


def lines_drawn(page: Any) -> int:
    """How many lines and shapes a page draws."""
    import pypdfium2.raw as pdfium

    return sum(1 for _ in _objects(page, pdfium.FPDF_PAGEOBJ_PATH))


def remove_pictures(page: Any) -> None:
    import pypdfium2.raw as pdfium

    for each in list(_objects(page, pdfium.FPDF_PAGEOBJ_IMAGE)):
        take_off(page, each)


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
    return np.array(bitmap.to_numpy()[..., :3])


def flatten(
    document: Any, page: Any, picture: NDArray[Any], boxes: list[Box], *, text: bool
) -> None:
    """One painted picture in the place of all that the page drew; its text stays if `text`."""
    import pypdfium2.raw as pdfium

    paint(picture, boxes, 0)
    check_painted(picture, boxes)
    kept = {pdfium.FPDF_PAGEOBJ_TEXT, pdfium.FPDF_PAGEOBJ_FORM} if text else set()
    for each in list(page.get_objects(max_depth=_DEEPEST if text else 1)):
        if each.type not in kept:
            take_off(page, each)
    _insert(document, page, picture)


def _insert(document: Any, page: Any, picture: NDArray[Any]) -> None:
    """Puts a picture as upright as the reader sees it behind everything else on the page."""
    import numpy as np
    import pypdfium2
    import pypdfium2.raw as pdfium
    from PIL import Image

    lying = np.rot90(picture, page.get_rotation() // 90)[..., ::-1]  # PDFium has blue first
    jpeg = io.BytesIO()
    Image.fromarray(lying).save(jpeg, format="JPEG", quality=_QUALITY)
    left, bottom, right, top = page.get_cropbox()
    handle = pdfium.FPDFPageObj_NewImageObj(document)
    pdfium.FPDFPage_InsertObjectAtIndex(page, handle, 0)
    image = pypdfium2.PdfImage(handle, page=page)
    image.load_jpeg(jpeg, pages=[page], inline=True)
    image.set_matrix(pypdfium2.PdfMatrix(right - left, 0, 0, top - bottom, left, bottom))
    page.gen_content()


def _objects(page: Any, kind: int) -> Iterator[Any]:
    return iter(page.get_objects(filter=[kind], max_depth=_DEEPEST))
