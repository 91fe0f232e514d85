from __future__ import annotations

import re

import pytest
from tests.transform.conftest import deid, new_values, surrogate

PATIENTS = [f"p{i}" for i in range(20)]


def values(marked: str, patient: str = "p1") -> list[str]:
    return new_values(deid(marked, patient))


FORMS = [
    ("Lakeview General Hospital", r"[A-Z]\w+ General Hospital"),
    ("LAKEVIEW GENERAL HOSPITAL", r"[A-Z]+ GENERAL HOSPITAL"),
    ("St. Brendan's Hospital", r"St\. [A-Z]\w+'s Hospital"),
    ("University of Harlow", r"University of [A-Z]\w+"),
    ("Walgreens #1442", r"[A-Z][\w-]+ #\d{4}"),
    ("Harlow Family Practice", r"[A-Z]\w+ Family Practice"),
    ("University Hospital", r"[A-Z]\w+ Hospital"),
    ("27th District Clinic", r"\d(?:1st|2nd|3rd|\dth) District Clinic"),
    ("Harlow Growers Co-op", r"[A-Z]\w+ Growers Co-op"),
    ("Hogar del Sol", r"[A-Z]\w+ del [A-Z]\w+"),
]


@pytest.mark.parametrize(("text", "form"), FORMS, ids=[f[0] for f in FORMS])
def test_the_kind_stays_and_the_name_goes(text, form):
    for patient in PATIENTS:
        new = surrogate(text, "HOSPITAL", patient)
        assert re.fullmatch(form, new), new
        assert new != text


def test_a_short_name_follows_the_long_one():
    long, short = values("[[Seacrest Manor|HOSPITAL]], later [[Seacrest|HOSPITAL]]")
    assert long.split()[0] == short


@pytest.mark.parametrize("patient", PATIENTS)
def test_an_abbreviation_follows_its_name(patient):
    long, short = values("[[Massachusetts General Hospital|HOSPITAL]] ([[MGH|HOSPITAL]])", patient)
    assert short == "".join(word[0] for word in long.split())
    assert short != "MGH"


def test_a_city_in_a_name_follows_the_city():
    city, school = values("[[Port Ellery|CITY]]: [[Port Ellery Public Schools|ORGANIZATION]]")
    assert school == f"{city} Public Schools"


@pytest.mark.parametrize(
    ("text", "form"),
    [("Room 412B", r"Room \d{3}[A-Z]"), ("7 West", r"\d (North|South|East)"), ("bed 5", r"bed \d"),
     ("ICU-09", r"ICU-0\d"), ("Pod C", r"Pod [A-Z]"), ("8 Lowell", r"\d Lowell")],
)  # fmt: skip
def test_rooms_keep_their_form(text, form):
    for patient in PATIENTS:
        new = surrogate(text, "ROOM", patient)
        assert re.fullmatch(form, new), new
        assert new != text


@pytest.mark.parametrize(
    ("text", "words"), [("plumber", 1), ("PLUMBER", 1), ("bus driver", 2), ("Trooper", 1)]
)
def test_jobs_are_jobs_of_as_many_words(text, words):
    for patient in PATIENTS:
        new = surrogate(text, "PROFESSION", patient)
        assert len(new.split()) == words
        assert (new.isupper(), new.islower()) == (text.isupper(), text.islower())
        assert new != text
