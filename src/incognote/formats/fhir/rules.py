"""What an element of a FHIR resource holds, by its name, its resource and its siblings.

JSON and XML forms name elements alike, so both formats ask here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from incognote.core.caches import once
from incognote.core.fields import (
    contact_label,
    identifier_label,
    is_public_code_system,
    label_from_header,
)
from incognote.core.labels import all_labels
from incognote.core.labels import label as label_named
from incognote.formats.clinical import VALUE, is_measurement
from incognote.formats.fhir.addresses import server_of
from incognote.formats.typed import (
    ADDRESS,
    EMBEDDED,
    FILE_FACT,
    NARRATIVE,
    QUERY,
    Decision,
)
from incognote.policy import KEEP, TEXT

# Places in a Bundle that name a resource on a server.
_ADDRESSES = {("url", "request"), ("url", "link"), ("location", "response")}

# Elements that are base64 in one resource only.
_PACKED = {("AuditEvent", "query"), ("Binary", "content")}

_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?(?:T\d\d:\d\d.*)?")
# A year alone is a date only where a date is meant: in XML all numbers are strings.
_DATE_KEYS = re.compile(
    r"date|time|start|end|issued|recorded|authored|onset|abatement|deceased|birth|created|sent|"
    r"received|occurrence|effective|performed|signed|given",
    re.IGNORECASE,
)
# Quantities and switches, which XML writes as it writes everything.
_PLAIN = re.compile(r"true|false|[+-]?\d{1,6}(?:\.\d+)?(?:[eE][+-]?\d+)?")
_LONG = re.compile(r"\d{6,}")
_URN_OID = re.compile(r"(?:urn:oid:)?")
_TYPE = re.compile(r"(?:^|/)([A-Z][A-Za-z]+)(?=/|$)")
# A longer text goes on like a note, whatever element it appears in.
_LONGEST_VALUE = 80
SENTENCE = re.compile(r"[^\W\d_]{2}[.,]? +\S*[^\W\d_]{2}")
_DATE_PART = re.compile(r"\d{4}(?:-\d\d)?(?:-\d\d)?")


@once
def _table() -> Mapping[str, Any]:
    return tomllib.loads(files("incognote.formats.fhir").joinpath("fields.toml").read_text("utf-8"))


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
        return Decision(ADDRESS)
    if key == "hash" or (key == "size" and (sibling("contentType") or sibling("url"))):
        return Decision(FILE_FACT)
    if key == "ifNoneExist":
        return Decision(QUERY)
    if key == "value" and parent in ("telecom", "valueContactPoint"):
        return Decision(contact_label(sibling("system") or ""))
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
    if coordinates := _coordinates(key, parent, sibling):
        return coordinates
    if key in ("uid", "studyInstanceUid", "seriesInstanceUid", "sopInstanceUid"):
        return Decision("IDNUM", _URN_OID.match(value).end(), shared=True)  # type: ignore[union-attr]
    if key in table["numbers"] and "xtension" in parent:
        return _number(value, sibling("url") or "")
    if key == "system" and parent.lower().endswith("identifier"):
        return server_of(value)
    if key == "when" and _DATE.fullmatch(value):
        return Decision("DATE", 0, _DATE_PART.match(value).end())  # type: ignore[union-attr]
    if key in table["keep"]:
        return Decision(TEXT if SENTENCE.search(value) else KEEP)
    if _is_catalogued(key, value, sibling):
        return Decision(KEEP)
    if key == "display":
        return _display(parent, sibling)
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
    if _PLAIN.fullmatch(value):
        return Decision(KEEP)
    if len(value) <= _LONGEST_VALUE and _is_clinical(resource, key, parent, sibling):
        return Decision(KEEP if is_measurement(value) else VALUE)
    return Decision(TEXT)


def _is_clinical(
    resource: str, key: str, parent: str, sibling: Callable[[str], str | None]
) -> bool:
    """Whether a string is a clinical value: the text of a concept, a result, a range."""
    if key == "valueString":
        return resource == "Observation" or sibling("url") in _table()["value_extensions"]
    return key in _table()["values"] or (key == "text" and parent not in _table()["notes"])


def _is_catalogued(key: str, value: str, sibling: Callable[[str], str | None]) -> bool:
    """Whether a catalogue of the world says this: the display of a code, or a concept's text
    again."""
    if key == "valueUri":
        return is_public_code_system(value)
    if key == "display":
        return sibling("code") is not None and is_public_code_system(sibling("system") or "")
    says_again = key == "text" and value == sibling("coding.display")
    return says_again and is_public_code_system(sibling("coding.system") or "")


def _display(parent: str, sibling: Callable[[str], str | None]) -> Decision:
    """Who a reference is about, by the type it names or by the element it appears in; or what a
    code of a local list is called."""
    named = _TYPE.findall((sibling("reference") or "").partition("?")[0])
    label = resource_label(named[-1] if named else sibling("type") or "")
    if label is None and sibling("code") is None:
        label = _table()["references"].get(parent)
    return Decision(label or (VALUE if sibling("code") else TEXT))


def _coordinates(key: str, parent: str, sibling: Callable[[str], str | None]) -> Decision | None:
    """Where on earth something is: Location.position, and the extension geolocation."""
    degrees = ("latitude", "longitude")
    if (parent == "position" and key in (*degrees, "altitude")) or (
        key == "valueDecimal" and sibling("url") in degrees
    ):
        return Decision("COORDINATES")
    return None


def _number(value: str, url: str) -> Decision:
    """A number in an extension: an identifier by the name of the extension, or by its length."""
    label = label_from_header(url.rpartition("/")[2])
    if (
        label is not None
        and label in all_labels()
        and label_named(label).category in ("ID", "CONTACT")
    ):
        return Decision(label)
    return Decision("IDNUM" if _LONG.fullmatch(value) else KEEP)


def _identifier(sibling: Callable[[str], str | None]) -> str:
    code = sibling("type.coding.code")
    return identifier_label([code] if code else [], sibling("system") or "") or "IDNUM"


def _person(resource: str, path: tuple[str, ...]) -> str:
    if "contact" in path:
        return "PATIENT"
    label = resource_label(resource)
    return label if label in ("PATIENT", "DOCTOR") else "PATIENT"
