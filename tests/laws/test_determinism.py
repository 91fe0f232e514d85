"""The real detectors and surrogates: same key, same bytes, however the work is cut."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from incognote.engine.local import deid, detect
from incognote.engine.settings import Settings
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


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Notes as files, and as rows of one file."""
    folder = tmp_path_factory.mktemp("given")
    shutil.copytree(SAMPLES / "notes", folder / "notes")
    shutil.copy(SAMPLES / "notes.jsonl", folder)
    return folder


@pytest.fixture(scope="module")
def usual(given: Path, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one process makes of them in batches of the usual size."""
    folder = tmp_path_factory.mktemp("usual")
    deid(str(given), f"{folder}/", settings)
    return folder


@pytest.mark.parametrize(("workers", "batch"), [(1, 1), (2, 1), (2, 3)])
def test_deid(
    workers: int, batch: int, given: Path, usual: Path, tmp_path: Path, settings: Settings
) -> None:
    deid(str(given), f"{tmp_path}/", replace(settings, workers=workers, batch=batch))
    assert outputs(tmp_path) == outputs(usual)


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


def test_another_key_gives_other_surrogates(
    given: Path, usual: Path, tmp_path: Path, settings: Settings
) -> None:
    deid(str(given / "notes.jsonl"), f"{tmp_path}/", replace(settings, key=KEY[::-1]))
    one, two = (
        {json.loads(row)["text"] for row in (folder / "notes.jsonl").read_text().splitlines()}
        for folder in (usual, tmp_path)
    )
    assert one
    assert not one & two


def test_detect(tmp_path: Path, settings: Settings) -> None:
    for name, workers, batch in (("one", 1, 32), ("two", 2, 1)):
        each = replace(settings, workers=workers, batch=batch)
        detect(str(SAMPLES / "notes.jsonl"), str(tmp_path / name), each)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
