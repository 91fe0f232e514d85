"""Corpora that other people wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from incognote.core.types import AnnotatedDocument
from incognote.corpus import read_corpus


def key(doc: AnnotatedDocument) -> tuple[str, list[tuple[int, int, str]]]:
    return doc.id, sorted((s.start, s.end, s.label) for s in doc.spans)


def test_meddocan_xml_and_brat_twins_agree(shared: Path) -> None:
    folder = shared / "fixtures" / "annot" / "meddocan"
    brat = read_corpus(folder, "brat")
    xml = read_corpus(folder, "i2b2-2014")
    assert list(map(key, brat)) == list(map(key, xml))
    assert [d.text.strip() for d in brat] == [d.text.strip() for d in xml]


def test_meddocan_offsets_match_the_surfaces(shared: Path) -> None:
    folder = shared / "fixtures" / "annot" / "meddocan"
    lines = [
        (file.stem, *line.split("\t")[1:])
        for file in sorted(folder.glob("*.ann"))
        for line in file.read_text("utf-8").splitlines()
    ]
    surfaces = {
        (d.id, f"{s.label} {s.start} {s.end}", d.text[s.start : s.end])
        for d in read_corpus(folder, "brat")
        for s in d.spans
    }
    assert surfaces == set(lines)


@pytest.mark.parametrize("part", ["train", "dev"])
def test_the_open_parts_of_meddocan_are_read(shared: Path, part: str) -> None:
    docs = read_corpus(shared / "data" / "meddocan_es" / "corpus" / part / "xml")
    assert len(docs) == {"train": 500, "dev": 250}[part]
    assert all(s.end <= len(d.text) for d in docs for s in d.spans)


def test_nedap_brat_with_blanks_for_tabs(shared: Path) -> None:
    docs = read_corpus(shared / "fixtures" / "annot" / "nedap")
    assert [len(d.spans) for d in docs] == [16, 12, 0]
    assert docs[0].text[slice(*key(docs[0])[1][0][:2])] == "Linders, Xandro"


def test_doccano_and_label_studio_exports(shared: Path) -> None:
    folder = shared / "fixtures" / "annot"
    first = read_corpus(folder / "doccano-export-example.jsonl")[0]
    assert [first.text[s.start : s.end] for s in first.spans] == ["EU", "German"]
    [task] = read_corpus(folder / "labelstudio-ner-annotation.json")
    assert [(task.text[s.start : s.end], s.label) for s in task.spans] == [("February 22", "Date")]
    conll = read_corpus(folder / "doccano-example.conll")[0]
    assert [conll.text[s.start : s.end] for s in conll.spans] == ["JAPAN", "Nadim Ladki"]


def test_presidio_datasets(shared: Path) -> None:
    docs = read_corpus(shared / "data" / "presidio_synth" / "synth_dataset_v2.json")
    assert len(docs) > 1000
    assert all(s.end <= len(d.text) for d in docs for s in d.spans)


def test_our_own_corpus(shared: Path) -> None:
    docs = read_corpus(shared / "gold" / "dev.jsonl")
    assert len(docs) == 60
    assert docs[0].document.meta["note_type"] == "discharge-summary"
