"""XLSX: planted PHI is gone from every member; formulas, dates and types are what they were."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime

import openpyxl
import pytest
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from tests.formats.kit.made import NAMES, members, with_members, workbook
from tests.formats.kit.planted import placed

from incognote.core.types import Replacement, Result
from incognote.policy import FormatRules
from incognote.testing.formats import documents, masked, read

NAME = "Quillon"
CORNERS = {
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
    "sheet in another folder": ("xl/pages/Visits.xml", '<worksheet><c r="A1" t="inlineStr"><is><t>Quillon</t></is></c><c r="A2"><v>7741902</v></c></worksheet>'),
    "sheet elsewhere": ("other/Visits.xml", '<worksheet><c r="A1" t="inlineStr"><is><t>Quillon</t></is></c></worksheet>'),
    "order of a sort": ("xl/worksheets/sheet9.xml", '<worksheet><sortCondition ref="A1" customList="Quillon,x"/></worksheet>'),
    "day of a filter": ("xl/worksheets/sheet9.xml", '<worksheet><filters><dateGroupItem year="2024" month="3" day="11" dateTimeGrouping="day"/></filters></worksheet>'),
    "sheet of another workbook": ("xl/worksheets/sheet9.xml", "<worksheet><c r=\"A1\"><f>'[1]Quillon'!A1+[1]Quillon!A2+Quillon!B1</f><v>1</v></c></worksheet>"),
    "names within a formula": ("xl/worksheets/sheet9.xml", '<worksheet><c r="A1"><f>_xlfn.LET(_xlpm.Quillon,5,_xlpm.Quillon*2)</f><v>1</v></c></worksheet>'),
    "link to a place": ("xl/worksheets/sheet9.xml", '<worksheet><hyperlink ref="A1" location="Quillon!A1" display="x"/></worksheet>'),
    "connection file": ("xl/connections.xml", '<connections><connection name="x" odcFile="C:\\Quillon.odc" singleSignOnId="Quillon"><olapPr localConnection="Quillon"/><webPr post="Quillon" editPage="Quillon"/><parameter name="Quillon" string="Quillon" cell="A1"/></connection></connections>'),
    "pivot filter": ("xl/pivotTables/pivotTable2.xml", '<filters><filter name="Quillon" description="Quillon" stringValue1="Quillon" stringValue2="Quillon"/></filters>'),
    "pivot captions": ("xl/pivotTables/pivotTable2.xml", '<p tag="Quillon"><pageField name="Quillon" cap="Quillon"/><pivotHierarchy caption="Quillon"/><member name="Quillon"/><pivotField subtotalCaption="Quillon"/></p>'),
    "pivot hierarchy": ("xl/pivotCache/pivotCacheDefinition1.xml", '<x refreshedBy="Quillon"><cacheSource><worksheetSource ref="A1" sheet="Quillon"/></cacheSource><cacheHierarchy uniqueName="[Quillon]" caption="Quillon" attribute="1"/><calculatedItem formula="Quillon*2"/></x>'),
    "dde": ("xl/externalLinks/externalLink1.xml", '<externalLink><ddeLink ddeService="Quillon" ddeTopic="Quillon"><ddeItems><ddeItem name="Quillon"><values><value t="str"><val>Quillon</val></value></values></ddeItem></ddeItems></ddeLink><oleLink progId="Quillon"><oleItems><oleItem name="Quillon"/></oleItems></oleLink></externalLink>'),
    "metadata": ("xl/metadata.xml", '<metadata><metadataStrings><s v="Quillon"/></metadataStrings></metadata>'),
    "renamed sheet": ("xl/revisions/revisionLog1.xml", '<revisions><rsnm oldName="[x]Quillon" newName="Quillon"/><rdn name="Quillon"><formula>"Quillon"</formula></rdn><rcmt author="Quillon" cell="A1"/></revisions>'),
    "form control": ("xl/ctrlProps/ctrlProp1.xml", '<formControlPr fmlaLink="Quillon!A1" fmlaRange="Quillon!A1"><itemLst><item val="Quillon"/></itemLst></formControlPr>'),
    "shape macro": ("xl/drawings/drawing1.xml", '<xdr:sp xmlns:xdr="x" macro="Quillon.x" textlink="Quillon!A1"/>'),
    "xml column": ("xl/tables/table9.xml", '<table name="T" displayName="T"><tableColumns><tableColumn name="x"><xmlColumnPr mapId="1" xpath="/a/Quillon"/></tableColumn></tableColumns></table>'),
    "smart tag type": ("xl/more.xml", '<workbook><smartTagType namespaceUri="urn:Quillon" name="Quillon" url="Quillon"/><functionGroup name="Quillon"/></workbook>'),
    "security": ("xl/worksheets/sheet9.xml", '<worksheet><protectedRange name="x" securityDescriptor="Quillon"/></worksheet>'),
    "control": ("xl/worksheets/sheet9.xml", '<worksheet><control name="Quillon"/><oleObject progId="Quillon" link="[1]!Quillon"/><dataRef name="Quillon" sheet="Quillon"/></worksheet>'),
    "rich value": ("xl/richData/rdrichvaluestructure.xml", '<rvStructures><s t="x"><k n="Quillon"/></s></rvStructures>'),
    "timeline": ("xl/timelines/timeline1.xml", '<timelines><timeline name="Quillon" cache="NativeTimeline_Quillon" caption="Quillon"/></timelines>'),
    "map": ("xl/xmlMaps.xml", '<MapInfo><Schema ID="Quillon"><element name="Quillon"/></Schema><Map Name="Quillon" RootElement="Quillon"/></MapInfo>'),
    "chart": ("xl/charts/chart1.xml", "<c:chart xmlns:c=\"x\"><c:f>'Quillon'!A1</c:f><c:v>Quillon</c:v><c:t>Quillon</c:t></c:chart>"),
    "style of a table": ("xl/tables/table9.xml", '<table name="T" displayName="T" headerRowCellStyle="Quillon" dataCellStyle="Quillon"><tableStyleInfo name="Quillon"/></table>'),
    "rule of names": ("xl/worksheets/sheet9.xml", '<worksheet><cfRule type="beginsWith" text="Quillon"/><x14:f xmlns:x14="x">Quillon!A1</x14:f><xm:f xmlns:xm="y">"Quillon"</xm:f></worksheet>'),
    "number in a text": ("xl/worksheets/sheet9.xml", '<worksheet><c r="A1" t="str"><f>"x"</f><v>MRN 7741902</v></c></worksheet>'),
    "large number": ("xl/worksheets/sheet9.xml", '<worksheet><c r="A1"><v>7741902</v></c><c r="A2"><v>7.741902E6</v></c></worksheet>'),
    "unknown attribute": ("xl/more.xml", '<x said="Quillon is here"/>'),
    "part elsewhere": ("more.xml", "<x>Quillon</x>"),
    "sheet view": ("xl/namedSheetViews/namedSheetView1.xml", '<namedSheetViews><namedSheetView name="Quillon"/></namedSheetViews>'),
}  # fmt: skip


@pytest.mark.parametrize("corner", CORNERS)
def test_nothing_planted_survives_in_any_part(corner):
    member, xml = CORNERS[corner]
    data = with_members(workbook(), {member: xml})
    out = masked(data, "x.xlsx", [NAME, "7741902", *NAMES])
    said = members(out)
    assert [p for p in (NAME, "7741902", "2024-03-11") if p in said] == []


def test_sheets_whose_part_is_called_after_them():
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook())) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            data = old.read(name).replace(b"sheet1.xml", b"Adeyemi.xml")
            new.writestr(name.replace("sheet1.xml", "Adeyemi.xml"), data)
    out = masked(buffer.getvalue(), "visits.xlsx", NAMES)
    assert b"Adeyemi" not in out
    assert openpyxl.load_workbook(io.BytesIO(out)).active["E2"].value == "=B2*2"


def test_nothing_planted_survives_in_any_member():
    out = masked(workbook(), "visits.xlsx", NAMES)
    text = members(out)
    assert [name for name in NAMES if name in text] == []


def test_headers_give_context_and_labels():
    found = documents(workbook(), "visits.xlsx")
    given = [(d.text, d.given[0].label) for d in found if d.given]
    assert ("7741902", "MEDICALRECORD") in given
    assert ("Quillon Adeyemi", "PATIENT") in given  # a name beside a record number
    rules = FormatRules(labels={"MRN": "IDNUM"})
    known = [d for d in documents(workbook(), "visits.xlsx", rules) if d.given]
    assert ("7741902", "IDNUM") in [(d.text, d.given[0].label) for d in known]


def test_dates_stay_dates():
    (record,) = read(workbook(), "visits.xlsx")
    results = []
    for document in record.documents:
        new = "2024-04-20" if document.text == "2024-03-11" else document.text
        swaps = tuple(Replacement(s, new, "shift") for s in document.given if new != document.text)
        results.append(Result(document, document.given, (), swaps, new))
    book = openpyxl.load_workbook(io.BytesIO(record.render(results)))
    assert book.active["C2"].value == datetime(2024, 4, 20)  # noqa: DTZ001
    assert book.active["E2"].value == "=B2*2"
    assert book.active["B2"].value == 7741902


def test_empty_strings_do_not_shift_the_table():
    book = openpyxl.Workbook()
    book.active.append(["Name", " ", "MRN"])
    book.active.append(["x", " ", "Quillon"])
    buffer = io.BytesIO()
    book.save(buffer)
    assert "MRN: Quillon" in [d.text for d in documents(buffer.getvalue(), "t.xlsx")]


def test_cells_say_where_they_stand():
    assert {"sheet1!A2", "sheet1!B2", "sheet1!C2"} <= placed(workbook(), "x.xlsx")


def test_columns_of_a_workbook_by_policy():
    rules = FormatRules(labels={"Name": "drop", "MRN": "keep", "Note": "text"})
    out = masked(workbook(), "x.xlsx", ["Brandvold"], rules)
    row = next(openpyxl.load_workbook(io.BytesIO(out)).worksheets[0].iter_rows(min_row=2))
    assert (row[0].value, row[1].value, row[3].value) == ("", 7741902, "Saw [PATIENT]")


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


def test_codes_in_headers_are_no_part_of_names():
    book = openpyxl.Workbook()
    book.active.append(["x"])
    book.active.oddHeader.center.text = "Quillon & Sons"
    book.active.oddHeader.left.text = "Page &P"
    buffer = io.BytesIO()
    book.save(buffer)
    assert "Quillon & Sons" in "\n".join(d.text for d in documents(buffer.getvalue(), "x.xlsx"))
    out = openpyxl.load_workbook(io.BytesIO(masked(buffer.getvalue(), "x.xlsx", [NAME])))
    assert out.active.oddHeader.center.text == "[PATIENT] & Sons"
    assert out.active.oddHeader.left.text == "Page &P"


@pytest.mark.parametrize(
    ("header", "is_clinical"),
    [("K", True), ("Na", True), ("Hgb", True), ("INR", True), ("Vu", False), ("Quillon", False)],
)
def test_symbols_of_tests_in_a_row_of_headers_are_no_initials(header, is_clinical):
    book = openpyxl.Workbook()
    book.active.append(["MRN", "Patient Name", header])
    book.active.append([7741902, "Kessinger, Robert", 4.1])
    stream = io.BytesIO()
    book.save(stream)
    (found,) = (d for d in documents(stream.getvalue(), "a.xlsx") if d.text == header)
    assert found.clinical == is_clinical
