from __future__ import annotations

import pytest

from incognote.core.types import Document, Span
from incognote.policy import PrepareRules, policy_from
from incognote.prepare import prepare
from incognote.resolve import resolve
from incognote.testing import parse_markup, render_markup


def filtered(marked, source="list", given=(), **rules):
    text, spans = parse_markup(marked)
    document = Document("d", text, given=tuple(given))
    tree = {
        "name": "t",
        "labels": {"default": "keep"},
        "resolve": {"repetitions": False, "speech": {"sources": ["list", "names/bare"], **rules}},
    }
    found = resolve(
        document,
        [Span(s.start, s.end, s.label, 1.0, (source,)) for s in spans],
        policy_from(tree),
        prepare(document, PrepareRules()),
    )
    return render_markup(text, found.spans), [drop.reason for drop in found.dropped]


CASES = {
    "modal": ("[[Will|PATIENT]] increase lisinopril.", "Will increase lisinopril."),
    "command": ("[[Mark|PATIENT]] each item on the chart.", "Mark each item on the chart."),
    "name": ("Seen by Dr. [[Mark|DOCTOR]] today.", "Seen by Dr. [[Mark|DOCTOR]] today."),
    "one noun is enough": (
        "Asked [[Will Young|PATIENT]] to come.",
        "Asked [[Will Young|PATIENT]] to come.",
    ),
    "behind a ligature": ("Oﬃce. [[Will|PATIENT]] increase dose.", "Oﬃce. Will increase dose."),
    "capitals": (
        "[[WILL|PATIENT]] INCREASE THE DOSE OF LISINOPRIL.",
        "WILL INCREASE THE DOSE OF LISINOPRIL.",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_finds_of_lists_must_be_nouns(case):
    marked, expected = case
    assert filtered(marked)[0] == expected


MODAL = "[[Will|PATIENT]] increase lisinopril."


def test_the_reason_names_the_tag():
    assert filtered(MODAL)[1] == ["speech:MD"]


def test_other_annotators_are_not_filtered():
    assert filtered(MODAL, source="model")[0] == MODAL
    assert filtered(MODAL, source="names/title")[0] == MODAL


def test_one_rule_of_an_annotator():
    assert filtered(MODAL, source="names/bare")[0] == "Will increase lisinopril."


def test_exempt_labels():
    assert filtered(MODAL, exempt=["PATIENT"])[0] == MODAL


def test_what_the_source_states_is_not_filtered():
    stated = [Span(0, 4, "PATIENT")]
    assert filtered("Will increase lisinopril.", given=stated)[0] == MODAL
