"""Writes the samples of binary and tabular formats in samples/formats: python tools/make_samples.py

All are about one invented patient, the same as the text samples beside them. PHI appears in the
corners too: properties, comments, headers, form fields. Running it again gives the same bytes, but
for Office files, whose libraries stamp the time.
"""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "samples" / "formats"
NOTE = (
    "Adaeze Okonkwo, MRN 7741902, was seen by Dr. Thorvald Brandvold on March 11, 2024 at Fenwick "
    "General. She lives at 14 Larkspur Lane, Millbrook, and can be reached at 860-555-0123. "
    "Blood pressure 128/76, lungs clear. Her husband Chidi came along."
)
WRITTEN = datetime(2024, 3, 11, 10, 15, tzinfo=UTC)


def letter_docx() -> bytes:
    import docx

    letter = docx.Document()
    properties = letter.core_properties
    properties.author = properties.last_modified_by = "Thorvald Brandvold"
    properties.title = "Letter about Adaeze Okonkwo"
    properties.created = properties.modified = WRITTEN
    letter.sections[0].header.paragraphs[0].text = "Fenwick General, MRN 7741902"
    letter.sections[0].footer.paragraphs[0].text = "Okonkwo, Adaeze"
    paragraph = letter.add_paragraph("Re: ")
    paragraph.add_run("Adaeze ").bold = True
    paragraph.add_run("Okonkwo, born February 14, 1958")
    letter.add_paragraph(NOTE)
    table = letter.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Attending", "Dr. Brandvold"
    letter.add_comment(paragraph.runs[1], text="Call Chidi", author="Brandvold", initials="TB")
    return _saved(letter)


def visits_xlsx() -> bytes:
    import openpyxl
    from openpyxl.comments import Comment
    from openpyxl.workbook.defined_name import DefinedName

    book = openpyxl.Workbook()
    book.properties.creator = "Thorvald Brandvold"
    book.properties.created = book.properties.modified = WRITTEN.replace(tzinfo=None)
    sheet = book.active
    sheet.title = "Okonkwo"
    sheet.append(["Name", "MRN", "Seen", "Note", "Next"])
    sheet.append(["Adaeze Okonkwo", 7741902, date(2024, 3, 11), NOTE, "=C2+14"])
    sheet["A2"].comment = Comment("Call Chidi", "Brandvold")
    sheet.oddHeader.center.text = "Fenwick General"
    hidden = book.create_sheet("old")
    hidden.sheet_state = "hidden"
    hidden.append(["Name"])
    hidden.append(["Chidi Okonkwo"])
    book.defined_names["first_visit"] = DefinedName("first_visit", attr_text="Okonkwo!$C$2")
    return _saved(book)


def letter_rtf() -> bytes:
    return (
        "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl\\f0\\fswiss Helvetica;}"
        "{\\info{\\title Letter about Adaeze Okonkwo}{\\author Thorvald Brandvold}}"
        "{\\header Fenwick General, MRN 7741902}"
        f"\\f0\\fs24 Re: {{\\b Adaeze}} Okonkwo\\par\n{NOTE}\\par}}\n"
    ).encode("ascii")


def report_pdf() -> bytes:
    import pikepdf

    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(612, 792))
    page = pdf.pages[0]
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
    )
    page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
    lines = [NOTE[at : at + 80] for at in range(0, len(NOTE), 80)]
    shown = " 0 -16 Td ".join(f"({line}) Tj" for line in lines)
    page.Contents = pdf.make_stream(f"BT /F1 11 Tf 72 720 Td {shown} ET".encode())
    field = pdf.make_indirect(
        pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, FT=pikepdf.Name.Tx,
            T=pikepdf.String("mrn"), V=pikepdf.String("7741902"), Rect=[72, 600, 200, 620],
        )
    )  # fmt: skip
    note = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Text, Rect=[10, 10, 30, 30],
        Contents=pikepdf.String("Ask Dr. Brandvold"), T=pikepdf.String("Brandvold"),
    )  # fmt: skip
    page.Annots = pdf.make_indirect(pikepdf.Array([field, pdf.make_indirect(note)]))
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=[field])
    pdf.docinfo["/Author"] = "Thorvald Brandvold"
    buffer = io.BytesIO()
    pdf.save(buffer, deterministic_id=True)
    return buffer.getvalue()


def scan_dcm() -> bytes:
    import numpy as np
    from pydicom.dataset import Dataset, FileMetaDataset
    from pydicom.uid import ExplicitVRLittleEndian

    scan = Dataset()
    scan.SOPClassUID = "1.2.840.10008.5.1.4.1.1.7"
    scan.SOPInstanceUID, scan.StudyInstanceUID = "2.25.77419021", "2.25.77419020"
    scan.SeriesInstanceUID = "2.25.77419022"
    scan.PatientName, scan.PatientID = "OKONKWO^ADAEZE", "7741902"
    scan.PatientBirthDate, scan.StudyDate, scan.StudyTime = "19580214", "20240311", "101500"
    scan.InstitutionName, scan.ReferringPhysicianName = "Fenwick General", "BRANDVOLD^THORVALD"
    scan.StudyDescription, scan.Modality = "CT HEAD FOR DR BRANDVOLD", "OT"
    scan.Rows = scan.Columns = 64
    scan.SamplesPerPixel, scan.PhotometricInterpretation = 1, "MONOCHROME2"
    scan.BitsAllocated = scan.BitsStored = 8
    scan.HighBit, scan.PixelRepresentation = 7, 0
    y, x = np.mgrid[-1:1:64j, -1:1:64j]
    scan.PixelData = (255 * np.clip(1 - np.hypot(x, y), 0, 1)).astype(np.uint8).tobytes()
    scan["PixelData"].VR = "OB"
    scan.add_new(0x00091001, "LO", "private note on OKONKWO")
    scan.file_meta = FileMetaDataset()
    scan.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    scan.file_meta.MediaStorageSOPInstanceUID = scan.SOPInstanceUID
    buffer = io.BytesIO()
    scan.save_as(buffer, enforce_file_format=True)
    return buffer.getvalue()


def variants_vcf() -> bytes:
    columns = ["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT"]
    lines = [
        "##fileformat=VCFv4.3",
        "##fileDate=20240311",
        "##reference=file:///home/brandvold/ref.fa",
        '##SAMPLE=<ID=OKONKWO_A,Description="blood of Adaeze Okonkwo">',
        "##PEDIGREE=<ID=OKONKWO_A,Mother=OKONKWO_M>",
        '##INFO=<ID=DP,Number=1,Type=Integer,Description="Total depth">',
        '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
        "##contig=<ID=20>",
        "\t".join([*columns, "OKONKWO_A", "OKONKWO_M"]),
        "\t".join("20 14370 rs6054257 G A 29 PASS DP=14 GT 0|0 1|0".split()),
    ]
    return ("\n".join(lines) + "\n").encode()


def notes_parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {"id": ["n1"], "patient_id": ["7741902"], "text": [NOTE], "score": pa.array([0.5])}
    )
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def _picture(*lines: str) -> Any:
    from PIL import Image, ImageDraw

    picture = Image.new("L", (900, 60 + 50 * len(lines)), 255)
    for number, line in enumerate(lines):
        ImageDraw.Draw(picture).text((40, 30 + 50 * number), line, fill=20, font_size=32)
    return picture


def label_png() -> bytes:
    buffer = io.BytesIO()
    _picture("Okonkwo, Adaeze   MRN 7741902").save(buffer, format="PNG")
    return buffer.getvalue()


def fax_pdf() -> bytes:
    """A page that is nothing but a picture."""
    lines = (
        "Fenwick General Hospital",
        "Patient: Adaeze Okonkwo, MRN 7741902",
        "Dear Dr. Brandvold,",
        "her blood pressure was 128/76, lungs clear.",
        "Please call 860-555-0123.",
    )
    buffer = io.BytesIO()
    fixed = WRITTEN.timetuple()
    _picture(*lines).save(
        buffer, format="PDF", resolution=150, creationDate=fixed, modDate=fixed, quality=60
    )
    return buffer.getvalue()


def notes_zip() -> bytes:
    """Two notes, one of them in a file and folder that say whose it is."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("Okonkwo_Adaeze/visit_7741902.txt", "plan.txt"):
            archive.writestr(zipfile.ZipInfo(name, WRITTEN.timetuple()[:6]), NOTE)
    return buffer.getvalue()


def _saved(file: object) -> bytes:
    buffer = io.BytesIO()
    file.save(buffer)  # type: ignore[attr-defined]
    return buffer.getvalue()


SAMPLES = {
    "letter.docx": letter_docx,
    "visits.xlsx": visits_xlsx,
    "letter.rtf": letter_rtf,
    "report.pdf": report_pdf,
    "scan.dcm": scan_dcm,
    "variants.vcf": variants_vcf,
    "notes.parquet": notes_parquet,
    "label.png": label_png,
    "fax.pdf": fax_pdf,
    "notes.zip": notes_zip,
}


def main() -> None:
    for name, make in SAMPLES.items():
        (FOLDER / name).write_bytes(make())


if __name__ == "__main__":
    main()
