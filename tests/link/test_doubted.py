"""A name that was found is looked for again; what a model thinks of the place decides about words
that are more than names."""

from __future__ import annotations

import pytest

from incognote.core.types import Document, Span
from incognote.link import link

CASES = [
    # text, the word that stands again, whether it is a name there though a model sees none
    ("Mr. Hickman, AML. Line care: Hickman oozing.", "Hickman", False),
    ("Mr. Hickman, AML. Discussed with Dr. Hickman.", "Hickman", True),
    ("Mr. Hickman, AML. Plan d/w Hickman.", "Hickman", True),
    ("Mr. Hickman, AML. Hickman says he is well.", "Hickman", True),
    ("Mrs. Okonkwo, AML. Bed 4: Okonkwo.", "Okonkwo", True),
]


@pytest.mark.parametrize(("text", "word", "again"), CASES)
def test_only_a_cue_makes_a_name_of_a_word_that_a_model_reads_otherwise(text, word, again):
    first, last = text.index(word), text.rindex(word)
    found = Span(first, first + len(word), "PATIENT", 1.0, ("names/title",))
    place = (last, last + len(word))
    spans = link(Document("d", text), [found], doubted=[place]).spans
    assert any((s.start, s.end) == place for s in spans) == again
    # Without a model nobody doubts.
    spans = link(Document("d", text), [found]).spans
    assert any((s.start, s.end) == place for s in spans)


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("Primary Care Provider", False),
        ("Primary called.", True),
        ("RAD-1 Radiology Dept", False),
        ("RAD called the ward.", True),
        ("Speaks French.", False),
        ("French-speaking interpreter.", False),
        ("Mr. French called.", True),
    ],
)
def test_a_title_and_a_code_are_no_names(text, again):
    """The record names Patricia Primary, Robin Rad and Ann French."""
    names = "Patricia Primary", "RAD, ROBIN", "Ann French"
    document = Document("d", text, known=tuple(("DOCTOR", name) for name in names))
    assert bool(link(document, []).spans) == again
