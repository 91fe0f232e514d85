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
from incognote.evaluate.cross import Split, Tagger, cross, differences
from incognote.evaluate.cross_files import write_cross


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
    assert page.count("<table>") == 4
    assert page.count("<svg") == 2
    assert len(json.loads((tmp_path / "cross.json").read_text())["cells"]) == len(cells)


def test_a_little_of_one_corpus_is_added_to_all_of_another() -> None:
    """All of Ann's twelve notes, and none, half, all of the notes of Bo outside each fold."""
    learner = Parrot()
    cells = cross(CORPORA, learner, folds=2, shares=(0.5, 1.0), add=True)
    added = {c.share: c for c in cells if c.train == "Ann + Bo"}
    assert {share: cell.notes for share, cell in added.items()} == {0.0: 12, 0.5: 14, 1.0: 16}
    assert [added[share].mentions.recall for share in (0.0, 0.5, 1.0)] == [0.0, 1.0, 1.0]
    assert all(cell.test == "Bo" and len(cell.pairs) == 8 for cell in added.values())


def test_a_fixed_split_is_learned_from_one_part_and_tested_on_the_other() -> None:
    split = Split(CORPORA["Ann"][:8], CORPORA["Ann"][8:])
    cells = cross({"Ann": split, "Bo": CORPORA["Bo"]}, Parrot(), folds=2)
    by_name = {(c.train, c.test): c for c in cells}
    assert (by_name["Ann", "Ann"].notes, len(by_name["Ann", "Ann"].pairs)) == (8, 4)
    assert (by_name["Bo", "Ann"].notes, len(by_name["Bo", "Ann"].pairs)) == (8, 4)


def test_a_split_that_shares_notes_is_refused() -> None:
    with pytest.raises(UsageError, match="fixed split"):
        cross({"Ann": Split(CORPORA["Ann"], CORPORA["Ann"][:2])}, Parrot())


def test_exact_mentions_and_labels_are_counted() -> None:
    def learn(_: Sequence[AnnotatedDocument]) -> Tagger:
        def tag(tested: Sequence[Document]) -> list[AnnotatedDocument]:
            """Every second name is one character short."""
            return [
                AnnotatedDocument(doc, (Span(8, 11 - number % 2, "DOCTOR"),))
                for number, doc in enumerate(tested)
            ]

        return tag

    (cell,) = cross({"Ann": Split(CORPORA["Ann"][:6], CORPORA["Ann"][6:])}, learn)
    assert (cell.mentions.tp, cell.mentions.fn) == (3, 3)
    assert cell.labels["DOCTOR"].recall == 0.5
    assert cell.as_row()["mention_f1"] == 0.5


def test_trainings_are_compared_label_by_label() -> None:
    tests = differences(cross(CORPORA, Parrot(), folds=2), shuffles=199)
    by_name = {(one.test, one.result.subset, one.result.metric): one for one in tests}
    assert len(tests) == 2 * 2 * 3  # two test corpora; all and DOCTOR; three scores
    found = by_name["Ann", "DOCTOR", "recall"]
    assert (found.a, found.b) == ("Ann", "Bo")
    assert found.result.difference == 1.0
    assert found.result.p < 0.01
    assert found.result.adjusted == pytest.approx(found.result.p * len(tests))


def test_predictions_are_kept_without_text_and_can_be_scored(tmp_path: Path, capsys) -> None:
    gold = tmp_path / "bo.jsonl"
    write_corpus(CORPORA["Bo"], gold, "jsonl")
    cells = cross(CORPORA, Parrot(), folds=2)
    write_cross(tmp_path / "out", cells, "parrot", "word", differences(cells, shuffles=99))
    saved = tmp_path / "out" / "predictions" / "Bo-on-Bo.jsonl"
    assert "Seen" not in saved.read_text()
    assert main(["evaluate", str(gold), str(saved), "-o", str(tmp_path / "report")]) == 0
    assert "recall 1.0000" in capsys.readouterr().out
    labels = (tmp_path / "out" / "labels.csv").read_text().splitlines()
    assert labels[0].startswith("train,test,share,label")
    assert (tmp_path / "out" / "tests.csv").exists()


def test_the_verb_trains_a_field(tmp_path: Path, capsys) -> None:
    pytest.importorskip("pycrfsuite")
    paths = []
    for name, docs in (("one", corpus("Ann", 8)), ("two", corpus("Bo", 8))):
        paths.append(str(tmp_path / f"{name}.jsonl"))
        write_corpus(docs, Path(paths[-1]), "jsonl")
    out = tmp_path / "out"
    call = ["evaluate", "cross", "--corpora", *paths, "--folds", "2", "--shuffles", "99"]
    assert main([*call, "--add", "-o", str(out)]) == 0
    assert (out / "predictions" / "one+two-on-two.jsonl").exists()
    assert "one (8 notes) on two" in capsys.readouterr().out
    assert (out / "cross.html").exists()


def test_a_part_is_learned_once_for_all_corpora_that_it_is_tested_on() -> None:
    learned: list[int] = []

    def learn(documents: Sequence[AnnotatedDocument]) -> Tagger:
        learned.append(len(documents))
        return lambda notes: [AnnotatedDocument(note, ()) for note in notes]

    corpora = {name: Split(corpus(name, 4), corpus(f"{name}x", 2)) for name in ("Ann", "Bo", "Cy")}
    assert len(cross(corpora, learn)) == 9
    assert learned == [4, 4, 4]


def test_corpora_are_compared_in_the_labels_of_a_map(tmp_path: Path) -> None:
    pytest.importorskip("pycrfsuite")
    paths = []
    for name, docs in (("one", corpus("Ann", 6)), ("two", corpus("Bo", 6))):
        paths.append(str(tmp_path / f"{name}.jsonl"))
        write_corpus(docs, Path(paths[-1]), "jsonl")
    names = sorted({span.label for doc in corpus("Ann", 6) for span in doc.spans})
    mapping = tmp_path / "map.toml"
    mapping.write_text("[labels]\n" + "".join(f'{name} = "CITY"\n' for name in names))
    call = ["evaluate", "cross", "--corpora", *paths, "--folds", "2", "--shuffles", "9"]
    assert main([*call, "--gold-map", str(mapping), "-o", str(tmp_path / "out")]) == 0
    labels = (tmp_path / "out" / "labels.csv").read_text().splitlines()[1:]
    assert {row.split(",")[3] for row in labels} == {"CITY"}


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
        ("one", "one", 12),  # two folds: half of the notes are learned from
        ("one", "two", 24),
        ("two", "one", 24),
        ("two", "two", 12),
    ]
    assert not any(name in capsys.readouterr().err for name in names)


@pytest.mark.parametrize(
    "call", [["-o", "x"], ["--corpora", "a", "--increments", "0", "-o", "x"], ["--corpora", "a"]]
)
def test_wrong_calls(call: list[str], capsys) -> None:
    assert main(["evaluate", "cross", *call]) == 1
    assert capsys.readouterr().err
