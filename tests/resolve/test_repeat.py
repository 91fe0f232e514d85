"""Missed repetitions."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from incognote.core.types import Document, Span
from incognote.policy import policy_from
from incognote.resolve import repeat, resolve
from incognote.testing import parse_markup, render_markup


def repeated(marked, *more, **rules):
    text, spans = parse_markup(marked)
    policy = policy_from({"name": "t", "labels": {"default": "keep"}, "resolve": rules})
    return render_markup(text, resolve(Document("d", text), [*spans, *more], policy).spans)


CASES = tomllib.loads(Path(__file__).with_name("repetitions.toml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_repetition(case):
    assert repeated(case["found"]) == case["spans"]


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
