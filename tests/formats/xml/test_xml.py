"""XML and C-CDA: every text, attribute and aside, and the bodies packed within."""

from __future__ import annotations

import base64
import re

import pytest
from tests.formats.kit.made import NAMES, everything, page_texts, pdf_file
from tests.formats.kit.planted import left_over

from incognote.core.types import Failure
from incognote.policy import FormatRules
from incognote.testing.formats import documents, masked, read

NAME = "Quillon"
B64_RTF = base64.b64encode(rb"{\rtf1\ansi Seen with Quillon.}").decode()
LONG_B64 = base64.b64encode(b"Seen with Quillon, who is well. " * 20).decode()
B64_PDF = base64.b64encode(pdf_file()).decode()
CDA = '<ClinicalDocument xmlns="urn:hl7-org:v3">{}</ClinicalDocument>'
CORNERS = {
    "cda name of a local code": ("c.xml", CDA.format('<code code="1" codeSystem="1.2.3" displayName="Quillon" codeSystemName="of Quillon"/>')),
    "cda name of a code of no system": ("c.xml", CDA.format('<code code="1" displayName="Quillon"/>')),
    "cda words for a local code": ("c.xml", CDA.format('<code code="1" codeSystem="1.2.3" displayName="Quillon"><originalText>Quillon</originalText></code>')),
    "cda translation": ("c.xml", CDA.format('<code code="1" codeSystem="2.16.840.1.113883.6.1" displayName="x"><translation code="2" codeSystem="1.2" displayName="Quillon"/></code>')),
    "cda what stands around a name": ("c.xml", CDA.format("<name><prefix>Quillon</prefix><suffix>Quillon</suffix></name>")),
    "cda sentence where a code belongs": ("c.xml", CDA.format('<addr use="see Dr Quillon"/>')),
    "xml place of a schema": ("x.xml", '<r xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="file:///home/Quillon/r.xsd"/>'),
    "xml base": ("x.xml", '<r xml:base="http://h.example/Quillon" xml:id="Quillon"/>'),
    "xml letters by number": ("x.xml", '<r a="&#81;uillon">&#x51;uillon</r>'),
    "cda assigning authority": ("c.xml", CDA.format('<id root="1.2.3" extension="7" assigningAuthorityName="Quillon"/>')),
    "cda body rtf": ("c.xml", CDA.format(f'<nonXMLBody><text mediaType="text/rtf" representation="B64">{B64_RTF}</text></nonXMLBody>')),
    "cda body text": ("c.xml", CDA.format('<nonXMLBody><text mediaType="text/plain">Seen with Quillon</text></nonXMLBody>')),
    "cda body within a section": ("c.xml", CDA.format(f'<section><entry><act><text mediaType="text/rtf" representation="B64">{B64_RTF}</text></act></entry></section>')),
    "cda media": ("c.xml", CDA.format(f'<observationMedia><value mediaType="text/rtf" representation="B64">{B64_RTF}</value></observationMedia>')),
    "cda root that is the whole id": ("c.xml", CDA.format('<id root="Quillon"/>')),
    "cda cdata beside text": ("c.xml", CDA.format("<section><text><![CDATA[a < Quillon]]> and Quillon</text></section>")),
    "xml instruction": ("x.xml", "<?note Quillon?><r/>"),
    "xml base64 anywhere": ("x.xml", f"<r><scan>{LONG_B64}</scan></r>"),
}  # fmt: skip


@pytest.mark.parametrize("corner", CORNERS)
def test_nothing_planted_survives(corner):
    name, text = CORNERS[corner]
    assert left_over(text, name, NAME) == []


def test_a_pdf_within_a_document_is_redacted():
    body = f'<nonXMLBody><text mediaType="application/pdf" representation="B64">{B64_PDF}</text></nonXMLBody>'
    out = masked(CDA.format(body).encode(), "c.xml", ["Quillon Adeyemi", *NAMES]).decode()
    inner = base64.b64decode(re.search(r'B64">([^<]+)<', out)[1])
    assert page_texts(inner).strip() == "Seen with [PATIENT]."
    assert b"Quillon" not in everything(inner)


@pytest.mark.parametrize(
    "bomb",
    [
        '<!DOCTYPE l [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><l>&b;</l>',
        '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><l>&a;</l>',
    ],
)
def test_entity_declarations_are_refused(bomb):
    (outcome,) = read(bomb.encode(), "x.xml")
    assert isinstance(outcome, Failure)
    assert "entity" in outcome.message


def test_broken_xml_is_refused_without_its_text():
    (outcome,) = read(b"<a><name>Quillon</name>", "x.xml")
    assert isinstance(outcome, Failure)
    assert "Quillon" not in repr(outcome)


def test_deep_nesting_is_refused():
    (outcome,) = read(b"<a>" * 2000 + b"</a>" * 2000, "x.xml")
    assert isinstance(outcome, Failure)


def test_special_characters_stay_well_formed():
    from xml.etree import ElementTree as ET

    data = b"<r a='x &quot;Quillon&quot;'>A &amp; Quillon &lt; B<!-- Quillon --></r>"
    out = masked(data, "x.xml", ["Quillon"])
    assert b"Quillon" not in out
    root = ET.fromstring(out)
    assert root.text == "A & [PATIENT] < B"


def test_labels_of_the_policy_reach_elements():
    rules = FormatRules(labels={"wardname": "ROOM"})
    out = masked(b"<r><wardname>Seven</wardname></r>", "x.xml", [], rules)
    assert out == b"<r><wardname>[ROOM]</wardname></r>"


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("x.xml", "<r><p>by Qui<b>ll</b>on.</p><p>Well</p></r>", ["by Quillon.", "p: Well"]),
        ("x.xml", "<r>Qui<!-- a -->llon</r>", ["r:  a ", "Quillon"]),
        ("x.xml", "<r><![CDATA[Qui]]><![CDATA[llon]]></r>", ["Quillon"]),
        ("x.xml", "<r>Ann<bed>x</bed>Bea</r>", ["Ann\nBea", "bed: x"]),
        ("x.xml", "<r><code>A</code><code>B</code></r>", ["code: A", "code: B"]),
        ("c.xml", CDA.format("<section><text>for Ann<br/>Seen <sub>by</sub>pass</text></section>"),
         ["for Ann\nSeen bypass"]),
    ],
    ids=["bold", "comment", "cdata", "another element", "fields", "line break"],
)  # fmt: skip
def test_words_go_on_where_only_their_looks_change(name, data, expected):
    assert sorted(d.text for d in documents(data.encode(), name)) == sorted(expected)


def test_what_a_catalogue_calls_a_code_stays():
    loinc = '<code code="1" codeSystem="2.16.840.1.113883.6.1" displayName="Quillon test"><originalText>Quillon test</originalText></code>'
    assert masked(CDA.format(loinc).encode(), "c.xml", [NAME]).decode() == CDA.format(loinc)


def test_a_document_type_on_a_machine_is_refused():
    (outcome,) = read(b'<!DOCTYPE r SYSTEM "file:///home/Quillon/r.dtd"><r/>', "x.xml")
    assert isinstance(outcome, Failure)
    assert NAME not in outcome.message
