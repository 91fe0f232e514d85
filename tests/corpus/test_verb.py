"""`incognote corpus`: every action on a small corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from incognote.cli import main
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus import read_corpus, write_corpus

DOCS = [
    AnnotatedDocument(
        Document(f"n{i}", f"Ann Lee number {i} CANARY", {"patient_id": f"p{i}"}),
        (Span(0, 7, "PATIENT"), Span(15, 16, "IDNUM")),
    )
    for i in range(9)
]


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    path = tmp_path / "in.jsonl"
    write_corpus(DOCS, path, "jsonl")
    return str(path)


def test_convert(corpus: str, tmp_path: Path) -> None:
    out = tmp_path / "brat"
    assert main(["corpus", "convert", corpus, "--to", "brat", "-o", str(out)]) == 0
    assert [d.spans for d in read_corpus(out)] == [d.spans for d in DOCS]


def test_harmonise_says_what_is_lost(corpus: str, tmp_path: Path, capsys) -> None:
    out = tmp_path / "out.jsonl"
    call = ["corpus", "harmonise", corpus, "--map", "incognote>spacy", "-o", str(out)]
    assert main(call) == 0
    assert "dropped   IDNUM: no counterpart (9 of them)" in capsys.readouterr().out
    assert {s.label for d in read_corpus(out) for s in d.spans} == {"PERSON"}


def test_describe_counts_without_text(corpus: str, tmp_path: Path, capsys) -> None:
    facts = tmp_path / "facts.json"
    call = ["corpus", "describe", corpus, "--against", corpus, "--json", str(facts)]
    assert main(call) == 0
    printed = capsys.readouterr().out
    assert "9 documents of 9 patients" in printed
    assert "p = 1" in printed
    assert "CANARY" not in printed + facts.read_text()
    assert json.loads(facts.read_text())["labels"]["PATIENT"]["unique"] == 1


def test_rare_note_types_are_summed(tmp_path: Path, capsys) -> None:
    docs = [
        AnnotatedDocument(Document(f"n{i}", "two words", {"note_type": f"type {i}"}), ())
        for i in range(25)
    ]
    write_corpus(docs, tmp_path / "in.jsonl", "jsonl")
    assert main(["corpus", "describe", str(tmp_path / "in.jsonl")]) == 0
    last = capsys.readouterr().out.rstrip().splitlines()[-1]
    assert last.split() == ["(5", "other", "types)", "5", "10", "0", "0.0"]


def test_check_lists_findings(tmp_path: Path, capsys) -> None:
    bad = AnnotatedDocument(Document("x", "Ann Lee CANARY"), (Span(0, 4, "PATIENT"),))
    write_corpus([bad], tmp_path / "bad.jsonl", "jsonl")
    assert main(["corpus", "check", str(tmp_path / "bad.jsonl")]) == 0
    assert "x [0, 4) blank at an edge PATIENT" in capsys.readouterr().out


def test_split_writes_parts(corpus: str, tmp_path: Path) -> None:
    out = tmp_path / "parts"
    call = ["corpus", "split", corpus, "-o", str(out), "--parts", "a=2", "b=1", "--similar", "1.1"]
    assert main(call) == 0
    assert [len(read_corpus(out / f"{name}.jsonl")) for name in "ab"] == [6, 3]


def test_parts_in_another_format_can_be_read_again(corpus: str, tmp_path: Path, capsys) -> None:
    out = tmp_path / "parts"
    call = ["corpus", "split", corpus, "-o", str(out), "--to", "conll", "--parts", "a=2", "b=1"]
    assert main([*call, "--similar", "1.1"]) == 0
    assert [len(read_corpus(out / f"{name}.conll")) for name in "ab"] == [6, 3]
    assert "a: 6 documents (66.7 %) of 6 patients" in capsys.readouterr().out


def test_duplicates_are_listed(corpus: str, capsys) -> None:
    assert main(["corpus", "duplicates", corpus, "--similar", "0.1"]) == 0
    assert capsys.readouterr().out.endswith("pairs\n")


WRONG = {
    "no such format": ["convert", "IN", "--to", "nothing", "-o", "OUT"],
    "no such map": ["harmonise", "IN", "--map", "nothing", "-o", "OUT"],
    "a part without a share": ["split", "IN", "-o", "OUT", "--parts", "train", "test=1"],
    "no such file": ["describe", "nowhere.jsonl"],
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_calls(case: str, corpus: str, tmp_path: Path, capsys) -> None:
    words = {"IN": corpus, "OUT": str(tmp_path / "out")}
    assert main(["corpus", *(words.get(word, word) for word in WRONG[case])]) == 1
    assert capsys.readouterr().err.startswith("incognote corpus: ")
