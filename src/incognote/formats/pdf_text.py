"""The text of a PDF page, object by object, and its replacement where it stood.

PDFium hands out text objects: strings with a font, a size and a place. An object whose text changed
is taken off the page, so that nothing of it is left in the content stream, and a new one is put in
its place. What cannot be taken off (text inside nested forms) makes the page fail.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from incognote.core.errors import LeakError, ReadError
from incognote.formats.patch import Piece

_FONT = b"Helvetica"


@dataclass(frozen=True, slots=True)
class TextObject:
    """A text object of a page: its text, and where it stands."""

    handle: Any = field(repr=False)
    text: str = field(repr=False)
    left: float
    right: float
    bottom: float
    size: float


def text_objects(page: Any) -> list[TextObject]:
    """The text objects of a page in the order of its content."""
    import pypdfium2.raw as pdfium

    textpage = page.get_textpage()
    found = []
    for each in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT], max_depth=15):
        length = pdfium.FPDFTextObj_GetText(each, textpage, None, 0)
        buffer = ctypes.create_string_buffer(max(length, 2))
        pdfium.FPDFTextObj_GetText(
            each, textpage, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length
        )
        text = buffer.raw[: max(length - 2, 0)].decode("utf-16-le", "replace")
        left, bottom, right, _ = each.get_bounds()
        found.append(TextObject(each, text, left, right, bottom, _size(each)))
    textpage.close()
    return found


def pieces_of(objects: Sequence[TextObject]) -> tuple[list[Piece], list[str]]:
    """The objects as pieces of one text, with what stands between them: nothing, blank or line."""
    pieces = [Piece(i, i + 1, each.text) for i, each in enumerate(objects)]
    separators = []
    for left, right in pairwise(objects):
        size = max(left.size, right.size)
        if abs(left.bottom - right.bottom) > 0.5 * size or right.left < left.left - size:
            separators.append("\n")
        elif right.left - left.right > 0.2 * size and not left.text[-1:].isspace():
            separators.append(" ")
        else:
            separators.append("")
    return pieces, separators


def _size(handle: Any) -> float:
    """The size of the font as it stands on the page, the object's own scaling included."""
    import pypdfium2.raw as pdfium

    size = ctypes.c_float()
    pdfium.FPDFTextObj_GetFontSize(handle, size)
    _, b, _, d, *_ = handle.get_matrix().get()
    return float(max(size.value * max(abs(b), abs(d)), 0.1))


def rewrite(document: Any, page: Any, objects: Sequence[TextObject], new: Sequence[str]) -> None:
    """Puts new texts in the place of old ones."""
    changed = [(each, text) for each, text in zip(objects, new, strict=True) if each.text != text]
    for each, text in changed:
        _replace(document, page, each, text)
    if changed:
        page.gen_content()


def check_rewritten(page: Any, old: Sequence[str], new: Sequence[str]) -> None:
    """Reads a page of the finished file: nothing that was replaced may still be on it."""
    expected = Counter(new)
    after = Counter(each.text for each in text_objects(page))
    for before, text in zip(old, new, strict=True):
        if before != text and before.strip() and after[before] > expected[before]:
            raise LeakError("text that was replaced is still on a page")


def _replace(document: Any, page: Any, old: TextObject, text: str) -> None:
    import pypdfium2.raw as pdfium

    size = ctypes.c_float()
    pdfium.FPDFTextObj_GetFontSize(old.handle, size)
    matrix = old.handle.get_matrix()
    colour = [ctypes.c_uint() for _ in range(4)]
    pdfium.FPDFPageObj_GetFillColor(old.handle, *colour)
    # The words behind a scanned page are there to be found, not to be seen.
    mode = pdfium.FPDFTextObj_GetTextRenderMode(old.handle)
    take_off(page, old.handle)
    if not text.strip():
        return
    fresh = pdfium.FPDFPageObj_NewTextObj(document, _FONT, size)
    encoded = (text + "\x00").encode("utf-16-le")
    pdfium.FPDFText_SetText(
        fresh, ctypes.cast(ctypes.c_char_p(encoded), ctypes.POINTER(ctypes.c_ushort))
    )
    pdfium.FPDFPageObj_SetFillColor(fresh, *colour)
    if mode == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE:
        pdfium.FPDFTextObj_SetTextRenderMode(fresh, mode)
    pdfium.FPDFPageObj_SetMatrix(fresh, pdfium.FS_MATRIX(*matrix.get()))
    pdfium.FPDFPage_InsertObject(page, fresh)


def take_off(page: Any, handle: Any) -> None:
    """Takes an object off its page for good, also out of a form that the page uses."""
    import pypdfium2.raw as pdfium

    if handle.level == 0:
        page.remove_obj(handle)
        return
    if not pdfium.FPDFFormObj_RemoveObject(handle.container, handle):
        raise ReadError("what stands inside a nested form cannot be taken off the page")
    pdfium.FPDFPageObj_Destroy(handle)
