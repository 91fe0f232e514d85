"""Batches keep their order, and reading never runs far ahead of writing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from incognote.core.errors import PolicyError
from incognote.core.types import Document, Result
from incognote.engine.workers import Work, run_batches
from incognote.policy import DetectorRules, Policy, policy_from


@pytest.mark.parametrize("workers", [1, 2])
def test_order_and_bounded_reading(tiny: Policy, workers: int) -> None:
    read = 0

    def batches() -> Iterator[list[Document]]:
        nonlocal read
        for number in range(30):
            read += 1
            yield [Document(f"{number}.{i}", "<Ann>" * number) for i in range(number % 3)]

    written = 0
    for batch, outcomes in run_batches(Work("detect", tiny), workers, batches(), lambda b: b):
        written += 1
        assert read - written <= 2 * workers
        assert len(outcomes) == len(batch)
        for document, outcome in zip(batch, outcomes, strict=True):
            assert isinstance(outcome, Result)
            assert outcome.document == document
            assert len(outcome.spans) == document.text.count("<")
    assert written == 30


@pytest.mark.parametrize("workers", [1, 2])
def test_a_policy_that_cannot_run_says_so_before_the_first_document(workers: int) -> None:
    def batches() -> Iterator[list[Document]]:
        raise AssertionError("a document was read")
        yield []

    bad_action = policy_from({"name": "bad", "labels": {"default": "frobnicate"}})
    with pytest.raises(PolicyError, match="frobnicate"):
        list(run_batches(Work("deid", bad_action, b"k" * 32), workers, batches(), lambda b: b))
    policy = Policy("bad", detectors={"regex": DetectorRules(options={"label": "NOPE"})})
    with pytest.raises(PolicyError):
        list(run_batches(Work("detect", policy), workers, batches(), lambda b: b))
