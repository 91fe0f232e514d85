"""FHIR in JSON and in XML are two spellings of one thing: both are masked alike."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import quoteattr

import pytest
from tests.conftest import SHARED

from incognote.testing.formats import documents, masked

SAMPLES = Path(__file__).parents[3] / "samples" / "formats"
FHIR = "http://hl7.org/fhir"


def _resources() -> list[Path]:
    folder = SHARED / "fixtures" / "fhir"
    found = [SAMPLES / "patient.fhir.json", *folder.glob("*.json"), *folder.glob("*/*.json")]
    return sorted(path for path in found if path.exists() and b"resourceType" in path.read_bytes())


def as_xml(resource: dict) -> str:
    """A resource as FHIR writes it in XML."""
    return _element(resource["resourceType"], resource, f' xmlns="{FHIR}"')


def _element(name: str, value: object, attributes: str = "") -> str:
    if isinstance(value, list):
        return "".join(_element(name, each, attributes) for each in value)
    if not isinstance(value, dict):
        if name == "div":
            return str(value)
        if isinstance(value, bool):
            value = str(value).lower()
        return f"<{name}{attributes} value={quoteattr(str(value))}/>"
    if "resourceType" in value and not attributes:
        return f"<{name}>{as_xml(value)}</{name}>"
    inner = {key: each for key, each in value.items() if key != "resourceType"}
    # Attributes of their element, not children: an extension's url, the id of a part.
    if name in ("extension", "modifierExtension"):
        attributes += f" url={quoteattr(str(inner.pop('url', '')))}"
    if "id" in inner and not attributes.startswith(" xmlns"):
        attributes += f" id={quoteattr(str(inner.pop('id')))}"
    children = [
        _element(key, each).replace("/>", f">{_extensions(inner.get(f'_{key}'))}</{key}>", 1)
        if f"_{key}" in inner
        else f"<{key[1:]}>{_extensions(each)}</{key[1:]}>"
        if key.startswith("_")
        else _element(key, each)
        for key, each in inner.items()
        if not (key.startswith("_") and key[1:] in inner)
    ]
    return f"<{name}{attributes}>{''.join(children)}</{name}>"


def _extensions(beside: object) -> str:
    """JSON writes what extends a value beside it; XML within it."""
    return _element("extension", beside["extension"]) if isinstance(beside, dict) else ""


def _values(xml: str) -> list[tuple[str, str]]:
    """Element and value, wherever there is one, and the texts between."""
    found = []
    for element in ET.fromstring(xml).iter():
        name = element.tag.rpartition("}")[2]
        if name == "data":
            continue  # a PDF is written anew each time; its own tests look into it
        found += [(f"{name}@{key}", value) for key, value in element.attrib.items()]
        found += [
            (name, part.strip()) for part in (element.text, element.tail) if part and part.strip()
        ]
    return found


@pytest.mark.parametrize("path", _resources(), ids=lambda path: path.name)
def test_json_and_xml_are_masked_alike(path: Path) -> None:
    data = path.read_bytes()
    first = data.decode("utf-8-sig")
    resource = json.loads(first)
    from_json = as_xml(json.loads(masked(first.encode(), "x.json", ["\0"])))
    from_xml = masked(as_xml(resource).encode(), "x.xml", ["\0"]).decode()
    assert _values(from_xml) == _values(from_json)


@pytest.mark.parametrize("path", _resources(), ids=lambda path: path.name)
def test_the_same_texts_are_read(path: Path) -> None:
    first = path.read_bytes().decode("utf-8-sig")
    xml = as_xml(json.loads(first)).encode()

    def texts(data: bytes, name: str) -> list[str]:
        found = documents(data, name)
        return sorted(" ".join(each.text.split()) for each in found if each.free_text)

    assert texts(xml, "x.xml") == texts(first.encode(), "x.json")
