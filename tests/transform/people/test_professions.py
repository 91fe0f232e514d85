"""Jobs keep what they expose to."""

from __future__ import annotations

import pytest
from tests.transform.conftest import deid, new_values, surrogate

from incognote.transform.people.professions import exposure, job_classes

JOBS = {
    "coal miner": "mining",
    "uranium mill worker": "mining",
    "shipyard welder": "asbestos",
    "pipefitter": "asbestos",
    "dairy farmer": "farming",
    "poultry worker": "animals",
    "registered nurse": "health",
    "physical therapist": "health",
    "hairdresser": "chemicals",
    "truck driver": "driving",
    "accountant": "desk",
    "graphic designer": "desk",
    "shipwright": "asbestos",
    "stoker": "asbestos",
    "goldsmith": "chemicals",
    "cabinetmaker": "chemicals",
    "steelworker": "asbestos",
    "cattleman": "animals",
    "rn": "health",
    "army veteran": "military",
    "homemaker": "home",
    "lutheran pastor": "clergy",
    "imam": "clergy",
    "retired Latin teacher": "education",
    "middle-school band director": "education",
    "school bus driver": "driving",
    "school cook": "service",
    "teacher's aide": "education",
    "fire boss": "mining",
    "loom fixer": "chemicals",
    "boning room trimmer": "animals",
    "cheese grader": "farming",
    # A word inside another one is no exposure.
    "patent examiner": "desk",
    "importer": "desk",
    "civil engineer": "desk",
    "chief executive officer": "desk",
}


@pytest.mark.parametrize(("job", "name"), JOBS.items())
def test_the_class_of_a_job_stays(job, name):
    assert exposure(job) == name
    for patient in "abcdefghijklmnop":
        assert surrogate(job, "PROFESSION", patient) in job_classes()[name]


def test_every_job_is_of_its_own_class():
    wrong = [job for name, jobs in job_classes().items() for job in jobs if exposure(job) != name]
    assert wrong == []


def test_one_person_has_one_job():
    for patient in "abcdefgh":
        one, two = new_values(
            deid("[[bus driver|PROFESSION]] ... retired [[bus driver|PROFESSION]]", patient)
        )
        assert one == two


def test_the_article_before_a_job_stays_right():
    for patient in "abcdefghijkl":
        (new,) = new_values(deid("works as an [[accountant|PROFESSION]]", patient))
        assert new[0] in "aeiou"


@pytest.mark.parametrize(
    ("said", "exposed"),
    [
        ("milked forty jerseys", "farming"),
        ("picks lettuce", "farming"),
        ("packs tuna", "animals"),
        ("lays brick", "asbestos"),
        ("welded ships", "asbestos"),
        ("blasted rock", "mining"),
        ("cuts hair", "chemicals"),
        ("fought fires", "chemicals"),
        ("hauled freight", "driving"),
        ("waits tables", "service"),
        ("keeps the books", "desk"),
        ("roofs", "asbestos"),
        ("school bus aide", "driving"),
        ("setnetter", "animals"),
    ],
)
def test_what_is_said_with_a_verb_keeps_its_exposure(said, exposed):
    assert exposure(said) == exposed


@pytest.mark.parametrize("job", ["cooks at the senior center", "guards for the county"])
def test_a_verb_that_is_also_the_plural_of_a_job_stays_a_verb(job):
    for patient in "abcd":
        assert surrogate(job, "PROFESSION", patient).startswith("works as a")
