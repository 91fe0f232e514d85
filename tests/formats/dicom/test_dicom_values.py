"""DICOM: techniques and codes stay, names keep their components, character sets are of the standard."""

from __future__ import annotations

import io

import pydicom
import pytest
from pydicom.dataset import Dataset
from tests.formats.kit.dicoms import KEEP, study
from tests.formats.kit.whole import KEY

from incognote.core.types import Failure
from incognote.formats.dicom.values import parts_of_person
from incognote.pipeline import Pipeline
from incognote.policy import load_policy
from incognote.testing.formats import read

PIPELINE = Pipeline(load_policy(), KEY)


def _written(**extra: object) -> Dataset:
    (record,) = read(study(**extra), "x.dcm", KEEP)
    out = record.render(PIPELINE.deid(record.documents))
    return pydicom.dcmread(io.BytesIO(out))


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("ProtocolName", "TSE T2 Dixon COR"),
        ("ProtocolName", "Cap Angio 5.0 B30f"),
        ("SeriesDescription", "AX T1 POST GAD"),
        ("StructureSetLabel", "PTV"),
        ("RTPlanLabel", "Boost 2"),
        ("BodyPartExamined", "CHEST"),
        ("TransducerData", "C5-1"),
        ("FilterType", "WEDGE"),
        ("ContrastBolusAgent", "Omnipaque 350"),
    ],
)
def test_techniques_stay(keyword, value):
    assert str(_written(**{keyword: value}).get(keyword)) == value


def test_names_of_people_go_from_descriptions():
    out = _written(ProtocolName="CT for Dr. Brandvold", SeriesDescription="QUILLON ADEYEMI CHEST")
    assert "Brandvold" not in out.ProtocolName
    assert "QUILLON" not in out.SeriesDescription
    assert "CHEST" in out.SeriesDescription


def test_codes_of_local_schemes_stay():
    item = Dataset()
    item.CodeValue, item.CodingSchemeDesignator, item.CodeMeaning = "5.4.5-33-1", "SCPECG", "Lead I"
    local = Dataset()
    local.CodeValue, local.CodingSchemeDesignator, local.CodeMeaning = "17", "99_OFFIS", "Margins"
    out = _written(ProcedureCodeSequence=[item, local])
    said = [
        (each.CodeValue, each.CodingSchemeDesignator, each.CodeMeaning)
        for each in out.ProcedureCodeSequence
    ]
    assert said == [("5.4.5-33-1", "SCPECG", "Lead I"), ("17", "99_OFFIS", "Margins")]


@pytest.mark.parametrize(
    ("old", "carets"),
    [("GARCIA LOPEZ^MARIA JOSE", 1), ("QUILLON^ADEYEMI^B", 2), ("VAN DER BERG^ANN", 1)],
)
def test_a_name_keeps_its_components(old, carets):
    name = str(_written(PatientName=old).PatientName)
    assert name.count("^") == carets
    assert not set(old.split("^")) & set(name.split("^"))


@pytest.mark.parametrize(
    ("new", "old", "written"),
    [
        ("RUIZ SANZ, ANA LUZ", "GARCIA LOPEZ^MARIA JOSE", "RUIZ SANZ^ANA LUZ"),
        ("RUIZ, ANA LUZ", "GARCIA^MARIA^JOSE", "RUIZ^ANA^LUZ"),
        ("[PATIENT]", "GARCIA^MARIA", "[PATIENT]"),
        ("RUIZ", "GARCIA", "RUIZ"),
        ("ANA", "^MARIA", "^ANA"),
    ],
)
def test_new_names_in_the_components_of_old_ones(new, old, written):
    assert parts_of_person(new, old) == written


@pytest.mark.parametrize("term", ["QUILLON", "ISO_IR 999", "latin1"])
def test_a_character_set_that_nobody_knows_is_refused(term):
    data = study(SpecificCharacterSet="ISO_IR 100").replace(b"ISO_IR 100", term.ljust(10).encode())
    (failure,) = read(data, "x.dcm", KEEP)
    assert isinstance(failure, Failure)
    assert "character set" in failure.message
    assert term not in failure.message


def test_a_character_set_within_a_sequence_is_looked_at():
    item = Dataset()
    item.SpecificCharacterSet = "ISO_IR 100"
    item.CodeMeaning = "x"
    data = study(ProcedureCodeSequence=[item]).replace(b"ISO_IR 100", b"QUILLON   ")
    (failure,) = read(data, "x.dcm", KEEP)
    assert isinstance(failure, Failure)
