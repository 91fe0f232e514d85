"""Text files of one patient, known to be by their path alone, share surrogates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.conftest import KEY

from incognote.core.errors import PolicyError
from incognote.engine.events import read_documents
from incognote.engine.local import deid
from incognote.engine.settings import Settings
from incognote.policy import policy_from

FOLDER = "^([^/]+)/"


def _settings(pattern: str, **formats: object) -> Settings:
    find = {"use": "regex", "options": {"label": "MEDICALRECORD", "patterns": [r"\b[0-9]{7}\b"]}}
    return Settings(
        policy_from(
            {
                "name": "paths",
                "detectors": {"find": find},
                "labels": {"default": {"action": "surrogate", "because": "a test"}},
                "formats": {
                    "patient_path": pattern,
                    "names": "keep",
                    "labels": {"id": "keep", "patient_id": "keep"},
                    **formats,
                },
                "transform": {"numbers": "patient"},
            }
        ),
        KEY,
    )


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    for name in ("p1/a.txt", "p1/later/b.txt", "p2/a.txt", "top.txt"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("MRN 7741902")
    return tmp_path / "in"


def _written(notes: Path, out: Path, settings: Settings) -> dict[str, str]:
    deid(str(notes), str(out), settings)
    return {path.relative_to(out).as_posix(): path.read_text() for path in out.rglob("*.txt")}


def test_notes_of_one_folder_share_surrogates(notes: Path, tmp_path: Path) -> None:
    out = _written(notes, tmp_path / "out", _settings(FOLDER))
    assert out["p1/a.txt"] == out["p1/later/b.txt"] != out["p2/a.txt"]
    assert len({*out.values(), "MRN 7741902"}) == 4


def test_without_it_notes_stand_alone(notes: Path, tmp_path: Path) -> None:
    out = _written(notes, tmp_path / "out", _settings(""))
    assert len(set(out.values())) == 4


def test_the_name_of_a_file_may_tell(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("p1_a.txt", "p1_b.txt", "p2_a.txt", "other.txt"):
        (tmp_path / "in" / name).write_text("none")
    found = read_documents(str(tmp_path / "in"), _settings(r"(p[0-9]+)_[^/]*$"))
    assert {d.id: d.patient_id for d in found} == {
        "other.txt": None, "p1_a.txt": "p1", "p1_b.txt": "p1", "p2_a.txt": "p2",
    }  # fmt: skip


def test_what_a_record_says_of_itself_counts_more(tmp_path: Path) -> None:
    (tmp_path / "in" / "p1").mkdir(parents=True)
    (tmp_path / "in" / "p1" / "x.csv").write_text("id,patient_id,text\n1,p9,none\n2,,none\n")
    found = read_documents(str(tmp_path / "in"), _settings(FOLDER))
    assert [d.patient_id for d in found] == ["p9", "p1"]


def test_a_folder_is_called_as_its_patient(tmp_path: Path) -> None:
    path = tmp_path / "in" / "7741902" / "note.txt"
    path.parent.mkdir(parents=True)
    path.write_text("MRN 7741902")
    (out,) = _written(tmp_path / "in", tmp_path / "out", _settings(FOLDER, names="replace")).items()
    assert out[0] == f"{out[1].removeprefix('MRN ')}/note.txt"


def test_fields_of_a_record_still_share_what_is_said_of_it(tmp_path: Path) -> None:
    (tmp_path / "in" / "p1").mkdir(parents=True)
    (tmp_path / "in" / "p1" / "x.csv").write_text("id,text,comment\n1,none,also none\n")
    first, second = read_documents(str(tmp_path / "in"), _settings(FOLDER))
    assert first.meta is second.meta


@pytest.mark.parametrize("pattern", ["no group", "(a)(b)", "(unclosed"])
def test_patterns_that_name_no_patient_are_refused(pattern: str) -> None:
    with pytest.raises(PolicyError, match=r"formats\.patient_path"):
        _settings(pattern)


def test_workers_do_not_matter(notes: Path, tmp_path: Path) -> None:
    settings = _settings(FOLDER)
    alone = _written(notes, tmp_path / "one", settings)
    assert _written(notes, tmp_path / "two", replace(settings, workers=2, batch=1)) == alone
