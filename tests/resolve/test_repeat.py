"""Missed repetitions. [[...]] marks the one find there is; the expected text marks all."""

from __future__ import annotations

import pytest

from incognote.core.types import Document, Span
from incognote.policy import policy_from
from incognote.resolve import repeat, resolve
from incognote.testing import parse_markup, render_markup


def repeated(marked, *more, **rules):
    text, spans = parse_markup(marked)
    policy = policy_from({"name": "t", "labels": {"default": "keep"}, "resolve": rules})
    return render_markup(text, resolve(Document("d", text), [*spans, *more], policy).spans)


CASES = {
    "whole name": (
        "[[Jane Kowalski|PATIENT]] came. Then Jane Kowalski left.",
        "[[Jane Kowalski|PATIENT]] came. Then [[Jane Kowalski|PATIENT]] left.",
    ),
    "part of a name, possessive": (
        "[[Jane Kowalski|PATIENT]] came. Kowalski's son left.",
        "[[Jane Kowalski|PATIENT]] came. [[Kowalski|PATIENT]]'s son left.",
    ),
    "other letter case": (
        "[[Jane Kowalski|PATIENT]] came. KOWALSKI left with kowalski.",
        "[[Jane Kowalski|PATIENT]] came. [[KOWALSKI|PATIENT]] left with [[kowalski|PATIENT]].",
    ),
    "initial": (
        "[[Jane Kowalski|DOCTOR]] came. Signed J. Kowalski, or A. Kowalski",
        "[[Jane Kowalski|DOCTOR]] came. Signed [[J. Kowalski|DOCTOR]], or A. [[Kowalski|DOCTOR]]",
    ),
    "initials with full stops": (
        "[[Jane Kowalski|PATIENT]] came. Note by J.K. and by JK",
        "[[Jane Kowalski|PATIENT]] came. Note by [[J.K.|PATIENT]] and by JK",
    ),
    "an abbreviation in brackets": (
        "[[Harrow Valley Hospital|HOSPITAL]] (HVH). At HVH she was well; hvh",
        "[[Harrow Valley Hospital|HOSPITAL]] ([[HVH|HOSPITAL]]). At [[HVH|HOSPITAL]] she was well; hvh",
    ),
    "an abbreviation without the small words": (
        "[[Bank of the Harrow Valley|ORGANIZATION]] (BHV)",
        "[[Bank of the Harrow Valley|ORGANIZATION]] ([[BHV|ORGANIZATION]])",
    ),
    "a clinical abbreviation in brackets": (
        "[[Center for Heart Failure|HOSPITAL]] (CHF). He has CHF",
        "[[Center for Heart Failure|HOSPITAL]] (CHF). He has CHF",
    ),
    "other letters in brackets": (
        "[[Harrow Valley Hospital|HOSPITAL]] (ICU)",
        "[[Harrow Valley Hospital|HOSPITAL]] (ICU)",
    ),
    "initials that mean something": (
        "[[Mary Dunne|PATIENT]] came. Signed Ann Fox, M.D. today",
        "[[Mary Dunne|PATIENT]] came. Signed Ann Fox, M.D. today",
    ),
    "one letter wrong": (
        "[[Jane Kowalski|PATIENT]] came. Kovalski, Kowalsky, Kowalksi, Kowalsi",
        (
            "[[Jane Kowalski|PATIENT]] came. [[Kovalski|PATIENT]], [[Kowalsky|PATIENT]],"
            " [[Kowalksi|PATIENT]], [[Kowalsi|PATIENT]]"
        ),
    ),
    "misread by a scanner": (
        "[[Ada Burnwell|PATIENT]] came. Bumwell, Burnwe1l, Burnwe11 and B0urnwell left",
        (
            "[[Ada Burnwell|PATIENT]] came. [[Bumwell|PATIENT]], [[Burnwe1l|PATIENT]], Burnwe11 and"
            " [[B0urnwell|PATIENT]] left"
        ),
    ),
    "two letters wrong": (
        "[[Jane Kowalski|PATIENT]] came. Kovalsky left",
        "[[Jane Kowalski|PATIENT]] came. Kovalsky left",
    ),
    "an ordinary word needs its capital inside a sentence": (
        "[[Will Young|PATIENT]] came. Will is a young man. Ask Will and Mr. Young.",
        (
            "[[Will Young|PATIENT]] came. Will is a young man. Ask [[Will|PATIENT]] and Mr."
            " [[Young|PATIENT]]."
        ),
    ),
    "an ordinary word in capitals only": (
        "[[WILL KOWALSKI|PATIENT]] CAME. WE WILL TREAT KOWALSKI.",
        "[[WILL KOWALSKI|PATIENT]] CAME. WE WILL TREAT [[KOWALSKI|PATIENT]].",
    ),
    "eponym": (
        "[[Ann Foley|PATIENT]] came. Foley catheter out. Foley slept.",
        "[[Ann Foley|PATIENT]] came. Foley catheter out. [[Foley|PATIENT]] slept.",
    ),
    "scale": (
        "Dr. [[Ann Gleason|DOCTOR]] came. Grade is Gleason 7. Ask Gleason.",
        "Dr. [[Ann Gleason|DOCTOR]] came. Grade is Gleason 7. Ask [[Gleason|DOCTOR]].",
    ),
    "id": (
        "MRN [[44-1902|MEDICALRECORD]]. Again 44-1902.",
        "MRN [[44-1902|MEDICALRECORD]]. Again [[44-1902|MEDICALRECORD]].",
    ),
    "a short number is no id": (
        "Bed [[14|IDNUM]]. Again 14.",
        "Bed [[14|IDNUM]]. Again 14.",
    ),
    "place": (
        "from [[Lake Quilby|CITY]]. Back to lake quilby.",
        "from [[Lake Quilby|CITY]]. Back to [[lake quilby|CITY]].",
    ),
    "dates do not spread": (
        "on [[May|DATE]] 3. She may go in May.",
        "on [[May|DATE]] 3. She may go in May.",
    ),
    "grows over what is there": (
        "[[Jane Kowalski|PATIENT]] came. Then Jane [[Kowalski|PATIENT]] left.",
        "[[Jane Kowalski|PATIENT]] came. Then [[Jane Kowalski|PATIENT]] left.",
    ),
    "never beats a detector": (
        "[[Jane Kowalski|PATIENT]] came to [[Kowalski House|ORGANIZATION]].",
        "[[Jane Kowalski|PATIENT]] came to [[Kowalski House|ORGANIZATION]].",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_repetition(case):
    marked, expected = case
    assert repeated(marked) == expected


def test_an_unsure_find_does_not_spread():
    unsure = Span(0, 8, "PATIENT", 0.6)
    assert repeated("Kowalski and Kowalski", unsure) == "[[Kowalski|PATIENT]] and Kowalski"


def test_switched_off():
    marked = "[[Kowalski|PATIENT]] and Kowalski"
    assert repeated(marked, repetitions=False) == marked


def test_repetitions_pass_the_same_filters():
    text = "Kowalski and Kowalski"
    never = [{"words": ["Kowalski"], "before": "and"}]
    assert (
        repeated("[[Kowalski|PATIENT]] and Kowalski", never=never)
        == f"[[{text[:8]}|PATIENT]]{text[8:]}"
    )
    harmless = Span(13, 21, "SAFE")
    assert (
        repeated("[[Kowalski|PATIENT]] and Kowalski", harmless)
        == f"[[{text[:8]}|PATIENT]]{text[8:]}"
    )


def test_a_list_of_names_without_commas_is_looked_for_in_its_parts() -> None:
    """Whole, it would be compared at each of its words: time squared."""
    forms = {form.text for form in repeat.name_forms("Ann Smithson " * 20, "PATIENT")}
    assert forms == {"Ann", "Smithson"}


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        pytest.param(
            ("PATIENT", "Jane Kowalski"), "title: [[Kowalski|PATIENT]] letter", id="a name"
        ),
        pytest.param(("MEDICALRECORD", "Kowalski1"), "title: Kowalski letter", id="another value"),
    ],
)
def test_no_opinion_speaks_against_a_name_that_the_record_states(known, expected):
    text = "title: Kowalski letter"
    policy = policy_from({"name": "t", "labels": {"default": "keep"}})
    document = Document("d", text, known=(known,))
    harmless = Span(0, len(text), "SAFE", 0.99)
    assert render_markup(text, resolve(document, [harmless], policy).spans) == expected


def test_ordinary_words_of_stated_names_may_be_harmless():
    text = "The brown Brown spot"
    policy = policy_from({"name": "t", "labels": {"default": "keep"}})
    document = Document("d", text, known=(("PATIENT", "Jane Brown"),))
    assert resolve(document, [Span(0, len(text), "SAFE", 0.99)], policy).spans == ()
