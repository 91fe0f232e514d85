"""C-CDA: coded values stay, places that take part go, and neighbours in a narrative stay apart."""

from __future__ import annotations

import pytest
from lxml import etree
from tests.formats.kit.whole import deidentified

from incognote.testing.formats import documents

HEAD = (
    '<ClinicalDocument xmlns="urn:hl7-org:v3"><recordTarget><patientRole><id root="1.2.3" '
    'extension="7741902"/><patient><name><given>Adaeze</given><family>Okonkwo</family></name>'
    "</patient></patientRole></recordTarget><component><structuredBody><component><section>"
)
TAIL = "</section></component></structuredBody></component></ClinicalDocument>"


def _entry(inner: str) -> str:
    return f"{HEAD}<entry>{inner}</entry>{TAIL}"


VALUES = [
    '<observation><code code="1" codeSystem="1.2.3.4" displayName="WBC"><originalText>WBC</originalText></code></observation>',
    "<observation><referenceRange><observationRange><text>4-10 K/uL</text></observationRange></referenceRange></observation>",
    "<observation><referenceRange><observationRange><text>M 13-18 g/dl; F 12-16 g/dl</text></observationRange></referenceRange></observation>",
    "<substanceAdministration><consumable><manufacturedProduct><manufacturedMaterial><name>Antiplatelets</name></manufacturedMaterial></manufacturedProduct></consumable></substanceAdministration>",
    '<act><participant><participantRole classCode="MANU"><playingEntity classCode="MMAT"><name>Diethylene Glycol</name></playingEntity></participantRole></participant></act>',
    "<observation><interpretationCode><originalText>Extreme High</originalText></interpretationCode></observation>",
    '<observation><value type="ST">sulfa drug</value></observation>',
    '<observation><value type="PQ" value="150" unit="[lb_av]"/></observation>',
    "<encounter><code><originalText>Encounter Ophthalmological Services</originalText></code></encounter>",
]  # fmt: skip


@pytest.mark.parametrize("policy", ["i2b2-2014", "hipaa-safe-harbor"])
@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_coded_values_stay(value, policy):
    assert value in deidentified(_entry(value), "x.xml", policy).decode()


TITLES = [
    ("SURGICAL DRAINS", "Surgical Drains"),
    ("Hospital Course", "Hospital  course"),
    ("Discharge medications", "Discharge Meds"),
]


@pytest.mark.parametrize(("called", "title"), TITLES)
def test_what_a_catalogue_calls_a_section_stays(called, title):
    code = f'<code code="1" codeSystem="2.16.840.1.113883.6.1" displayName="{called}"/>'
    known = documents(f"{HEAD}{code}<title>{title}</title>{TAIL}".encode(), "x.xml")
    # Kept, or read as a clinical value: only strong evidence counts there.
    assert all(each.clinical for each in known if each.text == title)
    assert title in deidentified(f"{HEAD}{code}<title>{title}</title>{TAIL}", "x.xml").decode()


def test_a_title_that_names_the_patient_is_read():
    code = '<code code="1" codeSystem="2.16.840.1.113883.6.1" displayName="Plan of care"/>'
    out = deidentified(f"{HEAD}{code}<title>Plan for Adaeze Okonkwo</title>{TAIL}", "x.xml")
    assert b"Okonkwo" not in out


def test_a_place_that_takes_part_is_told_by_its_class():
    inner = (
        '<act><participant><participantRole classCode="SDLOC"><playingEntity classCode="PLC">'
        "<name>Zephyrwood</name></playingEntity></participantRole></participant></act>"
    )
    found = documents(_entry(inner).encode(), "x.xml")
    assert [d.given[0].label for d in found if d.text == "Zephyrwood"] == ["HOSPITAL"]


def test_neighbouring_contents_are_two_things():
    text = (
        '<text><paragraph><content ID="p1">Pneumonia</content><content ID="h1">Fenwick General '
        "Hospital</content></paragraph></text>"
    )
    found = documents((HEAD + text + TAIL).encode(), "x.xml")
    assert "Pneumonia\nFenwick General Hospital" in [d.text for d in found]
    out = deidentified(HEAD + text + TAIL, "x.xml").decode()
    assert '<content ID="p1">Pneumonia</content>' in out
    assert "Fenwick" not in out


def test_a_word_that_goes_on_behind_markup_is_one_word():
    text = "<text><paragraph>Qui<content>llon</content> was seen.</paragraph></text>"
    found = documents((HEAD + text + TAIL).encode(), "x.xml")
    assert "Quillon was seen." in [d.text for d in found]


def test_another_reader_opens_what_is_written():
    out = deidentified(_entry("".join(VALUES)), "x.xml")
    tree = etree.fromstring(out)
    assert tree.findtext(".//{*}manufacturedMaterial/{*}name") == "Antiplatelets"
