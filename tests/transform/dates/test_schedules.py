"""Weekdays by their letters."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from incognote.core.types import Span
from incognote.transform.dates.schedules import is_dosing, moved_schedule
from incognote.transform.record import Mention

MOVED = [
    ("MWF", 1, "TTS"), ("TTS", 1, "WFS"), ("TTS", 6, "MWF"), ("mwf", 8, "tts"),
    ("T-Th-S", 1, "W-F-Su"), ("M/W/F", 1, "T/Th/Sa"), ("M, W, F", 3, "M, Th, Sa"),
    ("M-F", 1, "T-Sa"), ("M-F", 3, "Th-M"), ("TTHS", 1, "WFSU"), ("TRS", 1, "WFS"), ("MWR", 1, "TRF"),
    ("T", 1, "W"), ("M", 2, "W"), ("TTS", 5, "TThSu"), ("Tu/Th/Sa", 5, "Tu/Th/Su"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "days", "expected"), MOVED, ids=[f"{t}+{d}" for t, d, _ in MOVED])
def test_a_schedule_moves_and_keeps_its_form(text, days, expected):
    assert moved_schedule(text, days) == expected


@pytest.mark.parametrize(
    "text", ["Mon", "Sat", "SAT", "sa", "Tues", "Thurs", "3/5", "", "May", "Easter", "q.o.d."]
)
def test_other_dates_are_no_schedules(text):
    assert moved_schedule(text, 1) is None


@given(
    st.lists(st.sampled_from("M Tu W Th F Sa Su".split()), min_size=1, max_size=7, unique=True),
    st.sampled_from(["", "-", "/", ", "]),
    st.integers(1, 6),
)
def test_a_schedule_never_stays_and_keeps_its_length(days, joint, shift):
    written = joint.join(days)
    assume(written not in ("Tu", "Th", "Sa", "Su"))
    new = moved_schedule(written, shift)
    assert new is not None
    assert len(days) == 7 or new != written
    assert new.count(joint) == written.count(joint) or not joint


def span_of(text: str, said: str) -> Mention:
    start = text.index(said)
    end = start + len(said)
    return Mention("DATE", said, start, end, Span(start, end, "DATE"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Warfarin 5 mg Mon Wed Fri.", "Wed"),
        ("Methotrexate 15 mg on Sundays.", "Sundays"),
        ("Fosamax on Saturday mornings.", "Saturday"),
        ("Vitamin D 2 tabs M/W/F.", "M/W/F"),
    ],
)
def test_weekdays_of_a_drug_are_its_dose(text, said):
    assert is_dosing(span_of(text, said), text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Dialysis MWF.", "MWF"),
        ("Warfarin 5 mg daily. Seen Monday.", "Monday"),
        ("Given 5 mg on Monday.", "Monday"),
        ("Clinic on Tuesdays.", "Tuesdays"),
    ],
)
def test_weekdays_of_visits_are_none(text, said):
    assert not is_dosing(span_of(text, said), text)
