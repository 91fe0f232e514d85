"""What a run says of itself: counts, reasons and seconds; and how results travel between processes."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from incognote.core.types import Document, Replacement, Result, Span
from incognote.engine import local
from incognote.engine.packing import pack, unpack
from incognote.engine.settings import Settings

CANARY = "Zebulonia"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "in"
    place.mkdir()
    (place / "good.txt").write_text(f"Seen: <{CANARY}>, then <Bo>.")
    (place / "bad.docx").write_bytes(b"PK\x03\x04 is no document")
    return place


@pytest.mark.parametrize("workers", [1, 2])
def test_a_summary_counts_and_gives_reasons(
    folder: Path, settings: Settings, tmp_path: Path, workers: int
) -> None:
    done = local.deid(str(folder), str(tmp_path / "out"), replace(settings, workers=workers))
    row = json.loads(json.dumps(done.to_dict()))
    assert row["documents"] == 2
    assert row["characters"] == len((folder / "good.txt").read_text())
    assert row["spans"] == {"PATIENT": 2}
    assert row["quarantined"] == 1
    assert sum(row["quarantined_by_reason"].values()) == 1
    assert next(iter(row["quarantined_by_reason"])).startswith("read: ")
    stages = {"read", "prepare", "detect:find", "resolve", "link", "transform", "write"}
    assert stages <= set(row["seconds_by_stage"])
    assert all(seconds >= 0 for seconds in row["seconds_by_stage"].values())
    assert row["elapsed_seconds"] > 0
    assert row["characters_a_second"] > 0
    assert CANARY not in json.dumps(row)


def test_detect_has_the_same_account(folder: Path, settings: Settings, tmp_path: Path) -> None:
    found = local.detect(str(folder), str(tmp_path / "spans.jsonl"), settings)
    assert found.to_dict()["spans"] == {"PATIENT": 2}
    assert "transform" not in found.seconds
    assert found.reasons.total() == found.quarantined == 1


def test_a_first_pass_has_its_own_line(folder: Path, settings: Settings, tmp_path: Path) -> None:
    across = replace(
        settings,
        policy=replace(
            settings.policy, resolve=replace(settings.policy.resolve, across_documents=True)
        ),
    )
    done = local.deid(str(folder), str(tmp_path / "out"), across)
    assert "first pass" in done.seconds


def test_characters_are_those_of_what_was_read(settings: Settings, tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("id,text\n1,<Ann>\n2,<Bo>\n")
    done = local.deid(str(table), str(tmp_path / "out.csv"), settings)
    assert done.characters == len("<Ann><Bo>")
    assert not done.reasons


def test_results_travel_as_plain_tuples() -> None:
    document = Document("1", "Ann met Bo.")
    spans = (Span(0, 3, "PATIENT", 0.5, ("a", "b/c"), "g@0-3"), Span(8, 10, "DOCTOR"))
    own = Span(4, 7, "DATE")
    replacements = (Replacement(spans[1], "Cy", "surrogate"), Replacement(own, "", "tag"))
    result = Result(document, spans, (), replacements, "Ann  Cy.")
    packed = pickle.loads(pickle.dumps(pack(result)))
    assert _is_plain(packed)
    again = unpack(document, packed)
    assert again == result
    assert again.replacements[0].span is again.spans[1]


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or type(value) in (str, int, float)
