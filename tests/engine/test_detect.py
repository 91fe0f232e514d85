"""`detect`: one row for each input row, in order, whatever happens to some of them."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.conftest import rows, tree

from incognote.core import registry
from incognote.core.caches import clear_caches
from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument
from incognote.corpus.files import read_corpus, write_corpus
from incognote.engine.local import detect
from incognote.engine.settings import Settings
from incognote.policy import ConnectRule, DetectorRules


def write_rows(path: Path, texts: list[str]) -> None:
    lines = (json.dumps({"id": f"n{i}", "text": text}) for i, text in enumerate(texts))
    path.write_text("\n".join(lines) + "\n")


def test_rows_in_order(tmp_path: Path, settings: Settings) -> None:
    write_rows(tmp_path / "in.jsonl", ["no one", "<Ann> and <Bo>", ""])
    summary = detect(str(tmp_path / "in.jsonl"), str(tmp_path / "out.jsonl"), settings)
    span = {"label": "PATIENT", "score": 1.0, "sources": ["find/0"]}
    found = rows(tmp_path / "out.jsonl")
    assert [row.pop("locator") for row in found] == [f"in.jsonl:{n} text" for n in (1, 2, 3)]
    assert found == [
        {"id": "n0", "spans": []},
        {"id": "n1", "spans": [{"start": 1, "end": 4, **span}, {"start": 11, "end": 13, **span}]},
        {"id": "n2", "spans": []},
    ]
    assert (summary.documents, summary.quarantined) == (3, 0)
    assert summary.labels == {"PATIENT": 2}
    assert set(tree(tmp_path)) == {"in.jsonl", "out.jsonl"}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.csv", "id,seen with\n1,<Ann> fine\n"),
        ("x.json", '{"seenWith": "<Ann> fine"}'),
        ("x.xml", "<r><seen>&lt;Ann> fine</seen></r>"),
    ],
)
def test_offsets_are_those_of_the_value(tmp_path, settings, name: str, data: str) -> None:
    """A detector is shown "seen with: <Ann> fine"; whoever uses its spans has the cell."""
    (tmp_path / name).write_text(data)
    detect(str(tmp_path / name), str(tmp_path / "out.jsonl"), settings)
    (row,) = rows(tmp_path / "out.jsonl")
    assert [(span["start"], span["end"]) for span in row["spans"]] == [(1, 4)]


def test_a_failed_row_is_null_not_empty(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "in.jsonl").write_text(
        '{"id": "a", "text": "<Ann>"}\n{oops\n{"id": "c", "text": ""}\n'
    )
    summary = detect(str(tmp_path / "in.jsonl"), str(tmp_path / "out.jsonl"), settings)
    first, second, third = rows(tmp_path / "out.jsonl")
    assert first["spans"]
    assert (second["id"], second["spans"]) == ("in.jsonl:2", None)
    assert third == {"id": "c", "spans": [], "locator": "in.jsonl:3 text"}
    assert summary.quarantined == 1
    (listed,) = rows(tmp_path / "quarantine.jsonl")
    assert (listed["id"], listed["stage"]) == ("in.jsonl:2", "read")


def test_one_row_for_each_row_with_its_fields_inside(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "in.csv").write_text("id,a,b,name\n1,<Ann>,none,Bo\n2,<Cy>,<Di>,Ed\n")
    formats = replace(settings.policy.formats, text=("a", "b"), labels={"name": "PATIENT"})
    settings = replace(settings, policy=replace(settings.policy, formats=formats))
    detect(str(tmp_path / "in.csv"), str(tmp_path / "out.jsonl"), settings)
    first, second = rows(tmp_path / "out.jsonl")
    assert (first["id"], second["id"]) == ("1", "2")
    assert [(f["locator"], len(f["spans"])) for f in first["fields"]] == [
        ("in.csv:2 a", 1),
        ("in.csv:2 b", 0),
    ]
    assert [len(field["spans"]) for field in second["fields"]] == [1, 1]


def test_a_row_without_free_text_has_its_row_too(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "in.csv").write_text("id,name\n1,Bo\n2,Ed\n")
    formats = replace(settings.policy.formats, labels={"name": "PATIENT"})
    settings = replace(settings, policy=replace(settings.policy, formats=formats))
    detect(str(tmp_path / "in.csv"), str(tmp_path / "out.jsonl"), settings)
    assert rows(tmp_path / "out.jsonl") == [{"id": n, "fields": []} for n in ("1", "2")]


def test_one_field_that_fails_marks_its_row(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "in.csv").write_text("id,a,b\n1,<Ann>,odd\n")
    throw = DetectorRules(use="function", options={"function": "tests.engine.test_away:throw"})
    policy = replace(
        settings.policy,
        detectors={**settings.policy.detectors, "throw": throw},
        formats=replace(settings.policy.formats, text=("a", "b")),
    )
    detect(str(tmp_path / "in.csv"), str(tmp_path / "out.jsonl"), replace(settings, policy=policy))
    (row,) = rows(tmp_path / "out.jsonl")
    assert "RuntimeError" in row["error"]
    assert [field["spans"] is None for field in row["fields"]] == [False, True]


WITH_TEXT = ["jsonl", "brat", "i2b2-2014", "doccano", "presidio", "deduce", "label-studio", "conll"]


@pytest.mark.parametrize("form", WITH_TEXT)
def test_every_annotation_format_can_be_written_and_read_back(
    form: str, tmp_path: Path, settings: Settings
) -> None:
    (tmp_path / "in.csv").write_text("id,text,other\n1,Seen <Ann> <Bo>.,x\n2,none here,y\n")
    (tmp_path / "note.txt").write_text("Later <Cy> came.")
    out = tmp_path / "out.jsonl"
    given = [str(tmp_path / "in.csv"), str(tmp_path / "note.txt")]
    detect(given, str(out), replace(settings, with_text=True))
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    found = read_corpus(out)
    assert {d.text for d in found} == {"Seen <Ann> <Bo>.", "none here", "Later <Cy> came."}
    write_corpus(found, tmp_path / "made", form)
    back = read_corpus(tmp_path / "made", form)
    assert {d.text.rstrip(): _marked(d) for d in back} == {d.text: _marked(d) for d in found}


def _marked(annotated: AnnotatedDocument) -> list[tuple[str, str]]:
    return [(annotated.text[s.start : s.end], s.label) for s in sorted(annotated.spans)]


def test_rows_without_text_are_refused_with_the_reason(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "note.txt").write_text("Later <Cy> came.")
    detect(str(tmp_path / "note.txt"), str(tmp_path / "out.jsonl"), settings)
    with pytest.raises(UsageError, match="--with-text"):
        write_corpus(read_corpus(tmp_path / "out.jsonl"), tmp_path / "made", "brat")


def test_a_detector_that_throws_costs_its_document_only(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        registry.BUILT_IN, ("detector", "broken"), "tests.engine.kit.broken:BrokenDetector"
    )
    clear_caches("incognote.core.registry")
    detectors = {**settings.policy.detectors, "broken": DetectorRules()}
    settings = replace(settings, policy=replace(settings.policy, detectors=detectors))
    write_rows(tmp_path / "in.jsonl", ["<Ann>", "break <Bo>", "<Cy>"])
    said: list[str] = []
    settings = replace(settings, report=said.append)
    summary = detect(str(tmp_path / "in.jsonl"), str(tmp_path / "out.jsonl"), settings)
    clear_caches("incognote.core.registry")
    assert [row["spans"] is not None for row in rows(tmp_path / "out.jsonl")] == [True, False, True]
    assert summary.quarantined == 1
    (line,) = said
    assert line.startswith("in.jsonl:2 text: ValueError in tests.engine.kit.broken, line ")
    assert line.endswith(" (detect:broken)")


def test_a_folder_in_one_output_that_is_not_read_again(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "b.txt").write_text("<Bo>")
    (tmp_path / "a.txt").write_text("<Ann>")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.txt").write_text("none")
    (tmp_path / ".hidden.txt").write_text("<Cy>")
    out = tmp_path / "out.jsonl"
    for _ in range(2):
        detect(str(tmp_path), str(out), settings)
        assert [row["id"] for row in rows(out)] == ["a.txt", "b.txt", "sub/c.txt"]


def test_spans_of_one_address_share_a_group(tmp_path: Path, settings: Settings) -> None:
    rule = ConnectRule(left=("PATIENT",), right=("PATIENT",), between=(r"> and <",), group="pair")
    connect = replace(settings.policy.resolve, connect=(rule,))
    settings = replace(settings, policy=replace(settings.policy, resolve=connect))
    write_rows(tmp_path / "in.jsonl", ["<Ann> and <Bo>, <Cy>"])
    detect(str(tmp_path / "in.jsonl"), str(tmp_path / "out.jsonl"), settings)
    (row,) = rows(tmp_path / "out.jsonl")
    assert [span.get("group") for span in row["spans"]] == ["pair@1-13", "pair@1-13", None]


def test_the_input_is_not_written_over(tmp_path: Path, settings: Settings) -> None:
    write_rows(tmp_path / "in.jsonl", ["<Ann>"])
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "in.jsonl")
    before = (tmp_path / "in.jsonl").read_bytes()
    for out in ("in.jsonl", "link.jsonl"):
        with pytest.raises(UsageError, match="overwrite the input"):
            detect(str(tmp_path / "in.jsonl"), str(tmp_path / out), settings)
    assert (tmp_path / "in.jsonl").read_bytes() == before
