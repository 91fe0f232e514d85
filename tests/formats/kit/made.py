"""Files that tests plant PHI in, and all that such a file says once it is opened."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from datetime import date

import docx
import openpyxl
import pikepdf
import pypdfium2
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from openpyxl.comments import Comment

NAMES = ["Quillon", "Adeyemi", "Brandvold", "7741902", "Fenwick"]


def members(data: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return "".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())


def with_members(data: bytes, members: Mapping[str, str | bytes]) -> bytes:
    """A package with members added, or replaced where they exist."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for info in old.infolist():
            if info.filename not in members:
                new.writestr(info, old.read(info))
        for name, text in members.items():
            new.writestr(name, text)
    return buffer.getvalue()


def blank_letter() -> Document:
    """Without the hundred styles of tables that the template brings, twice: reading them takes most
    of the time of a test."""
    document = docx.Document()
    for style in list(document.styles):
        if style.type == WD_STYLE_TYPE.TABLE and style.name != "Normal Table":
            style.delete()
    for key in [key for key, each in document.part.rels.items() if "Effects" in each.reltype]:
        document.part.rels.pop(key)
    return document


def letter() -> bytes:
    document = blank_letter()
    document.core_properties.author = "Thea Brandvold"
    document.core_properties.last_modified_by = "Brandvold"
    document.core_properties.title = "Letter about Quillon Adeyemi"
    document.sections[0].header.paragraphs[0].text = "Fenwick General, MRN 7741902"
    document.sections[0].footer.paragraphs[0].text = "Quillon Adeyemi"
    paragraph = document.add_paragraph("Seen today: ")
    # One name over two runs, as an editor leaves it.
    paragraph.add_run("Quil").bold = True
    paragraph.add_run("lon Adeyemi, doing well.")
    table = document.add_table(1, 2)
    table.cell(0, 0).text = "Attending"
    table.cell(0, 1).text = "Dr. Brandvold"
    document.add_comment(paragraph.runs[0], text="Ask Brandvold", author="Brandvold", initials="B")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Adeyemi"
    sheet.append(["Name", "MRN", "Seen", "Note", "Twice"])
    sheet.append(["Quillon Adeyemi", 7741902, date(2024, 3, 11), "Saw Brandvold", "=B2*2"])
    sheet["A2"].comment = Comment("Call Quillon", "Brandvold")
    sheet.oddHeader.center.text = "Fenwick General"
    hidden = book.create_sheet("hidden")
    hidden.sheet_state = "hidden"
    hidden["A1"] = "Quillon"
    book.properties.creator = "Brandvold"
    book.properties.title = "Visits of Quillon"
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def pdf_file(
    content: bytes = b"BT /F1 12 Tf 72 720 Td (Seen with Quillon Adeyemi.) Tj ET",
) -> bytes:
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


def everything(data: bytes) -> bytes:
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


def page_texts(data: bytes) -> str:
    pdf = pypdfium2.PdfDocument(data)
    return "\n".join(page.get_textpage().get_text_range() for page in pdf)
