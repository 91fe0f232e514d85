"""Initials follow the names that other texts of the record, or its fields, write out."""

from __future__ import annotations

import pytest
from tests.link.conftest import linked, people

from incognote.core.people import NOBODY, NamePart, People, Person
from incognote.core.types import Document, Result
from incognote.engine.patients import Patients
from incognote.pipeline import Pipeline

KEY = b"a secret of at least sixteen bytes"
KNOWN = people(
    "[[Barnaby Kestrelwood|PATIENT]] came. Wife [[Saoirse Kestrelwood|PATIENT]]. "
    "Dr. [[Bela Quillon|DOCTOR]]."
)


def stands_for(marked: str, **facts: object) -> list[str]:
    """What each initial of a text stands for; "" where nothing tells."""
    _, found = linked(marked, **facts)
    return [
        word.part.canonical if word.part else ""
        for person in found.people
        for mention in person.mentions
        for word in mention.words
        if word.form == "initial"
    ]


@pytest.mark.parametrize(
    ("marked", "names"),
    [
        ("[[Barnaby K.|PATIENT]] called.", ["kestrelwood"]),
        ("Pt: [[B. Kestrelwood|PATIENT]].", ["barnaby"]),
        ("Wife [[S. Kestrelwood|PATIENT]] called.", ["saoirse"]),
        ("Dr. [[B. Quillon|DOCTOR]].", ["bela"]),
        ("Seen by [[BQ|INITIALS]].", ["", ""]),  # nothing says that these are the doctor's
        ("[[BK|INITIALS]] is well.", ["barnaby", "kestrelwood"]),
        ("[[Barnaby X.|PATIENT]] called.", [""]),
        ("[[B.|PATIENT]] called.", [""]),
    ],
)
def test_what_another_note_writes_out(marked: str, names: list[str]) -> None:
    assert stands_for(marked, people=KNOWN) == names


def test_what_the_note_itself_says_comes_first() -> None:
    assert stands_for(
        "[[Barnaby Keller|PATIENT]] came. [[Barnaby K.|PATIENT]] left.", people=KNOWN
    ) == ["keller"]


def test_two_names_with_one_letter_tell_nothing() -> None:
    two = people("[[Barnaby Kestrelwood|PATIENT]] came. Son [[Barnaby Kuhn|PATIENT]].")
    assert stands_for("[[Barnaby K.|PATIENT]] called.", people=two) == [""]


def test_a_letter_that_is_all_that_is_known_explains_no_other() -> None:
    one = Person(
        "p", "patient", (NamePart("given", "barnaby", "barnaby"), NamePart("family", "k", "k"))
    )
    assert stands_for("[[Barnaby K.|PATIENT]] called.", people=People((one,))) == [""]
    assert stands_for("[[Barnaby K.|PATIENT]] called.", people=NOBODY) == [""]


@pytest.mark.parametrize(
    "stated",
    [
        [("PATIENT", "Kestrelwood, Barnaby")],
        [("PATIENT", "Barnaby"), ("PATIENT", "Kestrelwood"), ("MEDICALRECORD", "K7741902")],
        # Single words say nothing against somebody who is named in full.
        [("PATIENT", "Kuhn"), ("PATIENT", "Barnaby Kestrelwood"), ("PATIENT", "Barnaby")],
    ],
)
def test_what_the_fields_of_a_record_state(stated: list[tuple[str, str]]) -> None:
    assert stands_for("[[Barnaby K.|PATIENT]] called.", known=tuple(stated)) == ["kestrelwood"]


NOTES = ("Mr. Barnaby Kestrelwood was seen.", "Barnaby K. missed his visit, per B. Kestrelwood.")


def agree(results: list[Result]) -> None:
    given, family = str(results[0].text).split()[1:3]
    assert results[1].text == f"{given} {family[0]}. missed his visit, per {given[0]}. {family}."


def test_from_a_first_pass_over_the_notes_of_a_patient() -> None:
    pipeline = Pipeline(None, KEY)
    for patient in ("p1", "p2"):
        notes = [Document(str(i), text, {"patient_id": patient}) for i, text in enumerate(NOTES)]
        patients = Patients()
        for result in pipeline.detect(notes):
            assert isinstance(result, Result)
            patients.add(result)
        for order in (1, -1):
            told = [patients.with_known_values(note) for note in notes][::order]
            results = pipeline.deid(told)[::order]
            agree([result for result in results if isinstance(result, Result)])


def test_from_another_text_of_the_record() -> None:
    texts = [Document(str(i), text, record="r") for i, text in enumerate(NOTES)]
    agree([each for each in Pipeline(None, KEY).deid(texts) if isinstance(each, Result)])
