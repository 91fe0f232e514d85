"""Detectors know nothing of each other, and documents nothing of their batch: neither the order of
the detectors nor how documents are grouped changes a result, down to the reasons."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.core.types import Document, Result
from incognote.pipeline import Pipeline
from incognote.policy import Policy, load_policy, policy_from

SAMPLES = Path(__file__).parents[2] / "samples"


def notes() -> list[Document]:
    """The sample notes, and short texts in which detectors quarrel."""
    rows = map(json.loads, (SAMPLES / "notes.jsonl").read_text("utf-8").splitlines())
    texts = [
        "Will increase the dose. Will Jordan, of Jordan, was seen by Dr. Jordan in Jordan, MN 55352.",
        "JORDAN WILL WAS SEEN AT JORDAN GENERAL HOSPITAL ON MAY 3 BY DR MAY. MAY GO HOME IN MAY.",
        "Spoke with Mary Ann Smith-Jordan; Smith's son (Иван) lives at 9 Jordan St, Jordan MN 55352.",
    ]
    return [Document(row["id"], row["text"]) for row in rows][:6] + [
        Document(f"t{i}", text) for i, text in enumerate(texts)
    ]


def policy() -> Policy:
    """Rules and site lists that claim the same words under several labels and weights."""
    rules = load_policy("rules")
    names = {"label": "DOCTOR", "words": ["Jordan", "Will", "May", "Smith"]}
    towns = {"label": "CITY", "patterns": ["(?i)jordan(?: general)?"]}
    own = policy_from(
        {
            "name": "t",
            "detectors": {
                "staff": {"use": "dictionary", "weight": 2, "options": names},
                "towns": {
                    "use": "sentence_cache",
                    "weight": 2,
                    "options": {"use": "regex", "options": towns, "size": 3},
                },
            },
        }
    )
    detectors = {name: each for name, each in rules.detectors.items() if each.weight} | dict(
        own.detectors
    )
    return Policy("t", detectors=detectors, labels=rules.labels, resolve=rules.resolve)


@cache
def pipeline() -> Pipeline:
    return Pipeline(policy())


@cache
def alone() -> dict[str, Result]:
    """What each note gives by itself."""
    return {note.id: _result(pipeline().detect([note])[0]) for note in notes()}


def _result(outcome: object) -> Result:
    assert isinstance(outcome, Result)
    return outcome


@settings(max_examples=25, deadline=None)
@given(
    st.permutations(range(len(policy().detectors))),
    st.permutations(notes()),
    st.lists(st.integers(1, 4), min_size=9, max_size=9),
)
def test_order_of_detectors_order_of_notes_and_batches(order, shuffled, sizes) -> None:
    fresh = pipeline()
    fresh.detectors = tuple(fresh.detectors[i] for i in order)
    at = 0
    for size in sizes:
        for result in map(_result, fresh.detect(shuffled[at : at + size])):
            expected = alone()[result.document.id]
            assert (result.spans, result.dropped) == (expected.spans, expected.dropped)
        at += size


def test_there_is_something_to_quarrel_about() -> None:
    reasons = {drop.reason.partition(":")[0] for each in alone().values() for drop in each.dropped}
    assert {"overlap", "cut", "joined"} <= reasons
