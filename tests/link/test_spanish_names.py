"""People of Spanish notes: two family names, and what was found once is found again."""

from __future__ import annotations

import pytest

from incognote import Deidentifier

NOTE = """Hospital Comarcal de Txingudi. Irun
Paciente: {patient}    NHC: 4471093
Domicilio: C/ Fueros 17, 3ºB, 20301 Irun. Tel. 943 61 22 08

La paciente acude con su hija por fiebre y tos de cuatro días de evolución, sin otros síntomas. La Dra. {family} comenta
el caso con Neumología (Dr. Perales), y se decide el ingreso para tratamiento con antibiótico por vía venosa.
Fdo.: Dra. {signed}, nº col. 20/20/04817
"""
SIGNED = ["Itsaso Etxarri Mugika", "María José Etxarri Mugika", "Ane Etxarri de Mugika"]


def replaced(signed: str) -> str:
    text = NOTE.format(patient="Maialen Goikoetxea Arruti", family="Etxarri", signed=signed)
    return Deidentifier(key=b"k3y-for-tests-9f2c71d4aa").deid(text).text


@pytest.mark.parametrize("signed", SIGNED)
def test_the_first_of_two_family_names_is_who_the_doctor_is(signed: str) -> None:
    new = replaced(signed)
    called = new.partition("La Dra. ")[2].partition(" comenta")[0]
    assert called != "Etxarri"
    assert called in new.partition("Fdo.: Dra. ")[2].split(", ")[0].split()


def test_nothing_that_was_found_once_is_left() -> None:
    new = replaced(SIGNED[0])
    for left in (
        "Irun",
        "Txingudi",
        "Maialen",
        "Goikoetxea",
        "Perales",
        "Etxarri",
        "943 61",
        "04817",
    ):
        assert left not in new


def test_what_stands_around_a_number_stays() -> None:
    new = replaced(SIGNED[0])
    assert ", nº col. " in new
    assert "Neumología (Dr. " in new
