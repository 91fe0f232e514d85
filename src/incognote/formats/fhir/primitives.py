"""Primitive types of FHIR: a replacement that its element cannot hold is left out, and says so.

A year is no instant, and a tag is no number. FHIR has a way to say that a value was masked, which
every reader knows: the extension data-absent-reason beside the element.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_INTEGER = re.compile(r"-?(?:0|[1-9]\d*)")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_DATE_TIME = re.compile(rf"\d{{4}}(?:-\d\d(?:-\d\d)?)?|{_INSTANT.pattern}")
_ID = re.compile(r"[A-Za-z0-9.-]{1,64}")
# Elements that are instants wherever they appear, and those that are in one resource.
_INSTANTS = frozenset("issued lastUpdated recorded when timestamp lastModified".split())
_INSTANTS_OF = {
    ("Appointment", "start"), ("Appointment", "end"), ("Slot", "start"), ("Slot", "end"),
    ("DocumentReference", "date"), ("Subscription", "end"), ("AppointmentResponse", "start"),
    ("AppointmentResponse", "end"),
}  # fmt: skip
_NUMBERS = frozenset(
    """latitude longitude altitude valueDecimal valueInteger valuePositiveInt valueUnsignedInt
    valueInteger64""".split()
)
_ABSENT = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"


def fits(resource: str, path: tuple[str, ...], old: object, new: str) -> bool:
    """Whether an element that held `old` may hold `new`."""
    if isinstance(old, int):
        return _INTEGER.fullmatch(new) is not None
    if isinstance(old, float):
        return _NUMBER.fullmatch(new) is not None
    was = str(old)
    key = path[-1]
    if key in _NUMBERS:  # in XML a number is written like any text
        return _NUMBER.fullmatch(new) is not None
    instant = key in _INSTANTS or key.endswith("Instant")  # a choice of types: effectiveInstant
    if instant or (len(path) == 1 and (resource, key) in _INSTANTS_OF):
        return _INSTANT.fullmatch(new) is not None or not _INSTANT.fullmatch(was)
    if _DATE_TIME.fullmatch(was):
        return _DATE_TIME.fullmatch(new) is not None
    return True


def as_id(new: str) -> str:
    """A replacement of an id as one that FHIR takes: letters, digits, "-" and "."."""
    if _ID.fullmatch(new):
        return new
    return re.sub(r"[^A-Za-z0-9.]+", "-", new).strip("-")[:64] or "masked"


def file_fact(key: str, data: bytes) -> str:
    """The size of an attachment, or its hash: FHIR says SHA-1, which guards no secret."""
    if key == "size":
        return str(len(data))
    return base64.b64encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()


def absent_in_xml(prefix: str) -> str:
    """What appears within an XML element that was masked."""
    inner = f'<{prefix}valueCode value="masked"/>'
    return f'<{prefix}extension url="{_ABSENT}">{inner}</{prefix}extension>'


def absent(key: str) -> str:
    """A member of a JSON object that says that the element `key` was masked."""
    reason = {"extension": [{"url": _ABSENT, "valueCode": "masked"}]}
    return f"{json.dumps('_' + key)}: {json.dumps(reason)}"
