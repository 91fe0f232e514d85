"""What becomes of each DICOM attribute: PS3.15 Annex E, the Basic Profile and the options chosen.

The table in profile.json has the profile's action for each attribute and, beside it, what
each option does instead: K keeps it, C cleans it. Where two options that were chosen disagree, the
more careful one wins.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

from incognote.core.caches import once
from incognote.core.fields import is_public_code_system
from incognote.formats.clinical import VALUE
from incognote.policy import KEEP, TEXT, DicomRules

REMOVE = "remove"
EMPTY = "empty"
DUMMY = "dummy"
UID = "uid"
EMBEDDED = "embedded"
# Sequences: their items are treated like the rest, or what they say is cleaned, or made up.
RECURSE = "recurse"
RECURSE_CLEAN = "recurse-clean"
RECURSE_DUMMY = "recurse-dummy"

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
_TEXT_VRS = frozenset(("AE", "LO", "LT", "SH", "ST", "UC", "UR", "UT"))
_DATE_VRS = frozenset(("DA", "DT"))
_NUMBER_VRS = frozenset(("IS", "DS", "US", "SS", "UL", "SL", "FL", "FD", "UV", "SV"))
_BYTE_VRS = frozenset(("OB", "OW", "OD", "OF", "OL", "OV", "UN"))
# Bytes that the profile does not mention and that are measured, counted or drawn. Others (keys,
# signatures, plots of a printer) may say anything.
_KEPT_BYTES = frozenset(
    """PixelData ICCProfile WaveformData ChannelMinimumValue ChannelMaximumValue
    WaveformPaddingValue FillPattern WeightingLookupTableData""".split()
)
# UIDs that name definitions: all others that the profile does not list name things of the hospital.
_DEFINITION = re.compile(
    r"SOPClass|TransferSyntax|CodingScheme|ContextUID|MappingResource|CreatorVersion|Template"
)
# Groups that may hold an overlay.
OVERLAYS = range(0x6000, 0x6020, 2)
# What a code, a time of day or an age looks like; anything else in their place is no such thing.
_FITTING = {
    "CS": re.compile(r"[A-Z0-9_ ]{0,16}"),
    "TM": re.compile(r"[\d.:]{0,16}"),
    "AS": re.compile(r"\d{1,3}[DWMY]"),
}

# Values that a reader of the image needs in some form: where the profile allows a dummy, they get a
# surrogate, the same one in all files of the patient.
_LABELS = {
    "PatientID": "MEDICALRECORD",
    "AccessionNumber": "IDNUM",
    "StudyID": "IDNUM",
    "InstitutionName": "HOSPITAL",
    "StationName": "DEVICE",
    "DeviceSerialNumber": "DEVICE",
}
_PATIENT_NAMES = frozenset(
    """PatientName OtherPatientNames PatientBirthName PatientMotherBirthName
    ResponsiblePerson""".split()
)


# Products, which the profile leaves alone: readers need them, and detectors take them for people.
_PRODUCTS = frozenset(
    """Manufacturer ManufacturerModelName SoftwareVersions ConvolutionKernel SequenceName
    PulseSequenceName ReceiveCoilName TransmitCoilName""".split()
)
# What catalogues of the world say; local ones (99...) may list the doctors of the house.
_CODES = frozenset("CodeValue LongCodeValue CodeMeaning".split())
_SCHEMES = frozenset("CodingSchemeDesignator CodingSchemeVersion".split())
# Short texts that may name people, places or cases; all others describe a technique.
_PERSONAL = re.compile(
    r"Comments?$|Location|Address|Department|Institution|Person|Physician|Operator|Patient|Names?Of|"
    r"Issuer|Reason|History|Owner|Request|Station|AETitle|Contact|Telephone|Email|URL|Author|"
    r"Reviewer|Observer|Organization|Site|Number$|Identifier$|Facility|Content(?:Label|Description)|"
    r"Occupation|Ethnic|Religio|SpecialNeeds|Episode|Visit|Admission|Admitting|Discharge"
)


@once
def profile() -> Mapping[str, Mapping[str, str]]:
    """Attribute (eight hexadecimal digits, lower case) -> `basic` and the options with a say."""
    text = files("incognote.formats.dicom").joinpath("profile.json").read_text("utf-8")
    table: dict[str, dict[str, str]] = json.loads(text)
    return table


def profile_row(group: int, element: int) -> Mapping[str, str]:
    """The profile's words for a standard attribute; nothing where it has none."""
    if group >> 8 == 0x50:
        return profile()["50xx0000"]
    tag = f"{group:04x}{element:04x}"
    return profile().get(tag) or profile().get(f"{tag[:2]}xx{tag[4:]}") or {}


@dataclass(frozen=True)
class Profile:
    """The Basic Profile with the options of a policy."""

    rules: DicomRules

    @cached_property
    def _safe(self) -> frozenset[tuple[int, str, int]]:
        if "retain-safe-private" not in self.rules.options:
            return frozenset()
        rows = (row.split(",") for row in self.rules.safe_private)
        return frozenset(
            (int(group, 16), creator.strip(), int(element, 16)) for group, creator, element in rows
        )

    def decide(self, dataset: Any, element: Any, inside: str = "") -> str:
        """What to do with an element: one of the words above, or the label of its value.

        `inside` is how the sequence around it is treated.
        """
        decision = self._decide(dataset, element)
        if inside == RECURSE_DUMMY and decision == TEXT:
            return DUMMY
        if inside == RECURSE_CLEAN and decision == DUMMY and element.VR in _TEXT_VRS:
            return _read(element)
        return decision

    def _decide(self, dataset: Any, element: Any) -> str:
        if element.tag.is_private:
            return self._private(dataset, element)
        # Unknown attributes may hold anything.
        if element.VR == "UN":
            return REMOVE
        if element.keyword == "EncapsulatedDocument":
            return EMBEDDED
        row = profile_row(element.tag.group, element.tag.element)
        said = {row[option] for option in self.rules.options if option in row}
        if "C" in said:
            return _clean(element)
        if "K" in said:
            return RECURSE if element.VR == "SQ" else KEEP
        if element.VR in _DATE_VRS and row.get("basic") != "X":
            return self._date(row.get("basic"))
        if element.keyword in _CODES and is_public_code_system(
            str(dataset.get("CodingSchemeDesignator") or "")
        ):
            return KEEP
        if element.keyword in _SCHEMES:
            return KEEP
        if not row and element.VR == "UI":
            return KEEP if self._keeps_uid(element.keyword) else UID
        return _basic(element, row.get("basic"))

    def _keeps_uid(self, keyword: str) -> bool:
        return "retain-uids" in self.rules.options or _DEFINITION.search(keyword) is not None

    def _date(self, action: str | None) -> str:
        """A date that no option mentions: shifted with the others, it is the dummy asked for."""
        if "retain-modified-dates" in self.rules.options:
            return "DATE"
        if action is None:
            return KEEP if "retain-full-dates" in self.rules.options else EMPTY
        return _ACTIONS[action]

    def _private(self, dataset: Any, element: Any) -> str:
        group, number = element.tag.group, element.tag.element
        if element.tag.is_private_creator:
            listed = {(group, creator) for group, creator, _ in self._safe}
            return KEEP if (group, str(element.value).strip()) in listed else REMOVE
        owner = dataset.get((group, number >> 8))
        creator = str(owner.value).strip() if owner is not None else ""
        return _clean(element) if (group, creator, number & 0xFF) in self._safe else REMOVE


def _clean(element: Any) -> str:
    """Similar in meaning, without identity: read where it is text, shifted where it is a date."""
    if element.VR == "SQ":
        return RECURSE_CLEAN
    if element.VR in _DATE_VRS:
        return "DATE"
    if element.VR == "PN":
        return "DOCTOR"
    if element.VR == "UI":
        return UID
    if element.VR in _BYTE_VRS and not element.tag.is_private:
        # Overlays are cleaned with the pixels; of curves and other bytes nothing can be read.
        return KEEP if element.tag.group in OVERLAYS else REMOVE
    # A shift by whole days leaves the time of day as it is.
    return _read(element) if element.VR in _TEXT_VRS else KEEP


def _read(element: Any) -> str:
    """How a text is read: a short one that describes a technique is a clinical value."""
    is_short = element.VR in ("LO", "SH") and not element.tag.is_private
    return VALUE if is_short and not _PERSONAL.search(element.keyword) else TEXT


def _basic(element: Any, action: str | None) -> str:
    keyword = element.keyword
    if action == "X":
        return REMOVE
    if element.VR == "PN":
        return "PATIENT" if keyword in _PATIENT_NAMES else "DOCTOR"
    if keyword in _LABELS:
        return _LABELS[keyword]
    if action is None:
        if element.VR == "SQ":
            return RECURSE
        if element.VR == "OB" and keyword not in _KEPT_BYTES:
            return REMOVE
        return _read(element) if element.VR in _TEXT_VRS and keyword not in _PRODUCTS else KEEP
    if element.VR == "SQ" and _ACTIONS[action] == DUMMY:
        return RECURSE_DUMMY
    return _ACTIONS[action]


def fits(vr: str, value: str) -> bool:
    """Whether a value that would be kept is of the kind that its representation promises."""
    return vr not in _FITTING or _FITTING[vr].fullmatch(value.strip(" \0")) is not None


def dummy(vr: str) -> Any:
    """A value that says nothing and fits the representation."""
    if vr in _NUMBER_VRS:
        return 0
    if vr in _BYTE_VRS:
        return b""
    fixed = {"AS": "000Y", "DA": "19000101", "DT": "19000101", "TM": "000000"}
    return fixed.get(vr) or ("ANONYMIZED" if vr in _TEXT_VRS or vr == "CS" else "")
