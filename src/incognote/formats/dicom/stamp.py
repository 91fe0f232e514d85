"""What a de-identified DICOM file says of itself: that it is one, and by which rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from incognote.formats.dicom.values import DATE, Value
from incognote.policy import DicomRules

_BASIC = "113100", "Basic Application Confidentiality Profile"
_CLEAN_PIXELS = "113101", "Clean Pixel Data Option"
_FULL_DATES = "113106", "Retain Longitudinal Temporal Information Full Dates Option"
_MODIFIED_DATES = "113107", "Retain Longitudinal Temporal Information Modified Dates Option"
# The codes of PS3.16 for the options, whose names are those of the policy.
_OPTIONS = {
    "clean-visual-features": ("113102", "Clean Recognizable Visual Features Option"),
    "clean-graphics": ("113103", "Clean Graphics Option"),
    "clean-structured-content": ("113104", "Clean Structured Content Option"),
    "clean-descriptors": ("113105", "Clean Descriptors Option"),
    "retain-patient-characteristics": ("113108", "Retain Patient Characteristics Option"),
    "retain-device-identity": ("113109", "Retain Device Identity Option"),
    "retain-uids": ("113110", "Retain UIDs Option"),
    "retain-safe-private": ("113111", "Retain Safe Private Option"),
    "retain-institution-identity": ("113112", "Retain Institution Identity Option"),
}
# What the file meta information must say; the rest says who sent the file where.
_META = frozenset(
    """FileMetaInformationGroupLength FileMetaInformationVersion MediaStorageSOPClassUID
    MediaStorageSOPInstanceUID TransferSyntaxUID""".split()
)


def stamp(
    dataset: Any, rules: DicomRules, values: Sequence[Value], *, cleaned_pixels: bool
) -> None:
    dates, word = _dates(rules, values)
    codes = [_BASIC, *([_CLEAN_PIXELS] if cleaned_pixels else []), *dates]
    codes += [_OPTIONS[option] for option in rules.options if option in _OPTIONS]
    dataset.PatientIdentityRemoved = "YES"
    dataset.DeidentificationMethod = "incognote: DICOM PS3.15 Basic Profile"
    dataset.DeidentificationMethodCodeSequence = [_item(*code) for code in sorted(codes)]
    dataset.LongitudinalTemporalInformationModified = word
    if cleaned_pixels:
        dataset.BurnedInAnnotation = "NO"
    if "clean-visual-features" in rules.options:
        dataset.RecognizableVisualFeatures = "NO"
    meta = dataset.file_meta
    meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID
    for element in list(meta):
        # The library that writes the file names itself where no other name is given.
        if element.keyword not in _META:
            del meta[element.tag]
    dataset.preamble = b"\0" * 128


def _dates(rules: DicomRules, values: Sequence[Value]) -> tuple[list[tuple[str, str]], str]:
    """What became of the dates, by what happened to them: a policy may keep, shift or lose them."""
    if "retain-full-dates" in rules.options:
        return [_FULL_DATES], "UNMODIFIED"
    dates = [value for value in values if value.kind == DATE]
    if "retain-modified-dates" not in rules.options or not all(value.new for value in dates):
        return [], "REMOVED"
    if dates and all(value.new[:8] == value.old for value in dates):
        return [_FULL_DATES], "UNMODIFIED"
    return [_MODIFIED_DATES], "MODIFIED"


def _item(code: str, meaning: str) -> Any:
    from pydicom.dataset import Dataset

    item = Dataset()
    item.CodeValue, item.CodingSchemeDesignator, item.CodeMeaning = code, "DCM", meaning
    return item
