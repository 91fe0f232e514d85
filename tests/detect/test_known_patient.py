from __future__ import annotations

import json
import pickle

import pytest

from incognote.core.errors import PolicyError
from incognote.core.types import Document
from incognote.detect.known_patient import KnownPatientDetector
from incognote.detect.known_patient.forms import street_forms
from incognote.policy import PrepareRules
from incognote.prepare import prepare
from incognote.testing import parse_markup, render_markup

TABLE = """patient_id,first_name,last_name,relatives,dob,street,city,phone,mrn,pcp,nick
p1,Robert,Quillfeather,Ana Will,1956-03-04,12 Elm Street,Reading,(555) 123-4567,AB-10293,"Ruth Vance, MD",Tuppence
p2,Maria,Youngblood,,,,,,,,
p3,Maeve,O'Garrity-Penhaligon,Tomas Penhaligon (husband),,77 N. Larkspur Avenue Apt 3B,Wexcombe,,,,
"""


@pytest.fixture(scope="module")
def detector(tmp_path_factory):
    path = tmp_path_factory.mktemp("known") / "patients.csv"
    path.write_text(TABLE, encoding="utf-8")
    return KnownPatientDetector(str(path), columns={"nick": "PATIENT"})


def found(detector, text, patient="p1"):
    [view] = prepare(Document("d", text, {"patient_id": patient}), PrepareRules())
    [spans] = detector.detect([view])
    return render_markup(text, spans)


CASES = {
    "name": "Mr. [[Robert Quillfeather|PATIENT]] came",
    "last name first": "[[QUILLFEATHER, ROBERT|PATIENT]] came today, he is well and stable",
    "across an initial": "[[Robert J. Quillfeather|PATIENT]] came",
    "nickname": "[[Bob|PATIENT]] came",
    "typing error": "Mr. [[Quilfeather|PATIENT]] came",
    "two typing errors": "Mr. Quilfether came",
    "column of the site": "called [[Tuppence|PATIENT]]",
    "relative": "with [[Ana|PATIENT]] today",
    "ordinary word": "Will return. She will come.",
    "ordinary word as a name": "asked [[Will|PATIENT]] to come, and [[Ana Will|PATIENT]]",
    "provider": "Dr. [[Vance|DOCTOR]], MD",
    "birth date": "born [[3/4/1956|DATE]], [[03/04/56|DATE]], [[1956-03-04|DATE]]",
    "birth date in words": "born [[March 4, 1956|DATE]] or [[4 Mar 1956|DATE]] or [[March 4th, 1956|DATE]]",
    "another date": "born 3/5/1956",
    "street": "at [[12 Elm St|STREET]], at [[12 ELM STREET|STREET]], 112 Elm Street",
    "city": "lives in [[Reading|CITY]], likes reading. Reading glasses.",
    "phone": "call [[555-123-4567|PHONE]] or [[5551234567|PHONE]] not 555-123-45678",
    "id": "MRN [[ab10293|MEDICALRECORD]], [[AB 10293|MEDICALRECORD]]",
    "another patient": "Youngblood",
}


@pytest.mark.parametrize("marked", CASES.values(), ids=CASES)
def test_written_forms(detector, marked):
    assert found(detector, parse_markup(marked)[0]) == marked


MORE = {
    "apostrophe": "Mrs. [[O'Garrity|PATIENT]]; [[OGARRITY|PATIENT]]; O's and [[Maeve|PATIENT]]'s",
    "initial": "[[M. O'Garrity|PATIENT]] and X. [[Penhaligon|PATIENT]]",
    "both names": "[[Maeve O'Garrity-Penhaligon|PATIENT]]",
    "what a table says beside a name": "her husband [[Tomas|PATIENT]] came",
    "direction spelt out": "at [[77 North Larkspur Ave|STREET]]",
    "unit behind a comma": "at [[77 N Larkspur Ave., apt 3b|STREET]].",
    "misspelt town": "moved to [[Wexcomb|CITY]]",
    "another word": "the wexcomb",
}


@pytest.mark.parametrize("marked", MORE.values(), ids=MORE)
def test_written_forms_of_another_patient(detector, marked):
    assert found(detector, parse_markup(marked)[0], "p3") == marked


def test_a_street_of_many_kinds_has_few_forms():
    assert len(set(street_forms(" ".join(["North"] * 40)))) < 100


def test_facts_belong_to_their_patient(detector):
    assert found(detector, "Robert Youngblood", "p2") == "Robert [[Youngblood|PATIENT]]"
    assert found(detector, "Robert Youngblood", "p9") == "Robert Youngblood"


def test_a_document_without_patient(detector):
    [view] = prepare(Document("d", "Robert"), PrepareRules())
    assert detector.detect([view]) == [[]]


def test_picklable(detector):
    text = "Mr. Quillfeather"
    assert found(pickle.loads(pickle.dumps(detector)), text) == "Mr. [[Quillfeather|PATIENT]]"


PATIENT = {
    "resourceType": "Patient",
    "id": "f1",
    "name": [{"given": ["Zora"], "family": "Nightwater"}],
    "birthDate": "1970-12-31",
    "address": [{"line": ["9 Oak Avenue"], "city": "Quilby", "postalCode": "99123"}],
    "telecom": [{"system": "email", "value": "nw70@example.org"}],
    "identifier": [{"type": {"coding": [{"code": "MR"}]}, "value": "MRN77881"}],
    "contact": [
        {"name": {"family": "Oakendale"}, "telecom": [{"system": "phone", "value": "555-777-8899"}]}
    ],
    "generalPractitioner": [{"display": "Dr. Ilse Brandywine"}],
}
FHIR_TEXT = (
    "[[Zora Nightwater|PATIENT]] ([[12/31/70|DATE]]) of [[9 Oak Ave|STREET]], [[Quilby|CITY]] [[99123|ZIP]],"
    " [[nw70@example.org|EMAIL]], [[MRN77881|MEDICALRECORD]], [[Oakendale|PATIENT]] [[555 777 8899|PHONE]],"
    " [[Brandywine|DOCTOR]]"
)


@pytest.mark.parametrize("shape", ["patient.json", "bundle.json", "patients.ndjson"])
def test_fhir(tmp_path, shape):
    path = tmp_path / shape
    bundle = {"resourceType": "Bundle", "entry": [{"resource": PATIENT}, {"fullUrl": "x"}]}
    path.write_text(json.dumps(bundle if "bundle" in shape else PATIENT), encoding="utf-8")
    detector = KnownPatientDetector(str(path))
    text = parse_markup(FHIR_TEXT)[0]
    assert found(detector, text, "f1") == FHIR_TEXT
    assert found(detector, text, "MRN77881") == FHIR_TEXT


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"patient_id": ["p1"], "last_name": ["Quillfeather"], "dob": [None]})
    parquet.write_table(table, tmp_path / "p.parquet")
    detector = KnownPatientDetector(str(tmp_path / "p.parquet"))
    assert found(detector, "Quillfeather") == "[[Quillfeather|PATIENT]]"


def test_missing_file():
    with pytest.raises(PolicyError, match="there is no file"):
        KnownPatientDetector("none.csv")


def test_unknown_label(tmp_path):
    (tmp_path / "a.csv").write_text("patient_id,x\n", encoding="utf-8")
    with pytest.raises(PolicyError, match="no label named 'NOPE'"):
        KnownPatientDetector(str(tmp_path / "a.csv"), columns={"x": "NOPE"})


BROKEN = {
    "no id column": ("a.csv", "name\nCanary\n", "needs a column named 'patient_id'"),
    "not json": ("a.json", "{Canary", "cannot be read as json"),
    "unknown kind": ("a.xyz", "Canary", "not CSV"),
}


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_broken_file_says_nothing_of_its_content(tmp_path, case):
    name, content, message = case
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(PolicyError, match=message) as error:
        found(KnownPatientDetector(str(tmp_path / name)), "text")
    assert "Canary" not in str(error.value)
