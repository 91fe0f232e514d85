"""Field knowledge: each fact is stated once, and all who ask get the same answer."""

from __future__ import annotations

import re
import tomllib
from itertools import combinations
from pathlib import Path

import pytest

import incognote
from incognote.core.fields import (
    contact_label,
    identifier_label,
    is_public_code_system,
    label_from_header,
    label_in_patient_table,
)
from incognote.core.labels import all_labels

SOURCE = Path(incognote.__file__).parent
FIELDS = SOURCE / "core" / "fields"


def _toml(name: str) -> dict:
    return tomllib.loads((FIELDS / name).read_text("utf-8"))


def _others() -> list[Path]:
    """All code and data files but the tables of field knowledge."""
    every = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.toml")]
    return [path for path in every if FIELDS not in path.parents]


@pytest.mark.parametrize("section", ["types", "systems", "contacts"])
def test_no_identifier_has_two_labels(section):
    listed = _toml("identifiers.toml")[section]
    assert set(listed) <= set(all_labels())
    for one, other in combinations(listed.values(), 2):
        assert not set(one) & set(other)


def test_types_of_identifiers_are_stated_nowhere_else():
    codes = [code for codes in _toml("identifiers.toml")["types"].values() for code in codes]
    labels = "|".join(_toml("identifiers.toml")["types"])
    stated = re.compile(rf"^\W*\b(?:{'|'.join(codes)})\"?\s*[=:]\s*\"(?:{labels})\"", re.MULTILINE)
    assert [path.name for path in _others() if stated.search(path.read_text("utf-8"))] == []


def test_code_systems_are_stated_nowhere_else():
    listed = _toml("code_systems.toml")
    known = [*listed["addresses"], *listed["oids"]]
    # Where FHIR and DICOM name themselves, that is no list of code systems.
    known = [each for each in known if each not in ("http://hl7.org/", "1.2.840.10008.")]
    twice = {
        path.name: each
        for path in _others()
        for each in known
        if re.search(rf'"(?:urn:oid:)?{re.escape(each)}', path.read_text("utf-8"))
    }
    assert twice == {}


def test_columns_of_patient_tables_add_to_the_others_only():
    for label, names in _toml("columns.toml")["patients"].items():
        for name in names:
            plain = re.sub(r".\?", "", name)
            assert label_from_header(plain) is None, "stated twice"
            assert label_in_patient_table(plain) == label


def test_hl7_fields_are_named_only_where_their_type_says_something_else():
    from incognote.formats.hl7.rules import kind_of_type

    folder = SOURCE / "formats" / "hl7"
    types = tomllib.loads((folder / "types.toml").read_text("utf-8"))
    fields = tomllib.loads((folder / "fields.toml").read_text("utf-8"))
    del fields["default"]
    twice = [
        f"{segment}-{number}"
        for segment, named in fields.items()
        for number, kind in named.items()
        if segment in types
        and int(number) <= len(types[segment].split())
        and kind_of_type(types[segment].split()[int(number) - 1]) == kind
    ]
    assert twice == []


def test_hl7_data_types_agree_with_those_of_another_library():
    hl7apy = pytest.importorskip("hl7apy", reason="needs hl7apy")
    types = tomllib.loads((SOURCE / "formats" / "hl7" / "types.toml").read_text("utf-8"))
    library = hl7apy.load_library("2.5.1")
    for segment in ("PID", "PV1", "OBR", "OBX", "NK1", "IN1", "ORC", "MSH", "SPM"):
        row = library.get(segment, "Segment")[1]
        for number, (_, theirs, *_rest) in enumerate(row):
            assert theirs[2] in (types[segment].split()[number], None)


@pytest.mark.parametrize(
    ("types", "system", "label"),
    [
        (["MR"], "", "MEDICALRECORD"),
        (["PI"], "", "MEDICALRECORD"),
        (["MC"], "", "HEALTHPLAN"),
        (["SS"], "", "SSN"),
        ([], "http://hl7.org/fhir/sid/us-ssn", "SSN"),
        ([], "2.16.840.1.113883.4.1", "SSN"),
        ([], "urn:oid:2.16.840.1.113883.4.6", "LICENSE"),
        (["MR"], "http://hl7.org/fhir/sid/us-mbi", "HEALTHPLAN"),
        (["XX"], "http://hospital.example/ids", None),
    ],
)
def test_what_an_identifier_is(types, system, label):
    assert identifier_label(types, system) == label


def test_one_column_means_the_same_to_formats_and_to_known_patients():
    for name in ("passport", "passport_number", "mrn", "member_id", "dob", "zip_code"):
        assert label_from_header(name) == label_in_patient_table(name) is not None


def test_contacts():
    assert [contact_label(system) for system in ("email", "fax", "pager", "")] == [
        "EMAIL", "FAX", "PHONE", "PHONE",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "system",
    [
        "LN",
        "http://loinc.org",
        "2.16.840.1.113883.6.1",
        "urn:oid:2.16.840.1.113883.6.96",
        "HL70078",
    ],
)
def test_code_systems_of_the_world_by_name_address_and_oid(system):
    assert is_public_code_system(system)
    assert not is_public_code_system("99LOCAL")


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("NHC", "MEDICALRECORD"),
        ("Nº Historia", "MEDICALRECORD"),
        ("num_historia_clinica", "MEDICALRECORD"),
        ("Apellido1", "PATIENT"),
        ("Nombre y apellidos", "PATIENT"),
        ("nombre_paciente", "PATIENT"),
        ("Fecha nacimiento", "DATE"),
        ("F. Nac", "DATE"),
        ("Médico responsable", "DOCTOR"),
        ("Nombre del médico", "DOCTOR"),
        ("Tfno", "PHONE"),
        ("teléfono_2", "PHONE"),
        ("Correo electrónico", "EMAIL"),
        ("Dirección", "STREET"),
        ("Población", "CITY"),
        ("CP", "ZIP"),
        ("Código postal", "ZIP"),
        ("DNI/NIE", "IDNUM"),
        ("Nº colegiado", "LICENSE"),
        ("CIP", "HEALTHPLAN"),
        ("Nº episodio", "ACCOUNT"),
        ("Edad", "AGE"),
        ("Sexo", "values"),
        ("Unidades", "values"),
    ],
)
def test_columns_of_spanish_exports_are_known_with_and_without_accents(name, label):
    assert label_from_header(name) == label
    assert label_from_header(name.upper()) == label


@pytest.mark.parametrize(
    "name", ["historia_clinica", "Informe", "Antecedentes", "Motivo", "Servicio", "Nombre prueba"]
)
def test_spanish_columns_of_text_are_read(name):
    assert label_from_header(name) is None
