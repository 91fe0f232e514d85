"""An annotator that is away or throws: its documents are quarantined with the stage named, and
nothing of them is written."""

from __future__ import annotations

import json
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.conftest import rows

from incognote.engine.local import deid
from incognote.engine.settings import Settings
from incognote.policy import DetectorRules


def throw(text: str) -> list[tuple[int, int, str]]:
    """An annotator that cannot read one kind of note."""
    if "odd" in text:
        raise RuntimeError(text)
    return []


@pytest.fixture
def closed_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def away(port: int) -> dict[str, object]:
    return {"url": f"http://127.0.0.1:{port}/annotate", "timeout": 5}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("cached", [False, True], ids=["http", "http behind a cache"])
def test_a_server_that_is_away(
    cached: bool, workers: int, closed_port: int, tmp_path: Path, settings: Settings
) -> None:
    inner = {"use": "http", "options": away(closed_port)}
    remote = (
        DetectorRules(use="sentence_cache", options=inner)
        if cached
        else DetectorRules(use="http", options=away(closed_port))
    )
    found = run(remote, ["<Ann> came.", "nobody"], tmp_path, replace(settings, workers=workers))
    assert found == [("0", "detect:remote"), ("1", "detect:remote")]
    assert not (tmp_path / "out" / "in.jsonl").exists()


def test_a_function_that_throws_costs_its_documents_only(
    tmp_path: Path, settings: Settings
) -> None:
    rules = DetectorRules(use="function", options={"function": f"{__name__}:throw"})
    found = run(rules, ["<Ann> came.", "odd <Bo>", "<Cy>"], tmp_path, settings)
    assert found == [("1", "detect:remote")]
    written = (tmp_path / "out" / "in.jsonl").read_text()
    assert [json.loads(line)["id"] for line in written.splitlines()] == ["0", "2"]
    assert "Bo" not in written


def run(
    rules: DetectorRules, texts: list[str], folder: Path, settings: Settings
) -> list[tuple[str, str]]:
    """De-identifies notes with one more annotator; the ids and stages of those that failed."""
    detectors = {**settings.policy.detectors, "remote": rules}
    settings = replace(settings, policy=replace(settings.policy, detectors=detectors))
    notes = [json.dumps({"id": str(i), "text": text}) for i, text in enumerate(texts)]
    (folder / "in.jsonl").write_text("\n".join(notes) + "\n")
    deid(str(folder / "in.jsonl"), f"{folder / 'out'}/", settings)
    listed = rows(folder / "out" / "quarantine.jsonl")
    return [(row["id"], row["stage"]) for row in listed]
