"""Checks: numbers made to be valid pass, and a wrong check digit does not."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

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


KNOWN = tomllib.loads(Path(__file__).with_name("checks.toml").read_text("utf-8"))


@pytest.mark.parametrize("check", KNOWN)
def test_known_numbers(check: str) -> None:
    passed = [text for texts in KNOWN[check].values() for text in texts if passes(check, text)]
    assert passed == KNOWN[check]["good"]


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
