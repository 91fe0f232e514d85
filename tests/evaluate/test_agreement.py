"""Annotators: kappa, span F1 and what is left to decide."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.evaluate.notes import annotated

from incognote.cli import main
from incognote.core.errors import UsageError
from incognote.corpus import read_corpus, write_corpus
from incognote.evaluate.agreement import adjudicated, agreement, disputes, kappa, read_decisions


def test_the_published_agreement_matrix() -> None:
    """185,455 words both marked, 4,919 and 5,411 only one of them, 1,483,221 neither."""
    assert round(kappa(185_455, 4_919, 5_411, 1_483_221), 4) == 0.9694


@pytest.mark.parametrize(
    ("matrix", "value"),
    [((10, 0, 0, 10), 1.0), ((0, 10, 10, 0), -1.0), ((5, 5, 5, 5), 0.0), ((0, 0, 0, 9), 1.0)],
)
def test_kappa(matrix: tuple[int, int, int, int], value: float) -> None:
    assert kappa(*matrix) == pytest.approx(value)


ONE = [annotated("[[Ann Lee|PATIENT]] saw [[Dr Bo|DOCTOR]] at [[10:30|TIME]]")]
OTHER = [annotated("[[Ann Lee|PATIENT]] saw Dr [[Bo|PATIENT]] at 10:30")]


def test_two_annotators() -> None:
    [found] = agreement({"a": ONE, "b": OTHER})
    assert found.matrix == (3, 3, 0, 2)
    assert found.span_f1 == pytest.approx(2 * 1 / (3 + 2))
    assert found.kappa == pytest.approx((5 / 8 - 7 / 16) / (1 - 7 / 16))
    assert found.kappa_labels == pytest.approx((4 / 8 - 16 / 64) / (1 - 16 / 64))
    assert found.kappa_by_label["TIME"] == 0


def test_three_annotators_make_three_pairs() -> None:
    found = agreement({"a": ONE, "b": OTHER, "c": ONE})
    assert [(one.one, one.other) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found[1].kappa == found[1].span_f1 == 1.0


def test_disputes_are_the_places_where_they_differ() -> None:
    found = disputes({"a": ONE, "b": OTHER})
    assert [(one.start, one.end) for one in found] == [(12, 17), (21, 26)]
    assert found[0].marks == {"a": ("DOCTOR 12-17",), "b": ("PATIENT 15-17",)}
    assert found[1].marks == {"a": ("TIME 21-26",), "b": ()}
    assert disputes({"a": ONE, "b": ONE}) == []


def test_annotators_of_other_texts_are_refused() -> None:
    with pytest.raises(UsageError, match="different texts"):
        agreement({"a": ONE, "b": [annotated("another text")]})


def decided(path: Path, *decisions: object) -> Path:
    rows = [
        {
            "document_id": one.document_id,
            "start": one.start,
            "end": one.end,
            "marks": one.marks,
            "decision": decision,
        }
        for one, decision in zip(disputes({"a": ONE, "b": OTHER}), decisions, strict=False)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_decisions_make_gold(tmp_path: Path) -> None:
    """The first place is decided by a mark of its own, the second by an annotator's name."""
    path = decided(tmp_path / "d.jsonl", ["DOCTOR 15-17"], "b")
    (gold,) = adjudicated({"a": ONE, "b": OTHER}, read_decisions(path))
    assert [(s.start, s.end, s.label) for s in gold.spans] == [
        (0, 7, "PATIENT"),
        (15, 17, "DOCTOR"),
    ]
    [with_gold] = agreement({"b": OTHER, "gold": [gold]})
    assert with_gold.kappa == 1
    assert with_gold.kappa_by_label["DOCTOR"] == 0


@pytest.mark.parametrize(
    ("decisions", "message"),
    [
        ([["DOCTOR 15-17"]], "no decision on 1 places"),
        ([["DOCTOR 15-17"], None], "1 places have no decision"),
        ([["DOCTOR"], "b"], "line 1: no decided dispute"),
        (["c", "b"], "line 1: no decided dispute"),
        ([["DOCTOR 15-900"], "b"], "outside its text"),
    ],
)
def test_bad_decisions_are_refused(tmp_path: Path, decisions: list[object], message: str) -> None:
    path = decided(tmp_path / "d.jsonl", *decisions)
    with pytest.raises(UsageError, match=message):
        adjudicated({"a": ONE, "b": OTHER}, read_decisions(path))


def test_a_decision_on_what_nobody_disputes_is_refused(tmp_path: Path) -> None:
    path = decided(tmp_path / "d.jsonl", "a", "b")
    with pytest.raises(UsageError, match="nobody disputes"):
        adjudicated({"a": ONE, "b": ONE}, read_decisions(path))


def test_the_verb_writes_gold_and_the_kappa_of_each_class(tmp_path: Path, capsys) -> None:
    names = []
    for name, documents in (("a", ONE), ("b", OTHER)):
        names.append(str(tmp_path / f"{name}.jsonl"))
        write_corpus(documents, Path(names[-1]), "jsonl")
    call = ["evaluate", "--agreement", *names, "-o", str(tmp_path / "out")]
    assert main(call) == 0
    printed = capsys.readouterr().out
    assert "  DOCTOR: kappa 0.0000" in printed
    disputed = tmp_path / "out" / "adjudication.jsonl"
    rows = [json.loads(line) | {"decision": names[0]} for line in disputed.read_text().splitlines()]
    disputed.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main([*call, "--decisions", str(disputed)]) == 0
    (gold,) = read_corpus(tmp_path / "out" / "gold.jsonl")
    assert gold.spans == ONE[0].spans
    assert f"{names[0]} and the gold: kappa 1.0000" in capsys.readouterr().out
