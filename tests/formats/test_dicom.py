"""DICOM: every attribute of the profile does what the standard says, and pixels show no name."""

from __future__ import annotations

import io
import json
import warnings

import pydicom
import pytest
from pydicom.datadict import dictionary_VR, keyword_for_tag
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian
from tests.conftest import SHARED
from tests.formats.planted import read

from incognote.core.types import Failure, Replacement, Result
from incognote.formats.base import Record
from incognote.formats.dicom_rules import DESCRIPTIONS, decide, profile_action
from incognote.policy import FormatRules

KEEP = FormatRules(images="keep")
NAMES = ["QUILLON", "ADEYEMI", "BRANDVOLD", "7741902", "19580214", "20240311", "FENWICK"]

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def _study(**extra: object) -> bytes:
    item = Dataset()
    item.PatientID = "7741902"
    item.ReferencedSOPInstanceUID = "1.2.3.4.5"
    dataset = Dataset()
    dataset.SOPClassUID = "1.2.840.10008.5.1.4.1.1.7"
    dataset.SOPInstanceUID = "1.2.3.4.5"
    dataset.PatientName = "QUILLON^ADEYEMI^B"
    dataset.PatientID = "7741902"
    dataset.PatientBirthDate = "19580214"
    dataset.StudyDate = "20240311"
    dataset.InstitutionName = "FENWICK GENERAL"
    dataset.ReferringPhysicianName = "BRANDVOLD^T"
    dataset.StudyDescription = "CT HEAD FOR DR BRANDVOLD"
    dataset.PatientComments = "cousin of QUILLON"
    dataset.Modality = "CT"
    dataset.RequestAttributesSequence = [item]
    dataset.add_new(0x00091001, "LO", "QUILLON")
    for keyword, value in extra.items():
        setattr(dataset, keyword, value)
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.file_meta.MediaStorageSOPInstanceUID = "1.2.3.4.5"
    dataset.file_meta.SourceApplicationEntityTitle = "FENWICK"
    buffer = io.BytesIO()
    dataset.save_as(buffer, enforce_file_format=True)
    return buffer.getvalue()


def _surrogates(data: bytes, rules: FormatRules = KEEP) -> pydicom.Dataset:
    """The file with every known value replaced by one of the same kind, and names cut from texts."""
    (record,) = read(data, "x.dcm", rules)
    assert isinstance(record, Record), record
    results = []
    for document in record.documents:
        spans = document.given
        new = document.text
        if spans:
            new = {"DATE": "20240420", "IDNUM": document.text[::-1]}.get(spans[0].label, "OTHER, X")
            swaps = (Replacement(spans[0], new, "test"),)
        else:
            swaps = ()
            for name in NAMES:
                at = document.text.find(name)
                if at >= 0:
                    from incognote.core.types import Span

                    spans = (Span(at, at + len(name), "PATIENT"),)
                    swaps = (Replacement(spans[0], "NN", "test"),)
                    new = document.text.replace(name, "NN")
        results.append(Result(document, spans, (), swaps, new))
    return pydicom.dcmread(io.BytesIO(record.render(results)))


def test_nothing_planted_survives_in_the_bytes():
    out = _surrogates(_study())
    buffer = io.BytesIO()
    out.save_as(buffer)
    assert [name for name in NAMES if name.encode() in buffer.getvalue()] == []


def test_what_a_reader_needs_is_still_there():
    out = _surrogates(_study())
    assert out.StudyDescription == "CT HEAD FOR DR NN"
    assert out.StudyDate == "20240420"
    assert out.PatientName == "OTHER^X"
    assert out.Modality == "CT"
    assert out.PatientIdentityRemoved == "YES"
    assert {item.CodeValue for item in out.DeidentificationMethodCodeSequence} >= {"113100"}


def test_uids_change_and_references_still_resolve():
    out = _surrogates(_study())
    assert out.SOPInstanceUID.startswith("2.25.")
    assert out.file_meta.MediaStorageSOPInstanceUID == out.SOPInstanceUID
    item = out.RequestAttributesSequence[0] if "RequestAttributesSequence" in out else None
    assert item is None or item.ReferencedSOPInstanceUID == out.SOPInstanceUID
    assert out.SOPClassUID == "1.2.840.10008.5.1.4.1.1.7"


def _profile() -> list[dict[str, str]]:
    path = SHARED / "fixtures/dicom_profile/innolitics-confidentiality_profile_attributes.json"
    return json.loads(path.read_text()) if path.exists() else []


@pytest.mark.parametrize("row", _profile(), ids=lambda row: row["id"])
def test_every_attribute_of_the_profile(row):
    if not row["id"][:4].strip("0123456789abcdef"):
        group, element = int(row["id"][:4], 16), int(row["id"][4:], 16)
    elif row["id"].startswith(("50xx", "60xx")):
        group = int(row["id"][:2] + "02", 16)
        element = int(row["id"][4:].replace("x", "0"), 16)
    else:
        group, element = 0x0011, 0x1001
    assert profile_action(group, element) == row["basicProfile"]


@pytest.mark.parametrize("row", _profile(), ids=lambda row: row["id"])
def test_no_attribute_of_the_profile_is_kept_as_it_is(row):
    try:
        tag = int(row["id"], 16)
        vr = dictionary_VR(tag).split(" ")[0]
    except (ValueError, KeyError):
        pytest.skip("a repeating group or private: removed by number, tested above")
    element = pydicom.DataElement(tag, vr, None)
    assert decide(element) != "keep"
    if keyword_for_tag(tag) in DESCRIPTIONS:
        assert "cleanDescOpt" in row or "cleanStructContOpt" in row


FIXTURES = sorted(
    path
    for path in (SHARED / "fixtures/dicom").glob("**/*")
    if path.suffix == ".dcm" or path.name == "pydicom-DICOMDIR"
)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_outside_files_lose_name_and_id(path):
    data = path.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (record,) = read(data, f"{path.stem}.dcm", KEEP)
        if path.name == "pydicom-DICOMDIR":
            assert isinstance(record, Failure)
            return
        before = pydicom.dcmread(io.BytesIO(data))
        out = _surrogates(data)
    for keyword in ("PatientName", "PatientID", "PatientBirthDate", "StudyInstanceUID"):
        old = str(before.get(keyword) or "")
        assert not old or str(out.get(keyword) or "") != old
    assert not [element for element in out if element.tag.is_private]
    assert out.get("PixelData") == before.get("PixelData")


@pytest.mark.parametrize("data", [b"", b"\0" * 128 + b"DICM", b"no"], ids=["empty", "bare", "junk"])
def test_broken_files_are_refused(data):
    (outcome,) = read(data, "x.dcm")
    assert isinstance(outcome, Failure)


class TestPixels:
    @pytest.fixture(autouse=True)
    def _ocr(self):
        pytest.importorskip("rapidocr_onnxruntime", reason="the ocr extra is not installed")

    def test_a_burned_in_name_plate_is_painted_over(self, shared):
        from incognote.formats.ocr import read_picture

        path = shared / "fixtures/dicom/pydicom-data-US1_J2KR.dcm"
        out = _surrogates(path.read_bytes(), FormatRules())
        # One word of the old picture is enough to show that the reader works.
        assert read_picture(pydicom.dcmread(path).pixel_array).lines
        assert read_picture(out.pixel_array).lines == ()
        assert out.BurnedInAnnotation == "NO"
