"""Cross-training: the right notes are dealt, and the counts are those of the learner."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.evaluate.notes import annotated
from tests.toy_encoder import write_toy_encoder

from incognote.cli import main
from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus import write_corpus
from incognote.evaluate.cross import Tagger, cross, write_cross


def corpus(name: str, size: int) -> list[AnnotatedDocument]:
    return [
        annotated(
            f"Seen by [[{name}|DOCTOR]] today, {i}.", f"{name}{i}", patient_id=f"{name}{i // 2}"
        )
        for i in range(size)
    ]


class Parrot:
    """Learns the names it was shown, and keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[set[str]] = []

    def __call__(self, documents: Sequence[AnnotatedDocument]) -> Tagger:
        self.shown.append({doc.document.patient_id or "" for doc in documents})
        names = {doc.text[s.start : s.end] for doc in documents for s in doc.spans}

        def tag(tested: Sequence[Document]) -> list[AnnotatedDocument]:
            assert not self.shown[-1] & {doc.patient_id for doc in tested}, (
                "a patient on both sides"
            )
            return [
                AnnotatedDocument(
                    doc,
                    tuple(
                        Span(doc.text.index(name), doc.text.index(name) + len(name), "DOCTOR")
                        for name in names
                        if name in doc.text
                    ),
                )
                for doc in tested
            ]

        return tag


CORPORA = {"Ann": corpus("Ann", 12), "Bo": corpus("Bo", 8)}


def test_every_corpus_meets_every_other() -> None:
    cells = {(c.train, c.test): c for c in cross(CORPORA, Parrot(), folds=3)}
    assert {key: cell.recall for key, cell in cells.items()} == {
        ("Ann", "Ann"): 1.0,
        ("Ann", "Bo"): 0.0,
        ("Bo", "Ann"): 0.0,
        ("Bo", "Bo"): 1.0,
    }
    assert cells["Ann", "Bo"].notes == 12


def test_no_document_is_on_both_sides_when_one_corpus_was_made_from_the_other() -> None:
    old = corpus("Ann", 8)
    new = [annotated(doc.text.replace("Ann", "[[Bea|DOCTOR]]"), doc.id) for doc in old]
    learned: list[set[str]] = []

    def learn(documents: Sequence[AnnotatedDocument]) -> Tagger:
        learned.append({doc.id for doc in documents})

        def tag(tested: Sequence[Document]) -> list[AnnotatedDocument]:
            assert not learned[-1] & {doc.id for doc in tested}
            return [AnnotatedDocument(doc, ()) for doc in tested]

        return tag

    cells = cross({"old": old, "new": new}, learn, folds=2)
    assert len(cells) == 4
    assert all(len(ids) < 8 for ids in learned)


def test_growing_parts() -> None:
    cells = cross(CORPORA, Parrot(), folds=2, shares=(0.5, 1.0))
    assert [c.notes for c in cells if (c.train, c.test) == ("Ann", "Bo")] == [6, 12]


def test_a_smaller_part_is_tested_on_as_many_notes() -> None:
    tested: list[int] = []

    def learn(documents: Sequence[AnnotatedDocument]) -> Tagger:
        def tag(notes: Sequence[Document]) -> list[AnnotatedDocument]:
            tested.append(len(notes))
            return [AnnotatedDocument(doc, ()) for doc in notes]

        return tag

    cross({"Ann": CORPORA["Ann"]}, learn, folds=3, shares=(0.25, 1.0))
    assert sum(tested[:3]) == sum(tested[3:]) == len(CORPORA["Ann"])


def test_one_patient_cannot_be_folded() -> None:
    lonely = {"x": [annotated("a", "1", patient_id="p"), annotated("b", "2", patient_id="p")]}
    with pytest.raises(UsageError, match="two patients"):
        cross(lonely, Parrot())


def test_the_page_has_matrix_and_curves(tmp_path: Path) -> None:
    cells = cross(CORPORA, Parrot(), folds=2, shares=(0.5, 1.0))
    page = write_cross(tmp_path, cells, "parrot", "word").read_text("utf-8")
    assert page.count("<table>") == 3
    assert page.count("<svg") == 2
    assert len(json.loads((tmp_path / "cross.json").read_text())["cells"]) == len(cells)


def test_the_verb_trains_a_field(tmp_path: Path, capsys) -> None:
    pytest.importorskip("pycrfsuite")
    paths = []
    for name, docs in (("one", corpus("Ann", 8)), ("two", corpus("Bo", 8))):
        paths.append(str(tmp_path / f"{name}.jsonl"))
        write_corpus(docs, Path(paths[-1]), "jsonl")
    out = tmp_path / "out"
    assert main(["evaluate", "cross", "--corpora", *paths, "--folds", "2", "-o", str(out)]) == 0
    assert "one (8 notes) on two" in capsys.readouterr().out
    assert (out / "cross.html").exists()


def test_the_verb_trains_a_transformer(tmp_path: Path, capsys) -> None:
    base = tmp_path / "base"
    base.mkdir()
    write_toy_encoder(base)
    names = ("Anna", "Boris", "Carmen", "Dwayne", "Elif", "Femi", "Greta", "Hugo")
    paths = []
    for corpus_name, word in (("one", "Seen by"), ("two", "Called")):
        docs = [
            annotated(
                f"{word} [[{names[i % 8]}|DOCTOR]] on [[{i % 12 + 1}/4/2020|DATE]], no fever.",
                f"{corpus_name}{i}",
            )
            for i in range(24)
        ]
        paths.append(str(tmp_path / f"{corpus_name}.jsonl"))
        write_corpus(docs, Path(paths[-1]), "jsonl")
    call = ["evaluate", "cross", "--corpora", *paths, "--learner", "transformer"]
    call += ["--base", str(base), "--epochs", "2", "--folds", "2", "-o", str(tmp_path / "out")]
    assert main(call) == 0
    cells = json.loads((tmp_path / "out" / "cross.json").read_text())["cells"]
    assert [(c["train"], c["test"], c["notes"]) for c in cells] == [
        ("one", "one", 24),
        ("one", "two", 24),
        ("two", "one", 24),
        ("two", "two", 24),
    ]
    assert not any(name in capsys.readouterr().err for name in names)


@pytest.mark.parametrize(
    "call", [["-o", "x"], ["--corpora", "a", "--increments", "0", "-o", "x"], ["--corpora", "a"]]
)
def test_wrong_calls(call: list[str], capsys) -> None:
    assert main(["evaluate", "cross", *call]) == 1
    assert capsys.readouterr().err
