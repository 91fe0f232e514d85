"""DICOM: every attribute of the profile does what the standard says."""

from __future__ import annotations

import io
import json
import struct
import warnings

import pydicom
import pytest
from pydicom.datadict import dictionary_VR
from pydicom.dataset import Dataset
from tests.conftest import SHARED
from tests.formats.kit.dicoms import KEEP, NAMES, codes, study, surrogates

from incognote.core.types import Failure, Replacement, Result
from incognote.formats.base import Record
from incognote.formats.dicom.rules import Profile, profile, profile_row
from incognote.policy import DicomRules, FormatRules
from incognote.testing.formats import read

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def test_nothing_planted_survives_in_the_bytes():
    out = surrogates(study())
    buffer = io.BytesIO()
    out.save_as(buffer)
    assert [name for name in NAMES if name.encode() in buffer.getvalue()] == []


def test_what_a_reader_needs_is_still_there():
    out = surrogates(study())
    assert out.StudyDescription == "CT HEAD FOR DR NN"
    assert out.StudyDate == "20240420"
    assert out.PatientName == "OTHER^X"
    assert out.Modality == "CT"
    assert out.PatientIdentityRemoved == "YES"
    assert {item.CodeValue for item in out.DeidentificationMethodCodeSequence} >= {"113100"}


def test_surrogates_fit_their_attributes():
    out = surrogates(study(AccessionNumber="7741902", StudyDescription="for QUILLON " * 6))
    assert len(out.AccessionNumber) <= 16
    long = study(StationName="FENWICK CT 1")
    (record,) = read(long, "x.dcm", KEEP)
    results = [
        Result(d, d.given, (), tuple(Replacement(s, "4" * 40, "x") for s in d.given), "4" * 40)
        if d.given
        else Result(d, (), text=d.text)
        for d in record.documents
    ]
    assert len(pydicom.dcmread(io.BytesIO(record.render(results))).StationName) == 16


def test_uids_change_and_references_still_resolve():
    out = surrogates(study())
    assert out.SOPInstanceUID != "1.2.3.4.5"
    assert out.file_meta.MediaStorageSOPInstanceUID == out.SOPInstanceUID
    item = out.RequestAttributesSequence[0] if "RequestAttributesSequence" in out else None
    assert item is None or item.ReferencedSOPInstanceUID == out.SOPInstanceUID
    assert out.SOPClassUID == "1.2.840.10008.5.1.4.1.1.7"


def _profile() -> list[dict[str, str]]:
    path = SHARED / "fixtures/dicom_profile/innolitics-confidentiality_profile_attributes.json"
    return json.loads(path.read_text()) if path.exists() else []


@pytest.mark.parametrize("row", _profile(), ids=lambda row: row["id"])
def test_every_attribute_of_the_profile(row):
    if row["id"].startswith("gggg"):
        assert Profile(DicomRules()).decide(Dataset(), _element(0x00111001, "LO")) == "remove"
        return
    tag = int(row["id"].replace("50xxxxxx", "50020010").replace("xx", "02"), 16)
    own = profile_row(tag >> 16, tag & 0xFFFF)
    assert own["basic"] == row["basicProfile"]
    columns = {
        "cleanDescOpt": "clean-descriptors",
        "cleanStructContOpt": "clean-structured-content",
        "rtnDevIdOpt": "retain-device-identity",
        "rtnInstIdOpt": "retain-institution-identity",
        "rtnLongFullDatesOpt": "retain-full-dates",
        "rtnLongModifDatesOpt": "retain-modified-dates",
        "rtnPatCharsOpt": "retain-patient-characteristics",
        "rtnUIDsOpt": "retain-uids",
    }
    assert {option: own.get(option) for option in columns.values()} == {
        option: row.get(column) for column, option in columns.items()
    }


def _element(tag: int, vr: str) -> pydicom.DataElement:
    return pydicom.DataElement(tag, vr, None)


def _standard() -> list[tuple[int, str]]:
    found = []
    for tag in profile():
        try:
            found.append((int(tag, 16), dictionary_VR(int(tag, 16)).split(" ")[0]))
        except (ValueError, KeyError):
            continue  # a repeating group, tested above, or newer than the library
    return found


# What each action of the profile may come to, without any option.
ALLOWED = {
    "X": {"remove"},
    "Z": {"empty", "label"},
    "D": {"dummy", "label", "recurse-dummy"},
    "U": {"uid"},
    "X/Z": {"empty", "label"},
    "X/D": {"dummy", "label", "recurse-dummy"},
    "Z/D": {"dummy", "label", "recurse-dummy"},
    "X/Z/D": {"dummy", "label", "recurse-dummy"},
    "X/Z/U*": {"recurse"},
}


@pytest.mark.parametrize(("tag", "vr"), _standard(), ids=lambda value: f"{value:08x}" if isinstance(value, int) else value)  # fmt: skip
def test_every_action_is_carried_out(tag, vr):
    row = profile_row(tag >> 16, tag & 0xFFFF)
    decided = Profile(DicomRules(options=())).decide(Dataset(), _element(tag, vr))
    if vr == "UN" or decided == "embedded":
        return
    assert ("label" if decided.isupper() else decided) in ALLOWED[row["basic"]]
    for option, action in row.items():
        if option == "basic":
            continue
        chosen = Profile(DicomRules(options=(option,))).decide(Dataset(), _element(tag, vr))
        if action == "K":
            assert chosen in ("keep", "recurse")
        else:
            assert chosen in ("DATE", "DOCTOR", "text", "value", "recurse-clean", "remove", "keep")
            assert chosen != "keep" or vr in ("TM", "CS")


def test_the_more_careful_of_two_options_wins():
    both = DicomRules(options=("retain-device-identity", "retain-modified-dates"))
    calibrated = _element(0x00181200, "DA")
    assert Profile(both).decide(Dataset(), calibrated) == "DATE"


def _options(*options: str, **more) -> FormatRules:
    return FormatRules(images="keep", dicom=DicomRules(options=options, **more))


def test_the_file_says_which_options_were_applied():
    out = surrogates(study(), _options("retain-uids", "retain-institution-identity"))
    assert codes(out) == {"113100", "113110", "113112"}
    assert out.SOPInstanceUID == "1.2.3.4.5"
    assert out.InstitutionName == "FENWICK GENERAL"
    assert out.LongitudinalTemporalInformationModified == "REMOVED"
    assert out.StudyDate == ""
    assert "StudyDescription" not in out


def test_full_dates():
    out = surrogates(study(StudyTime="101500"), _options("retain-full-dates"))
    assert (out.StudyDate, out.StudyTime) == ("20240311", "101500")
    assert "113106" in codes(out)
    assert out.LongitudinalTemporalInformationModified == "UNMODIFIED"


def test_shifted_dates_keep_their_time_of_day():
    out = surrogates(study(StudyTime="101500", AcquisitionDateTime="20240311101500.5"))
    assert (out.StudyDate, out.StudyTime) == ("20240420", "101500")
    assert out.AcquisitionDateTime == "20240420101500.5"
    assert "113107" in codes(out)
    assert out.LongitudinalTemporalInformationModified == "MODIFIED"


def test_where_dates_become_tags_the_file_claims_no_dates():
    (record,) = read(study(), "x.dcm", KEEP)
    results = []
    for document in record.documents:
        given = document.given[0] if document.given else None
        text = document.text
        if given:
            text = "[DATE]" if given.label == "DATE" else document.text[::-1]
        swaps = (Replacement(given, text, "tag"),) if given else ()
        results.append(Result(document, document.given, (), swaps, text))
    out = pydicom.dcmread(io.BytesIO(record.render(results)))
    assert (out.StudyDate, out.PatientBirthDate) == ("", "")
    assert "113107" not in codes(out)
    assert out.LongitudinalTemporalInformationModified == "REMOVED"


def test_patient_characteristics_without_ages_above_89():
    data = study(PatientAge="093Y", PatientSex="F", PatientWeight="71")
    assert "PatientAge" not in surrogates(data)
    out = surrogates(data, _options("retain-patient-characteristics"))
    assert (out.PatientAge, out.PatientSex, out.PatientWeight) == ("090Y", "F", 71)


def test_private_attributes_that_are_listed_safe_stay():
    dataset = pydicom.dcmread(io.BytesIO(study()))
    block = dataset.private_block(0x0019, "ACME 1.1", create=True)
    block.add_new(0x23, "DS", "1.5")
    block.add_new(0x24, "LO", "QUILLON")
    block.add_new(0x25, "LO", "QUILLON")
    buffer = io.BytesIO()
    dataset.save_as(buffer)
    rules = _options("retain-safe-private", safe_private=("0019,ACME 1.1,23", "0019,ACME 1.1,24"))
    out = surrogates(buffer.getvalue(), rules)
    kept = out.private_block(0x0019, "ACME 1.1")
    assert kept[0x23].value == 1.5
    assert kept[0x24].value == "NN"
    assert 0x25 not in kept
    assert "113111" in codes(out)
    without = surrogates(buffer.getvalue(), _options(safe_private=("0019,ACME 1.1,23",)))
    assert not [element for element in without if element.tag.is_private]


def test_annotations_are_read_where_graphics_are_cleaned():
    text, note = Dataset(), Dataset()
    text.UnformattedTextValue = "seen by BRANDVOLD"
    note.TextObjectSequence = [text]
    data = study(GraphicAnnotationSequence=[note])

    def said(out: pydicom.Dataset) -> str:
        return out.GraphicAnnotationSequence[0].TextObjectSequence[0].UnformattedTextValue

    assert said(surrogates(data)) == "ANONYMIZED"
    assert said(surrogates(data, _options("clean-graphics"))) == "seen by NN"


def test_structured_reports_are_made_up_unless_they_are_read():
    item = Dataset()
    item.TextValue = "Report for BRANDVOLD"
    data = study(ContentSequence=[item])
    assert surrogates(data).ContentSequence[0].TextValue == "Report for NN"
    assert surrogates(data, _options()).ContentSequence[0].TextValue == "ANONYMIZED"


@pytest.mark.parametrize(
    ("extra", "refused"),
    [
        ({"BodyPartExamined": "HEAD"}, True),
        ({}, True),
        ({"BodyPartExamined": "KNEE"}, False),
        ({"Modality": "XC"}, True),
        ({"Modality": "US"}, False),
        ({"BodyPartExamined": "KNEE", "RecognizableVisualFeatures": "YES"}, True),
    ],
)
def test_what_may_show_a_face_is_refused_where_the_policy_asks(extra, refused):
    (outcome,) = read(study(**extra), "x.dcm", _options("clean-visual-features"))
    assert isinstance(outcome, Failure) == refused


FIXTURES = sorted(
    path
    for path in (SHARED / "fixtures/dicom").glob("**/*")
    if path.suffix == ".dcm" or path.name == "pydicom-DICOMDIR"
)


# A directory, and two pictures without their pixels.
REFUSED = ("pydicom-DICOMDIR", "presidio-0_ORIGINAL_no_pixels.dcm", "chrKoreanMulti.dcm")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_outside_files_lose_name_and_id(path):
    data = path.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (record,) = read(data, f"{path.stem}.dcm", KEEP)
        if path.name in REFUSED:
            assert isinstance(record, Failure)
            return
        before = pydicom.dcmread(io.BytesIO(data))
        out = surrogates(data)
    for keyword in ("PatientName", "PatientID", "PatientBirthDate", "StudyInstanceUID"):
        old = str(before.get(keyword) or "")
        assert not old or str(out.get(keyword) or "") != old
    assert not [element for element in out if element.tag.is_private]
    if "PixelData" in before:
        assert (out.pixel_array == before.pixel_array).all()


def _in_syntax(uid: str) -> bytes:
    return study().replace(b"1.2.840.10008.1.2.1\0", uid.encode().ljust(20, b"\0"))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not a DICOM file"),
        (b"\0" * 128 + b"DICM", "transfer syntax"),
        (b"no", "not a DICOM file"),
        (study()[:-3], "truncated"),
        (study(Rows=2, Columns=2), "pixels are missing"),
        (_in_syntax("1.2.840.10008.1.2.77"), "transfer syntax"),
        (_in_syntax("1.2.3.4"), "transfer syntax"),
        (_in_syntax("1.2.3\\1.2.4"), "not a DICOM file"),
    ],
    ids=[
        "empty",
        "bare",
        "junk",
        "truncated",
        "no pixels",
        "unknown syntax",
        "private syntax",
        "two syntaxes",
    ],
)
def test_broken_files_are_refused(data, why):
    (outcome,) = read(data, "x.dcm")
    assert isinstance(outcome, Failure)
    assert why in outcome.message


def _nested(depth: int) -> bytes:
    """A data set that lies in itself, written by hand: the library would not."""
    inner = struct.pack("<HH2sHI", 0x40, 0xA160, b"UT", 0, 8) + b"QUILLON "
    for _ in range(depth):
        item = struct.pack("<HHI", 0xFFFE, 0xE000, len(inner)) + inner
        inner = struct.pack("<HH2sHI", 0x40, 0xA730, b"SQ", 0, len(item)) + item
    return study() + inner


def test_sequences_without_end_are_refused():
    (outcome,) = read(_nested(1000), "x.dcm", KEEP)
    assert "too deeply" in outcome.message
    assert isinstance(read(_nested(20), "x.dcm", KEEP)[0], Record)


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        pytest.param("BodyPartExamined", "Knee of QUILLON", id="a code that is none"),
        pytest.param("BodyPartExamined", "KNEE QUILLON", id="a code that names the patient"),
        pytest.param("StudyTime", "QUILLON", id="a time that is none"),
        pytest.param("TargetFrameOfReferenceUID", "1.2.7741902.4", id="a UID nobody lists"),
        pytest.param("StudyDate", "20240101-20240311", id="the second date of a range"),
        pytest.param("Signature", b"QUILLON ", id="bytes that may say anything"),
        pytest.param("HPGLDocument", b"QUILLON ", id="a drawing of text"),
        pytest.param("DataSetTrailingPadding", b"QUILLON ", id="padding"),
    ],
)
def test_odd_corners_of_the_header(keyword, value):
    out = surrogates(study(**{keyword: value}))
    buffer = io.BytesIO()
    out.save_as(buffer)
    assert [name for name in NAMES if name.encode() in buffer.getvalue()] == []


def test_codes_and_definitions_stay():
    out = surrogates(study(BodyPartExamined="KNEE", CodingSchemeUID="2.16.840.1.113883.6.96"))
    assert out.BodyPartExamined == "KNEE"
    assert out.CodingSchemeUID == "2.16.840.1.113883.6.96"


def test_products_and_codes_of_catalogues_are_not_read():
    def code(designator: str) -> Dataset:
        item = Dataset()
        item.CodeValue, item.CodingSchemeDesignator, item.CodeMeaning = "T-1", designator, "Knee"
        return item

    data = study(
        Manufacturer="SIEMENS",
        ManufacturerModelName="of QUILLON",
        AnatomicRegionSequence=[code("SRT"), code("99FENWICK")],
    )
    texts = [d.text for d in read(data, "x.dcm", KEEP)[0].documents if d.free_text]
    assert not [text for text in texts if "SIEMENS" in text]
    assert "Manufacturer Model Name: of QUILLON" in texts
    assert [text for text in texts if text.endswith(("T-1", "Knee"))] == [
        "Code Value: T-1",
        "Code Meaning: Knee",
    ]
    out = surrogates(data)
    assert (out.Manufacturer, out.ManufacturerModelName) == ("SIEMENS", "of NN")


@pytest.mark.parametrize(
    ("age", "told"),
    [("089Y", "089Y"), ("5Y", "5Y"), ("101Y", "090Y"), ("030M", "030M"), ("Quillon", "")],
)
def test_ages(age, told):
    out = surrogates(study(PatientAge=age), _options("retain-patient-characteristics"))
    assert out.PatientAge == told


def test_another_file_in_the_preamble_and_the_meta_information():
    dataset = pydicom.dcmread(io.BytesIO(study()))
    dataset.preamble = b"II*\0 QUILLON".ljust(128, b"\0")
    dataset.file_meta.ImplementationVersionName = "FENWICK"
    dataset.file_meta.add_new(0x00020026, "UR", "dicom://FENWICK")
    buffer = io.BytesIO()
    dataset.save_as(buffer)
    (record,) = read(buffer.getvalue(), "x.dcm", KEEP)
    results = [Result(d, (), text="7" if d.given else d.text) for d in record.documents]
    out = record.render(results)
    assert out.startswith(b"\0" * 128)
    assert b"FENWICK" not in out[: out.index(b"\x08\0")]


def test_texts_are_told_whose_file_it_is():
    (record,) = read(study(), "x.dcm", KEEP)
    (said,) = [d for d in record.documents if "CT HEAD" in d.text]
    assert ("PATIENT", "QUILLON, ADEYEMI B") in said.known
    assert said.text[said.lead :] == "CT HEAD FOR DR BRANDVOLD"


def test_a_document_within_shares_patient_and_length():
    data = study(
        EncapsulatedDocument=b"Seen with QUILLON again\0",
        EncapsulatedDocumentLength=23,
        MIMETypeOfEncapsulatedDocument="text/plain",
    )
    (record,) = read(data, "x.dcm", KEEP)
    (inner,) = [d for d in record.documents if d.text.startswith("Seen")]
    assert inner.patient_id == "7741902"
    assert ("PATIENT", "QUILLON, ADEYEMI B") in inner.known
    out = surrogates(data)
    assert bytes(out.EncapsulatedDocument).rstrip(b"\0") == b"Seen with NN again"
    assert out.EncapsulatedDocumentLength == 18


def test_voices_are_refused():
    (outcome,) = read(study(SOPClassUID="1.2.840.10008.5.1.4.1.1.9.4.1"), "x.dcm", KEEP)
    assert "voice" in outcome.message


def test_dicom_values_do_not_reach_warnings_or_logs(caplog):
    data = study().replace(b"19580214", b"14021958")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (record,) = read(data, "x.dcm", FormatRules(images="keep"))
    assert isinstance(record, Record)
    assert "1958" not in caplog.text


def test_a_dicomdir_is_named_as_one(shared):
    (outcome,) = read((shared / "fixtures/dicom/pydicom-DICOMDIR").read_bytes(), "x.dcm")
    assert "DICOMDIR" in outcome.message


def test_pydicom_reads_what_was_written():
    out = surrogates(study())
    buffer = io.BytesIO()
    out.save_as(buffer, enforce_file_format=True)
    assert pydicom.dcmread(io.BytesIO(buffer.getvalue())).PatientName == "OTHER^X"
