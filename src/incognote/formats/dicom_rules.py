"""What becomes of each DICOM attribute: PS3.15 Annex E, Basic Profile, with three of its options.

Dates are shifted like every other date of the patient (Retain Longitudinal Temporal Information
with Modified Dates), descriptions are read as text (Clean Descriptors) and so are structured
reports (Clean Structured Content). Everything else does what the table says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from incognote.policy import KEEP, TEXT

REMOVE = "remove"
EMPTY = "empty"
DUMMY = "dummy"
UID = "uid"
RECURSE = "recurse"
EMBEDDED = "embedded"

# How the profile's actions are carried out. Where it leaves a choice by the type of the attribute
# (X/Z, X/D ...), the stronger one that still leaves a valid file is taken.
_ACTIONS = {
    "X": REMOVE,
    "Z": EMPTY,
    "D": DUMMY,
    "U": UID,
    "X/Z": EMPTY,
    "X/D": DUMMY,
    "Z/D": DUMMY,
    "X/Z/D": DUMMY,
    "X/Z/U*": RECURSE,
}
_TEXT_VRS = frozenset(("LO", "LT", "SH", "ST", "UC", "UR", "UT"))
_DATE_VRS = frozenset(("DA", "DT"))

# Values that a reader of the image needs in some form: they get a surrogate instead of nothing.
_LABELS = {
    "PatientID": "MEDICALRECORD",
    "OtherPatientIDs": "MEDICALRECORD",
    "IssuerOfPatientID": "HOSPITAL",
    "PatientAddress": "STREET",
    "PatientTelephoneNumbers": "PHONE",
    "AccessionNumber": "IDNUM",
    "StudyID": "IDNUM",
    "AdmissionID": "IDNUM",
    "InstitutionName": "HOSPITAL",
    "InstitutionAddress": "STREET",
    "InstitutionalDepartmentName": "HOSPITAL",
    "StationName": "DEVICE",
    "DeviceSerialNumber": "DEVICE",
}
# Attributes that the Clean Descriptors and Clean Structured Content options allow to be read
# instead of lost: what was examined, and what the report says.
DESCRIPTIONS = frozenset(
    """StudyDescription SeriesDescription ProtocolName RequestedProcedureDescription
    PerformedProcedureStepDescription ScheduledProcedureStepDescription
    AdmittingDiagnosesDescription DerivationDescription ContrastBolusAgent ImageComments
    AdditionalPatientHistory
    ReasonForStudy ReasonForTheRequestedProcedure TextValue""".split()
)
_PATIENT_NAMES = frozenset(
    """PatientName OtherPatientNames PatientBirthName PatientMotherBirthName
    ResponsiblePerson""".split()
)


@cache
def profile() -> Mapping[str, str]:
    """Attribute (eight hexadecimal digits, lower case) -> action of the Basic Profile."""
    text = files("incognote.formats").joinpath("dicom_profile.json").read_text("utf-8")
    table: dict[str, str] = json.loads(text)
    return table


def profile_action(group: int, element: int) -> str | None:
    """The profile's own word for an attribute; None where it says nothing."""
    if group % 2:
        return "X"
    if group >> 8 == 0x50:
        return "X"
    tag = f"{group:04x}{element:04x}"
    return profile().get(tag) or profile().get(f"{tag[:2]}xx{tag[4:]}")


def decide(element: Any) -> str:
    """What to do with an element: one of the words above, or the label of its value."""
    keyword = element.keyword
    # Private attributes, and those nobody knows, may hold anything.
    if element.tag.is_private or element.VR == "UN":
        return REMOVE
    if keyword == "EncapsulatedDocument":
        return EMBEDDED
    action = profile_action(element.tag.group, element.tag.element)
    if element.VR in _DATE_VRS:
        return "DATE"
    if element.VR == "PN":
        return "PATIENT" if keyword in _PATIENT_NAMES else "DOCTOR"
    if keyword in _LABELS:
        return _LABELS[keyword]
    if element.VR == "SQ" and action in (None, "X/Z/U*", "D", "X/D", "X/Z/D", "Z/D"):
        return RECURSE
    if keyword in DESCRIPTIONS:
        return TEXT
    if action is not None:
        return _ACTIONS[action]
    return TEXT if element.VR in _TEXT_VRS else KEEP


def dummy(vr: str) -> Any:
    """A value that says nothing and fits the representation."""
    if vr in ("IS", "DS", "US", "SS", "UL", "SL", "FL", "FD", "UV", "SV"):
        return 0
    if vr == "TM":
        return "000000"
    if vr in ("OB", "OW", "OD", "OF", "OL", "OV", "UN"):
        return b""
    return "ANONYMIZED" if vr in ("LO", "LT", "SH", "ST", "UC", "UT", "CS", "AE") else ""
