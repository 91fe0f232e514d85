"""Where a find of a Spanish model starts and stops."""

from __future__ import annotations

import pytest

from incognote.core.types import Document, Result
from incognote.detect.learned.edges import trimmed_spanish
from incognote.lexicon.eponyms import names_thing_in_spanish
from incognote.pipeline import Pipeline


@pytest.mark.parametrize(
    ("surface", "label", "left"),
    [
        ("Dona Herminia Pazos", "PATIENT", "Herminia Pazos"),
        ("Marido Arnau", "PATIENT", "Arnau"),
        ("Obst. Yesenia", "DOCTOR", "Yesenia"),
        ("Sra. Directora", "PATIENT", ""),
        ("Ud", "PATIENT", ""),
        ("de Transportes Olmeda", "ORGANIZATION", "Transportes Olmeda"),
        ("los ceibales de", "HOSPITAL", "los ceibales"),
        ("en", "CITY", ""),
        ("Ced. Prof. 5540912", "LICENSE", "5540912"),
    ],
)
def test_the_words_that_lead_to_a_find_stay_outside(surface: str, label: str, left: str) -> None:
    start, end = trimmed_spanish(surface, 0, len(surface), label)
    assert surface[start:end] == left


@pytest.mark.parametrize(
    ("text", "number", "left"),
    [
        ("Gestante 37 a, sana", "37", "37 a"),
        ("Nino de 5 meses", "5", "5 meses"),
        ("de los 12 a los 17 anos", "12", "12"),
    ],
)
def test_the_unit_of_an_age_belongs_to_it(text: str, number: str, left: str) -> None:
    at = text.index(number)
    start, end = trimmed_spanish(text, at, at + len(number), "AGE")
    assert text[start:end] == left


def test_marks_said_in_dictation_end_a_name() -> None:
    text = "lo vio el doctor salcedo punto afebril coma estable punto sigue igual punto final"
    at = text.index("salcedo")
    start, end = trimmed_spanish(text, at, text.index(" afebril"), "DOCTOR")
    assert text[start:end] == "salcedo"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Signo de Murphy ausente", "Murphy"),
        ("Se deja dren Penrose", "Penrose"),
        ("Blumberg negativo", "Blumberg"),
        ("Incisión subcostal (Kocher)", "Kocher"),
        ("clasificación de Schatzker", "Schatzker"),
    ],
)
def test_a_sign_or_a_device_is_nobody(text: str, name: str) -> None:
    at = text.index(name)
    assert names_thing_in_spanish(text, at, at + len(name))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("la operación de Laura", "Laura"),
        ("Acude Murphy con su madre", "Murphy"),
        ("clasificación de Carmen", "Carmen"),
        ("García 84 años", "García"),
    ],
)
def test_a_person_is_no_sign(text: str, name: str) -> None:
    at = text.index(name)
    assert not names_thing_in_spanish(text, at, at + len(name))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (
            "Correo de la paciente: olga.rius@mutua-sur.saludxq y vive sola.",
            "olga.rius@mutua-sur.saludxq",
        ),
        ("La paciente se conecta desde 10.61.7.22 para la consulta.", "10.61.7.22"),
    ],
)
def test_electronic_addresses_are_one_find_in_spanish_notes(text: str, address: str) -> None:
    (result,) = Pipeline("rules").detect([Document("note", text)])
    assert isinstance(result, Result)
    assert address in [text[span.start : span.end] for span in result.spans]
