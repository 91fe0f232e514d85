"""What an element of a FHIR resource holds, told by its name, its resource and its siblings.

JSON and XML forms name elements alike, so both formats ask here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from incognote.policy import KEEP, TEXT

# Places in a Bundle that name a resource on a server.
_ADDRESSES = {("url", "entry"), ("url", "request"), ("location", "response")}

# Elements that are base64 in one resource only.
_PACKED = {("AuditEvent", "query"), ("Binary", "content")}

NARRATIVE = "narrative"
EMBEDDED = "embedded"
# Ids are the same thing in every patient's files: they share one scope.
SHARED = {"patient_id": "fhir-ids"}

_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?(?:T\d\d:\d\d.*)?")
_REFERENCE = re.compile(
    r"(?:urn:uuid:|urn:oid:|#|(?:.*/)?[A-Z][A-Za-z]+/)([^/?#|]+)(?:/_history/.*)?"
)
# A year alone is a date only where a date is meant: in XML all numbers are strings.
_DATE_KEYS = re.compile(
    r"date|time|start|end|issued|recorded|authored|onset|abatement|deceased|birth|created|sent|"
    r"received|occurrence|effective|performed|signed|given",
    re.IGNORECASE,
)
# Quantities and switches, which XML writes as it writes everything.
_PLAIN = re.compile(r"true|false|[+-]?\d{1,6}(?:\.\d+)?(?:[eE][+-]?\d+)?")
SENTENCE = re.compile(r"[^\W\d_]{2}[.,]? +\S*[^\W\d_]{2}")
_DATE_PART = re.compile(r"\d{4}(?:-\d\d)?(?:-\d\d)?")


@dataclass(frozen=True, slots=True)
class Decision:
    """`kind` is keep, text, narrative, embedded or a label; [start, end) is what it is about.

    `shared` marks ids: they get one surrogate in every file, so that references still resolve.
    """

    kind: str
    start: int = 0
    end: int | None = None
    shared: bool = False


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(files("incognote.formats").joinpath("fhir_fields.toml").read_text("utf-8"))


def resource_label(resource: str) -> str | None:
    """The label of names in, and of displays that refer to, a type of resource."""
    label: str | None = _table()["resources"].get(resource)
    return label


def decide(
    resource: str, path: tuple[str, ...], value: str, sibling: Callable[[str], str | None]
) -> Decision:
    """What to do with a string. `path` are element names from the resource down, ending in it."""
    key = path[-1]
    parent = path[-2] if len(path) > 1 else ""
    table = _table()
    if key == "id" and len(path) == 1:
        return Decision("IDNUM", shared=True)
    if key in ("reference", "fullUrl", "uri") or (key, parent) in _ADDRESSES:
        return _reference(value)
    if key == "value" and parent in ("telecom", "valueContactPoint"):
        return Decision(table["telecom"].get(sibling("system") or "phone", "PHONE"))
    if key == "value" and (parent.lower().endswith("identifier") or parent == "requisition"):
        return Decision(_identifier(sibling))
    if key in ("data", "valueBase64Binary") or (resource, key) in _PACKED:
        return Decision(EMBEDDED)
    if key == "div":
        return Decision(NARRATIVE)
    if key == "url":
        # Of an extension it names a definition; of an attachment it is an address.
        return Decision(KEEP if "xtension" in parent else "URL")
    if (key, parent) == ("source", "meta"):
        return Decision("URL")
    if key in table["keep"]:
        return Decision(TEXT if SENTENCE.search(value) else KEEP)
    if _is_catalogued(key, value, sibling):
        return Decision(KEEP)
    if key == "display":
        return _display(sibling("reference"))
    label = table["labels"].get(key)
    if key == "valueString":
        label = table["extensions"].get((sibling("url") or "").rpartition("/")[2])
    if label:
        return Decision(_person(resource, path) if label == "PERSON" else label)
    if key in ("name", "alias") and resource_label(resource) == "HOSPITAL":
        return Decision("HOSPITAL")
    if key == "text" and parent in ("name", "valueHumanName"):
        return Decision(_person(resource, path))
    found = _DATE.fullmatch(value)
    if found and key != "text" and (len(value) > 4 or _DATE_KEYS.search(key)):
        part = _DATE_PART.match(value)
        assert part is not None
        return Decision("DATE", 0, part.end())
    return Decision(KEEP if _PLAIN.fullmatch(value) else TEXT)


def _is_catalogued(key: str, value: str, sibling: Callable[[str], str | None]) -> bool:
    """Whether a catalogue of the world says this: the display of a code, or a concept's text
    again."""
    if key == "valueUri":
        return _is_of_the_world(value)
    if key == "display":
        return sibling("code") is not None and _is_of_the_world(sibling("system"))
    says_again = key == "text" and value == sibling("coding.display")
    return says_again and _is_of_the_world(sibling("coding.system"))


def _is_of_the_world(system: str | None) -> bool:
    return (system or "").startswith(tuple(_table()["catalogues"]))


def _reference(value: str) -> Decision:
    """The id at the end of a reference; the rest says where the resource lives."""
    found = _REFERENCE.fullmatch(value)
    if found is None:
        asks = value.find("?")
        return Decision("IDNUM", asks + 1) if asks >= 0 else Decision(TEXT)
    return Decision("IDNUM", found.start(1), found.end(1), shared=True)


def _display(reference: str | None) -> Decision:
    kind = (reference or "").rpartition("/")[0].rpartition("/")[2]
    return Decision(resource_label(kind) or TEXT)


def _identifier(sibling: Callable[[str], str | None]) -> str:
    system = (sibling("system") or "").lower()
    if "ssn" in system:
        return "SSN"
    if "npi" in system:
        return "LICENSE"
    label: str = _table()["identifiers"].get(sibling("type.coding.code") or "", "IDNUM")
    return label


def _person(resource: str, path: tuple[str, ...]) -> str:
    if "contact" in path:
        return "PATIENT"
    label = resource_label(resource)
    return label if label in ("PATIENT", "DOCTOR") else "PATIENT"
