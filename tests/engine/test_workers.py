"""Batches keep their order, and reading never runs far ahead of writing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.engine.kit.deadly import MARKER

from incognote.core.errors import IncognoteError, PolicyError
from incognote.core.types import Document, Failure, Result
from incognote.engine import workers
from incognote.engine.settings import Settings
from incognote.engine.workers import UniqueDocuments, Work, run_batches
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
    for batch, outcomes in run_batches(
        Work("detect", tiny), Settings(tiny, workers=workers), batches(), lambda b: b
    ):
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
        list(
            run_batches(
                Work("deid", bad_action, b"k" * 32),
                Settings(bad_action, workers=workers),
                batches(),
                lambda b: b,
            )
        )
    policy = Policy("bad", detectors={"regex": DetectorRules(options={"label": "NOPE"})})
    with pytest.raises(PolicyError):
        list(
            run_batches(
                Work("detect", policy), Settings(policy, workers=workers), batches(), lambda b: b
            )
        )


DEADLY = policy_from(
    {
        "name": "deadly",
        "detectors": {"function": {"options": {"function": "tests.engine.kit.deadly:find"}}},
        "labels": {"default": {"action": "tag", "because": "a test"}},
    }
)


@pytest.fixture
def marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(MARKER, str(tmp_path / "marker"))
    return tmp_path / "marker"


def _outcomes(texts: list[list[str]]) -> list[Result | Failure]:
    numbers = count()
    batches = [[Document(f"d{next(numbers)}", text) for text in batch] for batch in texts]
    work = Work("deid", DEADLY, b"k" * 32)
    return [
        each
        for _, found in run_batches(work, Settings(DEADLY, workers=2), batches, lambda b: b)
        for each in found
    ]


def test_a_document_that_kills_its_worker_is_the_only_one_lost(marker: Path) -> None:
    texts = [["a", "b", "poison", "c"], ["d"], ["e", "f"], ["poison"], ["g"]]
    found = _outcomes(texts)
    died = [isinstance(each, Failure) for each in found]
    assert died == [text == "poison" for batch in texts for text in batch]
    (first, second) = (each for each in found if isinstance(each, Failure))
    assert (first.document_id, first.stage, first.error) == ("d2", "worker", "WorkerDied")
    assert second.document_id == "d7"


def test_a_worker_killed_from_outside_costs_no_document(marker: Path) -> None:
    found = _outcomes([["a", "unlucky"], ["b"], ["c", "d"]])
    assert marker.exists()
    assert [each.text for each in found if isinstance(each, Result)] == ["a", "unlucky", *"bcd"]


def test_a_worker_killed_twice_from_outside_costs_no_document(marker: Path) -> None:
    found = _outcomes([["a"], ["twice"], ["b"]])
    assert [each.text for each in found if isinstance(each, Result)] == ["a", "twice", "b"]
    assert len(marker.read_text()) == 3


def test_workers_that_cannot_start_stop_the_run(marker: Path, monkeypatch) -> None:
    monkeypatch.setattr(workers, "_serve", os._exit)
    with pytest.raises(IncognoteError, match="before they have read anything"):
        _outcomes([["a"]])


def test_what_stands_in_a_record_twice_is_asked_about_once(tiny: Policy) -> None:
    meta, known = {"patient_id": "p"}, (("PATIENT", "Ann"),)
    twins = [Document("d", "<Bo>", meta, f"place {n}", known=known) for n in range(3)]
    others = [Document("d", "<Bo>", dict(meta), known=known), Document("d", "<Cy>", meta)]
    asked = UniqueDocuments.of([*twins, *others])
    assert asked.documents == [twins[0], *others]
    [(_, found)] = run_batches(
        Work("detect", tiny), Settings(tiny), [[*twins, *others]], lambda b: b
    )
    assert [each.document for each in found] == [*twins, *others]
    assert all(isinstance(each, Result) and len(each.spans) == 1 for each in found)
