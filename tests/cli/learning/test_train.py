"""What `incognote train` refuses before anything is trained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from incognote.cli import main

GOOD = {"id": "a", "text": "on 3/4/20", "spans": [{"start": 3, "end": 9, "type": "DATE"}]}


def write(path: Path, *rows: dict[str, object]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def spans(*rows: tuple[int, int, str]) -> dict[str, object]:
    marks = [{"start": start, "end": end, "type": label} for start, end, label in rows]
    return {"id": "b", "text": "seen on 3/4/20", "spans": marks}


@pytest.mark.parametrize("kind", ["crf", "fast", "transformer"])
@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(None, "at least 2", id="one-document"),
        pytest.param(spans((8, 20, "DATE")), "b", id="out-of-range"),
        pytest.param(spans((8, 12, "DATE"), (10, 14, "AGE")), "document b", id="overlap"),
        pytest.param(spans((8, 14, "WEATHER")), "WEATHER", id="unknown-label"),
    ],
)
def test_bad_data_is_explained_before_training(
    kind: str,
    row: dict[str, object] | None,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = write(tmp_path / "gold.jsonl", GOOD, *([row] if row else []))
    base = ["--base", "nowhere"] if kind == "transformer" else []
    assert main(["train", kind, "--data", data, "--out", str(tmp_path / "m"), *base]) == 1
    shown = capsys.readouterr().err
    assert message in shown
    assert "3/4/20" not in shown
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--window", "8"], "--window must be"),
        (["--overlap", "65"], "half of --window"),
        (["--resume", "--hard-examples"], "not both"),
        (["--types", "smells"], "no type or label"),
        (["--types", "ages"], "no spans at all"),
        (["--pools", "nowhere"], "is no folder"),
    ],
)
def test_bad_options_are_explained_before_training(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(tmp_path / "gold.jsonl", GOOD, GOOD | {"id": "b"})
    command = ["train", "transformer", "--data", data, "--base", "nowhere", "--out", "m"]
    assert main([*command, *options]) == 1
    assert message in capsys.readouterr().err


def test_labels_that_the_data_lacks_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pycrfsuite")
    data = write(tmp_path / "gold.jsonl", GOOD, GOOD | {"id": "b"})
    assert main(["train", "crf", "--data", data, "--out", str(tmp_path / "m")]) == 0
    assert "no example of PATIENT, DOCTOR" in capsys.readouterr().err
