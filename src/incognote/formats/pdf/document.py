"""PDF: text replaced in the content of its pages, and everything around the pages cleaned.

Metadata, XMP, attachments, scripts and the rendered looks of annotations and form fields are
removed. Notes, form values and bookmarks are read as text. Pictures are removed, read by OCR or
kept, as the policy says. Where they are removed, a page that is only a picture is refused.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from incognote.core.errors import ReadError
from incognote.core.types import Document, Failure, Result
from incognote.formats.base import Record, new_text, require_modules, whole
from incognote.formats.patch import Piece, Slot, spread, text_slot
from incognote.formats.pdf.content import Content
from incognote.formats.pdf.forms import Flattened, check_no_text_left
from incognote.formats.pdf.metadata import strip, written_strings
from incognote.formats.pdf.pictures import has_pictures, lines_drawn, lying, rendered
from incognote.formats.pdf.text import TextObject, check_rewritten, pieces_of, text_objects
from incognote.formats.pictures.ocr import Box, require_ocr
from incognote.formats.pictures.pixels import BurnedIn, check_painted, paint
from incognote.policy import BLANK, COVER, KEEP, READ, FormatRules

_MAX_PAGES = 5_000
# Where the index of a PDF begins; some programs leave a little behind it.
_END, _TAIL = b"startxref", 2048
_OCR = (COVER, READ)
# What PDFium says of a glyph that has no letter. It says so of hyphens at line ends, too: a page is
# refused where it says so of many.
_MOSTLY = 0.2
_UNREADABLE = re.compile("[\x00-\x08\x0e-\x1f\ufffd\ufffe]")
# A page with neither words nor pictures but many lines draws its words.
_MANY_LINES = 100


class PdfFormat:
    name = "pdf"
    suffixes = (".pdf",)

    def sniff(self, head: bytes) -> bool:
        return b"%PDF-" in head[:1024]

    def require(self, rules: FormatRules) -> None:
        require_modules("the format 'pdf'", "pdf", "pikepdf", "pypdfium2")
        if rules.images in _OCR:
            require_ocr()

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        def opened() -> _File:
            self.require(rules)
            return _File.opened(stream.read(), name, rules)

        yield whole(name, opened)


@dataclass(frozen=True, slots=True)
class _Page:
    """What was read from a page: its text, and the words on its pictures.

    A `flat` page is shown by a font that does not say its letters: it is read as a picture, and
    becomes one.
    """

    slot: Slot | None = None
    words: BurnedIn | None = None
    flat: bool = False

    @property
    def documents(self) -> tuple[Document, ...]:
        return (
            *(self.slot.documents if self.slot else ()),
            *(self.words.documents if self.words else ()),
        )


@dataclass(slots=True)
class _File:
    """A PDF held open between reading and writing."""

    rules: FormatRules
    pages: list[_Page]
    written: list[tuple[Any, str | int, Slot]] = field(repr=False)
    editor: Any = field(repr=False)

    @classmethod
    def opened(cls, data: bytes, name: str, rules: FormatRules) -> _File:
        import pikepdf
        import pypdfium2

        # Both libraries make a file of whatever is left of one; what is lost would pass unnoticed.
        if _END not in data[-_TAIL:]:
            raise ReadError("a truncated PDF: its end is missing")
        try:
            editor = pikepdf.open(io.BytesIO(data))
        except pikepdf.PasswordError:
            raise ReadError("protected by a password") from None
        except pikepdf.PdfError:
            raise ReadError("a broken or truncated PDF") from None
        if editor.is_encrypted:
            raise ReadError("encrypted, though it opens without a password: save it unprotected")
        try:
            strip(editor)
            written = [
                (
                    holder,
                    key,
                    text_slot(name, [Piece(0, 1, text)], str, locator=f"{name} {place}"),
                )
                for holder, key, text, place in written_strings(editor)
            ]
            for page in editor.pages:
                Flattened(editor, page).apply()
            saved = _saved(editor)
            with pikepdf.open(io.BytesIO(saved)) as flat:
                check_no_text_left(flat)
            pdf = pypdfium2.PdfDocument(saved)
            if len(pdf) > _MAX_PAGES:
                raise ReadError(f"more than {_MAX_PAGES:,} pages")  # noqa: TRY301
            pages = [
                _read_page(page, name, number, rules) for number, page in enumerate(pdf, start=1)
            ]
        except ReadError:
            raise
        except Exception:  # noqa: BLE001 - a damaged structure raises whatever it hits first
            raise ReadError("a broken or truncated PDF") from None
        return cls(rules, pages, written, editor)

    @property
    def documents(self) -> tuple[Document, ...]:
        slots = [slot for _, _, slot in self.written]
        return (
            *(document for page in self.pages for document in page.documents),
            *(document for slot in slots for document in slot.documents),
        )

    def render(self, results: Sequence[Result]) -> bytes:
        """The pages operator by operator; PDFium shows them as they were, and checks what came."""
        import pikepdf
        import pypdfium2

        rest = list(results)
        per_page = []
        for page in self.pages:
            own, rest = rest[: len(page.documents)], rest[len(page.documents) :]
            per_page.append(own)
        for (holder, key, _), result in zip(self.written, rest, strict=True):
            holder[key] = pikepdf.String(new_text(result))
        saved = _saved(self.editor)
        shown = pypdfium2.PdfDocument(saved)
        texts: dict[int, tuple[list[str], list[str]]] = {}
        for number, (page, own) in enumerate(zip(self.pages, per_page, strict=True)):
            content = Content(self.editor, self.editor.pages[number])
            if page.slot:
                objects = text_objects(shown[number])
                new = _new_texts(objects, own[0])
                content.replace_texts(objects, new)
                texts[number] = [each.text for each in objects], new
            if page.words is not None:
                boxes = page.words.boxes(own[1:] if page.slot else own)
                _flatten(content, shown[number], boxes, flat=page.flat)
            elif self.rules.images != KEEP:
                content.drop_pictures()
            content.put_back()
        # Saved twice, since the first time shows which resources nothing refers to any more.
        with pikepdf.open(io.BytesIO(_saved(self.editor))) as clean:
            clean.remove_unreferenced_resources()
            final = _saved(clean, deterministic_id=True)
        finished = pypdfium2.PdfDocument(final)
        for number, (old, new) in texts.items():
            check_rewritten(finished[number], old, new)
        return final


def _new_texts(objects: Sequence[TextObject], result: Result) -> list[str]:
    pieces, separators = pieces_of(objects)
    texts = [piece.text for piece in pieces]
    at, length = [], 0
    for i, text in enumerate(texts):
        length += len(separators[i - 1]) if i else 0
        at.append(length)
        length += len(text)
    return spread(result, texts, at)


def _flatten(content: Content, page: Any, boxes: Sequence[Box], *, flat: bool) -> None:
    """All that the page draws as one painted picture; on a `flat` page, its text as well."""
    picture = rendered(page, with_text=flat)
    paint(picture, boxes, 0)
    check_painted(picture, boxes)
    content.drop_all(but_text=not flat)
    content.put_behind(lying(page, picture), page.get_cropbox())


def _read_page(page: Any, name: str, number: int, rules: FormatRules) -> _Page:
    objects = text_objects(page)
    letters = "".join("".join(each.text.split()) for each in objects)
    where = f"{name} page {number}"
    if len(_UNREADABLE.findall(letters)) > _MOSTLY * len(letters):
        if rules.images not in _OCR:
            raise ReadError(f"page {number} has a font that does not say which letters it shows")
        return _Page(words=_words(page, name, where, rules, flat=True), flat=True)
    words = None
    is_drawing = not letters and lines_drawn(page) > _MANY_LINES
    if has_pictures(page) or is_drawing:
        if rules.images in _OCR:
            words = _words(page, name, where, rules)
        elif rules.images == BLANK and not letters:
            what = "drawing" if is_drawing else "picture"
            raise ReadError(f'page {number} is a {what}, which only OCR can read: images = "read"')
    if not letters:
        return _Page(words=words)
    pieces, separators = pieces_of(objects)
    slot = text_slot(name, pieces, str, separators=separators, locator=where)
    return _Page(slot, words)


def _words(page: Any, name: str, where: str, rules: FormatRules, *, flat: bool = False) -> BurnedIn:
    def shown() -> list[Any]:
        return [rendered(page, with_text=flat)]

    return BurnedIn(shown, name, rules, f"{where} picture")


def _saved(editor: Any, **options: bool) -> bytes:
    buffer = io.BytesIO()
    editor.save(buffer, **options)
    return buffer.getvalue()
