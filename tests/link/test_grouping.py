"""Who is meant."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.link.conftest import groups, people

from incognote.core.types import Document
from incognote.link import people_in
from incognote.testing import parse_markup

ONE_PERSON = [
    "[[John Smith|PATIENT]]. [[SMITH, JOHN|PATIENT]]. Mr. [[Smith|PATIENT]].",
    "[[Smith John|PATIENT]] ... Pt. [[SMITH|PATIENT]]",
    "Mr. [[Smith|PATIENT]] ... [[SMITH, JOHN|PATIENT]]",
    "[[John Smith|PATIENT]] was seen. [[Smith J|PATIENT]] left.",
    "[[John Smith|PATIENT]] was seen. [[Smith, J.|PATIENT]] left.",
    "[[John Smith|PATIENT]]; [[J. Smith|PATIENT]]; [[J.S.|PATIENT]]",
    "[[John Smith|PATIENT]]; [[Johnny|PATIENT]]; [[Johnny Smith|PATIENT]]",
    "[[John Smith|PATIENT]]; [[Smiht|PATIENT]]; [[John Smiht|PATIENT]]",
    "[[Maria Garcia Lopez|PATIENT]]. Sra. [[Garcia|PATIENT]]. [[Maria Lopez|PATIENT]]",
    "[[Garcia Lopez, Maria|PATIENT]]. [[M. Garcia Lopez|PATIENT]]",
    "[[Mary Jo|PATIENT]] came. [[Mary Jo Vass|PATIENT]] left.",
    "[[Nguyen Thi Lan|PATIENT]]. Ms. [[Lan|PATIENT]]. [[Lan Nguyen|PATIENT]]",
    "[[Park Dong-Hyun|PATIENT]]; [[Dong-Hyun Park|PATIENT]]; Mr. [[Park|PATIENT]]",
    "[[Venkataraman Subramaniam|PATIENT]]; [[Venkat|PATIENT]]",
    "[[Guadalupe Lopez|PATIENT]] says. [[Lupe|PATIENT]] agrees.",
    "Mr. [[Kowalski|PATIENT]] and the [[Kowalskis|PATIENT]]",
    "[[Declan O'Sullivan|PATIENT]] came. Mr. [[O Sullivan|PATIENT]]. [[Declan O Sullivan|PATIENT]].",
    "[[Abraham Rosenberg|PATIENT]] ate. [[Abe|PATIENT]] slept. [[Rosenberg, A.|PATIENT]]",
]


@pytest.mark.parametrize("marked", ONE_PERSON)
def test_one_person_in_many_forms(marked):
    assert len(groups(marked)) == 1


TWO_PEOPLE = [
    "Mr. [[Smith|PATIENT]] and Mrs. [[Smith|PATIENT]]",
    "[[John Smith|PATIENT]] and his wife [[Mary Smith|PATIENT]]",
    "Patient [[John Smith|PATIENT]]; his son [[John Smith Jr.|PATIENT]]",
    "[[John Smith Sr.|PATIENT]] and [[John Smith Jr.|PATIENT]]",
    "Dr. [[Hope Summers|DOCTOR]] saw [[April Winters|PATIENT]]",
    "[[Nguyen Thi Lan|PATIENT]] and her sister [[Nguyen Thi Mai|PATIENT]]",
    "[[Raman Iyer|PATIENT]] and his brother [[Venkataraman Iyer|PATIENT]]",
    "son [[Carl|PATIENT]] and daughter [[Faith|PATIENT]]",
    "[[M. Rosenberg|PATIENT]] and [[Y. Rosenberg|PATIENT]]",
]


@pytest.mark.parametrize("marked", TWO_PEOPLE)
def test_two_people_stay_two(marked):
    assert len(groups(marked)) == 2


def test_a_title_tells_husband_and_wife_apart():
    john, mary = groups(
        "[[John Smith|PATIENT]] with wife [[Mary Smith|PATIENT]]. Mrs. [[Smith|PATIENT]] says that "
        "Mr. [[Smith|PATIENT]] snores."
    )
    assert john == ["John Smith", "Smith"]
    assert mary == ["Mary Smith", "Smith"]
    assert [p.sex.value for p in people("Mrs. [[Smith|PATIENT]]")] == ["female"]


def test_the_son_is_meant_where_the_note_says_so():
    father, son = groups(
        "Patient: [[John Smith|PATIENT]]. Son [[John Smith Jr.|PATIENT]]. Mr. [[Smith|PATIENT]] "
        "coughs. [[John Jr.|PATIENT]] drove."
    )
    assert father == ["John Smith", "Smith"]
    assert son == ["John Smith Jr.", "John Jr."]


KINDS = [
    ("[[Maria Garcia Lopez|PATIENT]]", {"garcia", "lopez"}, {"maria"}),
    ("[[Nguyen Thi Lan|PATIENT]]", {"nguyen"}, {"lan"}),
    ("[[SMITH JOHN|PATIENT]]", {"smith"}, {"john"}),
    ("[[Park Dong-Hyun|PATIENT]]", {"park"}, {"dong", "hyun"}),
    ("[[Chen Wei-Ling|PATIENT]]", {"chen"}, {"wei", "ling"}),
    ("[[Anne-Marie Roy|PATIENT]]", {"roy"}, {"anne", "marie"}),
    ("[[van der Berg, Peter|PATIENT]]", {"berg"}, {"peter"}),
    ("[[Smith^John^Q|PATIENT]]", {"smith"}, {"john"}),
]


@pytest.mark.parametrize(("marked", "family", "given_names"), KINDS, ids=[k[0] for k in KINDS])
def test_what_a_word_is(marked, family, given_names):
    [person] = people(marked)
    assert {part.canonical for part in person.of("family")} == family
    assert {part.canonical for part in person.of("given")} == given_names


def test_what_a_word_is_is_decided_once_for_a_person():
    [person] = people("[[SMITH, JOHN|PATIENT]]. [[John|PATIENT]]. Mr. [[Smith|PATIENT]]")
    kinds = {part.canonical: part.kind for part in person.parts}
    assert kinds == {"smith": "family", "john": "given"}
    for mention in person.mentions:
        for word in mention.words:
            assert word.part in person.parts


def test_a_misspelling_is_of_the_right_name():
    [person] = people("[[John Smith|PATIENT]] came. [[Smiht|PATIENT]] left.")
    [word] = person.mentions[1].words
    assert (word.form, word.part.canonical) == ("misspelt", "smith")
    assert person.mentions[1].reason == "misspelt"


def test_another_listed_name_is_no_misspelling():
    assert len(groups("Mr. [[Hansen|PATIENT]] and Mr. [[Hanson|PATIENT]]")) == 2


def test_an_initial_stands_for_its_name():
    [person] = people("[[John Quincy Smith|PATIENT]]; [[J. Q. Smith|PATIENT]]")
    initials = [w.part.canonical for w in person.mentions[1].words if w.form == "initial"]
    assert initials == ["john", "quincy"]


ROLES = [
    ("Patient: [[Ann Lee|PATIENT]]", ["patient"]),
    ("Pt [[Lee|PATIENT]] seen by Dr. [[Wu|DOCTOR]]", ["patient", "staff"]),
    ("Pt: [[Ann Lee|PATIENT]], her son [[Bo|PATIENT]]", ["patient", "relative"]),
    ("Mr. [[Lee|PATIENT]] coughs. [[Bo Hale|PATIENT]] (brother)", ["patient", "relative"]),
]


@pytest.mark.parametrize(("marked", "roles"), ROLES)
def test_roles(marked, roles):
    assert [person.role for person in people(marked)] == roles


def test_kinship_is_kept():
    assert [p.kinship for p in people("his daughter, [[Ann|PATIENT]], called")] == ["daughter"]


def test_the_key_of_a_person_is_the_same_in_other_notes():
    def keys(marked: str) -> list[str]:
        return [person.key for person in people(marked)]

    assert keys("Dr. [[Ann Lee|DOCTOR]]") == keys("[[Lee|DOCTOR]], MD") == keys("[[LEE, A|DOCTOR]]")
    assert keys("wife [[Mary Smith|PATIENT]]") == keys("[[Mary|PATIENT]] (wife)")
    assert keys("Pt: [[Smith|PATIENT]]") == keys("Patient [[John|PATIENT]]")


def test_no_repr_shows_a_name():
    found = people("Patient: [[Zebulon Quackenbush|PATIENT]]; [[Z. Quackenbush|PATIENT]]")
    shown = repr(found) + "".join(map(repr, found)) + repr(next(iter(found)).parts)
    assert "uackenbush" not in shown.lower()
    assert "ebulon" not in shown.lower()


@given(
    st.lists(st.sampled_from(["John Smith", "Smith", "SMITH, JOHN", "J.S.", "Mary", "Lee", "Bo"]))
)
def test_every_mention_has_one_person(names):
    found = people(", ".join(f"[[{name}|PATIENT]]" for name in names))
    starts = [mention.start for person in found for mention in person.mentions]
    assert len(starts) == len(set(starts)) == len(names)


# Two people of one name, so that each mention must be weighed against both.
NAMED_AGAIN = (
    "[[John Smith|PATIENT]] and his son [[John Smith Jr.|PATIENT]]. Mr. [[Smith|PATIENT]]. "
)


def calls(times: int) -> int:
    """How many functions are called to link a text that names the same people again and again."""
    text, spans = parse_markup(NAMED_AGAIN * times)
    counted = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        people_in(Document("d", text), spans)
    finally:
        sys.setprofile(None)
    return counted


def test_work_grows_no_faster_than_the_mentions():
    calls(20)  # fills the caches
    assert calls(400) < 5 * calls(100)


@pytest.mark.parametrize(
    ("marked", "kind"),
    [
        ("Her husband [[Xaventu|PATIENT]] called.", "given"),
        ("Daughter [[Brelkin|PATIENT]] drove.", "given"),
        ("Ms. [[Xaventu|PATIENT]] called.", "family"),
        ("Her husband [[Kestrelwood|PATIENT]] called. [[Ann Kestrelwood|PATIENT]].", "family"),
        ("Contact: [[Kestrelwood|PATIENT]].", "family"),
    ],
)
def test_behind_a_word_for_a_relative_a_name_on_no_list_is_a_given_name(
    marked: str, kind: str
) -> None:
    assert people(marked).persons[0].parts[-1].kind == kind


def test_the_wife_of_a_slavic_husband_is_no_slip_of_the_pen() -> None:
    marked = "Mr. [[Szymborski|PATIENT]] came. Mrs. [[Szymborska|PATIENT]] drove."
    assert groups(marked) == [["Szymborski"], ["Szymborska"]]
