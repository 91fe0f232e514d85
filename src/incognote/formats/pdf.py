"""PDF: text replaced in the content of its pages, and everything around the pages cleaned.

Metadata, XMP, attachments, scripts and the rendered looks of annotations and form fields are
removed. Notes, form values and bookmarks are read as text. Pictures are removed unless the policy
keeps them; a page that is only a picture is refused, because nothing on it can be read.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from incognote.core.errors import MissingExtra, ReadError
from incognote.core.types import Failure, Result
from incognote.formats.base import Record, new_text
from incognote.formats.patch import Piece, Slot, spread, text_slot
from incognote.formats.pdf_around import strip, written_strings
from incognote.formats.pdf_text import (
    TextObject,
    has_images,
    lines_drawn,
    pieces_of,
    remove_images,
    rewrite,
    text_objects,
)
from incognote.policy import FormatRules

_MAX_PAGES = 5_000
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

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        try:
            file = _File.opened(stream.read(), name, rules)
        except (ReadError, MissingExtra) as error:
            yield Failure(name, ReadError.stage, type(error).__name__, f"{name}: {error}")
            return
        yield Record(file.documents, file.render)


@dataclass(slots=True)
class _Page:
    objects: list[TextObject] = field(repr=False)
    slot: Slot | None


@dataclass(slots=True)
class _File:
    """A PDF held open between reading and writing."""

    pdf: Any = field(repr=False)
    rules: FormatRules
    pages: list[_Page]
    written: list[tuple[Any, str | int, Slot]] = field(repr=False)
    editor: Any = field(repr=False)

    @classmethod
    def opened(cls, data: bytes, name: str, rules: FormatRules) -> _File:
        try:
            import pikepdf
            import pypdfium2
        except ModuleNotFoundError:
            raise MissingExtra("the format 'pdf'", "pdf") from None
        try:
            editor = pikepdf.open(io.BytesIO(data))
        except pikepdf.PasswordError:
            raise ReadError("protected by a password") from None
        except pikepdf.PdfError:
            raise ReadError("a broken or truncated PDF") from None
        if editor.is_encrypted:
            raise ReadError("encrypted")
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
            buffer = io.BytesIO()
            editor.save(buffer)
            pdf = pypdfium2.PdfDocument(buffer.getvalue())
            pages = _read_pages(pdf, name, rules)
        except ReadError:
            raise
        except Exception:  # noqa: BLE001 - a damaged structure raises whatever it hits first
            raise ReadError("a broken or truncated PDF") from None
        return cls(pdf, rules, pages, written, editor)

    @property
    def documents(self) -> tuple[Any, ...]:
        slots = [page.slot for page in self.pages if page.slot]
        slots += [slot for _, _, slot in self.written]
        return tuple(document for slot in slots for document in slot.documents)

    def render(self, results: Sequence[Result]) -> bytes:
        """Strings first, in the editor; then the pages, in PDFium, over what the editor saved."""
        import pikepdf
        import pypdfium2

        rest = list(results)
        per_page = [rest.pop(0) if page.slot else None for page in self.pages]
        for (holder, key, _), result in zip(self.written, rest, strict=True):
            holder[key] = pikepdf.String(new_text(result))
        buffer = io.BytesIO()
        self.editor.save(buffer)
        pdf = pypdfium2.PdfDocument(buffer.getvalue())
        for page, own in zip(pdf, per_page, strict=True):
            self._write_page(pdf, page, own)
        out = io.BytesIO()
        pdf.save(out)
        # PDFium appends what changed; saving once more drops the objects nothing refers to.
        with pikepdf.open(io.BytesIO(out.getvalue())) as clean:
            clean.remove_unreferenced_resources()
            final = io.BytesIO()
            clean.save(final, deterministic_id=True)
        return final.getvalue()

    def _write_page(self, pdf: Any, page: Any, result: Result | None) -> None:
        if self.rules.images != "keep" and has_images(page):
            remove_images(page)
            page.gen_content()
        if result is None:
            return
        objects = text_objects(page)
        pieces, separators = pieces_of(objects)
        texts = [piece.text for piece in pieces]
        at, length = [], 0
        for i, text in enumerate(texts):
            length += len(separators[i - 1]) if i else 0
            at.append(length)
            length += len(text)
        rewrite(pdf, page, objects, spread(result, texts, at))


def _read_pages(pdf: Any, name: str, rules: FormatRules) -> list[_Page]:
    if len(pdf) > _MAX_PAGES:
        raise ReadError(f"more than {_MAX_PAGES:,} pages")
    return [_read_page(page, name, number, rules) for number, page in enumerate(pdf, 1)]


def _read_page(page: Any, name: str, number: int, rules: FormatRules) -> _Page:
    objects = text_objects(page)
    letters = "".join("".join(each.text.split()) for each in objects)
    if len(_UNREADABLE.findall(letters)) > _MOSTLY * len(letters):
        raise ReadError(f"page {number} has a font that does not say which letters it shows")
    if not any(each.text.strip() for each in objects):
        if has_images(page):
            raise ReadError(f"page {number} is a picture, which cannot be read")
        if lines_drawn(page) > _MANY_LINES and rules.images != "keep":
            raise ReadError(f"page {number} is a drawing, which cannot be read")
        return _Page(objects, None)
    pieces, separators = pieces_of(objects)
    slot = text_slot(name, pieces, str, separators=separators, locator=f"{name} page {number}")
    return _Page(objects, slot)
