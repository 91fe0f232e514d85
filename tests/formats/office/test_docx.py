"""DOCX: planted PHI is gone from every member, and the library of the format reads what is left."""

from __future__ import annotations

import io
import re
import tomllib
import zipfile
from pathlib import Path

import docx
import pytest
from tests.formats.kit.made import NAMES, letter, members, with_members, workbook

from incognote.core.types import Failure
from incognote.formats.office.ooxml import BLANK_IMAGE
from incognote.policy import FormatRules
from incognote.testing.formats import documents, masked, read, unchanged

NAME = "Quillon"
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>'
CORNERS = tomllib.loads(Path(__file__).with_name("docx_corners.toml").read_text("utf-8"))


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


@pytest.mark.usefixtures("ocr")
def test_pictures_are_read_where_the_policy_says_so():
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
