"""FHIR in JSON, NDJSON and XML: typed by path, narrative and attachments read."""

from __future__ import annotations

import base64
import json
import re
from html import unescape

import pytest
from tests.formats.kit.planted import left_over

from incognote.core.types import Failure
from incognote.formats.json.scan import leaves
from incognote.testing.formats import documents, masked, read, unchanged

NAME = "Quillon"
B64_RTF = base64.b64encode(rb"{\rtf1\ansi Seen with Quillon.}").decode()
FHIR_XML = '<Patient xmlns="http://hl7.org/fhir">{}</Patient>'


def _fhir(**members: object) -> str:
    return json.dumps({"resourceType": "Patient", **members})


def _div(inner: str) -> str:
    return _fhir(text={"div": f'<div xmlns="http://www.w3.org/1999/xhtml">{inner}</div>'})


CORNERS = {
    "address of a source": ("p.json", _fhir(meta={"source": "http://h.example/Quillon#7"})),
    "name of a tag of the house": ("p.json", _fhir(meta={"tag": [{"system": "http://house.example", "display": "Quillon"}]})),
    "sentence where a code belongs": ("p.json", _fhir(status="see Dr Quillon", unit="as Quillon says", mode="by Mr. Quillon")),
    "address in an extension": ("p.json", _fhir(extension=[{"url": "u", "valueUri": "http://h.example/Quillon"}])),
    "extension of a simple value": ("p.json", _fhir(_birthDate={"extension": [{"url": "u", "valueString": "Quillon"}]})),
    "query of an audit": ("p.json", json.dumps({"resourceType": "AuditEvent", "entity": [{"query": B64_RTF}]})),
    "old content of a binary": ("p.json", json.dumps({"resourceType": "Binary", "content": B64_RTF})),
    "link of a bundle": ("p.json", json.dumps({"resourceType": "Bundle", "link": [{"relation": "self", "url": "http://h.example/Patient?name=Quillon"}]})),
    "answer": ("p.json", _fhir(item=[{"answer": [{"valueString": "Quillon"}, {"valueCoding": {"code": "1", "display": "Quillon"}}]}])),
    "author of an annotation": ("p.json", _fhir(note=[{"authorString": "Quillon", "text": "Quillon"}])),
    "meeting in R5": ("p.json", _fhir(virtualService=[{"addressUrl": "http://z.example/Quillon", "sessionKey": "Quillon"}])),
    "letters by number": ("p.json", '{"resourceType":"Patient","name":[{"text":"\\u0051uillon"}]}'),
    "xml id of an element": ("p.xml", FHIR_XML.format('<name id="Quillon"><family value="x"/></name>')),
    "xml place of a schema": ("p.xml", '<Patient xmlns="http://hl7.org/fhir" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://hl7.org/fhir C:/Users/Quillon/p.xsd"/>'),
    "attribute of narrative": ("p.json", _div('<img alt="Quillon" src="x.png"/>')),
    "comment in narrative": ("p.json", _div("<!-- Quillon --><p>x</p>")),
    "contained": ("p.json", _fhir(contained=[{"resourceType": "Patient", "id": "c", "name": [{"family": "Quillon"}]}])),
    "extension": ("p.json", _fhir(extension=[{"url": "u", "valueString": "Quillon"}])),
    "contact in an extension": ("p.json", _fhir(extension=[{"url": "u", "valueContactPoint": {"system": "email", "value": "Quillon"}}])),
    "identifier of another name": ("p.json", _fhir(masterIdentifier={"value": "Quillon"})),
    "answer of a server": ("p.json", _fhir(entry=[{"response": {"location": "Patient/Quillon/_history/1"}}])),
    "conditional request": ("p.json", _fhir(entry=[{"request": {"url": "Patient?family=Quillon"}}])),
    "chained search": ("p.json", _fhir(entry=[{"request": {"url": "Observation?subject:Patient.name:exact=Quillon"}}])),
    "reverse search": ("p.json", _fhir(entry=[{"request": {"url": "Patient?_has:Group:member:name=Quillon"}}])),
    "search in the narrative": ("p.json", _fhir(entry=[{"request": {"url": "Patient?_count=5&_text=Quillon"}}])),
    "search in everything": ("p.json", _fhir(entry=[{"request": {"url": "Patient?_content=Quillon&_sort=name"}}])),
    "attachment rtf": ("p.json", _fhir(photo=[{"contentType": "text/rtf", "data": B64_RTF}])),
    "xml name": ("p.xml", FHIR_XML.format('<name><family value="Quillon"/></name>')),
    "xml attribute of narrative": ("p.xml", FHIR_XML.format('<text><div xmlns="http://www.w3.org/1999/xhtml"><a title="Quillon">x</a></div></text>')),
    "xml extension": ("p.xml", FHIR_XML.format('<extension url="u"><valueString value="Quillon"/></extension>')),
    "xml contained": ("p.xml", FHIR_XML.format('<contained><Patient><name><family value="Quillon"/></name></Patient></contained>')),
}  # fmt: skip


@pytest.mark.parametrize("corner", CORNERS)
def test_nothing_planted_survives(corner):
    name, text = CORNERS[corner]
    assert left_over(text, name, NAME) == []


def test_references_still_resolve():
    bundle = {
        "resourceType": "Bundle",
        "entry": [
            {"resource": {"resourceType": "Patient", "id": "p1"}},
            {"resource": {"resourceType": "Observation", "id": "o1",
                          "subject": {"reference": "Patient/p1"}}},
        ],
    }  # fmt: skip
    ids = [d for d in documents(json.dumps(bundle).encode(), "b.json") if d.given]
    same = [d for d in ids if d.text == "p1"]
    assert len(same) == 2
    assert len({d.patient_id for d in same}) == 1


def test_ndjson_is_one_record_a_line():
    rows = [{"resourceType": "Patient", "id": str(i)} for i in range(3)]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    assert len(read(data, "p.ndjson")) == 3
    assert unchanged(data, "p.ndjson") == data


def test_a_key_named_twice_is_refused():
    data = b'{"resourceType":"Patient","birthDate":"1958-02-14","birthDate":"1958-02-15"}'
    (outcome,) = read(data, "p.json")
    assert isinstance(outcome, Failure)
    assert "1958" not in outcome.message


@pytest.mark.parametrize(
    "pair", ["patient-basic", "patient-special-content", "bundle-basic", "contained-basic"]
)
def test_outside_pair_what_must_go_is_seen(shared, pair):
    """What Microsoft's anonymiser redacts is masked, or read as text, here too."""
    folder = shared / "fixtures" / "fhir" / "ms-anon-pairs"
    source = (folder / f"{pair}.json").read_bytes()
    target = json.loads((folder / f"{pair}-target.json").read_bytes())
    before = {
        leaf.path: leaf.value for leaf in leaves(source.decode()) if isinstance(leaf.value, str)
    }
    raw = json.dumps(target)
    after = {leaf.path: leaf.value for leaf in leaves(raw)}
    gone = {value for path, value in before.items() if after.get(path) != value}
    seen = " ".join(d.text for d in documents(source, "p.json"))
    # Times and markup around a value stay; codes and their systems say what kind of thing an
    # element is, not whose it is.
    around = re.compile(r"<[^>]*>|T\d\d:.*|urn:uuid:")
    values = {part for value in gone for part in unescape(around.sub("\n", value)).split("\n")}
    codes = re.compile(r"[a-z]+|[A-Z]{1,3}|https?:.*|urn:oid:.*|[A-Z][a-z]+")
    assert {v for v in values if v not in seen and not codes.fullmatch(v)} == set()


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


@pytest.mark.parametrize("value", ["1200", "2000"])
def test_a_quantity_is_no_year(value):
    data = f'<Observation xmlns="http://hl7.org/fhir"><valueQuantity><value value="{value}"/></valueQuantity></Observation>'
    assert [d.given for d in documents(data.encode(), "o.xml") if d.text == value] == []


def test_characters_of_html_have_their_names_in_narrative():
    data = _div('<p title="Ren&eacute;e">for&nbsp;Quillon &lt; Ren&eacute;e</p>').encode()
    assert [d.text for d in documents(data, "p.json")] == [
        "title: Ren\u00e9e",
        "for\u00a0Quillon < Ren\u00e9e",
    ]
    assert unchanged(data, "p.json") == data
    assert NAME not in masked(data, "p.json", [NAME]).decode()
    (outcome,) = read(_div("&nobody;").encode(), "p.json")
    assert isinstance(outcome, Failure)


_MAIDEN_NAME = "http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        pytest.param(
            "p.json",
            _fhir(extension=[{"url": _MAIDEN_NAME, "valueString": NAME}]),
            id="json",
        ),
        pytest.param(
            "p.xml",
            FHIR_XML.format(
                f'<extension url="{_MAIDEN_NAME}"><valueString value="{NAME}"/></extension>'
            ),
            id="xml",
        ),
    ],
)
def test_the_address_of_an_extension_says_that_it_is_a_name(name, data):
    (document,) = documents(data.encode(), name)
    assert [(span.label, document.text) for span in document.given] == [("PATIENT", NAME)]
