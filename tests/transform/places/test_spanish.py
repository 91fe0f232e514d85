"""Places in Spanish notes become places of the same kind, in Spanish."""

from __future__ import annotations

import re

import pytest
from tests.transform.conftest import deid, new_values

from incognote.lexicon import fold
from incognote.transform.places.spanish import _listed as listed

NOTE = (
    "El paciente no tiene fiebre y se queda en el hospital para el control de la tensión. Se le "
    "explica a la familia que el dolor es de origen muscular y que no hay signos de infarto. "
)
PATIENTS = [f"p{i}" for i in range(12)]
NAME = r"[A-ZÁÉÍÓÚÑ][\w'-]+"


def value(text: str, label: str, patient: str) -> str:
    found = new_values(deid(f"{NOTE}[[{text}|{label}]].", patient))
    return found[0] if found else text


FORMS = [
    ("Calle de la Constitución 12, 3º B", "STREET", rf"Calle de la {NAME} \d\d, \dº [A-Z]"),
    ("C/ Mayor 3, 2ºB", "STREET", rf"C/ {NAME} \d, \dº[A-Z]"),
    ("Avda. Pablo Iglesias, 45", "STREET", rf"Avda\. {NAME} {NAME}, \d\d"),
    ("C/ Mayor 3", "STREET", rf"C/ {NAME} \d"),
    ("Plaza del Pilar s/n", "STREET", rf"Plaza del {NAME} s/n"),
    ("Hospital Universitario La Paz", "HOSPITAL", rf"Hospital Universitario La {NAME}"),
    ("Centro de Salud San Blas", "HOSPITAL", rf"Centro de Salud San {NAME}"),
    ("Panadería Hermanos Ruiz", "ORGANIZATION", rf"Panadería Hermanos {NAME}"),
    ("28012", "ZIP", r"(0[1-9]|[1-4]\d|5[0-2])\d{3}"),
]


@pytest.mark.parametrize(("text", "label", "form"), FORMS, ids=[form[0] for form in FORMS])
def test_forms_stay(text, label, form):
    new = [value(text, label, patient) for patient in PATIENTS]
    for each in new:
        assert re.fullmatch(form, each), each
    assert len(set(new)) > len(PATIENTS) // 2


@pytest.mark.parametrize(("text", "pool"), [("Toledo", "provinces"), ("Andalucía", "communities")])
@pytest.mark.parametrize("label", ["STATE", "LOCATION-OTHER"])
def test_provinces_become_provinces(text, pool, label):
    new = {value(text, label, patient) for patient in PATIENTS}
    assert new <= set(listed(pool))
    assert len(new) > 3


def test_saints_become_saints_of_the_same_sex():
    men, women = ({fold(name) for name in listed(f"{sex}_saints")} for sex in ("male", "female"))
    for patient in PATIENTS:
        assert fold(value("Clínica San Jorge", "HOSPITAL", patient).split()[-1]) in men
        assert fold(value("Clínica Santa Ana", "HOSPITAL", patient).split()[-1]) in women


def test_one_street_is_one_street_however_it_is_written():
    marked = f"{NOTE}[[Calle Alameda 4|STREET]] y [[C/ ALAMEDA 4|STREET]]"
    one, other = new_values(deid(marked, "p1"))
    assert fold(one.split()[1]) == fold(other.split()[1])


def test_notes_in_english_keep_their_own_pools():
    [new] = new_values(deid("She lives at [[12 Alameda Street|STREET]] and is well.", "p1"))
    assert new.endswith("Street")


TERSE = (
    "Evolutivo enfermería. Sra. {0} tranquila, ctes estables TA 128/76, FC 72. Administro paracetamol "
    "1 g iv según pauta. Hija llama desde {1}. Mañana control con endocrino, dieta blanda, "
    "vive en {2}."
)


def test_a_terse_spanish_note_gets_spanish_places():
    text = TERSE.format("[[Consuelo|PATIENT]]", "[[Logroño|CITY]]", "[[calle Mayor 3|STREET]]")
    street = {new_values(deid(text, patient))[2] for patient in PATIENTS}
    assert all(each.startswith("calle ") and each[-1].isdigit() for each in street)
    assert len(street) > 1


@pytest.mark.parametrize(
    ("job", "kind", "end"),
    [("agricultor jubilado", "jobs_land", " jubilado"), ("limpiadora", "jobs_home", "")],
)
def test_jobs_stay_spanish_and_what_people_are_exposed_to(job, kind, end):
    pairs = [pair.split("/") for pair in listed(kind)]
    sex = job.endswith("a")
    new = {value(job, "PROFESSION", patient) for patient in PATIENTS}
    assert new <= {pair[sex] + end for pair in pairs} - {job}
    assert len(new) > 1


@pytest.mark.parametrize(
    ("text", "label", "form"),
    [
        ("Juzgado de Instrucción nº 3", "ORGANIZATION", r"Juzgado de Instrucción nº \d"),
        ("C.S. Los Cármenes", "HOSPITAL", rf"C\.S\. Los {NAME}"),
        ("CAP Pineda", "HOSPITAL", rf"CAP {NAME}"),
        ("Hermanos Baños S.L.", "ORGANIZATION", rf"Hermanos {NAME} S\.L\."),
        ("S.L.", "ORGANIZATION", r"S\.L\."),
        ("calle Ancha", "ORGANIZATION", rf"calle {NAME}"),
        ("PLANTA 5ª DCHA", "ROOM", r"PLANTA \dª DCHA"),
        ("Hab 312 B", "ROOM", r"Hab \d{3} [A-Z]"),
    ],
)
def test_what_says_a_kind_stays(text, label, form):
    assert all(re.fullmatch(form, value(text, label, patient)) for patient in PATIENTS)


@pytest.mark.parametrize(
    ("text", "part", "which"),
    [
        ("Argentina", "americas", 0),
        ("Guinea", "africa", 0),
        ("MARRUECOS", "middle_east", 0),
        ("argentina", "americas", 2),
        ("rumano", "europe", 1),
        ("filipina", "asia_pacific", 2),
    ],
)
def test_a_country_becomes_one_of_its_part_of_the_world_and_an_adjective_an_adjective(
    text, part, which
):
    pool = {fold(entry.split("/")[which]) for entry in listed(f"countries_{part}")}
    new = {value(text, "COUNTRY", patient) for patient in PATIENTS}
    assert {fold(each) for each in new} <= pool
    assert len(new) > 1
    assert all(each.isupper() == text.isupper() for each in new)


def test_no_country_has_two_parts_of_the_world():
    parts = ("africa", "middle_east", "europe", "americas", "asia_pacific")
    names = [entry.split("/")[0] for part in parts for entry in listed(f"countries_{part}")]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("14 ene 2024", r"\d{1,2} (ene|feb|mar|abr|may|jun|jul|ago|sep|oct|nov|dic) 20\d\d"),
        ("3-nov-23", r"\d\d?-(ene|feb|mar|abr|may|jun|jul|ago|sep|oct|nov|dic)-2\d"),
        ("lun.", r"(lun|mar|mié|jue|vie|sáb|dom)\."),
        ("sab", r"(lun|mar|mié|jue|vie|sáb|dom)"),
        ("MIÉ", r"(LUN|MAR|MIÉ|JUE|VIE|SÁB|DOM)"),
    ],
)
def test_months_and_weekdays_cut_short_stay_spanish(text, form):
    assert all(re.fullmatch(form, value(text, "DATE", patient)) for patient in PATIENTS)


@pytest.mark.parametrize("kind", ["C/", "Calle", "Avda.", "Paseo"])
def test_a_spanish_street_stays_spanish_in_a_field_and_is_that_of_the_note(kind):
    street = f"{kind} Fray Luis de León, 14"
    (field,) = new_values(deid(f"[[{street}|STREET]]", "p1"))
    assert field.startswith(f"{kind} ")
    assert " de " in field
    assert field == value(street, "STREET", "p1")


def test_kinds_of_institutions_stay_in_latin_america() -> None:
    assert re.fullmatch(rf"CESFAM {NAME}", value("CESFAM Arauco", "HOSPITAL", "p1"))
    assert re.fullmatch(
        r"Frigorífico .+ S\.R\.L\.", value("Frigorífico Alvear S.R.L.", "ORGANIZATION", "p1")
    )
