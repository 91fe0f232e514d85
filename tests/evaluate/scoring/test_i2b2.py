"""The official i2b2 2014 scorer's numbers, reproduced exactly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from incognote.cli import main
from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.evaluate.scoring.i2b2 import (
    Tag,
    TaggedText,
    from_annotated,
    official_scores,
    read_folder,
)


@pytest.mark.parametrize("corpus", ["s1", "s2", "s3_empty_docs"])
def test_known_answers(shared: Path, corpus: str) -> None:
    folder = shared / "cases" / "i2b2_known_answers" / corpus
    expected = json.loads((folder / "expected.json").read_text())
    blocks = official_scores(read_folder(folder / "gold"), read_folder(folder / "system"))
    got = {
        name: {
            "tp": block.counts.tp,
            "fp": block.counts.fp,
            "fn": block.counts.fn,
            "micro_p": round(block.counts.precision, 10),
            "micro_r": round(block.counts.recall, 10),
            "micro_f": round(block.counts.f1, 10),
            "macro_p": round(block.macro_precision, 10),
            "macro_p_sd": round(block.macro_precision_sd, 10),
            "macro_r": round(block.macro_recall, 10),
            "macro_r_sd": round(block.macro_recall_sd, 10),
            "macro_f": None if block.macro_f1 is None else round(block.macro_f1, 10),
        }
        for name, block in blocks.items()
    }
    assert got.keys() == expected.keys()
    assert {n: {k: got[n][k] for k in row} for n, row in expected.items()} == expected


@pytest.mark.parametrize("corpus", ["s1", "s2", "s3_empty_docs"])
def test_the_verb_gives_the_same_numbers(shared: Path, corpus: str, tmp_path: Path) -> None:
    folder = shared / "cases" / "i2b2_known_answers" / corpus
    call = ["evaluate", str(folder / "gold"), str(folder / "system"), "--i2b2", "-o", str(tmp_path)]
    assert main(call) == 0
    found = json.loads((tmp_path / "scores.json").read_text())["official"]
    expected = json.loads((folder / "expected.json").read_text())
    assert {name: (row["tp"], row["fp"], row["fn"]) for name, row in found.items()} == {
        name: (row["tp"], row["fp"], row["fn"]) for name, row in expected.items()
    }


def test_our_documents_get_the_official_element_names() -> None:
    doc = AnnotatedDocument(
        Document("1", "Ann in ward x"),
        (Span(0, 3, "PATIENT"), Span(7, 11, "DEPARTMENT"), Span(12, 13, "NONSENSE")),
    )
    [text] = from_annotated([doc])
    assert [tag.name for tag in text.tags] == ["NAME", "LOCATION", "OTHER"]


def note(*tags: Tag) -> TaggedText:
    return TaggedText("1", "Order 12345 of Ann", tags)


def test_idnum_joins_the_hipaa_subset_only_when_asked() -> None:
    gold = [note(Tag("ID", "IDNUM", "6", "11"))]
    assert official_scores(gold, gold)["HIPAA Strict"].counts.tp == 0
    assert official_scores(gold, gold, idnum_is_hipaa=True)["HIPAA Strict"].counts.tp == 1


def test_a_document_of_one_side_only_is_an_error() -> None:
    with pytest.raises(UsageError, match="'2'"):
        official_scores([note()], [note(), TaggedText("2", "", ())])


def test_near_tags_are_relaxed_matches_on_either_side() -> None:
    """Two claims may be near one tag: not one to one, as the official script has it."""
    [gold], system = (
        [note(Tag("NAME", "DOCTOR", "15", "18"))],
        [note(*(Tag("NAME", "DOCTOR", "15", end) for end in ("17", "18", "21")))],
    )
    found = official_scores([gold], system)["Relaxed"].counts
    assert (found.tp, found.fp, found.fn) == (1, 1, 0)
