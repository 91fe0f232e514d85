"""The open corpus in data/: whole, consistent, and as its datasheet says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from incognote.core.labels import all_labels
from incognote.corpus import read_corpus, write_corpus
from incognote.corpus.describe import check, describe
from incognote.corpus.duplicates import duplicates

DATA = Path(__file__).parents[2] / "data"
SPANISH = ("spanish.jsonl", "spanish_unseen.jsonl")
FILES = ("train.jsonl", "dev.jsonl", "records.jsonl", "unseen.jsonl", *SPANISH)


@pytest.mark.parametrize("name", FILES)
def test_every_span_says_its_own_text_and_a_known_label(name: str) -> None:
    for line in (DATA / name).read_text("utf-8").rstrip("\n").split("\n"):
        row = json.loads(line)
        for span in row["spans"]:
            assert row["text"][span["start"] : span["end"]] == span["text"], row["id"]
            assert span["type"] in all_labels(), row["id"]


@pytest.mark.parametrize("name", FILES)
def test_no_annotation_is_impossible(name: str) -> None:
    # "dr lunds office", "braydens mom", "in-laws Picards", "labs qMon": the name starts or ends inside
    # a word; the other notes have lost their spaces on purpose.
    known = ("w8_48", "w27_052", "w27_098", "w31_090", "w32_036", "w36_012", "w37_071")
    assert {(f.document_id, f.problem) for f in check(read_corpus(DATA / name))} <= {
        (note, "cuts a word") for note in known
    }


def test_development_and_training_notes_share_nothing() -> None:
    train, dev = (read_corpus(DATA / name) for name in FILES[:2])
    assert not {doc.id for doc in train} & {doc.id for doc in dev}
    dev_ids = {doc.id for doc in dev}
    pairs = duplicates([*train, *dev], threshold=0.5)
    assert not [pair for pair in pairs if pair.one in dev_ids or pair.other in dev_ids]


def test_the_datasheet_counts_what_is_there() -> None:
    sheet = (DATA / "README.md").read_text("utf-8")
    facts = describe(read_corpus(DATA / "train.jsonl"))
    stated = dict(re.findall(r"^\| ([A-Z-]+) \| ([\d,]+) \|", sheet, re.MULTILINE))
    assert stated == {name: f"{row.mentions:,}" for name, row in facts.labels.items()}
    assert f"| PHI mentions | {facts.mentions:,} |" in sheet


def test_every_name_in_the_records_is_somebodys() -> None:
    rows = [json.loads(line) for line in (DATA / "records.jsonl").read_text("utf-8").splitlines()]
    named = [(row, span) for row in rows for span in row["spans"] if "person" in span]
    for row, span in named:
        assert span["type"] in ("PATIENT", "DOCTOR"), row["id"]
        assert span["person"].startswith(f"{row['patient_id']}-"), row["id"]
    unnamed = [span for row in rows for span in row["spans"] if "person" not in span]
    assert not [span for span in unnamed if span["type"] in ("PATIENT", "DOCTOR")]
    patients = {row["patient_id"] for row in rows}
    assert (len(patients), len(rows)) == (34, 157)
    stated = (DATA / "README.md").read_text("utf-8")
    people = {span["person"] for _, span in named}
    assert f"{len(people)} people, {len(named)} mentions" in stated


@pytest.mark.parametrize("form", ["brat", "i2b2-2014"])
@pytest.mark.parametrize("name", FILES)
def test_other_forms_hold_all_of_it(name: str, form: str, tmp_path: Path) -> None:
    documents = read_corpus(DATA / name)
    write_corpus(documents, tmp_path / "out", form)
    back = {doc.id: doc for doc in read_corpus(tmp_path / "out")}
    for doc in documents:
        assert (back[doc.id].text, back[doc.id].spans) == (doc.text, tuple(sorted(doc.spans)))
