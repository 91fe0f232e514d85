"""The output of other tools is read as they write it, and scored against gold."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.marked import annotated

from incognote.cli import main
from incognote.core.errors import ReadError, UsageError
from incognote.corpus import read_corpus, write_corpus
from incognote.corpus.redacted_files import redacted_texts
from incognote.evaluate.scoring.redacted import from_redacted

MARKED = (
    "Admitted [[3/4/20|DATE]] with chest pain, seen by Dr. [[Okafor|DOCTOR]] of cardiology. "
    "Potassium 4.2, troponin negative, discharged home on aspirin to her son [[Ian|PATIENT]]."
)
GOLD = annotated(MARKED, "note-1")
START = GOLD.text.index("Okafor")


def found(path: Path) -> list[str]:
    """What the redacted text hides, in the words of the original."""
    redacted = redacted_texts(path, {"note-1"})["note-1"]
    return [GOLD.text[s.start : s.end] for s in from_redacted(GOLD.document, redacted).spans]


# Each tool writes under its own file name and with its own marks.
FOLDERS = {
    "Philter": ("note-1.txt", "******", "******"),
    "NLM Scrubber": ("note-1.nphi.txt", "[DATE]", "[PERSONALNAME]"),
    "CliniDeID": ("note-1.txt.deid.piiCategoryTag.txt", "[*** Date ***]", "[*** Name ***]"),
    "MIST": ("note-1.txt", "[DATE]", "[DOCTOR]"),
}


@pytest.mark.parametrize("tool", FOLDERS)
def test_a_folder_of_texts(tool: str, tmp_path: Path) -> None:
    name, date, doctor = FOLDERS[tool]
    redacted = GOLD.text.replace("3/4/20", date).replace("Okafor", doctor)
    (tmp_path / name).write_text(redacted, "utf-8")
    (tmp_path / "manifest.json").write_text("{}", "utf-8")
    assert found(tmp_path) == ["3/4/20", "Okafor"]


def test_a_table_of_texts(tmp_path: Path) -> None:
    path = tmp_path / "notes_DE-IDENTIFIED.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        rows = csv.DictWriter(out, ("encounter_id", "note_id", "note_text"))
        rows.writeheader()
        text = GOLD.text.replace("Okafor", "Harris")
        rows.writerow({"encounter_id": "7", "note_id": "note-1", "note_text": text})
    assert found(path) == ["Okafor"]


def test_records_of_physionet(tmp_path: Path) -> None:
    text = GOLD.text.replace("Okafor", "[**Last Name (un) 1**]")
    path = tmp_path / "id.res"
    path.write_text(f"START_OF_RECORD=1||||2||||\n{text}||||END_OF_RECORD\n", "latin-1")
    assert redacted_texts(path, {"1-2"}) == {"1-2": text}


def test_philter_writes_the_xml_of_i2b2_under_a_root_of_its_own(tmp_path: Path) -> None:
    write_corpus([GOLD], tmp_path, "i2b2-2014")
    (written,) = tmp_path.glob("*.xml")
    written.write_text(written.read_text("utf-8").replace("deIdi2b2", "PhilterUCSF"), "utf-8")
    (doc,) = read_corpus(tmp_path)
    assert sorted((s.start, s.end, s.label) for s in doc.spans) == sorted(
        (s.start, s.end, s.label) for s in GOLD.spans
    )


def test_texts_that_do_not_belong(tmp_path: Path) -> None:
    (tmp_path / "note-1.txt").write_text("x", "utf-8")
    with pytest.raises(UsageError, match="'note-2'"):
        redacted_texts(tmp_path, {"note-1", "note-2"})
    (tmp_path / "note-1.nphi").write_text("x", "utf-8")
    with pytest.raises(UsageError, match="more than one document 'note-1'"):
        redacted_texts(tmp_path, {"note-1"})
    (tmp_path / "table.csv").write_text("name,body\na,b\n", "utf-8")
    with pytest.raises(ReadError, match="no columns id and text"):
        redacted_texts(tmp_path / "table.csv", {"a"})


PLACE = f"{START},{START + 6}"
TABLES = {
    "pyDeid": (
        "note_id,phi_start,phi_end,phi,surrogate_start,surrogate_end,surrogate,types",
        f"note-1,{PLACE},Okafor,0,6,Harris,\"['Last Name (titles)', 'Name']\"",
        "Last Name",
    ),
    "pyDeid without ids of notes": (
        "encounter_id,note_id,phi_start,phi_end,types",
        f"note-1,NULL,{PLACE},\"['Name']\"",
        "Name",
    ),
    "John Snow Labs": (
        "doc_id,begin,end,chunk,chunk_label",
        f"note-1,{PLACE},Okafor,NAME",
        "NAME",
    ),
}


@pytest.mark.parametrize("tool", TABLES)
def test_a_table_of_spans(tool: str, tmp_path: Path) -> None:
    head, row, label = TABLES[tool]
    path = tmp_path / "spans.csv"
    path.write_text(f"{head}\n{row}\n", "utf-8")
    (doc,) = read_corpus(path)
    assert doc.id == "note-1"
    assert [(s.start, s.end, s.label) for s in doc.spans] == [(START, START + 6, label)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("id,start,label\n1,2,DATE\n", "no column 'end'"),
        ("id,start,end,label\n1,two,3,DATE\n", "line 2: start or end is no place"),
        ("id,start,end,label\n,2,3,DATE\n", "line 2: has no id"),
    ],
)
def test_a_bad_table(rows: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "spans.csv"
    path.write_text(rows, "utf-8")
    with pytest.raises(ReadError, match=message):
        read_corpus(path)


FOUND = {"start": START, "end": START + 6}
ANSWERS = {
    "Presidio": {"results": [FOUND | {"entity_type": "PERSON", "score": 0.85}]},
    "OpenMed": {"entities": [FOUND | {"label": "last_name", "confidence": 0.9}]},
}


@pytest.mark.parametrize("tool", ANSWERS)
def test_json_of_other_tools(tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, answers, report = (tmp_path / name for name in ("gold.jsonl", "found.jsonl", "report"))
    write_corpus([GOLD], gold, "jsonl")
    row = {"id": "note-1", "text": GOLD.text, **ANSWERS[tool]}
    answers.write_text(json.dumps(row) + "\n", "utf-8")
    assert main(["evaluate", str(gold), str(answers), "-o", str(report)]) == 0
    words = json.loads((report / "scores.json").read_text("utf-8"))["words"]
    # A label that nobody knows hides in every group, and the command says so.
    assert {(words[name]["tp"], words[name]["fp"]) for name in ("group C", "all")} == {(1, 0)}
    assert "--pred-map" in capsys.readouterr().err
