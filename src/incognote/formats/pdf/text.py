"""The text of a PDF page, object by object, as PDFium reads it: strings with a size and a place."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from incognote.core.errors import LeakError
from incognote.formats.patch import Piece

# Text that rises by less than this is level.
_LEVEL = 0.01
# A gap of this part of the size of the font is a blank that is not written.
_BLANK = 0.15
# PDFium has a mark of its own for the hyphen that cuts a word at the end of a line.
_HYPHEN = re.compile("(?<=[^\\W\\d_])[\x02\ufffe](?=\\s*$)")


@dataclass(frozen=True, slots=True)
class TextObject:
    """A text object of a page: its text, and where it appears, from where its first letter starts
    to where one behind its last would."""

    text: str = field(repr=False)
    left: float
    right: float
    bottom: float
    size: float
    is_level: bool = True


def text_objects(page: Any) -> list[TextObject]:
    """The text objects of a page in the order of its content."""
    import pypdfium2.raw as pdfium

    textpage = page.get_textpage()
    extents = _extents(textpage)
    found = []
    for each in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT], max_depth=15):
        length = pdfium.FPDFTextObj_GetText(each, textpage, None, 0)
        buffer = ctypes.create_string_buffer(max(length, 2))
        pdfium.FPDFTextObj_GetText(
            each, textpage, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length
        )
        text = buffer.raw[: max(length - 2, 0)].decode("utf-16-le", "replace")
        text = _HYPHEN.sub("-", text)
        left, bottom, right, _ = each.get_bounds()
        is_level = abs(each.get_matrix().get()[1]) < _LEVEL
        if is_level:
            left, right = extents.get(_address(each.raw), (left, right))
        found.append(TextObject(text, left, right, bottom, _size(each), is_level))
    textpage.close()
    return found


def _extents(textpage: Any) -> dict[int | None, tuple[float, float]]:
    """From where to where the letters of each object go, by its address.

    The bounds of an object are those of its ink: around a "1" there is as much room as a blank
    takes, and "402-77-1" "186" would be two words.
    """
    import pypdfium2.raw as pdfium

    found: dict[int | None, tuple[float, float]] = {}
    box = pdfium.FS_RECTF()
    for at in range(textpage.count_chars()):
        if pdfium.FPDFText_IsGenerated(textpage, at) == 1:
            continue
        address = _address(pdfium.FPDFText_GetTextObject(textpage, at))
        if pdfium.FPDFText_GetLooseCharBox(textpage, at, box):
            left, right = found.get(address, (box.left, box.right))
            found[address] = min(left, box.left), max(right, box.right)
    return found


def _address(handle: Any) -> int | None:
    return ctypes.cast(handle, ctypes.c_void_p).value


def pieces_of(objects: Sequence[TextObject]) -> tuple[list[Piece], list[str]]:
    """The objects as pieces of one text, with what is between them: nothing, blank or line."""
    pieces = [Piece(i, i + 1, each.text) for i, each in enumerate(objects)]
    separators = []
    for left, right in pairwise(objects):
        size = max(left.size, right.size)
        if abs(left.bottom - right.bottom) > 0.5 * size or right.left < left.left - size:
            separators.append("\n")
        elif right.left - left.right > _BLANK * size and not left.text[-1:].isspace():
            separators.append(" ")
        else:
            separators.append("")
    return pieces, separators


def _size(handle: Any) -> float:
    """The size of the font on the page, the object's own scaling included."""
    import pypdfium2.raw as pdfium

    size = ctypes.c_float()
    pdfium.FPDFTextObj_GetFontSize(handle, size)
    _, b, _, d, *_ = handle.get_matrix().get()
    return float(max(size.value * max(abs(b), abs(d)), 0.1))


def check_rewritten(page: Any, old: Sequence[str], new: Sequence[str]) -> None:
    """Reads a page of the finished file: nothing that was replaced may still be on it."""
    expected = Counter(new)
    after = Counter(each.text for each in text_objects(page))
    for before, text in zip(old, new, strict=True):
        if before != text and before.strip() and after[before] > expected[before]:
            raise LeakError("text that was replaced is still on a page")
