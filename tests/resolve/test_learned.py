"""A trained detector argues only about what it learned."""

from __future__ import annotations

import pytest

from incognote.core.types import Document, Span
from incognote.pipeline import Pipeline
from incognote.policy import policy_from
from incognote.prepare import prepare
from incognote.resolve import resolve

TEXT = "code I10 noted"
POLICY = policy_from(
    {
        "name": "t",
        "detectors": {"rules": {"use": "patterns"}, "model": {"use": "fast", "weight": 9}},
        "labels": {"default": "keep", "ICD": "keep", "RELIGION": "keep"},
    }
)


@pytest.mark.parametrize(
    ("learned", "kept"),
    [({"model": frozenset({"DATE"})}, True), ({"model": frozenset({"IDNUM"})}, False), ({}, False)],
    ids=["never learned", "learned", "no model"],
)
def test_safe_counts_only_against_labels_that_were_learned(learned, kept) -> None:
    claims = [Span(5, 8, "IDNUM", 0.9, ("rules",)), Span(0, 14, "SAFE", 1.0, ("model",))]
    found = resolve(Document("d", TEXT), claims, POLICY, learned=learned)
    assert bool(found.spans) is kept


@pytest.mark.parametrize("label", ["ICD", "RELIGION"])
def test_what_is_no_phi_anyway_is_found_for_those_who_want_it(label: str) -> None:
    """A list calls it harmless, which is why it is optional; a model that learned it may object."""
    claims = [Span(5, 8, label, 0.9, ("rules",)), Span(0, 14, "SAFE", 1.0, ("model",))]
    assert resolve(Document("d", TEXT), claims, POLICY).spans
    learned = {"model": frozenset({label})}
    assert not resolve(Document("d", TEXT), claims, POLICY, learned=learned).spans


# One of each label that the shipped model does not know, found by a rule of `everything`.
UNLEARNED = {
    "ICD": "Lupus nephritis M32.14, stable.",
    "CPT": "Billed under CPT code 99213 today.",
    "COORDINATES": "Found at 40.7128, -74.0060 by the crew.",
    "MAC": "The pump has MAC 00:1B:44:11:3A:B7 on its plate.",
    "NDC": "Dispensed NDC 0777-3105-02 today.",
}


@pytest.fixture(scope="module")
def everything() -> Pipeline:
    return Pipeline("everything")


@pytest.mark.parametrize("label", UNLEARNED)
def test_finds_of_labels_that_no_model_learned_stay(everything: Pipeline, label: str) -> None:
    (result,) = everything.detect([Document("d", UNLEARNED[label])])
    assert label in {span.label for span in result.spans}, [
        (drop.span.label, drop.reason) for drop in result.dropped
    ]


def test_a_model_says_nothing_of_letters_it_never_saw() -> None:
    pipeline = Pipeline()
    (model,) = [each for each in pipeline.detectors if each.name == "accurate"]
    text = "The blood pressure of Алексей was normal today."
    (view,) = prepare(Document("d", text), pipeline.policy.prepare)
    safe = [span for span in model.detect([view])[0] if span.label == "SAFE"]
    at = text.index("А")
    assert safe
    assert not any(span.start < at + 7 and at < span.end for span in safe)
