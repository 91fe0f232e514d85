"""The corners of each format: PHI is planted where few look, and searched for in what comes out."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import tarfile
import warnings
import zipfile
from pathlib import Path

import openpyxl
import pikepdf
import pydicom
import pytest
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from tests.formats import test_dicom, test_office, test_pdf
from tests.formats.planted import documents, masked, read, unchanged

from incognote.core.types import Failure
from incognote.formats.base import Record
from incognote.formats.embedded import is_base64_file
from incognote.policy import FormatRules

NAME = "Quillon"
RTF = rb"{\rtf1\ansi Seen with Quillon.}"
B64_RTF = base64.b64encode(RTF).decode()
LONG_B64 = base64.b64encode(b"Seen with Quillon, who is well. " * 20).decode()
B64_PDF = base64.b64encode(test_pdf._pdf()).decode()
MSH = "MSH|^~\\&|A|B|C|D|20240101||ORU^R01|1|P|2.5\r"
CDA = '<ClinicalDocument xmlns="urn:hl7-org:v3">{}</ClinicalDocument>'
FHIR_XML = '<Patient xmlns="http://hl7.org/fhir">{}</Patient>'


def _fhir(**members: object) -> str:
    return json.dumps({"resourceType": "Patient", **members})


def _div(inner: str) -> str:
    return _fhir(text={"div": f'<div xmlns="http://www.w3.org/1999/xhtml">{inner}</div>'})


CORNERS = {
    # HL7 v2
    "hl7 line break within a report": ("m.hl7", MSH + "OBX|1|TX|1||Seen\nwith Quillon\nOBX|2|NM|2||5\r"),
    "hl7 line of three capitals": ("m.hl7", MSH + "NTE|1||son of\rQUILLON\r"),
    "hl7 parts of a street": ("m.hl7", MSH + "PID|1||7||S^A||||||14&Quillon&3^^Town\r"),
    "hl7 parts of a family name": ("m.hl7", MSH + "PID|1||7||S&van&Quillon^A\r"),
    "hl7 hexadecimal escape": ("m.hl7", MSH + "NTE|1||son of \\X5175696C6C6F6E\\\r"),
    "hl7 text under a numeric type": ("m.hl7", MSH + "OBX|1|NM|1||see Quillon\r"),
    "hl7 short encapsulated data": ("m.hl7", MSH + "OBX|1|ED|1||Quillon\r"),
    "hl7 base64 under a text type": ("m.hl7", MSH + f"OBX|1|TX|1||{LONG_B64}\r"),
    "hl7 address on a network": ("m.hl7", MSH.replace("|B|", "|B^quillon.example^DNS|")),
    "hl7 any text of a phone number": ("m.hl7", MSH + "PID|1||7||S^A||||||||^^^^^860^5550123^^ask Quillon\r"),
    "hl7 coded value": ("m.hl7", MSH + "OBX|1|CWE|1||9^as Quillon says^L\r"),
    "hl7 person in a field of a rare segment": ("m.hl7", MSH + "PDA||||20240311|7^Quillon^A\r"),
    "hl7 what a person is called by": ("m.hl7", MSH + "PID|1||7||S^A^^^^^^^^^^^^^Quillon\r"),
    "hl7 batch": (
        "m.hl7",
        "FHS|^~\\&|A|B|C|D|20240101||Quillon|for Quillon\rBHS|^~\\&|A|B|C|D|20240101||Quillon|Quillon\r"
        + MSH + "PID|1||7||Quillon^A\rBTS|1|Quillon\rFTS|1|Quillon\r",
    ),
    # FHIR
    "fhir attribute of narrative": ("p.json", _div('<img alt="Quillon" src="x.png"/>')),
    "fhir comment in narrative": ("p.json", _div("<!-- Quillon --><p>x</p>")),
    "fhir contained": ("p.json", _fhir(contained=[{"resourceType": "Patient", "id": "c", "name": [{"family": "Quillon"}]}])),
    "fhir extension": ("p.json", _fhir(extension=[{"url": "u", "valueString": "Quillon"}])),
    "fhir contact in an extension": ("p.json", _fhir(extension=[{"url": "u", "valueContactPoint": {"system": "email", "value": "Quillon"}}])),
    "fhir identifier of another name": ("p.json", _fhir(masterIdentifier={"value": "Quillon"})),
    "fhir answer of a server": ("p.json", _fhir(entry=[{"response": {"location": "Patient/Quillon/_history/1"}}])),
    "fhir conditional request": ("p.json", _fhir(entry=[{"request": {"url": "Patient?family=Quillon"}}])),
    "fhir attachment rtf": ("p.json", _fhir(photo=[{"contentType": "text/rtf", "data": B64_RTF}])),
    "fhir xml name": ("p.xml", FHIR_XML.format('<name><family value="Quillon"/></name>')),
    "fhir xml attribute of narrative": ("p.xml", FHIR_XML.format('<text><div xmlns="http://www.w3.org/1999/xhtml"><a title="Quillon">x</a></div></text>')),
    "fhir xml extension": ("p.xml", FHIR_XML.format('<extension url="u"><valueString value="Quillon"/></extension>')),
    "fhir xml contained": ("p.xml", FHIR_XML.format('<contained><Patient><name><family value="Quillon"/></name></Patient></contained>')),
    # C-CDA and XML
    "cda assigning authority": ("c.xml", CDA.format('<id root="1.2.3" extension="7" assigningAuthorityName="Quillon"/>')),
    "cda body rtf": ("c.xml", CDA.format(f'<nonXMLBody><text mediaType="text/rtf" representation="B64">{B64_RTF}</text></nonXMLBody>')),
    "cda body text": ("c.xml", CDA.format('<nonXMLBody><text mediaType="text/plain">Seen with Quillon</text></nonXMLBody>')),
    "cda body within a section": ("c.xml", CDA.format(f'<section><entry><act><text mediaType="text/rtf" representation="B64">{B64_RTF}</text></act></entry></section>')),
    "cda media": ("c.xml", CDA.format(f'<observationMedia><value mediaType="text/rtf" representation="B64">{B64_RTF}</value></observationMedia>')),
    "cda root that is the whole id": ("c.xml", CDA.format('<id root="Quillon"/>')),
    "cda cdata beside text": ("c.xml", CDA.format("<section><text><![CDATA[a < Quillon]]> and Quillon</text></section>")),
    "xml instruction": ("x.xml", "<?note Quillon?><r/>"),
    "xml base64 anywhere": ("x.xml", f"<r><scan>{LONG_B64}</scan></r>"),
    # JSON
    "json base64 anywhere": ("x.json", json.dumps({"scan": LONG_B64})),
    "json data uri": ("x.json", json.dumps({"scan": "data:text/plain;base64," + LONG_B64})),
    # RTF
    "rtf reviewers": ("x.rtf", r"{\rtf1{\*\revtbl{Unknown;}{Quillon;}}x}"),
    "rtf stored data": ("x.rtf", r"{\rtf1{\*\datastore Quillon}x}"),
    "rtf header and footnote": ("x.rtf", r"{\rtf1{\header Quillon}x{\footnote Quillon}}"),
    "rtf hidden": ("x.rtf", r"{\rtf1 x{\v Quillon}}"),
    "rtf field": ("x.rtf", r'{\rtf1{\field{\*\fldinst HYPERLINK "mailto:Quillon"}{\fldrslt Quillon}}}'),
    # VCF
    "vcf any field of a sample": ("x.vcf", '##fileformat=VCFv4.3\n##SAMPLE=<ID=S1,Owner=Quillon,Note="a, Quillon">\n'),
    "vcf line without a value": ("x.vcf", "##fileformat=VCFv4.3\n##by Quillon\n"),
}  # fmt: skip


@pytest.mark.parametrize("corner", CORNERS)
def test_nothing_planted_survives(corner):
    name, text = CORNERS[corner]
    out = masked(text.encode(), name, [NAME, NAME.upper()]).decode()
    assert NAME.lower() not in "\n".join([out, *_opened(out)]).lower()
    assert bytes(NAME, "ascii").hex() not in out.lower()


def _opened(text: str) -> list[str]:
    """Whatever base64 there is in a text, decoded."""
    bodies = re.findall(r"[A-Za-z0-9+/]{32,}={0,2}", text)
    return [base64.b64decode(body + "==", validate=False).decode("latin-1") for body in bodies]


def test_a_pdf_within_a_document_is_redacted():
    body = f'<nonXMLBody><text mediaType="application/pdf" representation="B64">{B64_PDF}</text></nonXMLBody>'
    out = masked(CDA.format(body).encode(), "c.xml", ["Quillon Adeyemi", *test_pdf.NAMES]).decode()
    inner = base64.b64decode(re.search(r'B64">([^<]+)<', out)[1])
    assert test_pdf._text(inner).strip() == "Seen with [PATIENT]."
    assert b"Quillon" not in test_pdf._everything(inner)


REFUSED = {
    "hl7 data in hexadecimal": ("m.hl7", MSH + "OBX|1|ED|1||^TEXT^PLAIN^Hex^5175696C6C6F6E\r"),
    "json base64 of no known kind": ("x.json", json.dumps({"a": base64.b64encode(bytes(range(256)) * 2).decode()})),
    "xml definitions within the file": ("x.xml", '<!DOCTYPE r [<!ATTLIST r a CDATA "Quillon">]><s/>'),
    "rtf text behind the end": ("x.rtf", r"{\rtf1 x} Quillon"),
    "rtf of two bytes a character": ("x.rtf", r"{\rtf1\ansi\ansicpg932 \'83\'4e}"),
    "vcf comment among variants": ("x.vcf", "##fileformat=VCFv4.3\n#CHROM\n1\t2\n#Quillon\n"),
}  # fmt: skip


@pytest.mark.parametrize("corner", REFUSED)
def test_what_cannot_be_read_is_refused(corner):
    name, text = REFUSED[corner]
    failures = [outcome for outcome in read(text.encode(), name) if isinstance(outcome, Failure)]
    assert failures
    assert NAME not in failures[0].message


@pytest.mark.parametrize(
    ("text", "expected"),
    [(LONG_B64, True), ("ACGT" * 100, False), ("0123456789abcdef" * 40, False), ("word " * 99, False)],
    ids=["base64", "bases", "hexadecimal", "words"],
)  # fmt: skip
def test_what_counts_as_a_file_in_base64(text, expected):
    assert is_base64_file(text) is expected


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.json", '{"Quillon": {"note": "fine", "age": 5}}'),
        ("x.jsonl", '{"text": "fine", "Quillon": {"note": "fine"}}\n'),
        ("x.csv", "id,text,Quillon\n1,fine,fine\n"),
    ],
)
def test_keys_that_may_be_phi_name_no_place(name, data):
    found = documents(data.encode(), name, FormatRules(keys=True))
    assert found
    assert not [d.locator for d in found if "Quillon" in d.locator + d.id]


def test_keys_are_read_where_the_policy_says_so():
    data = b'{"Quillon": {"steps": 5}}'
    assert unchanged(data, "x.json", FormatRules(keys=True)) == data
    assert masked(data, "x.json", [NAME]) == data
    out = masked(data, "x.json", [NAME], FormatRules(keys=True))
    assert json.loads(out) == {"[PATIENT]": {"steps": 5}}


def test_definitions_of_a_vcf_file_are_read_where_the_policy_says_so():
    line = b'##INFO=<ID=X,Number=1,Type=String,Description="by Quillon">\n'
    data = b"##fileformat=VCFv4.3\n" + line
    assert masked(data, "x.vcf", [NAME]) == data
    out = masked(data, "x.vcf", [NAME], FormatRules(labels={"INFO": "text"}))
    assert out == data.replace(b"Quillon", b"[PATIENT]")


def test_rtf_letters_follow_the_code_page():
    (document,) = documents(rb"{\rtf1\ansi\ansicpg1251 \'c8\'e2\'e0\'ed}", "x.rtf")
    assert document.text == "Иван"


@pytest.mark.parametrize(
    "segment",
    [
        "PD1|||||||||||||||||20240311^20240312",
        "PID|1||7^^^^^^20240311||S^A",
        "ZZZ|20240311101500+0115",
    ],
)
def test_stamps_are_dates_in_every_field(segment):
    given = [
        d.given[0].label
        for d in documents((MSH + segment + "\r").encode(), "m.hl7")
        if "202403" in d.text
    ]
    assert set(given) == {"DATE"}
    assert b"202403" not in masked((MSH + segment + "\r").encode(), "m.hl7", [NAME])


def test_codes_of_catalogues_stay():
    order = "OBR|1|||us-3^UREA AND ELECTROLYTES^L"
    assert not [d for d in documents((MSH + order + "\r").encode(), "m.hl7") if "UREA" in d.text]


@pytest.mark.parametrize(
    ("system", "stays"),
    [
        ('"system": "http://loinc.org", ', True),
        ('"system": "http://house.example/staff", ', False),
        ("", False),
    ],
    ids=["world", "house", "none"],
)
def test_only_catalogues_of_the_world_are_not_read(system, stays):
    coding = f'{{{system}"code": "q1", "display": "Quillon"}}'
    data = f'{{"resourceType": "Basic", "code": {{"coding": [{coding}], "text": "Quillon"}}}}'
    assert (b"Quillon" in masked(data.encode(), "b.json", [NAME])) == stays


def test_separators_of_a_field_read_as_text_stay():
    out = masked((MSH + "ZPI|7^Quillon&x^9\r").encode(), "m.hl7", [NAME])
    assert b"ZPI|7^[PATIENT]&x^9" in out


@pytest.mark.parametrize("value", ["1200", "2000"])
def test_a_quantity_is_no_year(value):
    data = f'<Observation xmlns="http://hl7.org/fhir"><valueQuantity><value value="{value}"/></valueQuantity></Observation>'
    assert [d.given for d in documents(data.encode(), "o.xml") if d.text == value] == []


def _placed(data: bytes, name: str, rules: FormatRules | None = None) -> set[str]:
    return {d.locator.removeprefix(name).lstrip(": ") for d in documents(data, name, rules)}


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("m.hl7", MSH + "PID|1||7||S^A\rNTE|1||well\r", {"1 PID-5", "1 NTE-3", "1 MSH-7"}),
        ("x.json", '{"a": {"b": "c"}}', {"a.b"}),
        ("p.json", _fhir(name=[{"family": "S"}]), {"1 name.0"}),
        ("x.xml", "<r><a>b</a></r>", {"r/a"}),
        ("x.csv", "id,text\n1,b\n", {"2 text"}),
    ],
    ids=["hl7", "json", "fhir", "xml", "csv"],
)
def test_documents_say_where_they_stand(name, data, expected):
    assert expected <= _placed(data.encode(), name)


def test_cells_say_where_they_stand():
    assert {"sheet1!A2", "sheet1!B2", "sheet1!C2"} <= _placed(test_office._workbook(), "x.xlsx")


def test_parts_of_a_letter_refer_to_each_other_as_before():
    rels = '<Relationships><Relationship Id="r1" Target="Quillon.xml"/></Relationships>'
    data = _with_members(test_office._letter(), {"customXml/_rels/item1.xml.rels": rels})
    assert "Quillon.xml" in test_office._members(masked(data, "x.docx", [NAME]))


def _with_members(data: bytes, members: dict[str, str]) -> bytes:
    """A package with members added, or replaced where they exist."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for info in old.infolist():
            if info.filename not in members:
                new.writestr(info, old.read(info))
        for name, text in members.items():
            new.writestr(name, text)
    return buffer.getvalue()


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
    data = _with_members(test_office._letter(), {member: xml})
    assert NAME in test_office._members(data)
    members = test_office._members(masked(data, "x.docx", [NAME, *test_office.NAMES]))
    assert [p for p in (NAME, "2024-03-11") if p in members] == []


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
    data = _with_members(test_office._workbook(), {member: xml})
    out = masked(data, "x.xlsx", [NAME, "7741902", *test_office.NAMES])
    members = test_office._members(out)
    assert [p for p in (NAME, "7741902", "2024-03-11") if p in members] == []


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
    assert [name for name in planted if name in test_office._members(out)] == []
    cleaned = openpyxl.load_workbook(io.BytesIO(out))
    assert cleaned.sheetnames == ["PATIENT", "PATIENT_2"]
    assert [cell.value for cell in cleaned["PATIENT_2"][1]][:3] == [
        "='PATIENT'!A1*2", "=PATIENT_3+PATIENT_2!A1", '=IF(A1=1,"[PATIENT]","x")',
    ]  # fmt: skip
    assert cleaned.defined_names["PATIENT_3"].attr_text == "PATIENT_2!$A$1"


def _pdf_with(change) -> bytes:
    buffer = io.BytesIO()
    with pikepdf.open(io.BytesIO(test_pdf._pdf(b"BT /F1 12 Tf 72 720 Td (Well.) Tj ET"))) as pdf:
        change(pdf)
        pdf.save(buffer)
    return buffer.getvalue()


def _annotate(**keys):
    def change(pdf):
        note = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Link, Rect=[0, 0, 9, 9], **keys
        )
        pdf.pages[0].Annots.append(pdf.make_indirect(note))

    return change


def _marked(pdf):
    text = b"/Span << /ActualText (Quillon) >> BDC BT /F1 12 Tf (x) Tj ET EMC"
    pdf.pages[0].Contents = pdf.make_stream(text)


def _properties(pdf):
    said = pikepdf.Dictionary(P1=pikepdf.Dictionary(Alt=pikepdf.String(NAME)))
    pdf.pages[0].Resources.Properties = said


def _layer(pdf):
    layer = pdf.make_indirect(
        pikepdf.Dictionary(Type=pikepdf.Name.OCG, Name=pikepdf.String("Quillon"))
    )
    pdf.Root.OCProperties = pikepdf.Dictionary(OCGs=[layer], D=pikepdf.Dictionary())


def _choices(pdf):
    pdf.Root.AcroForm.Fields[0].Opt = pikepdf.Array([pikepdf.Array(["1", NAME]), NAME])


def _named_place(pdf):
    place = pikepdf.Array([pdf.pages[0].obj, pikepdf.Name.Fit])
    names = pikepdf.Array([pikepdf.String(NAME), place])
    limits = pikepdf.Array([pikepdf.String(NAME)] * 2)
    pdf.Root.Names = pikepdf.Dictionary(Dests=pikepdf.Dictionary(Names=names, Limits=limits))
    _annotate(A=pikepdf.Dictionary(S=pikepdf.Name.GoTo, D=pikepdf.String(NAME)))(pdf)
    _annotate(Dest=pikepdf.String(NAME))(pdf)


def _old_named_place(pdf):
    place = pikepdf.Array([pdf.pages[0].obj, pikepdf.Name.Fit])
    pdf.Root.Dests = pikepdf.Dictionary(Quillon=place)
    _annotate(Dest=pikepdf.Name.Quillon)(pdf)


def _lists_of_layers(pdf):
    _layer(pdf)
    layers = pdf.Root.OCProperties
    layers.OCGs[0].Usage = pikepdf.Dictionary(
        CreatorInfo=pikepdf.Dictionary(Creator=pikepdf.String(NAME))
    )
    layers.D = pikepdf.Dictionary(
        Name=pikepdf.String(NAME), Order=pikepdf.Array([pikepdf.String(NAME), layers.OCGs[0]])
    )
    layers.Configs = pikepdf.Array([pikepdf.Dictionary(Name=pikepdf.String(NAME))])


def _signature(pdf):
    said = {key: pikepdf.String(NAME) for key in ("Name", "Reason", "Location", "ContactInfo")}
    field = pikepdf.Dictionary(
        FT=pikepdf.Name.Sig, T=pikepdf.String("s"), V=pikepdf.Dictionary(**said)
    )
    pdf.Root.AcroForm.Fields.append(pdf.make_indirect(field))


def _in_root(key, value):
    return lambda pdf: pdf.Root.__setitem__(key, value)


def _xfa(pdf):
    pdf.Root.AcroForm.XFA = pdf.make_stream(b"<x>Quillon</x>")


def _viewport(pdf):
    pdf.pages[0].VP = pikepdf.Array([pikepdf.Dictionary(Name=pikepdf.String(NAME))])


def _form(pdf, content: bytes, inner: bytes) -> None:
    form = pdf.make_stream(inner)
    form.Subtype, form.BBox = pikepdf.Name.Form, [0, 0, 400, 400]
    form.Resources = pikepdf.Dictionary(Font=pdf.pages[0].Resources.Font)
    outer = pdf.make_stream(b"q 1 0 0 1 20 20 cm /Inner Do Q")
    outer.Subtype, outer.BBox = pikepdf.Name.Form, [0, 0, 500, 500]
    outer.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Inner=form))
    pdf.pages[0].Resources.XObject = pikepdf.Dictionary(Outer=outer)
    pdf.pages[0].Contents = pdf.make_stream(content)


def _forms_in_forms(pdf):
    _form(pdf, b"/Outer Do", b"BT /F1 12 Tf 10 10 Td (for Quillon) Tj ET")


def _comment_in_content(pdf):
    content = b"% Quillon\nBT /F1 12 Tf 72 720 Td (Well.) Tj ET"
    pdf.pages[0].Contents = pdf.make_stream(content)


def _name_of_a_font(pdf):
    fonts = pdf.pages[0].Resources.Font
    pdf.pages[0].Resources.Font = pikepdf.Dictionary(Quillon=fonts.F1)
    pdf.pages[0].Contents = pdf.make_stream(b"BT /Quillon 12 Tf 72 720 Td (Well.) Tj ET")


PDF = {
    "link": _annotate(A=pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String("mailto:Quillon"))),
    "script": _annotate(A=pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS=pikepdf.String("Quillon"))),
    "file": _annotate(A=pikepdf.Dictionary(S=pikepdf.Name.Launch, F=pikepdf.String("Quillon.doc"))),
    "caption": _annotate(MK=pikepdf.Dictionary(CA=pikepdf.String(NAME))),
    "form choices": _choices,
    "marked content": _marked,
    "properties": _properties,
    "layer": _layer,
    "destination": _named_place,
    "old destination": _old_named_place,
    "lists of layers": _lists_of_layers,
    "signature": _signature,
    "xfa": _xfa,
    "viewport": _viewport,
    "forms in forms": _forms_in_forms,
    "comment": _comment_in_content,
    "resource": _name_of_a_font,
    "overlay text": _annotate(OverlayText=pikepdf.String(NAME)),
    "movie": _annotate(Movie=pikepdf.Dictionary(F=pikepdf.String("Quillon.avi"))),
    "style": _annotate(DS=pikepdf.String("font: Quillon")),
    "page labels": _in_root("/PageLabels", pikepdf.Dictionary(Nums=[0, pikepdf.Dictionary(P=pikepdf.String(NAME))])),
    "open action": _in_root("/OpenAction", pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS=pikepdf.String(NAME))),
    "extension": _in_root("/Extensions", pikepdf.Dictionary(X=pikepdf.Dictionary(Y=pikepdf.String(NAME)))),
    "output intent": _in_root("/OutputIntents", pikepdf.Array([pikepdf.Dictionary(Info=pikepdf.String(NAME))])),
}  # fmt: skip


@pytest.mark.parametrize("corner", PDF)
def test_around_the_pages_of_a_pdf(corner):
    data = _pdf_with(PDF[corner])
    assert NAME.encode() in test_pdf._everything(data).replace(b"Visit of Quillon", b"")
    out = masked(data, "x.pdf", [NAME, *test_pdf.NAMES])
    assert NAME.encode() not in test_pdf._everything(out)


def test_links_by_name_still_lead_somewhere():
    out = masked(_pdf_with(_named_place), "x.pdf", [NAME, *test_pdf.NAMES])
    with pikepdf.open(io.BytesIO(out)) as pdf:
        page = pdf.pages[0]
        links = [note for note in page.Annots if note.Subtype == "/Link"]
        assert links[0].A.D[0].objgen == page.obj.objgen
        assert links[1].Dest[0].objgen == page.obj.objgen


def test_forms_stand_where_they_stood():
    out = masked(_pdf_with(_forms_in_forms), "x.pdf", [NAME])
    found = test_pdf.pypdfium2.PdfDocument(out)[0].get_textpage()
    assert found.get_text_range() == "for [PATIENT]"
    assert found.get_charbox(0)[0] == pytest.approx(30, abs=2)


def test_text_in_a_pattern_is_refused():
    def change(pdf):
        pattern = pdf.make_stream(b"BT /F1 12 Tf (Quillon) Tj ET")
        pattern.PatternType, pattern.PaintType, pattern.TilingType = 1, 1, 1
        pattern.BBox, pattern.XStep, pattern.YStep = [0, 0, 9, 9], 9, 9
        pattern.Resources = pikepdf.Dictionary(Font=pdf.pages[0].Resources.Font)
        pdf.pages[0].Resources.Pattern = pikepdf.Dictionary(P1=pattern)
        pdf.pages[0].Contents = pdf.make_stream(b"/Pattern cs /P1 scn 0 0 99 99 re f")

    (outcome,) = read(_pdf_with(change), "x.pdf")
    assert isinstance(outcome, Failure)
    assert "pattern" in outcome.message


def test_a_page_of_drawn_letters_is_refused():
    lines = b" ".join(b"%d 0 m %d 50 l S" % (x, x) for x in range(200))
    data = _pdf_with(lambda pdf: setattr(pdf.pages[0], "Contents", pdf.make_stream(lines)))
    (outcome,) = read(data, "x.pdf")
    assert isinstance(outcome, Failure)


def test_dicom_values_do_not_reach_warnings_or_logs(caplog):
    data = test_dicom._study().replace(b"19580214", b"14021958")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (record,) = read(data, "x.dcm", FormatRules(images="keep"))
    assert isinstance(record, Record)
    assert "1958" not in caplog.text


def test_a_dicomdir_is_named_as_one(shared):
    (outcome,) = read((shared / "fixtures/dicom/pydicom-DICOMDIR").read_bytes(), "x.dcm")
    assert "DICOMDIR" in outcome.message


def test_a_tar_keeps_no_comment():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo("n.txt")
        info.pax_headers = {"comment": NAME}
        tar.addfile(info)
    assert NAME.encode() not in masked(buffer.getvalue(), "x.tar", ["-"])


def test_bgzip_stays_bgzip():
    from incognote.formats.archive import _gzip

    table = b"##fileformat=VCFv4.3\n#CHROM\n" + b"1\t2\tabc\n" * 20_000
    data = _gzip(table, in_blocks=True)
    assert gzip.decompress(data) == table
    assert unchanged(data, "x.vcf.gz") == data
    # The empty block by which indexers tell a whole file.
    assert data.endswith(bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000"))


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("x.csv", "id,text,a,b,c\n1,x,Quillon,Quillon,y\n", "id,text,a,b,c\n1,x,,[PATIENT],y\n"),
        (
            "x.jsonl",
            '{"text": "x", "a": "Quillon", "b": "Quillon", "c": 5, "d": {"e": ["Quillon"]}}\n',
            '{"text": "x", "a": null, "b": "[PATIENT]", "c": 5, "d": {"e": ["[DOCTOR]"]}}\n',
        ),
    ],
    ids=["csv", "jsonl"],
)
def test_columns_are_dropped_read_and_kept_by_policy(name, data, expected):
    rules = FormatRules(labels={"a": "drop", "b": "text", "c": "keep", "d.e": "DOCTOR"})
    assert masked(data.encode(), name, [NAME], rules).decode() == expected


def test_columns_of_a_workbook_by_policy():
    rules = FormatRules(labels={"Name": "drop", "MRN": "keep", "Note": "text"})
    out = masked(test_office._workbook(), "x.xlsx", ["Brandvold"], rules)
    row = next(openpyxl.load_workbook(io.BytesIO(out)).worksheets[0].iter_rows(min_row=2))
    assert (row[0].value, row[1].value, row[3].value) == ("", 7741902, "Saw [PATIENT]")


def test_pydicom_reads_what_was_written():
    out = test_dicom._surrogates(test_dicom._study())
    buffer = io.BytesIO()
    out.save_as(buffer, enforce_file_format=True)
    assert pydicom.dcmread(io.BytesIO(buffer.getvalue())).PatientName == "OTHER^X"


SAMPLES = Path(__file__).parents[2] / "samples/formats"
PLANTED = (
    "okonkwo", "adaeze", "chidi", "thorvald", "brandvold", "7741902", "fenwick", "larkspur",
    "millbrook", "860-555-0123",
)  # fmt: skip


def _content(name: str, data: bytes) -> str:
    """All that a file says, with whatever is packed in it unpacked."""
    if name.endswith((".docx", ".xlsx")):
        return test_office._members(data)
    if name.endswith(".pdf"):
        return test_pdf._everything(data).decode("latin-1") + test_pdf._text(data)
    if name.endswith(".parquet"):
        import pyarrow.parquet as pq

        return str(pq.read_table(io.BytesIO(data)).to_pylist())
    return data.decode("latin-1")


@pytest.mark.parametrize(
    "name",
    ["letter.docx", "letter.rtf", "notes.parquet", "report.pdf", "variants.vcf", "visits.xlsx"],
)
def test_our_samples_lose_what_they_plant(name):
    data = (SAMPLES / name).read_bytes()
    there = [each for each in PLANTED if each in _content(name, data).lower()]
    assert len(there) >= 2
    cases = [form for each in PLANTED for form in (each, each.title(), each.upper())]
    rules = FormatRules(labels={"patient_id": "MEDICALRECORD"})
    out = _content(name, masked(data, name, cases, rules)).lower()
    assert [each for each in PLANTED if each in out] == []


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_our_dicom_sample_loses_what_it_plants():
    data = (SAMPLES / "scan.dcm").read_bytes()
    out = test_dicom._surrogates(data)
    buffer = io.BytesIO()
    out.save_as(buffer)
    said = buffer.getvalue().decode("latin-1").lower()
    assert [each for each in PLANTED if each in said and each != "7741902"] == []
    assert "7741902" not in said.replace(str(out.SOPInstanceUID), "")


CASES = [form for each in PLANTED for form in (each, each.title(), each.upper())]


@pytest.mark.parametrize("name", ["fax.pdf", "label.png"])
def test_our_scanned_samples_lose_what_they_show(name):
    pytest.importorskip("rapidocr_onnxruntime", reason="the ocr extra is not installed")
    from tests.formats.test_pictures import READ, _shown, _words

    seen = _shown if name == "fax.pdf" else _words
    data = (SAMPLES / name).read_bytes()
    assert "okonkwo" in seen(data).lower()
    out = seen(masked(data, name, CASES, READ)).lower()
    assert [each for each in PLANTED if each in out] == []
    assert name != "fax.pdf" or "blood pressure was 128/76" in out


def test_our_archive_loses_what_its_names_say():
    out = masked((SAMPLES / "notes.zip").read_bytes(), "notes.zip", CASES)
    with zipfile.ZipFile(io.BytesIO(out)) as archive:
        assert archive.namelist() == ["[PATIENT]_[PATIENT]/visit_[PATIENT].txt", "plan.txt"]
        said = b"".join(archive.read(name) for name in archive.namelist()).lower()
    assert [each for each in PLANTED if each.encode() in said] == []


def test_samples_are_small():
    assert [path.name for path in SAMPLES.iterdir() if path.stat().st_size > 40_000] == []
