"""Samples of an archive: stratified, with a minimum and factors, by patient, seeded."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from incognote.cli import main
from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document
from incognote.corpus import read_corpus, write_corpus
from incognote.corpus.sample import CHANCE, SampleSize, sample
from incognote.corpus.split import note_type

SIZES = {"progress": 80, "discharge": 40, "consult": 16, "autopsy": 4}
ARCHIVE = [
    AnnotatedDocument(
        Document(f"{kind}{i}", "CANARY", {"note_type": kind, "patient_id": f"p{i % 20}"}), ()
    )
    for kind, count in SIZES.items()
    for i in range(count)
]


def types(documents: list[AnnotatedDocument]) -> Counter[str]:
    return Counter(map(note_type, documents))


def test_types_get_places_in_proportion() -> None:
    drawn, rows = sample(ARCHIVE, SampleSize(35))
    assert types(drawn) == {"progress": 20, "discharge": 10, "consult": 4, "autopsy": 1}
    assert {row.name: row.chance for row in rows} == dict.fromkeys(SIZES, 0.25)
    assert {doc.document.meta[CHANCE] for doc in drawn} == {"0.25"}


def test_rare_types_get_their_minimum_or_all_they_have() -> None:
    drawn, _ = sample(ARCHIVE, SampleSize(35, least=6))
    assert types(drawn) == {"progress": 17, "discharge": 8, "consult": 6, "autopsy": 4}


def test_a_factor_draws_more_of_a_type() -> None:
    drawn, _ = sample(ARCHIVE, SampleSize(35, factors={"consult": 4.0}))
    assert types(drawn)["consult"] > types(sample(ARCHIVE, SampleSize(35))[0])["consult"] * 2
    assert len(drawn) == 35


def test_the_seed_decides() -> None:
    one, again = (sample(ARCHIVE, SampleSize(35), seed=1)[0] for _ in range(2))
    other, _ = sample(ARCHIVE, SampleSize(35), seed=2)
    assert [doc.id for doc in one] == [doc.id for doc in again]
    assert {doc.id for doc in one} != {doc.id for doc in other}


def test_at_most_so_many_notes_of_a_patient() -> None:
    drawn, _ = sample(ARCHIVE, SampleSize(35, per_patient=2))
    assert max(Counter(doc.document.patient_id for doc in drawn).values()) == 2


def test_whole_patients_come_with_all_of_their_notes() -> None:
    drawn, rows = sample(ARCHIVE, SampleSize(35, whole_patients=True))
    patients = {doc.document.patient_id for doc in drawn}
    assert {doc.id for doc in drawn} == {
        doc.id for doc in ARCHIVE if doc.document.patient_id in patients
    }
    assert 25 <= len(drawn) <= 45
    assert sum(row.drawn for row in rows) == len(drawn)


def test_a_sample_larger_than_the_archive_is_the_archive() -> None:
    drawn, _ = sample(ARCHIVE, SampleSize(1000))
    assert len(drawn) == len(ARCHIVE)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: SampleSize(0), "at least one note"),
        (lambda: SampleSize(5, least=-1), "0 or more"),
        (lambda: SampleSize(5, per_patient=0), "At least one|at least one"),
        (lambda: SampleSize(5, factors={"consult": 0.0}), "above 0"),
        (lambda: SampleSize(5, per_patient=1, whole_patients=True), "whole patients"),
        (lambda: sample(ARCHIVE, SampleSize(5, least=3)), "more than 5"),
        (lambda: sample(ARCHIVE, SampleSize(5, factors={"letter": 2.0})), "type 'letter'"),
    ],
)
def test_wrong_sizes_are_refused(wrong, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        wrong()


def test_the_verb_samples(tmp_path: Path, capsys) -> None:
    write_corpus(ARCHIVE, tmp_path / "in.jsonl", "jsonl")
    out, report = tmp_path / "out.jsonl", tmp_path / "types.json"
    call = ["corpus", "sample", str(tmp_path / "in.jsonl"), "--notes", "35", "--least", "3"]
    assert main([*call, "--more", "consult=2", "-o", str(out), "--report", str(report)]) == 0
    assert len(read_corpus(out)) == 35
    assert sum(row["drawn"] for row in json.loads(report.read_text())["types"]) == 35
    printed = capsys.readouterr().out
    assert "35 of 140 notes" in printed
    assert "CANARY" not in printed
    assert main([*call, "--more", "consult", "-o", str(out)]) == 1
