"""What the elements and attributes of a C-CDA document hold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from incognote.core.fields import identifier_label, is_public_code_system
from incognote.formats.clinical import VALUE, is_measurement
from incognote.formats.fhir.rules import SENTENCE
from incognote.formats.typed import EMBEDDED, NARRATIVE, Decision
from incognote.formats.xml.scan import Node
from incognote.policy import KEEP, TEXT

_TIMES = frozenset("time effectiveTime birthTime deceasedTime low high center value".split())
_KEEP = frozenset(
    """code codeSystem codeSystemVersion typeCode classCode moodCode
    determinerCode contextControlCode unit nullFlavor use ID IDREF mediaType representation
    styleCode inversionInd operator negationInd schemaLocation type institutionSpecified
    independentInd contextConductionInd align valign border width height
    colspan rowspan cellpadding cellspacing listType referencedObject revised language
    qualifier inclusive alignment sdtc xsi lang compression standalone version encoding
    preferenceInd integrityCheckAlgorithm partType validTimeLow validTimeHigh""".split()
)
_ADDRESS = {
    "streetAddressLine": "STREET", "streetName": "STREET", "houseNumber": "STREET",
    "additionalLocator": "STREET", "unitID": "STREET", "city": "CITY", "state": "STATE",
    "postalCode": "ZIP", "country": "COUNTRY", "county": "LOCATION-OTHER",
    "precinct": "LOCATION-OTHER", "postBox": "LOCATION-OTHER",
}  # fmt: skip
# Whose name it is, by the innermost of these around it.
_PEOPLE = {
    "patient": "PATIENT", "guardian": "PATIENT", "relatedEntity": "PATIENT",
    "associatedEntity": "PATIENT", "subject": "PATIENT", "relatedSubject": "PATIENT",
    "guardianPerson": "PATIENT", "assignedAuthor": "DOCTOR", "assignedEntity": "DOCTOR",
    "intendedRecipient": "DOCTOR", "participantRole": "DOCTOR",
}  # fmt: skip
_DATE = re.compile(r"\d{8}|\d{6}$|\d{4}$")
_DAY = re.compile(r"(?:18|19|20|21)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?=\d{2,6}|[.+-]|$)")
_TELECOM = re.compile(r"(tel|fax|mailto|https?|sip):/{0,2}", re.IGNORECASE)
# Elements whose text says what a code, a drug, a device or a result is.
_VALUES = frozenset({"originalText", "manufacturerModelName", "softwareName"})
_CLINICAL = frozenset(
    {
        ("observationRange", "text"),
        ("observation", "value"),
        ("manufacturedMaterial", "name"),
        ("manufacturedLabeledDrug", "name"),
        ("playingDevice", "name"),
        ("material", "name"),
    }
)
_LONGEST_VALUE = 80
_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_SCHEMES = {"tel": "PHONE", "fax": "FAX", "mailto": "EMAIL", "http": "URL", "https": "URL"}


class Rules:
    """The rules for one document: some elements are recognised by several of their attributes."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._attributes = {
            (node.elements[-1], node.name): node.text for node in nodes if node.kind == "attribute"
        }
        self._anchors = {text for (_, name), text in self._attributes.items() if name == "ID"}
        # What the catalogues of the world call the sections.
        self._sections = {
            node.elements[-2]: self._attributes.get((node.elements[-1], "displayName"), "")
            for node in nodes
            if node.path[-2:] == ("section", "code") and self._is_catalogued(node)
        }

    def decide(self, node: Node) -> Decision:
        """What to do with an attribute or text; names and narrative are gathered by the caller."""
        if node.kind == "attribute":
            if node.name == "root" and not self._own(node, "extension"):
                return _bare_root(node)
            if node.name == "extension" and (
                label := identifier_label(system=self._own(node, "root"))
            ):
                return Decision(label)
            if node.name in ("displayName", "codeSystemName"):
                return Decision(KEEP if self._is_catalogued(node) else VALUE)
            if node.text in self._anchors and node.path[-1] == "reference":
                return Decision(KEEP)
            return _attribute(node)
        if node.kind in ("text", "cdata") and self._is_file(node):
            return Decision(EMBEDDED)
        if node.name == "originalText" and self._repeats_catalogue(node):
            return Decision(KEEP)
        if node.kind not in ("text", "cdata"):
            return _text(node)
        if node.path[-2:] == ("playingEntity", "name"):
            return self._entity(node)
        if node.path[-2:] == ("section", "title"):
            return self._title(node)
        if node.name in _VALUES or node.path[-2:] in _CLINICAL:
            return _clinical(node.text)
        return _text(node)

    def _title(self, node: Node) -> Decision:
        """The heading of a section: what a catalogue calls it, or words of the house for it."""
        name = self._sections.get(node.elements[-2])
        if name is None:
            return _text(node)
        return Decision(KEEP) if _same(name, node.text) else _clinical(node.text)

    def _entity(self, node: Node) -> Decision:
        """A thing or a place that takes part, by the class of its role."""
        classes = {
            self._attributes.get((element, "classCode"), "") for element in node.elements[-3:-1]
        }
        if classes & {"PLC", "SDLOC", "ORG"}:
            return Decision("HOSPITAL")
        return _clinical(node.text)

    def _own(self, node: Node, attribute: str) -> str:
        return self._attributes.get((node.elements[-1], attribute), "")

    def _is_catalogued(self, node: Node) -> bool:
        return is_public_code_system(self._own(node, "codeSystem"))

    def _repeats_catalogue(self, node: Node) -> bool:
        """Whether a text is the name that a public code system gives to the code."""
        coded = node.elements[-2] if len(node.elements) > 1 else 0
        system = self._attributes.get((coded, "codeSystem"), "")
        name = self._attributes.get((coded, "displayName"), "")
        return _same(node.text, name) and is_public_code_system(system)

    def _is_file(self, node: Node) -> bool:
        if self._own(node, "representation") == "B64":
            return True
        kind = self._own(node, "mediaType")
        return "nonXMLBody" in node.path and kind != "" and not kind.startswith("text/plain")


def _same(one: str, other: str) -> bool:
    """Whether two texts say the same, in whatever letter case."""
    return one.split() != [] and one.casefold().split() == other.casefold().split()


def _clinical(text: str) -> Decision:
    """A clinical value, unless it goes on like a note."""
    if is_measurement(text):
        return Decision(KEEP)
    return Decision(VALUE if len(text.strip()) <= _LONGEST_VALUE else TEXT)


def _text(node: Node) -> Decision:
    path = node.path
    if node.kind in ("text", "cdata"):
        if "text" in path and "section" in path:
            return Decision(NARRATIVE)
        if node.name in _ADDRESS:
            return Decision(_ADDRESS[node.name])
        if node.name in ("prefix", "suffix"):
            return Decision(TEXT)
        if "name" in path:
            return Decision(_whose(path))
    return Decision(TEXT)


def _attribute(node: Node) -> Decision:
    name, owner = node.name.rpartition(":")[2], node.path[-1]
    if node.name.startswith("xmlns"):
        return Decision(KEEP)
    if name in _KEEP:
        return Decision(TEXT if SENTENCE.search(node.text) else KEEP)
    if owner in ("templateId", "typeId", "realmCode"):
        return Decision(KEEP)
    if name == "assigningAuthorityName":
        return Decision("HOSPITAL")
    if name == "root":
        # An OID names a registry; a UUID names this very thing.
        return Decision("IDNUM", shared=True) if _UUID.fullmatch(node.text) else Decision(KEEP)
    if name == "extension":
        return Decision(_id_kind(node.path))
    if name == "value":
        return _value(node, owner)
    return Decision(TEXT)


def _bare_root(node: Node) -> Decision:
    """A root without an extension is the whole identifier, where it identifies anything."""
    identifies = node.path[-1] in ("id", "setId")
    return Decision("IDNUM", shared=True) if identifies else Decision(KEEP)


def _value(node: Node, owner: str) -> Decision:
    if owner == "telecom":
        scheme = _TELECOM.match(node.text)
        if scheme is None:
            return Decision("EMAIL" if "@" in node.text else "PHONE")
        return Decision(_SCHEMES.get(scheme[1].lower(), "PHONE"), scheme.end())
    if owner in _TIMES:
        date = _DATE.match(node.text)
        if date is not None and date.end() >= 4 and node.text[:2] in ("18", "19", "20", "21"):
            return Decision("DATE", 0, date.end())
    day = _DAY.match(node.text)
    if day is not None:
        return Decision("DATE", 0, day.end())
    number_or_anchor = node.text.startswith("#") or not re.search(r"[^\W\d_]{2}", node.text)
    return Decision(KEEP if number_or_anchor else TEXT)


def _id_kind(path: tuple[str, ...]) -> str:
    if "patientRole" in path and "providerOrganization" not in path:
        return "MEDICALRECORD"
    if path[-1] == "id" and len(path) > 1 and path[-2] in ("assignedAuthor", "assignedEntity"):
        return "LICENSE"
    return "IDNUM"


def _whose(path: tuple[str, ...]) -> str:
    for element in reversed(path[: path.index("name")]):
        if "rganization" in element or "ustodian" in element:
            return "HOSPITAL"
        if element in ("location", "healthCareFacility", "serviceProviderOrganization"):
            return "HOSPITAL"
        if element in ("playingEntity", "manufacturedMaterial", "playingDevice", "material"):
            return TEXT
        if element in _PEOPLE:
            return _PEOPLE[element]
    return "PATIENT"
