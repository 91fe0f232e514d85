"""Dates and ages as Spanish notes write them."""

from __future__ import annotations

import re

import pytest
from tests.transform.conftest import deid, new_values

NOTE = "La paciente no tiene fiebre y se queda en el hospital para el control de la tensión. "


def value(text: str, label: str) -> str:
    found = new_values(deid(f"{NOTE}[[{text}|{label}]].", "p1"))
    return found[0] if found else text


def test_a_roman_month_is_no_misread_number() -> None:
    assert re.fullmatch(r"\d{1,2}/[IVX]{1,4}/\d\d", value("14/III/24", "DATE"))


def test_a_feast_becomes_a_feast_of_spanish() -> None:
    assert not value("semana santa", "DATE").isascii() or "day" not in value("semana santa", "DATE")


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        ("treinta y uno años", "treinta y uno años"),
        ("veintidós", "veintidós"),
        ("noventa y tres", "noventa o más"),
    ],
)
def test_ages_in_words(age: str, expected: str) -> None:
    assert value(age, "AGE") == expected
