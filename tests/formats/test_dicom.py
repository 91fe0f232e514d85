"""DICOM: every attribute of the profile does what the standard says, and pixels show no name."""

from __future__ import annotations

import io
import json
import struct
import warnings

import pydicom
import pytest
from pydicom.datadict import dictionary_VR
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import (
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    JPEG2000Lossless,
    JPEGBaseline8Bit,
)
from tests.conftest import SHARED
from tests.formats.planted import read

from incognote.core.errors import ReadError
from incognote.core.types import Failure, Replacement, Result
from incognote.formats.base import Record
from incognote.formats.dicom_rules import Profile, profile, profile_row
from incognote.policy import DicomRules, FormatRules

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


def test_surrogates_fit_their_attributes():
    out = _surrogates(_study(AccessionNumber="7741902", StudyDescription="for QUILLON " * 6))
    assert len(out.AccessionNumber) <= 16
    long = _study(StationName="FENWICK CT 1")
    (record,) = read(long, "x.dcm", KEEP)
    results = [
        Result(d, d.given, (), tuple(Replacement(s, "4" * 40, "x") for s in d.given), "4" * 40)
        if d.given
        else Result(d, (), text=d.text)
        for d in record.documents
    ]
    assert len(pydicom.dcmread(io.BytesIO(record.render(results))).StationName) == 16


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
            assert chosen in ("DATE", "DOCTOR", "text", "recurse-clean", "remove", "keep")
            assert chosen != "keep" or vr in ("TM", "CS")


def test_the_more_careful_of_two_options_wins():
    both = DicomRules(options=("retain-device-identity", "retain-modified-dates"))
    calibrated = _element(0x00181200, "DA")
    assert Profile(both).decide(Dataset(), calibrated) == "DATE"


def _options(*options: str, **more) -> FormatRules:
    return FormatRules(images="keep", dicom=DicomRules(options=options, **more))


def _codes(out: pydicom.Dataset) -> set[str]:
    return {item.CodeValue for item in out.DeidentificationMethodCodeSequence}


def test_the_file_says_which_options_were_applied():
    out = _surrogates(_study(), _options("retain-uids", "retain-institution-identity"))
    assert _codes(out) == {"113100", "113110", "113112"}
    assert out.SOPInstanceUID == "1.2.3.4.5"
    assert out.InstitutionName == "FENWICK GENERAL"
    assert out.LongitudinalTemporalInformationModified == "REMOVED"
    assert out.StudyDate == ""
    assert "StudyDescription" not in out


def test_full_dates():
    out = _surrogates(_study(StudyTime="101500"), _options("retain-full-dates"))
    assert (out.StudyDate, out.StudyTime) == ("20240311", "101500")
    assert "113106" in _codes(out)
    assert out.LongitudinalTemporalInformationModified == "UNMODIFIED"


def test_shifted_dates_keep_their_time_of_day():
    out = _surrogates(_study(StudyTime="101500", AcquisitionDateTime="20240311101500.5"))
    assert (out.StudyDate, out.StudyTime) == ("20240420", "101500")
    assert out.AcquisitionDateTime == "20240420101500.5"
    assert "113107" in _codes(out)
    assert out.LongitudinalTemporalInformationModified == "MODIFIED"


def test_where_dates_become_tags_the_file_claims_no_dates():
    (record,) = read(_study(), "x.dcm", KEEP)
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
    assert "113107" not in _codes(out)
    assert out.LongitudinalTemporalInformationModified == "REMOVED"


def test_patient_characteristics_without_ages_above_89():
    data = _study(PatientAge="093Y", PatientSex="F", PatientWeight="71")
    assert "PatientAge" not in _surrogates(data)
    out = _surrogates(data, _options("retain-patient-characteristics"))
    assert (out.PatientAge, out.PatientSex, out.PatientWeight) == ("090Y", "F", 71)


def test_private_attributes_that_are_listed_safe_stay():
    dataset = pydicom.dcmread(io.BytesIO(_study()))
    block = dataset.private_block(0x0019, "ACME 1.1", create=True)
    block.add_new(0x23, "DS", "1.5")
    block.add_new(0x24, "LO", "QUILLON")
    block.add_new(0x25, "LO", "QUILLON")
    buffer = io.BytesIO()
    dataset.save_as(buffer)
    rules = _options("retain-safe-private", safe_private=("0019,ACME 1.1,23", "0019,ACME 1.1,24"))
    out = _surrogates(buffer.getvalue(), rules)
    kept = out.private_block(0x0019, "ACME 1.1")
    assert kept[0x23].value == 1.5
    assert kept[0x24].value == "NN"
    assert 0x25 not in kept
    assert "113111" in _codes(out)
    without = _surrogates(buffer.getvalue(), _options(safe_private=("0019,ACME 1.1,23",)))
    assert not [element for element in without if element.tag.is_private]


def test_annotations_are_read_where_graphics_are_cleaned():
    text, note = Dataset(), Dataset()
    text.UnformattedTextValue = "seen by BRANDVOLD"
    note.TextObjectSequence = [text]
    data = _study(GraphicAnnotationSequence=[note])

    def said(out: pydicom.Dataset) -> str:
        return out.GraphicAnnotationSequence[0].TextObjectSequence[0].UnformattedTextValue

    assert said(_surrogates(data)) == "ANONYMIZED"
    assert said(_surrogates(data, _options("clean-graphics"))) == "seen by NN"


def test_structured_reports_are_made_up_unless_they_are_read():
    item = Dataset()
    item.TextValue = "Report for BRANDVOLD"
    data = _study(ContentSequence=[item])
    assert _surrogates(data).ContentSequence[0].TextValue == "Report for NN"
    assert _surrogates(data, _options()).ContentSequence[0].TextValue == "ANONYMIZED"


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
    (outcome,) = read(_study(**extra), "x.dcm", _options("clean-visual-features"))
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
        out = _surrogates(data)
    for keyword in ("PatientName", "PatientID", "PatientBirthDate", "StudyInstanceUID"):
        old = str(before.get(keyword) or "")
        assert not old or str(out.get(keyword) or "") != old
    assert not [element for element in out if element.tag.is_private]
    if "PixelData" in before:
        assert (out.pixel_array == before.pixel_array).all()


def _in_syntax(uid: str) -> bytes:
    return _study().replace(b"1.2.840.10008.1.2.1\0", uid.encode().ljust(20, b"\0"))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not a DICOM file"),
        (b"\0" * 128 + b"DICM", "transfer syntax"),
        (b"no", "not a DICOM file"),
        (_study()[:-3], "truncated"),
        (_study(Rows=2, Columns=2), "pixels are missing"),
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


@pytest.mark.parametrize(("ground", "ink"), [(0, 200), (230, 20)], ids=["bright", "dark"])
def test_every_frame_counts(ground, ink):
    np = pytest.importorskip("numpy")
    from incognote.formats.dicom_pixels import _representative

    frames = np.full((50, 4, 4, 1), ground, dtype=np.uint8)
    frames[33, 2, 3] = ink
    assert any((picture == ink).any() for picture in _representative(frames))


def _nested(depth: int) -> bytes:
    """A data set that lies in itself, written by hand: the library would not."""
    inner = struct.pack("<HH2sHI", 0x40, 0xA160, b"UT", 0, 8) + b"QUILLON "
    for _ in range(depth):
        item = struct.pack("<HHI", 0xFFFE, 0xE000, len(inner)) + inner
        inner = struct.pack("<HH2sHI", 0x40, 0xA730, b"SQ", 0, len(item)) + item
    return _study() + inner


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
    out = _surrogates(_study(**{keyword: value}))
    buffer = io.BytesIO()
    out.save_as(buffer)
    assert [name for name in NAMES if name.encode() in buffer.getvalue()] == []


def test_codes_and_definitions_stay():
    out = _surrogates(_study(BodyPartExamined="KNEE", CodingSchemeUID="2.16.840.1.113883.6.96"))
    assert out.BodyPartExamined == "KNEE"
    assert out.CodingSchemeUID == "2.16.840.1.113883.6.96"


def test_products_and_codes_of_catalogues_are_not_read():
    def code(designator: str) -> Dataset:
        item = Dataset()
        item.CodeValue, item.CodingSchemeDesignator, item.CodeMeaning = "T-1", designator, "Knee"
        return item

    data = _study(
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
    out = _surrogates(data)
    assert (out.Manufacturer, out.ManufacturerModelName) == ("SIEMENS", "of NN")


@pytest.mark.parametrize(
    ("age", "told"),
    [("089Y", "089Y"), ("5Y", "5Y"), ("101Y", "090Y"), ("030M", "030M"), ("Quillon", "")],
)
def test_ages(age, told):
    out = _surrogates(_study(PatientAge=age), _options("retain-patient-characteristics"))
    assert out.PatientAge == told


def test_another_file_in_the_preamble_and_the_meta_information():
    dataset = pydicom.dcmread(io.BytesIO(_study()))
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
    (record,) = read(_study(), "x.dcm", KEEP)
    (said,) = [d for d in record.documents if "CT HEAD" in d.text]
    assert ("PATIENT", "QUILLON, ADEYEMI B") in said.known
    assert said.text[said.lead :] == "CT HEAD FOR DR BRANDVOLD"


def test_a_document_within_shares_patient_and_length():
    data = _study(
        EncapsulatedDocument=b"Seen with QUILLON again\0",
        EncapsulatedDocumentLength=23,
        MIMETypeOfEncapsulatedDocument="text/plain",
    )
    (record,) = read(data, "x.dcm", KEEP)
    (inner,) = [d for d in record.documents if d.text.startswith("Seen")]
    assert inner.patient_id == "7741902"
    assert ("PATIENT", "QUILLON, ADEYEMI B") in inner.known
    out = _surrogates(data)
    assert bytes(out.EncapsulatedDocument).rstrip(b"\0") == b"Seen with NN again"
    assert out.EncapsulatedDocumentLength == 18


def test_voices_are_refused():
    (outcome,) = read(_study(SOPClassUID="1.2.840.10008.5.1.4.1.1.9.4.1"), "x.dcm", KEEP)
    assert "voice" in outcome.message


class TestCompressed:
    """Remarks, EXIF and whatever lies behind the end of a picture go; no pixel changes."""

    def _file(self, stream: bytes, syntax: str) -> bytes:
        from pydicom.encaps import encapsulate

        facts = {
            "Rows": 16, "Columns": 16, "BitsAllocated": 8, "BitsStored": 8, "HighBit": 7,
            "PixelRepresentation": 0, "SamplesPerPixel": 1,
            "PhotometricInterpretation": "MONOCHROME2", "PixelData": encapsulate([stream]),
        }  # fmt: skip
        dataset = pydicom.dcmread(io.BytesIO(_study(**facts)))
        dataset["PixelData"].VR = "OB"
        dataset["PixelData"].is_undefined_length = True
        dataset.file_meta.TransferSyntaxUID = syntax
        buffer = io.BytesIO()
        dataset.save_as(buffer)
        return buffer.getvalue()

    def _cleaned(self, data: bytes) -> None:
        before = pydicom.dcmread(io.BytesIO(data))
        out = _surrogates(data)
        assert b"QUILLON" in before.PixelData
        assert b"QUILLON" not in out.PixelData
        assert out.file_meta.TransferSyntaxUID == before.file_meta.TransferSyntaxUID
        assert (out.pixel_array == before.pixel_array).all()

    def test_jpeg(self):
        Image = pytest.importorskip("PIL.Image")  # noqa: N806
        exif = Image.Exif()
        exif[0x013B] = "QUILLON"
        buffer = io.BytesIO()
        Image.linear_gradient("L").resize((16, 16)).save(
            buffer, "JPEG", comment=b"QUILLON", exif=exif, progressive=True
        )
        self._cleaned(self._file(buffer.getvalue() + b"QUILLON", JPEGBaseline8Bit))

    def test_jpeg_2000(self):
        Image = pytest.importorskip("PIL.Image")  # noqa: N806
        buffer = io.BytesIO()
        Image.linear_gradient("L").resize((16, 16)).save(buffer, "JPEG2000", no_jp2=True)
        stream = buffer.getvalue()
        at = stream.index(b"\xff\x52")
        remark = b"\xff\x64" + struct.pack(">HH", 11, 1) + b"QUILLON"
        self._cleaned(self._file(stream[:at] + remark + stream[at:] + b"QUILLON", JPEG2000Lossless))

    def test_what_lies_behind_the_pixels(self):
        facts = {
            "Rows": 2, "Columns": 2, "BitsAllocated": 8, "BitsStored": 8, "HighBit": 7,
            "PixelRepresentation": 0, "SamplesPerPixel": 1,
            "PhotometricInterpretation": "MONOCHROME2", "PixelData": b"abcdQUILLON ",
        }  # fmt: skip
        assert _surrogates(_study(**facts)).PixelData == b"abcd"


class TestPixels:
    @pytest.fixture(autouse=True)
    def _ocr(self):
        pytest.importorskip("rapidocr_onnxruntime", reason="the ocr extra is not installed")

    def _words(self, out: pydicom.Dataset) -> str:
        from incognote.formats.dicom_pixels import _frames, _visible
        from incognote.formats.ocr import read_picture

        return read_picture(_visible(_frames(out), out)[0].squeeze()).text

    def _plate(self):
        """QUILLON in white on black: 1 where there is ink. No narrow strip, for OCR enlarges a
        picture until its shorter side is long enough."""
        import numpy as np
        from PIL import Image, ImageDraw

        picture = Image.new("L", (420, 240))
        ImageDraw.Draw(picture).text((30, 40), "QUILLON", fill=1, font_size=40)
        return np.array(picture)

    def _file(self, pixels, kind: str, **extra: object) -> bytes:
        rows, columns = pixels.shape[-3:-1] if kind == "RGB" else pixels.shape[-2:]
        bits = pixels.dtype.itemsize * 8
        facts: dict[str, object] = {
            "Rows": rows, "Columns": columns, "BitsAllocated": bits, "BitsStored": bits,
            "HighBit": bits - 1, "PixelRepresentation": int(pixels.dtype.kind == "i"),
            "SamplesPerPixel": 3 if kind == "RGB" else 1, "PhotometricInterpretation": kind,
            "PixelData": pixels.tobytes(),
        }  # fmt: skip
        if kind == "RGB":
            facts["PlanarConfiguration"] = 0
        return _study(**{**facts, **extra})

    def test_a_burned_in_name_plate_is_painted_over(self, shared):
        """A compressed ultrasound picture (JPEG 2000, RGB)."""
        path = shared / "fixtures/dicom/pydicom-data-US1_J2KR.dcm"
        assert "BAPTIST" in self._words(pydicom.dcmread(path)).upper()
        out = _surrogates(path.read_bytes(), FormatRules())
        assert self._words(out) == ""
        assert out.BurnedInAnnotation == "NO"
        assert "113101" in _codes(out)

    def test_sixteen_bits_with_a_sign(self):
        import numpy as np

        pixels = self._plate().astype(np.int16) * 1800 - 900
        out = _surrogates(self._file(pixels, "MONOCHROME2"), FormatRules())
        assert out.pixel_array.dtype == np.int16
        assert out.pixel_array.max() == -900

    def test_white_is_zero(self):
        import numpy as np

        pixels = 4000 - self._plate().astype(np.uint16) * 4000
        out = _surrogates(self._file(pixels, "MONOCHROME1"), FormatRules())
        assert out.pixel_array.min() == 4000

    def test_through_the_palette(self):
        """Indices far apart that mean nearly the same grey, and neighbours that do not."""
        import numpy as np

        levels = np.zeros(256, np.uint16)
        levels[[1, 8]] = 60000
        extra = {
            f"{colour}PaletteColorLookupTable{part}": value
            for colour in ("Red", "Green", "Blue")
            for part, value in (("Descriptor", [256, 0, 16]), ("Data", levels.tobytes()))
        }
        plate = self._plate()
        pixels = np.where(plate == 1, 8, np.where(np.indices(plate.shape)[1] % 2, 0, 200))
        data = self._file(pixels.astype(np.uint8), "PALETTE COLOR", **extra)
        assert self._words(pydicom.dcmread(io.BytesIO(data))) == "QUILLON"
        out = _surrogates(data, FormatRules())
        assert self._words(out) == ""
        assert out.PhotometricInterpretation == "PALETTE COLOR"

    def test_film_frames_and_colours_by_lossy_compression(self, shared):
        """YBR in JPEG, 30 frames, with the settings of the machine burned in."""
        path = shared / "fixtures/dicom/pydicom-examples_ybr_color.dcm"
        before = pydicom.dcmread(path)
        from incognote.formats.dicom_pixels import _frames

        assert _frames(before).shape == (30, 240, 320, 3)
        assert "Gen" in self._words(before)
        out = _surrogates(path.read_bytes(), FormatRules())
        assert self._words(out) == ""
        assert _frames(out).shape == (30, 240, 320, 3)

    def test_what_is_no_phi_stays_where_the_policy_reads(self):
        import numpy as np
        from PIL import Image, ImageDraw

        picture = Image.new("L", (420, 120))
        ImageDraw.Draw(picture).text((10, 10), "QUILLON", fill=255, font_size=36)
        ImageDraw.Draw(picture).text((10, 70), "LEFT KNEE", fill=255, font_size=36)
        data = self._file(np.array(picture), "MONOCHROME2")
        out = _surrogates(data, FormatRules(images="read"))
        assert self._words(out) == "LEFT KNEE"

    def test_overlays_go_or_are_painted_over(self):
        from pydicom.pixels.utils import pack_bits

        from incognote.formats.ocr import read_picture

        plate = self._plate()
        dataset = pydicom.dcmread(io.BytesIO(self._file(plate * 0, "MONOCHROME2")))
        for element, vr, value in (
            (0x10, "US", 240), (0x11, "US", 420), (0x40, "CS", "G"), (0x50, "SS", [1, 1]),
            (0x100, "US", 1), (0x102, "US", 0), (0x3000, "OW", pack_bits(plate)),
        ):  # fmt: skip
            dataset.add_new((0x6000, element), vr, value)
        buffer = io.BytesIO()
        dataset.save_as(buffer)
        assert (0x6000, 0x3000) not in _surrogates(buffer.getvalue(), FormatRules())
        rules = FormatRules(dicom=DicomRules(options=("clean-graphics",)))
        out = _surrogates(buffer.getvalue(), rules)
        assert read_picture(out.overlay_array(0x6000)).lines == ()
        assert "113103" in _codes(out)

    def test_overlays_in_unused_bits_go(self):
        import numpy as np

        pixels = (self._plate().astype(np.int16) << 12) - 5 * (np.indices((240, 420))[0] > 60)
        data = self._file(pixels.astype(np.int16), "MONOCHROME2", BitsStored=12, HighBit=11)
        dataset = pydicom.dcmread(io.BytesIO(data))
        dataset.add_new((0x6000, 0x0102), "US", 12)
        buffer = io.BytesIO()
        dataset.save_as(buffer)
        out = _surrogates(buffer.getvalue(), FormatRules())
        stored = np.frombuffer(out.PixelData, np.int16)
        assert set(stored) == {0, -5}
        assert not out.group_dataset(0x6000)

    def test_words_hidden_by_one_white_pixel(self):
        import numpy as np

        pixels = self._plate().astype(np.uint16) * 300
        pixels[0, 0] = 65535
        out = _surrogates(self._file(pixels, "MONOCHROME2"), FormatRules())
        assert set(np.unique(out.pixel_array)) == {0, 65535}

    def test_words_in_the_window_that_the_header_asks_for(self):
        import numpy as np

        pixels = np.indices((240, 420))[0].astype(np.uint16) // 200 * 0
        pixels[200:] = np.arange(40 * 420).reshape(40, 420) * 3
        pixels[:200] += self._plate()[:200].astype(np.uint16) * 300
        window = {"WindowCenter": "150", "WindowWidth": "300"}
        out = _surrogates(self._file(pixels, "MONOCHROME2", **window), FormatRules())
        assert out.pixel_array[:200].max() == 0
        assert (out.pixel_array[200:] == pixels[200:]).all()

    def test_big_endian_stays_big_endian(self):
        import numpy as np

        pixels = (self._plate().astype(np.uint16) * 300 + 7).astype(">u2")
        dataset = pydicom.dcmread(io.BytesIO(self._file(pixels, "MONOCHROME2")))
        dataset.file_meta.TransferSyntaxUID = ExplicitVRBigEndian
        buffer = io.BytesIO()
        pydicom.dcmwrite(buffer, dataset, little_endian=False, implicit_vr=False)
        out = _surrogates(buffer.getvalue(), FormatRules())
        assert out.file_meta.TransferSyntaxUID == ExplicitVRBigEndian
        assert set(np.unique(out.pixel_array)) == {7}

    def test_pixels_that_cannot_be_decoded_are_refused(self):
        import numpy as np

        data = self._file(np.zeros((8, 8), np.uint8), "MONOCHROME2", PixelData=b"\0" * 10)
        (record,) = read(data, "x.dcm")
        with pytest.raises(ReadError):
            record.render(
                [
                    Result(d, (), text="7") if d.given else Result(d, (), text=d.text)
                    for d in record.documents
                ]
            )


def test_dicom_values_do_not_reach_warnings_or_logs(caplog):
    data = _study().replace(b"19580214", b"14021958")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (record,) = read(data, "x.dcm", FormatRules(images="keep"))
    assert isinstance(record, Record)
    assert "1958" not in caplog.text


def test_a_dicomdir_is_named_as_one(shared):
    (outcome,) = read((shared / "fixtures/dicom/pydicom-DICOMDIR").read_bytes(), "x.dcm")
    assert "DICOMDIR" in outcome.message


def test_pydicom_reads_what_was_written():
    out = _surrogates(_study())
    buffer = io.BytesIO()
    out.save_as(buffer, enforce_file_format=True)
    assert pydicom.dcmread(io.BytesIO(buffer.getvalue())).PatientName == "OTHER^X"
