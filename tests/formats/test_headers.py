"""Columns that nobody named: their names say what they hold, and what says nothing is read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.kit.whole import deidentified

from incognote.core.fields import CODES, VALUES, label_from_header
from incognote.core.labels import all_labels
from incognote.core.types import Span
from incognote.formats.clinical import VALUE
from incognote.formats.headers import classify_value, labels_from_headers
from incognote.policy import KEEP, TEXT, FormatRules
from incognote.testing.formats import documents, masked, unchanged

SAMPLES = Path(__file__).parents[2] / "samples" / "formats"

NAMES = {
    "PATIENT": ["Patient Name", "PATIENT_NAME", "patientName", "first_name", "LastName", "surname",
                "mother_maiden_name", "NOK Name", "emergency_contact", "guarantor_name"],
    "DOCTOR": ["Attending", "attending_physician", "Ordering Provider", "PCP Name", "signed_by",
               "surgeon", "referring_provider_name", "author"],
    "MEDICALRECORD": ["mrn", "MRN_NBR", "PAT_MRN_ID", "medical record number", "nhs_number"],
    "SSN": ["SSN", "ssn_last4", "Social Security Number"],
    "IDNUM": ["patient_id", "PAT_ID", "subject_id", "accession_number", "order id", "specimen_id"],
    "ACCOUNT": ["encounter_id", "PAT_ENC_CSN_ID", "visit_number", "acct_no", "hadm_id"],
    "HEALTHPLAN": ["member_id", "policy_number", "Subscriber ID"],
    "LICENSE": ["npi", "dea_number", "license_number"],
    "DEVICE": ["serial_number", "Device ID"],
    "DATE": ["DOB", "birth_date", "PatientDateOfBirth", "admit_date", "charttime", "created_at",
             "DATE_OF_SERVICE", "note_datetime", "BirthYear", "dischtime"],
    "AGE": ["age", "Age at visit", "patient_age"],
    "PHONE": ["phone", "Phone1", "home_phone", "cell", "mobile_number", "emergency_contact_phone"],
    "FAX": ["fax", "fax_number"],
    "EMAIL": ["email", "E-mail Address"],
    "ZIP": ["zip", "ZIP Code", "postal_code", "postcode"],
    "STREET": ["address", "Address Line 1", "street"],
    "CITY": ["city", "home_town"],
    "HOSPITAL": ["hospital", "facility_name"],
    "USERNAME": ["username", "user_id"],
    "IPADDR": ["ip", "IP Address"],
    CODES: ["loinc", "icd10_code", "Dx Code", "itemid", "snomed_code"],
    VALUES: ["Lab Value", "units", "result", "ref_range", "sex", "weight", "abnormal_flag",
             "test_name", "component_name", "drug_name", "diagnosis", "lab"],
    None: ["comments", "note_text", "ward",
           "stage", "image", "page", "package", "update", "candidate", "hotel", "file_name", "state"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for kind, names in NAMES.items() for name in names]
)
def test_what_a_name_labels_from_headers(name: str, kind: str | None) -> None:
    assert label_from_header(name) == kind


def test_a_name_is_a_person_where_the_table_is_about_people() -> None:
    assert labels_from_headers(["name", "city", "comments"])["name"] == "PATIENT"
    assert labels_from_headers(["name", "value", "unit"])["name"] is None


@pytest.mark.parametrize(
    ("column", "value", "kind", "place"),
    [
        ("dob", "3/14/1961", "DATE", (0, 9)),
        ("created_at", "2024-02-11 06:15:00", "DATE", (0, 10)),
        ("dob", "unknown", KEEP, (0, 7)),
        ("dob", "the week after Easter", TEXT, (0, 21)),
        ("phone", "ask her daughter", TEXT, (0, 16)),
        ("attending", "x" * 200, TEXT, (0, 200)),
        ("patient_name", " Ann Lee ", "PATIENT", (1, 8)),
        ("lab value", "4.5", KEEP, (0, 3)),
        ("lab value", "<0.01", KEEP, (0, 5)),
        ("result", "5551234567", VALUE, (0, 10)),
        ("result", "03/14/1961", VALUE, (0, 10)),
        ("units", "mg/dL", KEEP, (0, 5)),
        ("ref_range", "3.5-5.1", KEEP, (0, 7)),
        ("bp", "120/80", KEEP, (0, 6)),
        ("snomed code", "44054006", KEEP, (0, 8)),
        ("icd10", "S72.001A", KEEP, (0, 8)),
        ("icd10", "seen with Ann", TEXT, (0, 13)),
        ("anything", "112", KEEP, (0, 3)),
        ("anything", "12345", TEXT, (0, 5)),
        ("anything", "Ann", TEXT, (0, 3)),
        ("anything", "N/A", KEEP, (0, 3)),
    ],
)
def test_what_a_value_is_under_its_column(column, value, kind, place) -> None:
    assert classify_value(label_from_header(column), value) == (kind, *place)


@given(st.text(max_size=40), st.text(max_size=60))
def test_every_value_is_something(column: str, value: str) -> None:
    kind, start, end = classify_value(label_from_header(column), value)
    assert kind in (KEEP, TEXT, VALUE) or kind in all_labels()
    assert 0 <= start <= end <= len(value)
    # What is not read is short, or a code without words.
    assert kind != KEEP or len(value.strip()) <= 27


EXPORT = (SAMPLES / "export.csv").read_text()
CLINICAL = [
    "I50.22", "Chronic systolic heart failure", "Potassium", "4.5", "mmol/L", "3.5-5.1", "81.4",
    " 06:15:00", "E11.9", "Hemoglobin A1c", "8.1", "%", "4.0-5.6", " 07:40:00", "92", "unknown",
]  # fmt: skip
PERSONAL = [
    "Z1001", "00482913", "Okafor", "Ngozi", "03/14/1961", "617-555", "Somerville", "02143",
    "Petrov", "2024-02", "HHP-88213", "Chioma", "7W-12", "Z1002", "Lindqvist", "11/02/1947",
]  # fmt: skip


def test_an_export_whose_columns_nobody_named() -> None:
    out = masked(EXPORT.encode(), "x.csv", ["Chioma"]).decode()
    assert [value for value in PERSONAL if value in out] == []
    assert [value for value in CLINICAL if value not in out] == []
    assert out.splitlines()[0] == EXPORT.splitlines()[0]
    assert unchanged(EXPORT.encode(), "x.csv") == EXPORT.encode()


def test_the_same_export_as_json_lines() -> None:
    rows = list(csv.DictReader(io.StringIO(EXPORT)))
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    out = masked(data, "x.jsonl", ["Chioma"]).decode()
    assert [value for value in PERSONAL if value in out] == []
    assert [value for value in CLINICAL if value not in out] == []


def test_rows_of_one_patient_are_told_by_the_column_that_numbers_patients() -> None:
    assert {d.patient_id for d in documents(EXPORT.encode(), "x.csv")} == {"Z1001", "Z1002"}
    named = FormatRules(patient="MRN")
    found = documents(EXPORT.encode(), "x.csv", named)
    assert {d.patient_id for d in found} == {"00482913", "00482914"}


def test_what_a_row_states_is_known_in_its_texts() -> None:
    comment = next(d for d in documents(EXPORT.encode(), "x.csv") if "Chioma" in d.text)
    assert comment.text == "Comments: Daughter Chioma will call"
    assert ("PATIENT", "Okafor, Ngozi") in comment.known


KEYS = {
    "numbers of the export are mapped": ("id,text\n1,a\n", FormatRules(), ["IDNUM"]),
    "numbers of the hospital go": ("mrn,text\n123,a\n", FormatRules(id="mrn"), ["MEDICALRECORD"]),
    "a patient column may stay": ("patient_id,text\n1,a\n", FormatRules(labels={"patient_id": "keep"}), []),
    "or go by policy": ("patient_id,text\n1,a\n", FormatRules(labels={"patient_id": "IDNUM"}), ["IDNUM"]),
    "all are numbers": ("id,patient_id,pat_id,text\n1,2,3,a\n", FormatRules(), ["IDNUM"] * 3),
}  # fmt: skip


@pytest.mark.parametrize("case", KEYS)
def test_keys_of_rows(case: str) -> None:
    data, rules, expected = KEYS[case]
    found = [span.label for d in documents(data.encode(), "x.csv", rules) for span in d.given]
    assert found == expected


@pytest.mark.parametrize(
    ("unnamed", "expected"),
    [("text", "x,text\n[PATIENT],b\n"), ("keep", "x,text\nQuillon,b\n"), ("drop", "x,text\n,b\n")],
)
def test_the_policy_decides_over_unnamed_columns(unnamed: str, expected: str) -> None:
    out = masked(b"x,text\nQuillon,b\n", "x.csv", ["Quillon"], FormatRules(unnamed=unnamed))
    assert out.decode() == expected


def test_two_columns_of_one_name_are_both_read() -> None:
    data = b"text,note,note\na,Quillon,Quillon\n"
    assert masked(data, "x.csv", ["Quillon"]) == b"text,note,note\na,[PATIENT],[PATIENT]\n"


def test_headers_are_read_where_the_policy_says_so() -> None:
    data = b'x,"Quillon, A",text\n1,b,c\n'
    assert masked(data, "x.csv", ["Quillon"]) == data
    out = masked(data, "x.csv", ["Quillon"], FormatRules(keys=True))
    assert out == b'x,"[PATIENT], A",text\n1,b,c\n'


def test_only_a_part_of_a_cell_is_masked() -> None:
    (document,) = documents(b"created_at\n2024-02-11T06:15:00Z\n", "x.csv")
    assert document.given == (Span(0, 10, "DATE"),)


def test_the_same_export_as_a_workbook() -> None:
    import openpyxl

    book = openpyxl.Workbook()
    header, *rows = csv.reader(io.StringIO(EXPORT))
    book.active.append(header)
    for row in rows:
        book.active.append([float(cell) if cell in ("4.5", "81.4", "92") else cell for cell in row])
    buffer = io.BytesIO()
    book.save(buffer)
    read = ["Chioma", "2024-02-11", "2024-02-12"]  # of stamps, the day is found by detectors
    out = openpyxl.load_workbook(io.BytesIO(masked(buffer.getvalue(), "x.xlsx", read)))
    cells = [str(cell.value) for line in out.active.iter_rows() for cell in line]
    whole = " | ".join(cells)
    assert [value for value in PERSONAL if value in whole] == []
    assert [value for value in CLINICAL if value.strip() not in whole and ":" not in value] == []
    assert cells[: len(header)] == header


UNITS = [
    "mmol/L",
    "mg/dL",
    "10*3/uL",
    "mm[Hg]",
    "K/uL",
    "uIU/mL",
    "%",
    "giga.l-1",
    "[lb_av]",
    "g/dl",
]
TESTS = [
    "TSH",
    "Kell antigen",
    "UREA NITROGEN",
    "Coombs",
    "Gram stain",
    "Troponin-T",
    "Haematocrit",
]
RESULTS = [
    "4.1",
    "<0.01",
    "1:640",
    "120/80",
    "3.5-5.1",
    "negative",
    "E. coli",
    "4-10",
    "271",
    "Trace",
]


@pytest.mark.parametrize("policy", ["i2b2-2014", "hipaa-safe-harbor"])
@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("units", UNITS),
        ("test_name", TESTS),
        ("result", RESULTS),
        ("lab", TESTS),
        ("ref_range", RESULTS),
    ],
)
def test_clinical_columns_come_back_as_they_were(column, values, policy) -> None:
    """Under its column a unit is a unit: mmol is nobody's name."""
    rows = "".join(f"{value},seen by Dr. Brandvold\n" for value in values)
    out = deidentified(f"{column},text\n{rows}", "x.csv", policy).decode()
    assert [row.partition(",")[0] for row in out.splitlines()[1:]] == values
    assert "Brandvold" not in out
