"""DICOM files made for tests, and what becomes of one when all that is known is replaced."""

from __future__ import annotations

import io

import pydicom
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian

from incognote.core.types import Replacement, Result, Span
from incognote.formats.base import Record
from incognote.policy import FormatRules
from incognote.testing.formats import read

KEEP = FormatRules(images="keep")
NAMES = ["QUILLON", "ADEYEMI", "BRANDVOLD", "7741902", "19580214", "20240311", "FENWICK"]


def study(**extra: object) -> bytes:
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


def surrogates(data: bytes, rules: FormatRules = KEEP) -> pydicom.Dataset:
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
                    spans = (Span(at, at + len(name), "PATIENT"),)
                    swaps = (Replacement(spans[0], "NN", "test"),)
                    new = document.text.replace(name, "NN")
        results.append(Result(document, spans, (), swaps, new))
    return pydicom.dcmread(io.BytesIO(record.render(results)))


def codes(out: pydicom.Dataset) -> set[str]:
    return {item.CodeValue for item in out.DeidentificationMethodCodeSequence}
