from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.transform.conftest import deid, new_values, surrogate

from incognote.core.checkdigits import DEA, IBAN, LUHN, NHS, NPI, VIN, scheme_of

VALID = [
    (NPI, "1234567893"),
    (LUHN, "79927398713"),
    (LUHN, "4111111111111111"),
    (DEA, "AB1234563"),
    (VIN, "1M8GDM9AXKP042788"),
    (VIN, "11111111111111111"),
    (IBAN, "GB82WEST12345698765432"),
    (NHS, "9434765919"),
]


@pytest.mark.parametrize(("scheme", "value"), VALID, ids=[v for _, v in VALID])
def test_known_good_numbers_pass(scheme, value):
    assert scheme.valid(value)


@pytest.mark.parametrize(("scheme", "value"), VALID, ids=[v for _, v in VALID])
def test_one_wrong_digit_fails(scheme, value):
    at = len(value) - 1 if scheme is not VIN else 8
    wrong = "0" if value[at] != "0" else "1"
    assert not scheme.valid(value[:at] + wrong + value[at + 1 :])


@pytest.mark.parametrize(("scheme", "value"), VALID, ids=[v for _, v in VALID])
def test_surrogates_of_valid_numbers_are_valid(scheme, value):
    for patient in "abcdefgh":
        new = surrogate(value, "LICENSE", patient)
        assert new != value
        assert scheme_of(value).valid(new)


@pytest.mark.parametrize("text", ["ΰ", "ΰ-AA7", "ß12", "ŉ/4", "ﬃ9"])
def test_letters_that_are_several_when_folded_become_one(text):
    new = surrogate(text, "IDNUM")
    assert len(new) == len(text)
    assert not set(new) & {c for c in text if c.isalnum() and not c.isascii()}


def test_layout_and_case_stay_around_check_digits():
    new = surrogate("1234-567-893", "LICENSE")
    assert re.fullmatch(r"[12]\d{3}-\d{3}-\d{3}", new)
    assert NPI.valid(new.replace("-", ""))


def shape(text: str) -> str:
    return "".join(
        "9" if char.isdigit() else "A" if char.isupper() else "a" if char.islower() else char
        for char in text
    )


ids = st.text(string.ascii_letters + string.digits + "-/ .", min_size=4, max_size=24).filter(
    lambda t: (
        sum(c.isdigit() for c in t) >= 4
        and t.strip() == t
        and not re.search(r"\.[A-Za-z]{2,4}$", t)
    )
)


@given(ids, st.sampled_from(["MEDICALRECORD", "ACCOUNT", "DEVICE", "IDNUM", "HEALTHPLAN"]))
def test_classes_separators_and_length_stay(text, label):
    new = surrogate(text, label)
    assert shape(new) == shape(text)
    assert new != text
    first = next(c for c in text if c.isdigit())
    assert (next(c for c in new if c.isdigit()) == "0") == (
        first == "0" and text.strip("0-/ .") != ""
    )


@given(st.from_regex(r"[0-9]{3}-[0-9]{2}-[0-9]{4}", fullmatch=True))
def test_ssns_are_never_issued_ones(text):
    new = surrogate(text, "SSN")
    area, group, serial = new.split("-")
    assert "900" <= area <= "999"
    assert "01" <= group <= "49"
    assert serial != "0000"
    assert new != text


@pytest.mark.parametrize("text", ["xxx-xx-1234", "***-**-0042", "XXX-XX-9981"])
def test_masked_ssns_stay_masked(text):
    new = surrogate(text, "SSN")
    assert new[:7] == text[:7]
    assert new[7:].isdigit()
    assert new != text


def test_a_number_is_one_number_in_any_layout_and_under_any_label():
    new = new_values(
        deid("[[0556-2210|MEDICALRECORD]] is [[05562210|IDNUM]], [[0556 2210|ACCOUNT]]")
    )
    assert len({re.sub(r"\D", "", value) for value in new}) == 1


def test_said_digits_are_said_digits():
    new = surrogate("one oh seven two", "MEDICALRECORD")
    assert new != "one oh seven two"
    assert len(new.split()) == 4


def test_no_surrogate_is_an_original_of_the_record():
    marked = " ".join(f"[[{n}|ROOM]]" for n in range(100, 600))
    result = deid(marked)
    assert not set(new_values(result)) & {str(n) for n in range(100, 600)}


def test_where_all_short_values_are_taken_each_still_changes():
    marked = " ".join(f"[[{n}|ROOM]]" for n in range(10, 100))
    new = new_values(deid(marked))
    assert all(value != str(n) for value, n in zip(new, range(10, 100), strict=True))
