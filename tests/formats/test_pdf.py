"""PDF: what was replaced is neither on the page nor in the file."""

from __future__ import annotations

import io
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
from tests.conftest import SHARED
from tests.formats.planted import documents, masked, read, unchanged

from incognote.core.types import Failure
from incognote.policy import FormatRules

NAMES = ["Quillon", "Adeyemi", "Brandvold", "7741902"]


def _pdf(content: bytes = b"BT /F1 12 Tf 72 720 Td (Seen with Quillon Adeyemi.) Tj ET") -> bytes:
    """A page with text, and PHI in every corner around it."""
    pdf = pikepdf.new()
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
    )
    pdf.add_blank_page(page_size=(612, 792))
    page = pdf.pages[0]
    page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
    page.Contents = pdf.make_stream(content)
    note = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Text, Rect=[10, 10, 30, 30],
        Contents=pikepdf.String("Ask Brandvold"), T=pikepdf.String("Brandvold"),
        AP=pikepdf.Dictionary(N=pdf.make_stream(b"(Brandvold) Tj")),
    )  # fmt: skip
    field = pdf.make_indirect(
        pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, FT=pikepdf.Name.Tx,
            T=pikepdf.String("mrn"), V=pikepdf.String("7741902"), Rect=[50, 50, 90, 60],
        )
    )  # fmt: skip
    page.Annots = pdf.make_indirect(pikepdf.Array([pdf.make_indirect(note), field]))
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=[field])
    with pdf.open_outline() as outline:
        outline.root.append(pikepdf.OutlineItem("Visit of Quillon", 0))
    pdf.docinfo["/Author"] = "Brandvold"
    with pdf.open_metadata() as xmp:
        xmp["dc:title"] = "Quillon Adeyemi"
    pdf.attachments["chart.txt"] = pikepdf.AttachedFileSpec(
        pdf, b"MRN 7741902", filename="chart.txt"
    )
    buffer = io.BytesIO()
    pdf.save(buffer)
    return buffer.getvalue()


def _everything(data: bytes) -> bytes:
    """All streams decoded and all strings, so that no compression hides a name."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        parts = [data]
        for each in pdf.objects:
            if isinstance(each, pikepdf.Stream):
                is_picture = each.get("/Filter") == "/DCTDecode"
                parts.append(each.read_raw_bytes() if is_picture else each.read_bytes())
            parts.append(
                each.unparse(resolved=True) if not isinstance(each, pikepdf.Stream) else b""
            )
        return b"\n".join(parts)


def _text(data: bytes) -> str:
    pdf = pypdfium2.PdfDocument(data)
    return "\n".join(page.get_textpage().get_text_range() for page in pdf)


def test_nothing_planted_survives_anywhere_in_the_file():
    out = masked(_pdf(), "x.pdf", ["Quillon Adeyemi", *NAMES])
    raw = _everything(out)
    assert [name for name in NAMES if name.encode() in raw] == []
    assert [name for name in NAMES if name.encode("utf-16-be") in raw] == []


def test_the_page_shows_what_took_its_place():
    assert _text(masked(_pdf(), "x.pdf", ["Quillon Adeyemi"])).strip() == "Seen with [PATIENT]."


def test_a_name_over_several_objects_is_one_name():
    content = b"BT /F1 12 Tf 72 720 Td (Seen with Quil) Tj (lon today) Tj 0 -14 Td (and more) Tj ET"
    (page, *_) = documents(_pdf(content), "x.pdf")
    assert "Seen with Quillon today\nand more" in page.text
    out = _text(masked(_pdf(content), "x.pdf", ["Quillon"]))
    assert "illon" not in out
    assert "Quil" not in out


def test_notes_form_values_and_bookmarks_are_read():
    texts = [d.text for d in documents(_pdf(), "x.pdf")]
    assert {"Ask Brandvold", "7741902", "Visit of Quillon"} <= set(texts)


@pytest.mark.parametrize(
    "data",
    [b"", b"%PDF-1.7\n", _pdf()[:400], _pdf().partition(b"startxref")[0]],
    ids=["empty", "header", "truncated", "without-its-index"],
)
def test_broken_files_are_refused(data):
    (outcome,) = read(data, "x.pdf")
    assert isinstance(outcome, Failure)


def _fixtures() -> list[Path]:
    return sorted((SHARED / "fixtures" / "pdf").glob("*.pdf"))


@pytest.mark.parametrize("path", _fixtures(), ids=lambda path: path.name)
def test_outside_files_keep_their_text(path):
    data = path.read_bytes()
    (record,) = read(data, path.name)
    if isinstance(record, Failure):
        assert path.name in ("pypdf-libreoffice-writer-password.pdf", "textract-ocr_text.pdf")
        return
    assert _text(unchanged(data, path.name, FormatRules(images="keep"))) == _text(data)
