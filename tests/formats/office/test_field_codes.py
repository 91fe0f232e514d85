"""Codes of fields: instructions to Word stay, words of people in them are read."""

from __future__ import annotations

import html
import io
import re
import zipfile

import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from tests.formats.kit.made import blank_letter
from tests.formats.kit.whole import deidentified

STAY = [
    " PAGE ",
    r" NUMPAGES \* MERGEFORMAT ",
    r' TOC \o "1-3" \h \z \u ',
    r" PAGEREF _Toc482713204 \h ",
    r" REF _Ref51948372 \h ",
    r' DATE \@ "M/d/yyyy" ',
    r' CREATEDATE \@ "dddd, MMMM d, yyyy h:mm am/pm" ',
    r' HYPERLINK \l "_Toc482713204" ',
    r" MERGEFIELD Patient_Name \* Upper ",
    r' IF { MERGEFIELD Sex } = "M" "Mr." "Ms." ',
    r" EQ \f(1,2) ",
    r' SYMBOL 183 \f "Symbol" \s 10 \h ',
]
CHANGE = [
    ' ASK who "Name of Adaeze Okonkwo?" ',
    ' XE "Brandvold, Quillon" ',
    ' QUOTE "Adaeze Okonkwo, MRN 7741902" ',
    ' HYPERLINK "mailto:adaeze.okonkwo@mail.example" ',
    " Okonkwo ",
    r' DATE \@ "Okonkwo 7741902" ',
    r" REF Okonkwo \* Brandvold ",
]
PLANTED = ("Adaeze", "Okonkwo", "adaeze", "okonkwo", "Brandvold", "Quillon", "7741902")


def letter(code: str, *, cut: int = 0, simple: bool = False) -> bytes:
    """A letter with a field: its code in one run, in two, or in an attribute."""
    document = blank_letter()
    document.add_paragraph(
        "Patient Adaeze Okonkwo, MRN 7741902, seen by Dr. Quillon Brandvold on 3/4/2021."
    )
    paragraph = document.add_paragraph("Field: ")
    if simple:
        field = OxmlElement("w:fldSimple")
        field.set(qn("w:instr"), code)
        paragraph._p.append(field)
    else:
        for part in (code[:cut], code[cut:]):
            run = paragraph.add_run()
            element = OxmlElement("w:instrText")
            element.set(qn("xml:space"), "preserve")
            element.text = part
            run._r.append(element)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def code_of(data: bytes) -> str:
    xml = zipfile.ZipFile(io.BytesIO(data)).read("word/document.xml").decode()
    parts = re.findall(r"<w:instrText[^>]*>([^<]*)", xml) + re.findall(r'w:instr="([^"]*)"', xml)
    return html.unescape("".join(parts))


@pytest.mark.parametrize("code", STAY)
def test_instructions_stay(code: str) -> None:
    for data in (letter(code), letter(code, cut=len(code) // 2), letter(code, simple=True)):
        assert code_of(deidentified(data, "x.docx")) == code


@pytest.mark.parametrize("code", CHANGE)
def test_words_of_people_go(code: str) -> None:
    for data in (letter(code), letter(code, simple=True)):
        new = code_of(deidentified(data, "x.docx"))
        assert not [word for word in PLANTED if word in new]
        assert new.split()[0] == code.split(maxsplit=1)[0] or code.split(maxsplit=1)[0] == "Okonkwo"


def test_bookmarks_of_word_stay() -> None:
    document = blank_letter()
    paragraph = document.add_paragraph("Findings")
    mark = OxmlElement("w:bookmarkStart")
    mark.set(qn("w:id"), "0")
    mark.set(qn("w:name"), "_Toc482713204")
    paragraph._p.insert(0, mark)
    buffer = io.BytesIO()
    document.save(buffer)
    out = deidentified(buffer.getvalue(), "x.docx")
    assert b"_Toc482713204" in zipfile.ZipFile(io.BytesIO(out)).read("word/document.xml")
