"""DOCX and XLSX: planted PHI is gone from every member, and the format's own library still reads
what was not touched."""

from __future__ import annotations

import io
import zipfile
from datetime import date, datetime
from pathlib import Path

import docx
import openpyxl
import pytest
from openpyxl.comments import Comment
from tests.conftest import SHARED
from tests.formats.planted import documents, masked, read, unchanged

from incognote.core.types import Failure, Replacement, Result
from incognote.formats.ooxml import BLANK_IMAGE
from incognote.policy import FormatRules

RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>'
NAMES = ["Quillon", "Adeyemi", "Brandvold", "7741902", "Fenwick"]


def _members(data: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return "".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())


def _letter() -> bytes:
    document = docx.Document()
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


def _workbook() -> bytes:
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


class TestDocx:
    def test_nothing_planted_survives_in_any_member(self):
        data = _letter()
        out = masked(data, "letter.docx", [*NAMES, "Quillon Adeyemi"])
        text = _members(out)
        assert [name for name in NAMES if name in text] == []
        assert "lon Adeyemi" not in text

    def test_the_library_reads_it_and_formatting_stays(self):
        out = masked(_letter(), "letter.docx", ["Quillon Adeyemi", *NAMES])
        document = docx.Document(io.BytesIO(out))
        runs = [run for run in document.paragraphs[0].runs if run.text]
        assert [run.text for run in runs] == [
            "Seen today: ", "[PATIENT]", ", doing well.",
        ]  # fmt: skip
        assert runs[1].bold
        assert document.tables[0].cell(0, 1).text == "Dr. [PATIENT]"
        assert document.core_properties.author == "[DOCTOR]"

    def test_paragraphs_give_each_other_context(self):
        texts = [d.text for d in documents(_letter(), "letter.docx")]
        assert any("Attending\nDr. Brandvold" in text for text in texts)

    def test_an_embedded_object_is_refused(self):
        buffer = io.BytesIO(_letter())
        with zipfile.ZipFile(buffer, "a") as archive:
            archive.writestr("word/embeddings/oleObject1.bin", b"\xd0\xcf\x11\xe0")
        (outcome,) = read(buffer.getvalue(), "letter.docx")
        assert isinstance(outcome, Failure)
        assert "embedded object" in outcome.message

    def test_the_workbook_behind_a_chart_is_read(self):
        buffer = io.BytesIO(_letter())
        with zipfile.ZipFile(buffer, "a") as archive:
            archive.writestr("word/embeddings/Microsoft_Excel_Sheet1.xlsx", _workbook())
        out = masked(buffer.getvalue(), "letter.docx", [*NAMES, "Quillon Adeyemi"])
        with zipfile.ZipFile(io.BytesIO(out)) as archive:
            inner = _members(archive.read("word/embeddings/Microsoft_Excel_Sheet1.xlsx"))
        assert [name for name in NAMES if name in inner] == []

    def test_pictures_are_read_where_the_policy_says_so(self):
        pytest.importorskip("rapidocr_onnxruntime", reason="the ocr extra is not installed")
        from tests.formats.test_pictures import _file, _picture, _words

        buffer = io.BytesIO(_letter())
        with zipfile.ZipFile(buffer, "a") as archive:
            archive.writestr("word/media/image1.png", _file(_picture("QUILLON is well")))
        rules = FormatRules(images="read")
        out = masked(buffer.getvalue(), "letter.docx", ["QUILLON"], rules)
        with zipfile.ZipFile(io.BytesIO(out)) as archive:
            assert _words(archive.read("word/media/image1.png")) == "is well"

    def test_pictures_are_blanked_unless_kept(self):
        buffer = io.BytesIO(_letter())
        with zipfile.ZipFile(buffer, "a") as archive:
            archive.writestr("word/media/image7.png", b"a picture of a chart")
        data = buffer.getvalue()

        def picture(out: bytes) -> bytes:
            with zipfile.ZipFile(io.BytesIO(out)) as archive:
                return archive.read("word/media/image7.png")

        assert picture(unchanged(data, "letter.docx")) == BLANK_IMAGE
        kept = unchanged(data, "letter.docx", FormatRules(images="keep"))
        assert picture(kept) == b"a picture of a chart"

    def test_parts_with_names_of_their_own_get_others(self):
        buffer = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(_letter())) as old, zipfile.ZipFile(buffer, "w") as new:
            for name in old.namelist():
                data = old.read(name).replace(b"header1.xml", b"Quillon.xml")
                new.writestr(name.replace("header1.xml", "Quillon.xml"), data)
            new.writestr("word/_rels/Quillon.xml.rels", RELATIONS)
        assert b"Quillon.xml" in buffer.getvalue()
        out = masked(buffer.getvalue(), "letter.docx", ["Quillon Adeyemi", *NAMES])
        assert b"Quillon" not in out
        assert "Quillon" not in _members(out)
        header = docx.Document(io.BytesIO(out)).sections[0].header
        assert header.paragraphs[0].text == "[PATIENT] General, MRN [PATIENT]"


class TestXlsx:
    def test_sheets_whose_part_is_called_after_them(self):
        buffer = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(_workbook())) as old, zipfile.ZipFile(buffer, "w") as new:
            for name in old.namelist():
                data = old.read(name).replace(b"sheet1.xml", b"Adeyemi.xml")
                new.writestr(name.replace("sheet1.xml", "Adeyemi.xml"), data)
        out = masked(buffer.getvalue(), "visits.xlsx", NAMES)
        assert b"Adeyemi" not in out
        assert openpyxl.load_workbook(io.BytesIO(out)).active["E2"].value == "=B2*2"

    def test_nothing_planted_survives_in_any_member(self):
        out = masked(_workbook(), "visits.xlsx", NAMES)
        text = _members(out)
        assert [name for name in NAMES if name in text] == []

    def test_headers_give_context_and_labels(self):
        found = documents(_workbook(), "visits.xlsx")
        assert "Name: Quillon Adeyemi" in [d.text for d in found]
        assert ("7741902", "MEDICALRECORD") in [
            (d.text, d.given[0].label) for d in found if d.given
        ]
        rules = FormatRules(labels={"MRN": "IDNUM"})
        known = [d for d in documents(_workbook(), "visits.xlsx", rules) if d.given]
        assert ("7741902", "IDNUM") in [(d.text, d.given[0].label) for d in known]

    def test_dates_stay_dates(self):
        (record,) = read(_workbook(), "visits.xlsx")
        results = []
        for document in record.documents:
            new = "2024-04-20" if document.text == "2024-03-11" else document.text
            swaps = tuple(
                Replacement(s, new, "shift") for s in document.given if new != document.text
            )
            results.append(Result(document, document.given, (), swaps, new))
        book = openpyxl.load_workbook(io.BytesIO(record.render(results)))
        assert book.active["C2"].value == datetime(2024, 4, 20)  # noqa: DTZ001
        assert book.active["E2"].value == "=B2*2"
        assert book.active["B2"].value == 7741902

    def test_empty_strings_do_not_shift_the_table(self):
        book = openpyxl.Workbook()
        book.active.append(["Name", " ", "MRN"])
        book.active.append(["x", " ", "Quillon"])
        buffer = io.BytesIO()
        book.save(buffer)
        assert "MRN: Quillon" in [d.text for d in documents(buffer.getvalue(), "t.xlsx")]


def _fixtures() -> list[Path]:
    folder = SHARED / "fixtures"
    return sorted([*folder.glob("docx/*.docx"), *folder.glob("xls/*.xlsx")])


@pytest.mark.parametrize("path", _fixtures(), ids=lambda path: path.name)
def test_outside_files_keep_every_member(path):
    data = path.read_bytes()
    out = unchanged(data, path.name, FormatRules(images="keep"))
    before, after = zipfile.ZipFile(io.BytesIO(data)), zipfile.ZipFile(io.BytesIO(out))
    with before, after:
        assert before.namelist() == after.namelist()
        for name in before.namelist():
            if "printerSettings" not in name:
                assert before.read(name) == after.read(name)


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx"])
@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"not a zip at all"])
def test_broken_packages_are_refused(name, data):
    (outcome,) = read(data, name)
    assert isinstance(outcome, Failure)


def test_a_truncated_package_is_refused():
    (outcome,) = read(_letter()[:-200], "letter.docx")
    assert isinstance(outcome, Failure)
