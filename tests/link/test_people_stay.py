"""People stay people through the whole pipeline: one identity, however a name is written."""

from __future__ import annotations

import re

import pytest

from incognote.core.types import Document, Result
from incognote.pipeline import Pipeline

KEY = b"a secret of at least sixteen bytes"


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(None, KEY)


def replaced(pipeline: Pipeline, text: str, patient: str = "p1") -> str:
    [result] = pipeline.deid([Document("d", text, {"patient_id": patient})])
    assert isinstance(result, Result)
    assert result.text is not None
    return result.text


# What was written, and an expression for it in which one name has one group.
STAY = [
    ("Smith John was seen. Pt. SMITH is well.", r"(\w+) \w+ was seen\. Pt\. (?i:\1) is well\."),
    (
        "Patient: Maria Garcia Lopez. Sra. Garcia fell.",
        r"Patient: \w+ (\w+) \w+\. Sra\. \1 fell\.",
    ),
    (
        "Mr. Smith was seen today.\nName: SMITH, JOHN\n",
        r"Mr\. (\w+) was seen today\.\nName: (?i:\1), \w+\n",
    ),
    (
        "Patient John Smith was seen. Smith J left.",
        r"Patient (\w+) (\w+) was seen\. \2 \w left\.",
    ),
    (
        "Patient: John Smith, jsmith@mail.org. Dr. Ann Lee saw John.",
        r"Patient: (\w+) (\w+), (?i:\w\2)@\w+\.example\. Dr\. \w+ \w+ saw \1\.",
    ),
    (
        "Patient: Mary Jo Vass. Mary Jo is well.",
        r"Patient: (\w+) (\w+) \w+\. \1 \2 is well\.",
    ),
]


@pytest.mark.parametrize(("text", "form"), STAY, ids=[each[0][:24] for each in STAY])
def test_one_identity(pipeline, text, form):
    for patient in ("p1", "p2", "p3"):
        new = replaced(pipeline, text, patient)
        assert re.fullmatch(form, new), new
        assert new != text


def test_father_and_son_have_one_name_and_stay_two(pipeline):
    text = "Patient: John Smith Sr. His son John Smith Jr. drove. Dr. Wu saw John Smith Sr."
    new = replaced(pipeline, text)
    [father, son, again] = re.findall(r"(\w+ \w+ [SJ]r)\.", new)
    assert father == again
    assert father[:-2] == son[:-2]
    assert father != son


def test_different_people_do_not_meet(pipeline):
    names = [f"{name} Brown" for name in ("Ann", "Carl", "Dora", "Emil", "Faith", "Gus", "Hope")]
    text = "Family: " + ", ".join(names) + "."
    new = replaced(pipeline, text).removeprefix("Family: ").rstrip(".").split(", ")
    assert len({name.split()[0] for name in new}) == len(names)
    assert len({name.split()[-1] for name in new}) == 1


def test_people_are_the_same_in_any_batch_and_order(pipeline):
    notes = [
        Document("a", "Patient: April Winters. April coughs.", {"patient_id": "p"}),
        Document("b", "April Winters returns. Dr. Hope Summers saw April.", {"patient_id": "p"}),
    ]
    together = [result.text for result in pipeline.deid(notes)]
    apart = [pipeline.deid([note])[0].text for note in reversed(notes)][::-1]
    assert together == apart


def test_a_result_shows_nobody_in_its_repr(pipeline):
    [result] = pipeline.deid([Document("d", "Patient: Zebulon Quackenbush. Quackenbush left.")])
    assert len(result.people) == 1
    assert "uackenbush" not in repr(result) + repr(result.people) + repr(list(result.people))


def test_initials_without_stops_are_those_of_the_person(pipeline: Pipeline) -> None:
    text = replaced(
        pipeline, "Patient: Jonas Quilter. His wife says JQ has been confused. Na 138, TV on."
    )
    names = re.match(r"Patient: (\w)\w+ (\w)\w+\. .* says (\w\w) has been", text)
    assert names
    assert names[3] == names[1] + names[2]
    assert text.endswith("Na 138, TV on.")


def test_initials_that_mean_something_else_stay(pipeline: Pipeline) -> None:
    text = replaced(pipeline, "Patient: Mary Stone. MS for ten years, on MS Contin.")
    assert text.endswith(". MS for ten years, on MS Contin.")


@pytest.mark.parametrize("login", ["qbran", "qbrand", "qbrandvo"])
def test_a_login_that_is_cut_off_is_the_persons(pipeline: Pipeline, login: str) -> None:
    text = f"Signed: Quillon Brandvold, MD\n({login})"
    (result,) = pipeline.detect([Document("d", text)])
    assert any(text[span.start : span.end] == login for span in result.spans)


def test_a_word_that_begins_like_a_login_stays(pipeline: Pipeline) -> None:
    text = "Seen by Paul Aining, MD. She is paining less; the pain is gone."
    (result,) = pipeline.detect([Document("d", text)])
    assert not any(text[span.start : span.end].startswith("pain") for span in result.spans)


def test_a_given_name_that_is_an_abbreviation_goes_with_the_family_name(
    pipeline: Pipeline,
) -> None:
    text = "GARCIA, ANA left. Seen by RAMIREZ, ANA today."
    (result,) = pipeline.detect([Document("d", text)])
    left = "".join(
        " " if any(s.start <= at < s.end for s in result.spans) else c for at, c in enumerate(text)
    )
    assert not re.search("GARCIA|RAMIREZ|ANA", left)
    text = "Dr. GARCIA, ANA 1:640 and ESR 40."
    (result,) = pipeline.detect([Document("d", text)])
    assert not any("ANA" in text[span.start : span.end] for span in result.spans)
