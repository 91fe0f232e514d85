"""Rooms and wards."""

from __future__ import annotations

import re

import pytest
from tests.transform.conftest import deid, new_values, surrogate


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Zephyr Ward", r"[A-Z][\w ]+ Ward"),
        ("Kennedy 5 West", r"[A-Z][\w ]+ \d (?:North|South|East|West)"),
        ("MICU bed 12", r"MICU bed \d\d"),
        ("Room 412B", r"Room \d{3}[A-T]"),
    ],
)
def test_the_kind_of_a_room_stays_and_its_name_does_not(text, form):
    new = {surrogate(text, "ROOM", f"p{n}", numbers="patient") for n in range(20)}
    assert all(re.fullmatch(form, each) for each in new)
    assert len(new) > 5


def test_names_of_wards_hardly_ever_stay():
    new = [surrogate("Kennedy Tower", "ROOM", f"p{n}") for n in range(100)]
    assert sum("Kennedy" in each for each in new) <= 2


def test_parts_of_a_room_agree():
    whole, bed, ward = new_values(deid("[[Lowell 5, bed 2|ROOM]], [[bed 2|ROOM]], [[Lowell|ROOM]]"))
    assert whole.endswith(bed)
    assert whole.startswith(ward)
