from __future__ import annotations

import re

import pytest
from tests.transform.conftest import deid, new_values

RULES = {"labels": {"TIME": "surrogate"}}


def moved(*times: str, patient: str = "p1") -> list[str]:
    return new_values(deid(" and ".join(f"[[{t}|TIME]]" for t in times), patient, **RULES))


@pytest.mark.parametrize(
    "text", ["10:30", "0705", "9:05", "23:59", "10:30 AM", "1:15 pm", "02h35", "11.45", "10:30:15"]
)
def test_times_keep_their_form_and_change(text):
    new = moved(text)[0]
    assert new != text
    assert re.sub(r"\d+", "9", new).lower() == re.sub(r"\d+", "9", text).lower()


@pytest.mark.parametrize("patient", ["a", "b", "c", "d"])
def test_intervals_stay(patient):
    first, second = moved("10:05", "10:50", patient=patient)

    def minutes(text: str) -> int:
        hour, minute = map(int, text.split(":"))
        return hour * 60 + minute

    assert minutes(second) - minutes(first) == 45


@pytest.mark.parametrize(("text", "half"), [("11:59 AM", "PM"), ("11:59 p.m.", "a.m.")])
def test_noon_and_midnight_are_passed(text, half):
    assert re.fullmatch(rf"12:\d\d {re.escape(half)}", moved(text)[0])


@pytest.mark.parametrize("text", ["7 pm", "11 AM", "noon", "midnight"])
def test_full_hours_stay_full_hours(text):
    assert re.fullmatch(r"\d{1,2} (?:pm|AM|PM)|noon|midnight", moved(text)[0])
