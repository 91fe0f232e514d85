"""DOCX: planted PHI is gone from every member, and the library of the format reads what is left."""

from __future__ import annotations

import io
import re
import zipfile

import docx
import pytest
from tests.formats.kit.made import NAMES, letter, members, with_members, workbook

from incognote.core.types import Failure
from incognote.formats.office.ooxml import BLANK_IMAGE
from incognote.policy import FormatRules
from incognote.testing.formats import documents, masked, read, unchanged

NAME = "Quillon"
RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>'
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
CORNERS = {
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
    "table caption": ("word/more.xml", f'<w:tblPr {_W}><w:tblCaption w:val="Quillon"/><w:tblDescription w:val="Quillon"/></w:tblPr>'),
    "link to a bookmark": ("word/more.xml", f'<w:hyperlink {_W} w:anchor="Quillon" w:tgtFrame="Quillon" w:docLocation="Quillon"/>'),
    "data binding": ("word/more.xml", f'<w:dataBinding {_W} w:xpath="/r/Quillon[1]" w:prefixMappings="xmlns:Quillon=\'u\'" w:storeItemID="{{1}}"/>'),
    "repeating section": ("word/more.xml", f'<w15:repeatingSection xmlns:w15="x" {_W}><w15:sectionTitle w15:val="Quillon"/></w15:repeatingSection>'),
    "merge settings": ("word/settings.xml", f'<w:settings {_W}><w:mailMerge><w:addressFieldName w:val="Quillon"/><w:mailSubject w:val="Quillon"/><w:odso><w:udl w:val="Quillon"/><w:table w:val="Quillon"/><w:fieldMapData><w:name w:val="Quillon"/><w:mappedName w:val="Quillon"/></w:fieldMapData></w:odso></w:mailMerge></w:settings>'),
    "captions": ("word/settings.xml", f'<w:settings {_W}><w:captions><w:caption w:name="Quillon"/><w:autoCaptions><w:autoCaption w:name="Quillon" w:caption="Quillon"/></w:autoCaptions></w:captions></w:settings>'),
    "attached schema": ("word/settings.xml", f'<w:settings {_W}><w:attachedSchema w:val="urn:Quillon"/></w:settings>'),
    "signature line": ("word/more.xml", '<o:signatureline xmlns:o="x" o:suggestedsigner="Quillon" o:suggestedsigner2="Quillon" o:suggestedsigneremail="Quillon" o:signinginstructions="Quillon"/>'),
    "vml names": ("word/more.xml", '<v:shape xmlns:v="x" id="Text Box Quillon" href="Quillon" target="Quillon"><v:imagedata src="Quillon" o:href="Quillon" xmlns:o="y"/></v:shape>'),
    "drawing link": ("word/more.xml", '<a:hlinkClick xmlns:a="x" tooltip="Quillon" invalidUrl="Quillon" tgtFrame="Quillon" action="Quillon"/>'),
    "colour scheme": ("word/theme/theme1.xml", '<a:theme xmlns:a="x"><a:clrScheme name="Quillon"/><a:fontScheme name="Quillon"/><a:custClr name="Quillon"/></a:theme>'),
    "smartart placeholder": ("word/diagrams/data1.xml", '<dgm:prSet xmlns:dgm="x" presName="Quillon" phldrT="Quillon"/>'),
    "smartart layout": ("word/diagrams/layout1.xml", '<dgm:layoutDef xmlns:dgm="x"><dgm:title val="Quillon"/><dgm:desc val="Quillon"/></dgm:layoutDef>'),
    "form field": ("word/more.xml", f'<w:ffData {_W}><w:name w:val="Quillon"/><w:entryMacro w:val="Quillon"/><w:textInput><w:default w:val="Quillon"/><w:format w:val="Quillon"/></w:textInput></w:ffData>'),
    "old numbering": ("word/more.xml", f'<w:numberingChange {_W} w:author="Quillon" w:original="Quillon:%1"/>'),
    "list name": ("word/numbering.xml", f'<w:numbering {_W}><w:abstractNum><w:name w:val="Quillon"/><w:lvl><w:lvlText w:val="quillon"/></w:lvl></w:abstractNum></w:numbering>'),
    "font table": ("word/fontTable.xml", f"<w:fonts {_W}><!-- Quillon --></w:fonts>"),
    "control": ("word/more.xml", f'<w:control {_W} w:name="Quillon"/>'),
    "ole": ("word/more.xml", '<o:OLEObject xmlns:o="x" ProgID="Quillon.Document"><o:FieldCodes>Quillon</o:FieldCodes></o:OLEObject>'),
    "web extension": ("word/webextensions/webextension1.xml", '<we:webextension xmlns:we="x"><we:properties><we:property name="Quillon" value="{{&quot;a&quot;:&quot;Quillon&quot;}}"/></we:properties></we:webextension>'),
    "task": ("word/documenttasks/documenttasks1.xml", '<t:Event xmlns:t="x" time="2024-03-11T10:00:00Z"><t:Attribution userName="Quillon" userId="S::Quillon" userProvider="AD"/><t:SetTitle title="Quillon"/></t:Event>'),
    "ink annotation": ("word/ink/ink1.xml", '<inkml:annotation xmlns:inkml="x" type="Quillon">Quillon</inkml:annotation>'),
    "bibliography": ("word/more.xml", '<b:Last xmlns:b="x">Quillon</b:Last>'),
    "toolbar": ("word/customizations.xml", '<wne:tcg xmlns:wne="x"><wne:keymap><wne:macro wne:macroName="QUILLON.X"/></wne:keymap></wne:tcg>'.replace("QUILLON", "Quillon")),
    "ribbon": ("customUI/customUI14.xml", '<customUI xmlns="x"><button label="Quillon" onAction="Quillon"/></customUI>'),
    "part elsewhere": ("other/more.xml", f"<w:p {_W}><w:r><w:t>Quillon</w:t></w:r></w:p>"),
    "comment among relations": ("word/_rels/more.xml.rels", "<Relationships><!-- Quillon --></Relationships>"),
    "place among relations": ("word/_rels/more.xml.rels", '<Relationships><Relationship Id="r1" Target="#Quillon"/></Relationships>'),
    "comment among types": ("word/more.xml", "<x><!-- Quillon --></x>"),
    "template": ("docProps/app.xml", "<Properties><Template>Quillon.dotx</Template></Properties>"),
    "property of a moment": ("docProps/custom.xml", '<Properties><property name="Quillon"><filetime>2024-03-11T10:00:00Z</filetime></property></Properties>'),
    "attribute of a property": ("docProps/custom.xml", '<Properties><property fmtid="Quillon" name="x"><lpwstr>y</lpwstr></property></Properties>'),
    "style id": ("word/styles.xml", f'<w:styles {_W}><w:style w:customStyle="1" w:styleId="QuillonNote"><w:name w:val="Quillon Note"/></w:style><w:style w:styleId="b"><w:basedOn w:val="QuillonNote"/><w:next w:val="QuillonNote"/><w:link w:val="QuillonNote"/></w:style></w:styles>'),
    "extension list": ("word/more.xml", '<a:ext xmlns:a="x" uri="{{Quillon}}"/>'),
    "unknown attribute": ("word/more.xml", '<x:new xmlns:x="x" x:said="Quillon is here"/>'),
    "chart texts": ("word/charts/chart1.xml", '<c:chart xmlns:c="x"><c:f>[Quillon.xlsx]S!A1</c:f><c:formatCode>"Quillon"0</c:formatCode><c:separator>Quillon</c:separator><c:oddHeader>Quillon</c:oddHeader></c:chart>'),
}  # fmt: skip


@pytest.mark.parametrize("corner", CORNERS)
def test_nothing_planted_survives_in_any_part(corner):
    member, xml = CORNERS[corner]
    data = with_members(letter(), {member: xml})
    assert NAME in members(data)
    said = members(masked(data, "x.docx", [NAME, *NAMES]))
    assert [p for p in (NAME, "2024-03-11") if p in said] == []


def test_nothing_planted_survives_in_any_member():
    data = letter()
    out = masked(data, "letter.docx", [*NAMES, "Quillon Adeyemi"])
    text = members(out)
    assert [name for name in NAMES if name in text] == []
    assert "lon Adeyemi" not in text


def test_the_library_reads_it_and_formatting_stays():
    out = masked(letter(), "letter.docx", ["Quillon Adeyemi", *NAMES])
    document = docx.Document(io.BytesIO(out))
    runs = [run for run in document.paragraphs[0].runs if run.text]
    assert [run.text for run in runs] == [
        "Seen today: ", "[PATIENT]", ", doing well.",
    ]  # fmt: skip
    assert runs[1].bold
    assert document.tables[0].cell(0, 1).text == "Dr. [PATIENT]"
    assert document.core_properties.author == "[DOCTOR]"


def test_paragraphs_give_each_other_context():
    texts = [d.text for d in documents(letter(), "letter.docx")]
    assert any("Attending\nDr. Brandvold" in text for text in texts)


def test_an_embedded_object_is_refused():
    buffer = io.BytesIO(letter())
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("word/embeddings/oleObject1.bin", b"\xd0\xcf\x11\xe0")
    (outcome,) = read(buffer.getvalue(), "letter.docx")
    assert isinstance(outcome, Failure)
    assert "embedded object" in outcome.message


def test_the_workbook_behind_a_chart_is_read():
    buffer = io.BytesIO(letter())
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("word/embeddings/Microsoft_Excel_Sheet1.xlsx", workbook())
    out = masked(buffer.getvalue(), "letter.docx", [*NAMES, "Quillon Adeyemi"])
    with zipfile.ZipFile(io.BytesIO(out)) as archive:
        inner = members(archive.read("word/embeddings/Microsoft_Excel_Sheet1.xlsx"))
    assert [name for name in NAMES if name in inner] == []


def test_pictures_are_read_where_the_policy_says_so():
    pytest.importorskip("rapidocr_onnxruntime", reason="the ocr extra is not installed")
    from tests.formats.pictures.test_pictures import _file, _picture, _words

    buffer = io.BytesIO(letter())
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("word/media/image1.png", _file(_picture("QUILLON is well")))
    rules = FormatRules(images="read")
    out = masked(buffer.getvalue(), "letter.docx", ["QUILLON"], rules)
    with zipfile.ZipFile(io.BytesIO(out)) as archive:
        assert _words(archive.read("word/media/image1.png")) == "is well"


def test_pictures_are_blanked_unless_kept():
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


def test_parts_with_names_of_their_own_get_others():
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


def test_parts_of_a_letter_refer_to_each_other_as_before():
    rels = '<Relationships><Relationship Id="r1" Target="item2.xml"/></Relationships>'
    parts = {"customXml/_rels/item1.xml.rels": rels, "customXml/item2.xml": "<a/>"}
    data = with_members(letter(), parts)
    assert rels in members(masked(data, "x.docx", ["item2"]))


def _paragraph(*runs: str) -> bytes:
    """A letter of one paragraph: runs as they stand, deleted (-) or inserted (+)."""
    inner = ""
    for run in runs:
        kind = {"-": "del", "+": "ins"}.get(run[0])
        tag = "delText" if kind == "del" else "t"
        text = f"<w:r><w:{tag}>{run.lstrip('-+')}</w:{tag}></w:r>"
        inner += f"<w:{kind}>{text}</w:{kind}>" if kind else text
    body = f"<w:document {_W}><w:body><w:p>{inner}</w:p></w:body></w:document>"
    return with_members(letter(), {"word/document.xml": body})


@pytest.mark.parametrize(
    "runs",
    [
        ("Saw Qui", "-xx", "llon"),
        ("Saw Qui", "-ll", "+xx", "on today"),
        ("Saw ", "-Quillon", "+him"),
        ("Saw ", "-Quil", "+him", "-lon", " today"),
    ],
    ids=["typing error", "other word", "whole word", "in two"],
)
def test_corrections_are_read_as_they_are_and_as_they_were(runs):
    out = masked(_paragraph(*runs), "x.docx", [NAME])
    with zipfile.ZipFile(io.BytesIO(out)) as archive:
        document = archive.read("word/document.xml").decode()
    assert NAME not in re.sub(r"<w:del>.*?</w:del>|<[^>]*>", "", document)
    assert NAME not in re.sub(r"<w:ins>.*?</w:ins>|<[^>]*>", "", document)
    before = " ".join(d.text for d in documents(_paragraph(*runs), "x.docx"))
    assert "".join(run.lstrip("-") for run in runs if run[0] != "+") in before
    assert "".join(run.lstrip("+") for run in runs if run[0] != "-") in before


def test_paragraphs_keep_a_style_that_was_called_after_somebody():
    document = docx.Document()
    document.styles.add_style("Quillon Note", docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
    document.add_paragraph("Well.", style="Quillon Note")
    buffer = io.BytesIO()
    document.save(buffer)
    out = masked(buffer.getvalue(), "x.docx", ["Quillon Note"])
    assert NAME not in members(out)
    style = docx.Document(io.BytesIO(out)).paragraphs[0].style
    assert (style.name, style.style_id) == ("[PATIENT]", "Style1")
