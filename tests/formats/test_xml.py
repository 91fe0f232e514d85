"""XML and C-CDA: every text, attribute and aside, and the bodies packed within."""

from __future__ import annotations

import base64
import re

import pytest
from tests.formats.made import NAMES, everything, page_texts, pdf_file
from tests.formats.planted import left_over, masked, read

from incognote.core.types import Failure
from incognote.policy import FormatRules

NAME = "Quillon"
B64_RTF = base64.b64encode(rb"{\rtf1\ansi Seen with Quillon.}").decode()
LONG_B64 = base64.b64encode(b"Seen with Quillon, who is well. " * 20).decode()
B64_PDF = base64.b64encode(pdf_file()).decode()
CDA = '<ClinicalDocument xmlns="urn:hl7-org:v3">{}</ClinicalDocument>'
CORNERS = {
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
