"""A policy that would let identifiers pass is refused, and `policy check` says what becomes of each."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from incognote import Deidentifier, PolicyError
from incognote.cli import main
from incognote.pipeline import Pipeline
from incognote.policy import load_policy, policy_from, presets
from incognote.policy.dump import dump_policy

KEY = b"a key for tests, 32 bytes long.."
SITE = 'name = "site"\n[labels]\nDATE = "keep"\nPATIENT = "tag"\n'
NOTE = "Mary Smith, MRN 4471902, was seen on 3/4/2020."


def site(folder: Path, text: str) -> str:
    path = folder / "site.toml"
    path.write_text(text)
    return str(path)


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text(NOTE)
    return path


@pytest.mark.parametrize(
    "policy",
    [
        SITE,
        'name = "site"\n[labels]\ndefault = "surrogate"\n',
        'name = "site"\nextends = "base"\n',
        'name = "site"\nextends = "i2b2-2014"\n[labels]\nMEDICALRECORD = "keep"\n',
        'name = "site"\nextends = "i2b2-2014"\n[labels]\nMEDICALRECORD = "off"\n',
        'name = "site"\nextends = "i2b2-2014"\n[resolve.votes]\nPHONE = 9\n',
        'name = "site"\nextends = "rules"\n[detectors.patterns]\nweights = { PHONE = 0 }\n',
        'name = "site"\nextends = "rules"\n[detectors.patterns]\nweight = 0\n',
    ],
    ids=[
        "no detectors",
        "no detectors, all replaced",
        "base",
        "a direct identifier kept",
        "a direct identifier not looked for",
        "more votes than voters",
        "no weight for a label",
        "the only finder off",
    ],
)
def test_a_policy_that_lets_identifiers_pass_is_refused(
    tmp_path: Path, note: Path, policy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = site(tmp_path, policy), tmp_path / "out"
    assert main(["deid", str(note), "-o", str(out), "--policy", path]) == 1
    assert not list(out.rglob("*")) if out.is_dir() else not out.exists()
    assert main(["policy", "check", path]) == 1
    assert "GAP" in capsys.readouterr().out
    with pytest.raises(PolicyError):
        Deidentifier(path, KEY).deid(NOTE)


def test_base_is_refused_as_it_is() -> None:
    with pytest.raises(PolicyError, match="PATIENT"):
        Deidentifier("base", KEY).deid(NOTE)


def test_refused_before_the_first_note_of_a_stream() -> None:
    with pytest.raises(PolicyError):
        Deidentifier("base", KEY).deid([NOTE, NOTE])


@pytest.mark.parametrize("name", sorted({*presets()} - {"base"}))
def test_presets_have_no_gap(name: str) -> None:
    assert [row for row in Pipeline(name).coverage if row.gap] == []


def test_what_is_kept_is_stated_and_repeated(
    tmp_path: Path, note: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = site(
        tmp_path,
        'name = "site"\nextends = "rules"\n[labels]\n'
        'MEDICALRECORD = { action = "keep", because = "the numbers are study numbers" }\n',
    )
    out = tmp_path / "out"
    out.mkdir()
    assert main(["policy", "check", path]) == 0
    assert "because the numbers are study numbers" in capsys.readouterr().out
    assert main(["deid", str(note), "-o", str(out), "--policy", path]) == 0
    assert capsys.readouterr().err.splitlines()[-1].endswith("kept by the policy: 1 MEDICALRECORD")
    row, _ = map(json.loads, (out / "manifest.jsonl").read_text().splitlines())
    assert row["kept"] == {"MEDICALRECORD": 1}


def test_a_reason_survives_printing() -> None:
    policy = load_policy("group-a")
    again = policy_from(tomllib.loads(dump_policy(policy)))
    assert again.labels["DOCTOR"].because == policy.labels["DOCTOR"].because != ""
    assert again.hash == policy.hash
