"""The real detectors and surrogates: same key, same bytes, however the work is cut."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from incognote.engine.local import deid, detect
from incognote.engine.stream import Settings
from incognote.policy import load_policy

SAMPLES = Path(__file__).parents[2] / "samples"
KEY = b"a key for tests, and nothing else"


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(load_policy(), KEY)


def outputs(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("source", ["notes", "notes.jsonl"])
@pytest.mark.parametrize(("workers", "batch"), [(1, 1), (2, 1), (2, 3)])
def test_deid(source: str, workers: int, batch: int, tmp_path: Path, settings: Settings) -> None:
    other = replace(settings, workers=workers, batch=batch)
    for name, each in (("one", settings), ("two", other)):
        deid(str(SAMPLES / source), f"{tmp_path / name}/", each)
    assert outputs(tmp_path / "one") == outputs(tmp_path / "two")


def test_the_order_of_notes_does_not_matter(tmp_path: Path, settings: Settings) -> None:
    """Notes of one patient may be met in any order, on any worker."""
    rows = (SAMPLES / "notes.jsonl").read_text().splitlines()
    for name, lines in (("there", rows), ("back", rows[::-1])):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        deid(str(tmp_path / f"{name}.jsonl"), str(tmp_path / name / "out.jsonl"), settings)
    there, back = (
        (tmp_path / name / "out.jsonl").read_text().splitlines() for name in ("there", "back")
    )
    assert there == back[::-1]


def test_another_key_gives_other_surrogates(tmp_path: Path, settings: Settings) -> None:
    for name, key in (("one", KEY), ("two", KEY[::-1])):
        deid(str(SAMPLES / "notes.jsonl"), f"{tmp_path / name}/", replace(settings, key=key))
    one, two = (
        [
            json.loads(row)["text"]
            for row in (tmp_path / name / "notes.jsonl").read_text().splitlines()
        ]
        for name in ("one", "two")
    )
    assert not set(one) & set(two)


def test_detect(tmp_path: Path, settings: Settings) -> None:
    for name, workers, batch in (("one", 1, 32), ("two", 2, 1)):
        each = replace(settings, workers=workers, batch=batch)
        detect(str(SAMPLES / "notes.jsonl"), str(tmp_path / name), each)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
