"""`resolve.across_documents`: what one note of a patient shows is found in the patient's others."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from tests.engine.conftest import rows

from incognote.core.errors import UsageError
from incognote.engine.local import deid, detect
from incognote.engine.settings import Settings

NOTES = [
    {"id": "a", "patient_id": "p1", "text": "Seen: <Ann Quillfeather>."},
    {"id": "b", "patient_id": "p1", "text": "Spoke with Quillfeather's son; Quilfeather is well."},
    {"id": "c", "patient_id": "p2", "text": "Spoke with Quillfeather today."},
    {"id": "d", "text": "Spoke with Quillfeather today."},
]
HIDDEN = {
    "a": "Seen: <[PATIENT]>.",
    "b": "Spoke with [PATIENT]'s son; [PATIENT] is well.",
    "c": "Spoke with Quillfeather today.",
    "d": "Spoke with Quillfeather today.",
}


@pytest.fixture
def across(settings: Settings) -> Settings:
    resolve = replace(settings.policy.resolve, across_documents=True)
    return replace(settings, policy=replace(settings.policy, resolve=resolve))


def write(path: Path, notes) -> str:
    path.write_text("\n".join(map(json.dumps, notes)) + "\n")
    return str(path)


@pytest.mark.parametrize("order", [*permutations(range(3))], ids=str)
def test_in_whatever_order_the_notes_come(order, tmp_path: Path, across: Settings) -> None:
    where = write(tmp_path / "in.jsonl", [NOTES[i] for i in (*order, 3)])
    deid(where, str(tmp_path / "out" / "out.jsonl"), across)
    assert {row["id"]: row["text"] for row in rows(tmp_path / "out" / "out.jsonl")} == HIDDEN


@pytest.mark.parametrize(("workers", "batch"), [(1, 1), (2, 1), (2, 3)])
def test_workers_and_batches_do_not_matter(
    workers: int, batch: int, tmp_path: Path, across: Settings
) -> None:
    where = write(tmp_path / "in.jsonl", NOTES)
    detect(where, str(tmp_path / "spans.jsonl"), replace(across, workers=workers, batch=batch))
    found = {row["id"]: len(row["spans"]) for row in rows(tmp_path / "spans.jsonl")}
    assert found == {"a": 1, "b": 2, "c": 0, "d": 0}


def test_without_it_notes_know_nothing_of_each_other(tmp_path: Path, settings: Settings) -> None:
    where = write(tmp_path / "in.jsonl", NOTES)
    detect(where, str(tmp_path / "spans.jsonl"), settings)
    assert [len(row["spans"]) for row in rows(tmp_path / "spans.jsonl")] == [1, 0, 0, 0]


def test_the_usual_label_of_a_value_is_looked_for(tmp_path: Path, across: Settings) -> None:
    """A doctor who is taken for the patient once is still a doctor."""
    detectors = dict(across.policy.detectors)
    detectors["doctors"] = replace(
        detectors["find"], options={"label": "DOCTOR", "patterns": [r"Dr\. (?P<phi>\w+)"]}
    )
    across = replace(across, policy=replace(across.policy, detectors=detectors))
    texts = ["<Quillfeather>", "Dr. Quillfeather", "Dr. Quillfeather", "Asked Quillfeather again."]
    notes = [{"id": str(i), "patient_id": "p", "text": text} for i, text in enumerate(texts)]
    detect(write(tmp_path / "in.jsonl", notes), str(tmp_path / "spans.jsonl"), across)
    (span,) = rows(tmp_path / "spans.jsonl")[-1]["spans"]
    assert span["label"] == "DOCTOR"


def test_a_stream_cannot_be_read_twice(across: Settings) -> None:
    with pytest.raises(UsageError, match="reads its input twice"):
        detect("-", "-", across)
