"""Checks: numbers made to be valid pass, and a wrong check digit does not."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from incognote.detect.patterns.checks import CHECKS


def passes(check: str, text: str) -> bool:
    match = re.match(r"(?P<phi>(?s:.*))", text)
    assert match is not None
    return CHECKS[check](match)


def digits(count: int, first: str = "0123456789"):
    rest = st.text("0123456789", min_size=count - 1, max_size=count - 1)
    return st.builds(str.__add__, st.sampled_from(first), rest)


@pytest.mark.parametrize(
    ("check", "numbers"),
    [
        ("luhn", digits(15)),
        ("npi", digits(9, first="12")),
        ("nhs", digits(9)),
        ("dea", digits(6).map(lambda number: f"AB{number}")),
        ("aba", digits(8, first="0123")),
    ],
)
def test_at_most_one_last_digit_is_right(check: str, numbers) -> None:
    @given(numbers)
    def law(number: str) -> None:
        assume(len(set(number)) > 2)
        right = [last for last in "0123456789" if passes(check, number + last)]
        # NHS numbers whose check digit would be ten are not issued.
        assert len(right) == 1 or (check == "nhs" and right == [])

    law()


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        ("npi", "1245319599", "1245319598"),
        ("npi", "1234-567-893", "3234567893"),
        ("dea", "AB1234563", "AB1234564"),
        ("dea", "B91234563", "B91234564"),
        ("luhn", "4012 8888 8888 1881", "4012 8888 8888 1882"),
        ("luhn", "490154203237518", "0000 0000 0000 0000"),
        ("vin", "1M8GDM9AXKP042788", "1M8GDM9A1KP042788"),
        ("vin", "11111111111111111", "1M8GDM9AXKP04278"),
        ("ssn", "404-55-9183", "666-12-7856"),
        ("ssn", "911-70-1234", "911-89-1234"),
        ("ssn", "078051121", "078051120"),
        ("mbi", "1EG4-TE5-MK73", "1EG4-LE5-MK73"),
        ("iban", "DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 01"),
        ("iban", "NO9386011117947", "DE893704004405320130"),
        ("nhs", "943 476 5919", "943 476 5918"),
        ("aba", "121000358", "121000359"),
        ("ip", "10.44.7.119", "10.44.7.256"),
        ("ip", "2001:db8::1", ":::"),
        ("nanp", "(608) 555-0133 ext 4", "(108) 555-0133"),
        ("phone_length", "+962 6 555 0148", "+962 6"),
        ("identifier", "00-48-17-93", "3/4/2020"),
        ("identifier", "AB-12", "AB"),
        ("long_identifier", "KR92-5518", "INR 15"),
        ("long_identifier", "OZK88", "164/110"),
        ("not_clinical_code", "rbanks3", "covid19"),
        ("not_a_phrase", "lb/mtk", "and/or"),
        ("seven_digits", "88-0417-3", "38-44-52"),
    ],
)
def test_known_numbers(check: str, good: str, bad: str) -> None:
    assert passes(check, good)
    assert not passes(check, bad)


PARTIAL = re.compile(r"(?P<phi>(?P<a>\d+)/(?P<b>\d+)(?:/(?P<y>\d+))?)")


@given(st.dates())
def test_every_date_of_the_calendar_is_one(date) -> None:
    for form in (f"{date.month}/{date.day}/{date.year:04}", f"{date:%d/%m}/{date.year:04}"):
        match = PARTIAL.fullmatch(form)
        assert match is not None
        assert CHECKS["calendar_date"](match)


@pytest.mark.parametrize("text", ["2/30", "0/5", "13/32", "4/31", "2/29/2023", "31/6"])
def test_no_date_of_the_calendar(text: str) -> None:
    match = PARTIAL.fullmatch(text)
    assert match is not None
    assert not CHECKS["calendar_date"](match)


@given(st.integers(0, 12), st.integers(1, 12))
def test_scores_and_fractions_are_no_dates(part: int, whole: int) -> None:
    assume(part <= whole and whole != 11)
    match = PARTIAL.fullmatch(f"{part}/{whole}")
    assert match is not None
    assert part == 0 or not CHECKS["not_a_fraction"](match)


def test_every_check_is_used_or_tested_as_one() -> None:
    from incognote.detect.patterns import load_pack, pack_names

    used = {name for pack in pack_names() for rule in load_pack(pack).rules for name in rule.checks}
    assert used == set(CHECKS)
