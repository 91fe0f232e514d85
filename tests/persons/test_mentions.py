"""What notes say of people, and of whom they say it."""

from __future__ import annotations

import pytest

from incognote.core.types import Document
from incognote.persons.mentions import mentions_of, name_form
from incognote.persons.reading import reading_policy
from incognote.pipeline import Pipeline
from incognote.policy import load_policy


@pytest.fixture(scope="module")
def read():
    policy = reading_policy(load_policy("group-d+rules"))
    pipeline = Pipeline(policy, b"a key of a test, long")

    def found(text: str, attribute: str = "") -> list[tuple[str, str, str]]:
        (result,) = pipeline.detect([Document("n1", text)])
        return [
            (each.attribute, each.value, each.subject)
            for each in mentions_of(result, policy)
            if attribute in ("", each.attribute)
        ]

    return found


def test_age_sex_and_traits_of_the_patient(read):
    found = read(
        "Mr. Tobias Wren is a 47-year-old African American man. Marital status: divorced. "
        "Religion: Methodist. Speaks only Spanish. He is unemployed."
    )
    for expected in (
        ("age", "47", "patient"),
        ("sex", "male", "patient"),
        ("ethnicity", "african american", "patient"),
        ("marital", "divorced", "patient"),
        ("religion", "methodist", "patient"),
        ("language", "spanish", "patient"),
        ("employment", "unemployed", "patient"),
    ):
        assert expected in found


def test_a_relative_has_ages_and_illnesses_of_their_own(read):
    text = "82 year old woman. Her daughter, a 51-year-old nurse, has type 2 diabetes."
    assert ("age", "82", "patient") in read(text)
    assert ("age", "51", "relative") in read(text)
    assert read(text, "diagnosis") == [("diagnosis", "E11", "relative")]


def test_a_family_history_is_not_the_patients(read):
    text = "Past Medical History: asthma\nFamily History:\nbreast cancer, father died at age 71\nSocial History:\nretired."
    assert ("diagnosis", "J45", "patient") in read(text)
    assert ("diagnosis", "C50", "relative") in read(text)
    assert ("age", "71", "patient") not in read(text)


def test_birth_dates_admissions_and_visits(read):
    text = "DOB: 04/05/1961. Admitted 11/02/2021. Seen again on 11/09/2021."
    assert read(text, "birth_date") == [("birth_date", "1961-04-05", "patient")]
    assert read(text, "admission") == [("admission", "2021-11-02", "patient")]
    assert ("visit", "2021-11-09", "patient") in read(text)


def test_places_and_numbers(read):
    found = read(
        "Lives at 12 Elm Street, West Hartford, CT 06110. MRN: 00-412-77. SSN 219-09-9999."
    )
    assert ("city", "West Hartford, CT", "patient") in found
    assert ("zip", "06110", "patient") in found
    assert ("state", "CT", "patient") in found
    assert ("mrn", "0041277", "patient") in found


def test_what_is_denied_is_no_diagnosis(read):
    text = "Denies asthma. No history of stroke. HTN and COPD. He was in pain, aids at bedside."
    values = [value for _, value, _ in read(text, "diagnosis")]
    assert values == ["I10", "J44"]


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("John Q. Smith", "smith, john"),
        ("SMITH, JOHN Q", "smith, john"),
        ("Mrs. María Núñez", "nunez, maria"),
        ("Smith", ""),
    ],
)
def test_names_in_one_form(written, form):
    assert name_form(written) == form


def test_a_mention_never_shows_its_value(read):
    policy = reading_policy(load_policy("group-d+rules"))
    pipeline = Pipeline(policy, b"a key of a test, long")
    (result,) = pipeline.detect([Document("n1", "Age: 47. MRN: CANARY123")])
    assert "CANARY123" not in repr(mentions_of(result, policy))


def test_who_is_named_in_part_is_named_in_full(read):
    found = read("Patient: Tobias Wren. Mr. Wren was seen today. Mr. Wren left.", "name")
    assert {value for _, value, _ in found} == {"wren, tobias"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("His 12-year-old son has asthma.", ("age", "12", "relative")),
        ("His 12-year-old adopted son has asthma.", ("age", "12", "relative")),
        ("A 67-year-old man, father of four, with gout.", ("age", "67", "patient")),
        ("Married, wife at bedside.", ("marital", "married", "patient")),
        ("Lives alone, never married, no children.", ("marital", "single", "patient")),
        ("Dr. Hale, who speaks Farsi, saw her.", ("language", "farsi", "staff")),
        (
            "Ada Lindqvist is a 61-year-old woman. Seen by Dr. Ben Lindqvist.",
            ("age", "61", "patient"),
        ),
        ("Accompanied by his mother, the 9-year-old boy is well.", ("age", "9", "patient")),
    ],
)
def test_whose_a_value_is(read, text, expected):
    assert expected in read(text)


# Written to look like traits; none is one.
@pytest.mark.parametrize(
    "text",
    [
        "Transferred from Baptist Hospital; the Methodist ICU called.",
        "A single lumen line; bone fragments are separated by 3 mm; the pump was retired.",
        "White matter changes, black stools, German measles titer, French catheter.",
        "Dose given in French gauge. Japanese encephalitis vaccine. English muffin.",
        "Gay Street clinic. Straight leg raise negative. The patch was laid off center.",
        "Hindu Kush trip planned. Full-time oxygen. Score on disability scale 34.",
    ],
)
def test_what_only_looks_like_a_trait(read, text):
    traits = {"religion", "marital", "ethnicity", "language", "orientation", "employment"}
    assert not [found for found in read(text) if found[0] in traits]
