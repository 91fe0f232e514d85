"""The archive of the open corpus: rows that `datasets` loads, a card, checksums."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import yaml
from tests.marked import annotated
from tools.pack_corpus import (
    CONFIGURATIONS,
    DATA,
    checksums,
    dataset_card,
    people_of,
    write_rows,
)

from incognote.corpus import read_corpus

NOTES = [
    annotated("Dr. [[Okafor|DOCTOR]] on [[3/4/20|DATE]].", "1", note_type="letter"),
    annotated("No PHI here.", "2", patient_id="p1"),
]

PEOPLE = {("1", NOTES[0].spans[0].start, NOTES[0].spans[0].end): "p1-a"}


def test_every_row_has_the_same_columns(tmp_path: Path) -> None:
    write_rows(NOTES, tmp_path / "data" / "train.jsonl")
    written = (tmp_path / "data" / "train.jsonl").read_text("utf-8")
    rows = list(map(json.loads, written.splitlines()))
    assert [list(row) for row in rows] == [["id", "patient_id", "note_type", "text", "spans"]] * 2
    (first, _) = rows[0]["spans"]
    assert rows[0]["text"][first["start"] : first["end"]] == "Okafor"


def test_the_card_names_every_part() -> None:
    front = yaml.safe_load(dataset_card().split("---")[1])
    notes, spanish, records = front["configs"]
    assert [one["split"] for one in notes["data_files"]] == ["train", "validation", "test"]
    assert spanish["data_files"] == [
        {"split": "train", "path": "data/spanish.jsonl"},
        {"split": "test", "path": "data/spanish_unseen.jsonl"},
    ]
    assert records["data_files"] == [{"split": "test", "path": "data/records.jsonl"}]
    files = [one["path"] for of_one in front["configs"] for one in of_one["data_files"]]
    assert {path.name for path in DATA.glob("*.jsonl")} == {Path(path).name for path in files}
    assert front["license"] == "cc-by-4.0"


def test_datasets_loads_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for parts in CONFIGURATIONS.values():
        for part in parts:
            write_rows(NOTES, tmp_path / "corpus" / "data" / f"{part}.jsonl")
    write_rows(NOTES, tmp_path / "corpus" / "data" / "records.jsonl", PEOPLE)
    (tmp_path / "corpus" / "README.md").write_text(dataset_card(), "utf-8")
    cache = str(tmp_path / "cache")
    loaded = datasets.load_dataset(str(tmp_path / "corpus"), cache_dir=cache)
    assert {name: len(part) for name, part in loaded.items()} == {
        "train": 2, "validation": 2, "test": 2,
    }  # fmt: skip
    assert loaded["train"][0]["text"] == NOTES[0].text
    records = datasets.load_dataset(str(tmp_path / "corpus"), "records", cache_dir=cache)
    assert records["test"][0]["spans"][0]["person"] == "p1-a"


def test_our_records_say_whom_each_mention_names() -> None:
    people = people_of(DATA / "records.jsonl")
    names = {
        (doc.id, span.start, span.end)
        for doc in read_corpus(DATA / "records.jsonl")
        for span in doc.spans
        if span.label in ("PATIENT", "DOCTOR")
    }
    assert len(people) > 1000
    assert len(names - people.keys()) < len(names) / 100


def test_checksums_are_as_sha256sum_reads_them(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.txt").write_bytes(b"x")
    assert checksums(tmp_path) == f"{hashlib.sha256(b'x').hexdigest()}  a/x.txt\n"
