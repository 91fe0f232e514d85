"""The way back: deid with a vault, then reidentify."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from incognote.cli import main

pytest.importorskip("cryptography")

ROWS = [
    {"id": "1", "patient_id": "p", "text": "Seen: <Ann Kowalczyk>. Stable."},
    {"id": "2", "patient_id": "p", "text": "No names here."},
    {"id": "3", "patient_id": "q", "text": "<Ann Kowalczyk> and <Bea Fox>."},
]


@pytest.fixture
def vault(tmp_path: Path, tiny: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A de-identified file and the options that open its vault."""
    policy = Path(tiny)
    policy.write_text(policy.read_text().replace('action = "tag"', 'action = "surrogate"'))
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    monkeypatch.setenv("INCOGNOTE_KEY", "the key of the surrogates")
    monkeypatch.setenv("INCOGNOTE_VAULT_KEY", "quite another key, for the vault")
    place = ["--vault", str(tmp_path / "vault")]
    out = str(tmp_path / "out.jsonl")
    assert main(["deid", str(tmp_path / "in.jsonl"), "-o", out, "--policy", tiny, *place]) == 0
    return [*place, "--reason", "test"]


def test_documents_come_back(tmp_path: Path, tiny: str, vault: list[str]) -> None:
    written = (tmp_path / "out.jsonl").read_text()
    assert "Kowalczyk" not in written
    back = tmp_path / "back.jsonl"
    asked = ["reidentify", str(tmp_path / "out.jsonl"), "-o", str(back), "--policy", tiny]
    assert main([*asked, *vault]) == 0
    assert [json.loads(line) for line in back.read_text().splitlines()] == ROWS
    assert (tmp_path / "vault.audit.jsonl").read_text().count('"restore"') == 3


STRUCTURED = {
    "in.csv": "id,mrn,note\n1,7741902,seen <Ann Kowalczyk>\n2,7741903,well\n",
    "in.json": '{"mrn": "7741902", "note": "seen <Ann Kowalczyk>", "n": 5}',
    "in.hl7": "MSH|^~\\&|A|B\rPID|1||7741902||KOWALCZYK^ANN^M\rNTE|1||seen <Ann\rNTE|2||Kowalczyk>\r",
}


@pytest.mark.parametrize("name", STRUCTURED)
def test_structured_files_come_back(tmp_path: Path, tiny: str, vault: list[str], name: str) -> None:
    given, out, back = tmp_path / name, tmp_path / f"out-{name}", tmp_path / f"back-{name}"
    given.write_bytes(STRUCTURED[name].encode())
    own = ["--vault", str(tmp_path / "other")]
    assert main(["deid", str(given), "-o", str(out), "--policy", tiny, *own]) == 0
    assert b"owalczyk" not in out.read_bytes().lower()
    assert b"7741902" not in out.read_bytes()
    options = ["--policy", tiny, *own, "--reason", "test"]
    assert main(["reidentify", str(out), "-o", str(back), *options]) == 0
    assert back.read_bytes() == given.read_bytes()


def test_one_value_is_looked_up(
    tmp_path: Path, vault: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["text"]
    surrogate = first.removeprefix("Seen: <").removesuffix(">. Stable.")
    assert main(["reidentify", "--value", surrogate, "--patient", "p", *vault]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row == {"document": "1", "label": "PATIENT", "original": "Ann Kowalczyk"}


def test_a_value_that_is_no_surrogate_is_told(
    vault: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reidentify", "--value", "Nobody Atall", *vault]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "no surrogate in the vault" in shown.err


def test_changed_text_is_refused(tmp_path: Path, vault: list[str]) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text(path.read_text().replace("Stable", "Unstable"))
    assert main(["reidentify", str(path), "-o", str(tmp_path / "b.jsonl"), *vault]) == 1
    assert not (tmp_path / "b.jsonl").exists()


@pytest.mark.parametrize("extra", [[], ["in.jsonl", "--value", "x"]])
def test_documents_or_a_value(vault: list[str], extra: list[str]) -> None:
    assert main(["reidentify", *extra, *vault]) == 1


def test_the_vault_needs_a_key_of_its_own(
    tmp_path: Path, tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Seen: <Ann>.")
    order = ["deid", str(note), "-o", str(tmp_path / "o.txt"), "--policy", tiny]
    order += ["--vault", str(tmp_path / "v")]
    monkeypatch.setenv("INCOGNOTE_KEY", "the same key for both")
    monkeypatch.delenv("INCOGNOTE_VAULT_KEY", raising=False)
    assert main(order) == 1
    monkeypatch.setenv("INCOGNOTE_VAULT_KEY", "the same key for both")
    assert main(order) == 1
    assert not (tmp_path / "v").exists()
