"""PDF: text replaced in the content of its pages, and everything around the pages cleaned.

Metadata, XMP, attachments, scripts and the rendered looks of annotations and form fields are
removed. Notes, form values and bookmarks are read as text. Pictures are removed unless the policy
keeps them; a page that is only a picture is refused, because nothing on it can be read.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from incognote.core.errors import MissingExtra, ReadError
from incognote.core.types import Failure, Result
from incognote.formats.base import Record
from incognote.formats.patch import Piece, Slot, spread, text_slot
from incognote.formats.pdf_text import (
    TextObject,
    has_images,
    pieces_of,
    remove_images,
    rewrite,
    text_objects,
)
from incognote.policy import FormatRules

_MAX_PAGES = 5_000
# Keys of annotations and form fields that hold what somebody wrote.
_WRITTEN = ("/Contents", "/V", "/DV", "/TU", "/T", "/Subj", "/RC")
_ROOT_EXTRAS = ("/Metadata", "/OpenAction", "/AA", "/AF", "/PieceInfo", "/StructTreeRoot")


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
    written: list[tuple[Any, str, Slot]] = field(repr=False)
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
            _strip(editor)
            written = [
                (holder, key, text_slot(name, pieces, str, locator=f"{name} {key}"))
                for holder, key, pieces in _written(editor)
            ]
            buffer = io.BytesIO()
            editor.save(buffer)
            pdf = pypdfium2.PdfDocument(buffer.getvalue())
            pages = _read_pages(pdf, name)
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
            holder[key] = pikepdf.String(result.text or "")
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


def _read_pages(pdf: Any, name: str) -> list[_Page]:
    if len(pdf) > _MAX_PAGES:
        raise ReadError(f"more than {_MAX_PAGES:,} pages")
    return [_read_page(page, name, number) for number, page in enumerate(pdf, 1)]


def _read_page(page: Any, name: str, number: int) -> _Page:
    objects = text_objects(page)
    if not any(each.text.strip() for each in objects):
        if has_images(page):
            raise ReadError(f"page {number} is a picture, which cannot be read")
        return _Page(objects, None)
    pieces, separators = pieces_of(objects)
    slot = text_slot(name, pieces, str, separators=separators, locator=f"{name} page {number}")
    return _Page(objects, slot)


def _strip(editor: Any) -> None:
    """Removes what nobody reads but everybody leaks: metadata, scripts, attachments, looks."""
    if "/Info" in editor.trailer:
        del editor.trailer["/Info"]
    for key in _ROOT_EXTRAS:
        if key in editor.Root:
            del editor.Root[key]
    if "/Names" in editor.Root:
        for key in ("/EmbeddedFiles", "/JavaScript"):
            if key in editor.Root.Names:
                del editor.Root.Names[key]
    if "/AcroForm" in editor.Root:
        editor.Root.AcroForm["/NeedAppearances"] = True
        if "/XFA" in editor.Root.AcroForm:
            del editor.Root.AcroForm["/XFA"]
    for page in editor.pages:
        for key in ("/Metadata", "/PieceInfo", "/AA", "/Thumb"):
            if key in page:
                del page[key]
        for annotation in page.get("/Annots", []):
            for key in ("/AP", "/AA", "/FS", "/M", "/CreationDate"):
                if key in annotation:
                    del annotation[key]


def _written(editor: Any) -> Iterator[tuple[Any, str, list[Piece]]]:
    """Every string somebody wrote around the pages: its holder, its key, and it as a piece."""
    import pikepdf

    seen: set[tuple[int, int]] = set()
    queue: list[Any] = [note for page in editor.pages for note in page.get("/Annots", [])]
    if "/AcroForm" in editor.Root:
        queue += list(editor.Root.AcroForm.get("/Fields", []))
    if "/Outlines" in editor.Root:
        queue.append(editor.Root.Outlines)
    while queue:
        holder = queue.pop(0)
        if not isinstance(holder, pikepdf.Dictionary) or (
            holder.objgen in seen and holder.is_indirect
        ):
            continue
        seen.add(holder.objgen)
        queue += [*holder.get("/Kids", [])]
        queue += [
            holder[key] for key in ("/First", "/Next", "/Parent", "/Popup", "/A") if key in holder
        ]
        for key in (*_WRITTEN, "/Title", "/URI"):
            value = holder.get(key)
            if isinstance(value, pikepdf.String) and str(value).strip():
                yield holder, key, [Piece(0, 1, str(value))]
