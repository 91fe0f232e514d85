"""`incognote templates`: from a corpus to a signed list, and what the list then does."""

from __future__ import annotations

import csv
import json

import pytest

from incognote.cli import main

NOTES = [
    f"Patient denies any pain. Signed by: <Fox{i}> on ward. Number {i} is here." for i in range(4)
]


@pytest.fixture
def corpus(tmp_path):
    rows = [{"id": str(i), "text": text} for i, text in enumerate(NOTES)]
    path = tmp_path / "notes.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


def test_inclusion(corpus, tiny, tmp_path, capsys):
    out = tmp_path / "list.csv"
    arguments = ["templates", "inclusion", corpus, "-o", str(out), "--policy", tiny]
    assert main([*arguments, "--documents", "4"]) == 0
    with out.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [(row["keep"], row["sentence"]) for row in rows] == [("", "Patient denies any pain.")]
    assert "1 sentence to sign" in capsys.readouterr().err


def test_harvest(corpus, tiny, tmp_path, capsys):
    out = tmp_path / "templates.toml"
    arguments = ["templates", "harvest", corpus, "-o", str(out), "--policy", tiny]
    assert main([*arguments, "--support", "4"]) == 0
    assert 'labels = ["PATIENT"]' in out.read_text("utf-8")
    assert "1 form to sign" in capsys.readouterr().err


def test_a_second_pass_knows_the_patient(tiny, tmp_path):
    """What was found in one note of a patient is found in the others, and in nobody else's."""
    rows = [
        {"id": "a", "patient_id": "p1", "text": "Seen: <Ann Fox>."},
        {"id": "b", "patient_id": "p1", "text": "Spoke with Fox today."},
        {"id": "c", "patient_id": "p2", "text": "Spoke with Fox today."},
    ]
    notes = tmp_path / "notes.jsonl"
    notes.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    table = tmp_path / "patients.csv"
    assert main(["templates", "patients", str(notes), "-o", str(table), "--policy", tiny]) == 0
    second = tmp_path / "second.toml"
    second.write_text(
        f'extends = "{tiny}"\n[detectors.known_patient]\noptions = {{ file = "{table}" }}\n',
        encoding="utf-8",
    )
    out = tmp_path / "spans.jsonl"
    assert main(["detect", str(notes), "-o", str(out), "--policy", str(second)]) == 0
    found = [len(json.loads(line)["spans"]) for line in out.read_text("utf-8").splitlines()]
    assert found == [1, 1, 0]


def test_what_cannot_be_read_is_said(tiny, tmp_path, capsys):
    (tmp_path / "bad.jsonl").write_text("{", encoding="utf-8")
    out = tmp_path / "list.csv"
    arguments = ["templates", "inclusion", str(tmp_path / "bad.jsonl"), "-o", str(out)]
    assert main([*arguments, "--policy", tiny]) == 3
    assert "left out: bad.jsonl:1: " in capsys.readouterr().err
