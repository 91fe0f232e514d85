"""DOCX and XLSX: planted PHI is gone from every member, and the format's own library still reads
what was not touched."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime
from pathlib import Path

import docx
import openpyxl
import pytest
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from tests.conftest import SHARED
from tests.formats.made import NAMES, letter, members, with_members, workbook
from tests.formats.planted import documents, masked, placed, read, unchanged

from incognote.core.types import Failure, Replacement, Result
from incognote.formats.ooxml import BLANK_IMAGE
from incognote.policy import FormatRules

NAME = "Quillon"
RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>'


class TestDocx:
    def test_nothing_planted_survives_in_any_member(self):
        data = letter()
        out = masked(data, "letter.docx", [*NAMES, "Quillon Adeyemi"])
        text = members(out)
        assert [name for name in NAMES if name in text] == []
        assert "lon Adeyemi" not in text

    def test_the_library_reads_it_and_formatting_stays(self):
        out = masked(letter(), "letter.docx", ["Quillon Adeyemi", *NAMES])
        document = docx.Document(io.BytesIO(out))
        runs = [run for run in document.paragraphs[0].runs if run.text]
        assert [run.text for run in runs] == [
            "Seen today: ", "[PATIENT]", ", doing well.",
        ]  # fmt: skip
        assert runs[1].bold
        assert document.tables[0].cell(0, 1).text == "Dr. [PATIENT]"
        assert document.core_properties.author == "[DOCTOR]"

    def test_paragraphs_give_each_other_context(self):
        texts = [d.text for d in documents(letter(), "letter.docx")]
        assert any("Attending\nDr. Brandvold" in text for text in texts)

    def test_an_embedded_object_is_refused(self):
        buffer = io.BytesIO(letter())
        with zipfile.ZipFile(buffer, "a") as archive:
            archive.writestr("word/embeddings/oleObject1.bin", b"\xd0\xcf\x11\xe0")
        (outcome,) = read(buffer.getvalue(), "letter.docx")
        assert isinstance(outcome, Failure)
        assert "embedded object" in outcome.message

    def test_the_workbook_behind_a_chart_is_read(self):
        buffer = io.BytesIO(letter())
        with zipfile.ZipFile(buffer, "a") as archive:
            archive.writestr("word/embeddings/Microsoft_Excel_Sheet1.xlsx", workbook())
        out = masked(buffer.getvalue(), "letter.docx", [*NAMES, "Quillon Adeyemi"])
        with zipfile.ZipFile(io.BytesIO(out)) as archive:
            inner = members(archive.read("word/embeddings/Microsoft_Excel_Sheet1.xlsx"))
        assert [name for name in NAMES if name in inner] == []

    def test_pictures_are_read_where_the_policy_says_so(self):
        pytest.importorskip("rapidocr_onnxruntime", reason="the ocr extra is not installed")
        from tests.formats.test_pictures import _file, _picture, _words

        buffer = io.BytesIO(letter())
        with zipfile.ZipFile(buffer, "a") as archive:
            archive.writestr("word/media/image1.png", _file(_picture("QUILLON is well")))
        rules = FormatRules(images="read")
        out = masked(buffer.getvalue(), "letter.docx", ["QUILLON"], rules)
        with zipfile.ZipFile(io.BytesIO(out)) as archive:
            assert _words(archive.read("word/media/image1.png")) == "is well"

    def test_pictures_are_blanked_unless_kept(self):
        buffer = io.BytesIO(letter())
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
        with zipfile.ZipFile(io.BytesIO(letter())) as old, zipfile.ZipFile(buffer, "w") as new:
            for name in old.namelist():
                data = old.read(name).replace(b"header1.xml", b"Quillon.xml")
                new.writestr(name.replace("header1.xml", "Quillon.xml"), data)
            new.writestr("word/_rels/Quillon.xml.rels", RELATIONS)
        assert b"Quillon.xml" in buffer.getvalue()
        out = masked(buffer.getvalue(), "letter.docx", ["Quillon Adeyemi", *NAMES])
        assert b"Quillon" not in out
        assert "Quillon" not in members(out)
        header = docx.Document(io.BytesIO(out)).sections[0].header
        assert header.paragraphs[0].text == "[PATIENT] General, MRN [PATIENT]"


class TestXlsx:
    def test_sheets_whose_part_is_called_after_them(self):
        buffer = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(workbook())) as old, zipfile.ZipFile(buffer, "w") as new:
            for name in old.namelist():
                data = old.read(name).replace(b"sheet1.xml", b"Adeyemi.xml")
                new.writestr(name.replace("sheet1.xml", "Adeyemi.xml"), data)
        out = masked(buffer.getvalue(), "visits.xlsx", NAMES)
        assert b"Adeyemi" not in out
        assert openpyxl.load_workbook(io.BytesIO(out)).active["E2"].value == "=B2*2"

    def test_nothing_planted_survives_in_any_member(self):
        out = masked(workbook(), "visits.xlsx", NAMES)
        text = members(out)
        assert [name for name in NAMES if name in text] == []

    def test_headers_give_context_and_labels(self):
        found = documents(workbook(), "visits.xlsx")
        assert "Name: Quillon Adeyemi" in [d.text for d in found]
        assert ("7741902", "MEDICALRECORD") in [
            (d.text, d.given[0].label) for d in found if d.given
        ]
        rules = FormatRules(labels={"MRN": "IDNUM"})
        known = [d for d in documents(workbook(), "visits.xlsx", rules) if d.given]
        assert ("7741902", "IDNUM") in [(d.text, d.given[0].label) for d in known]

    def test_dates_stay_dates(self):
        (record,) = read(workbook(), "visits.xlsx")
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
    (outcome,) = read(letter()[:-200], "letter.docx")
    assert isinstance(outcome, Failure)


def test_cells_say_where_they_stand():
    assert {"sheet1!A2", "sheet1!B2", "sheet1!C2"} <= placed(workbook(), "x.xlsx")


def test_columns_of_a_workbook_by_policy():
    rules = FormatRules(labels={"Name": "drop", "MRN": "keep", "Note": "text"})
    out = masked(workbook(), "x.xlsx", ["Brandvold"], rules)
    row = next(openpyxl.load_workbook(io.BytesIO(out)).worksheets[0].iter_rows(min_row=2))
    assert (row[0].value, row[1].value, row[3].value) == ("", 7741902, "Saw [PATIENT]")


def test_parts_of_a_letter_refer_to_each_other_as_before():
    rels = '<Relationships><Relationship Id="r1" Target="Quillon.xml"/></Relationships>'
    data = with_members(letter(), {"customXml/_rels/item1.xml.rels": rels})
    assert "Quillon.xml" in members(masked(data, "x.docx", [NAME]))


_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


DOCX = {
    "tracked changes": ("word/more.xml", f'<w:p {_W}><w:del w:author="Quillon" w:date="2024-03-11T10:00:00Z"><w:r><w:delText>Quillon</w:delText></w:r></w:del></w:p>'),
    "hyperlink": ("word/_rels/more.xml.rels", '<Relationships><Relationship Id="r1" Target="mailto:Quillon" TargetMode="External"/></Relationships>'),
    "tooltip": ("word/more.xml", f'<w:hyperlink {_W} w:tooltip="Quillon"/>'),
    "simple field": ("word/more.xml", f'<w:fldSimple {_W} w:instr="AUTHOR Quillon"/>'),
    "bookmark": ("word/more.xml", f'<w:bookmarkStart {_W} w:name="Quillon"/>'),
    "drop-down": ("word/more.xml", f'<w:ddList {_W}><w:listEntry w:val="Quillon"/></w:ddList>'),
    "footnote": ("word/footnotes.xml", f"<w:p {_W}><w:r><w:t>Quillon</w:t></w:r></w:p>"),
    "custom xml": ("customXml/item1.xml", '<a name="Quillon">Quillon</a>'),
    "custom property": ("docProps/custom.xml", '<Properties><property name="Quillon"><lpwstr>Quillon</lpwstr></property></Properties>'),
    "label": ("docMetadata/LabelInfo.xml", '<label name="Quillon"/>'),
    "attached template": ("word/_rels/settings.xml.rels",'<Relationships><Relationship Id="r1" Target="file:///C:/Quillon/t.dotx" TargetMode="External"/></Relationships>'),
    "alt text": ("word/more.xml", '<wp:docPr xmlns:wp="x" id="1" name="Picture 1" descr="Quillon" title="Quillon"/>'),
    "people": ("word/people.xml", '<w15:people xmlns:w15="x"><w15:person w15:author="Quillon"><w15:presenceInfo w15:providerId="AD" w15:userId="S::Quillon@x::1"/></w15:person></w15:people>'),
    "doc vars": ("word/more.xml", f'<w:docVars {_W}><w:docVar w:name="pt" w:val="Quillon"/></w:docVars>'),
    "mail merge": ("word/more.xml", f'<w:mailMerge {_W}><w:query w:val="select Quillon"/><w:dataSource r:id="r1" xmlns:r="y"/></w:mailMerge>'),
    "glossary": ("word/glossary/document.xml", f"<w:p {_W}><w:r><w:t>Quillon</w:t></w:r></w:p>"),
    "style name": ("word/styles.xml", f'<w:styles {_W}><w:style w:customStyle="1" w:styleId="a"><w:name w:val="Quillon style"/><w:aliases w:val="Quillon"/></w:style></w:styles>'),
    "chart cache": ("word/charts/chart1.xml", '<c:v xmlns:c="x">Quillon</c:v>'),
    "sdt": ("word/more.xml", f'<w:sdtPr {_W}><w:alias w:val="Quillon"/><w:tag w:val="Quillon"/><w:placeholder><w:docPart w:val="Quillon"/></w:placeholder><w:date w:fullDate="2024-03-11T00:00:00Z"/></w:sdtPr>'),
    "vml": ("word/more.xml", '<v:shape xmlns:v="x" alt="Quillon" title="Quillon" o:title="Quillon" xmlns:o="y"/>'),
    "ink": ("word/more.xml", '<a:t xmlns:a="x">Quillon</a:t>'),
    "smartart": ("word/diagrams/data1.xml", '<a:t xmlns:a="x">Quillon</a:t>'),
    "smart tag": ("word/more.xml", f'<w:smartTag {_W} w:uri="urn:Quillon" w:element="PersonName"><w:smartTagPr><w:attr w:name="n" w:val="Quillon"/></w:smartTagPr></w:smartTag>'),
    "custom xml markup": ("word/more.xml", f'<w:customXml {_W} w:uri="u" w:element="Quillon"/>'),
    "xml comment": ("word/more.xml", f"<w:p {_W}><!-- Quillon --></w:p>"),
    "processing instruction": ("word/more.xml", f"<w:p {_W}><?x Quillon?></w:p>"),
    "move range": ("word/more.xml", f'<w:moveFromRangeStart {_W} w:author="Quillon" w:name="Quillon"/>'),
    "permission": ("word/more.xml", f'<w:permStart {_W} w:ed="Quillon"/>'),
    "write protection": ("word/settings.xml", f'<w:settings {_W}><w:saveThroughXslt w:solutionID="Quillon"/><w:themeFontLang w:val="en-US"/></w:settings>'),
    "web settings": ("word/webSettings.xml", f'<w:webSettings {_W}><w:frameset><w:frame><w:name w:val="Quillon"/><w:sourceFileName w:val="Quillon"/></w:frame></w:frameset></w:webSettings>'),
    "numbering": ("word/numbering.xml", f'<w:numbering {_W}><w:lvlText w:val="Quillon %1"/></w:numbering>'),
    "theme": ("word/theme/theme1.xml", '<a:theme xmlns:a="x" name="Quillon"/>'),
}  # fmt: skip


@pytest.mark.parametrize("corner", DOCX)
def test_every_part_of_a_letter(corner):
    member, xml = DOCX[corner]
    data = with_members(letter(), {member: xml})
    assert NAME in members(data)
    said = members(masked(data, "x.docx", [NAME, *NAMES]))
    assert [p for p in (NAME, "2024-03-11") if p in said] == []


XLSX = {
    "sheet of another name": ("xl/worksheets/Visits.xml", '<worksheet><c r="A1" t="inlineStr"><is><t>Quillon</t></is></c></worksheet>'),
    "filter": ("xl/worksheets/sheet9.xml", '<worksheet><filter val="Quillon"/></worksheet>'),
    "pivot cache": ("xl/pivotCache/pivotCacheDefinition1.xml", '<x><cacheField name="Quillon"/><s v="Quillon"/></x>'),
    "connection": ("xl/connections.xml", '<connections><dbPr connection="user Quillon" command="select Quillon"/></connections>'),
    "path": ("xl/extra.xml", '<x><absPath url="C:\\Quillon\\"/></x>'),
    "custom xml": ("customXml/item1.xml", "<a>Quillon</a>"),
    "iso date": ("xl/worksheets/sheet9.xml", '<worksheet><c r="A1" t="d"><v>2024-03-11</v></c></worksheet>'),
    "number under no header": ("xl/worksheets/sheet9.xml", '<worksheet><c r="A1"><v>7741902</v></c></worksheet>'),
    "cell style": ("xl/styles.xml",'<styleSheet><cellStyles><cellStyle name="Quillon style" xfId="0"/></cellStyles></styleSheet>'),
    "number format": ("xl/styles.xml",'<styleSheet><numFmts><numFmt numFmtId="170" formatCode="&quot;Quillon&quot; 0"/></numFmts></styleSheet>'),
    "table style": ("xl/styles.xml",'<styleSheet><tableStyles><tableStyle name="Quillon"/></tableStyles></styleSheet>'),
    "external link": ("xl/externalLinks/externalLink1.xml",'<externalLink><externalBook><sheetNames><sheetName val="Quillon"/></sheetNames><definedNames><definedName name="Quillon" refersTo="Quillon!A1"/></definedNames><sheetDataSet><sheetData><row><cell r="A1" t="str"><v>Quillon</v></cell></row></sheetData></sheetDataSet></externalBook></externalLink>'),
    "external path": ("xl/externalLinks/_rels/externalLink1.xml.rels",'<Relationships><Relationship Id="r1" Target="file:///C:/Quillon.xlsx" TargetMode="External"/></Relationships>'),
    "pivot records": ("xl/pivotCache/pivotCacheRecords1.xml",'<pivotCacheRecords><r><s v="Quillon"/><d v="2024-03-11T00:00:00"/></r></pivotCacheRecords>'),
    "pivot": ("xl/pivotTables/pivotTable1.xml",'<pivotTableDefinition name="Quillon" dataCaption="Quillon" rowHeaderCaption="Quillon" grandTotalCaption="Quillon"><pivotField name="Quillon"><items><item n="Quillon"/></items></pivotField><dataField name="Quillon"/></pivotTableDefinition>'),
    "vml": ("xl/drawings/vmlDrawing1.vml",'<xml xmlns:v="x"><v:shape alt="Quillon" title="Quillon"><v:textbox><div><font>Quillon</font></div></v:textbox></v:shape></xml>'),
    "threaded": ("xl/threadedComments/threadedComment1.xml",'<ThreadedComments><threadedComment ref="A1" dT="2024-03-11T10:00:00.00"><text>Quillon</text></threadedComment></ThreadedComments>'),
    "person": ("xl/persons/person.xml",'<personList><person displayName="Quillon" id="{1}" userId="Quillon" providerId="None"/></personList>'),
    "validation": ("xl/worksheets/sheet9.xml",'<worksheet><dataValidations><dataValidation error="Quillon" errorTitle="Quillon" prompt="Quillon" promptTitle="Quillon"><formula1>"Quillon,x"</formula1></dataValidation></dataValidations></worksheet>'),
    "code name": ("xl/worksheets/sheet9.xml",'<worksheet><sheetPr codeName="Quillon"/></worksheet>'),
    "file sharing": ("xl/more.xml",'<workbook><fileSharing userName="Quillon"/></workbook>'),
    "defined name": ("xl/more.xml",'<workbook><definedNames><definedName name="a" comment="Quillon" description="Quillon" help="Quillon" statusBar="Quillon" customMenu="Quillon">1</definedName></definedNames></workbook>'),
    "scenario": ("xl/worksheets/sheet9.xml",'<worksheet><scenarios><scenario name="Quillon" user="Quillon" comment="Quillon"><inputCells r="A1" val="Quillon"/></scenario></scenarios></worksheet>'),
    "phonetic": ("xl/worksheets/sheet9.xml",'<worksheet><c r="A1" t="inlineStr"><is><t>x</t><rPh sb="0" eb="1"><t>Quillon</t></rPh></is></c></worksheet>'),
    "conditional": ("xl/worksheets/sheet9.xml",'<worksheet><conditionalFormatting><cfRule type="containsText" text="Quillon"><formula>NOT(ISERROR(SEARCH("Quillon",A1)))</formula></cfRule></conditionalFormatting></worksheet>'),
    "slicer": ("xl/slicers/slicer1.xml",'<slicers><slicer name="Quillon" caption="Quillon" cache="Slicer_Quillon"/></slicers>'),
    "slicer cache": ("xl/slicerCaches/slicerCache1.xml",'<slicerCacheDefinition name="Slicer_Quillon" sourceName="Quillon"/>'),
    "query table": ("xl/queryTables/queryTable1.xml",'<queryTable name="Quillon"><queryTableFields><queryTableField name="Quillon"/></queryTableFields></queryTable>'),
    "table": ("xl/tables/table9.xml",'<table name="T" displayName="T"><tableColumns><tableColumn name="Quillon" totalsRowLabel="Quillon" uniqueName="Quillon"/></tableColumns></table>'),
    "revision": ("xl/revisions/revisionHeaders.xml",'<headers><header userName="Quillon" dateTime="2024-03-11T10:00:00"/></headers>'),
    "header footer": ("xl/worksheets/sheet9.xml","<worksheet><headerFooter><firstHeader>&amp;LQuillon</firstHeader><evenFooter>Quillon</evenFooter></headerFooter></worksheet>"),
    "drawing": ("xl/drawings/drawing1.xml",'<xdr:cNvPr xmlns:xdr="x" name="Quillon" descr="Quillon" title="Quillon"/>'),
    "web publish": ("xl/more.xml",'<workbook><webPublishItems><webPublishItem destinationFile="C:\\Quillon.htm" title="Quillon" sourceObject="Quillon" divId="Quillon_1"/></webPublishItems></workbook>'),
    "smart tag": ("xl/worksheets/sheet9.xml",'<worksheet><cellSmartTagPr key="k" val="Quillon"/></worksheet>'),
    "custom property": ("xl/worksheets/sheet9.xml",'<worksheet><customProperties><customPr name="Quillon"/></customProperties></worksheet>'),
    "protected range": ("xl/worksheets/sheet9.xml",'<worksheet><protectedRange name="Quillon"/></worksheet>'),
    "xml comment": ("xl/worksheets/sheet9.xml","<worksheet><!-- Quillon --></worksheet>"),
}  # fmt: skip


@pytest.mark.parametrize("corner", XLSX)
def test_every_part_of_a_workbook(corner):
    member, xml = XLSX[corner]
    data = with_members(workbook(), {member: xml})
    out = masked(data, "x.xlsx", [NAME, "7741902", *NAMES])
    said = members(out)
    assert [p for p in (NAME, "7741902", "2024-03-11") if p in said] == []


def test_formulas_follow_the_names_of_sheets_and_ranges():
    book = openpyxl.Workbook()
    book.active.title = "Adeyemi Q"
    book.active.append([5])
    sheet = book.create_sheet(NAME)
    sheet.append(["='Adeyemi Q'!A1*2", "=Quillon_rows+Quillon!A1", '=IF(A1=1,"Brandvold","x")'])
    book.defined_names["Quillon_rows"] = DefinedName("Quillon_rows", attr_text="Quillon!$A$1")
    choice = DataValidation(type="list", formula1='"Brandvold,x"', promptTitle="Ask Brandvold")
    sheet.add_data_validation(choice)
    choice.add("D1")
    buffer = io.BytesIO()
    book.save(buffer)
    planted = ["Adeyemi Q", "Quillon_rows", NAME, "Brandvold"]
    out = masked(buffer.getvalue(), "x.xlsx", planted)
    assert [name for name in planted if name in members(out)] == []
    cleaned = openpyxl.load_workbook(io.BytesIO(out))
    assert cleaned.sheetnames == ["PATIENT", "PATIENT_2"]
    assert [cell.value for cell in cleaned["PATIENT_2"][1]][:3] == [
        "='PATIENT'!A1*2", "=PATIENT_3+PATIENT_2!A1", '=IF(A1=1,"[PATIENT]","x")',
    ]  # fmt: skip
    assert cleaned.defined_names["PATIENT_3"].attr_text == "PATIENT_2!$A$1"
