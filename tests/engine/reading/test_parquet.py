"""Parquet through the engine: rows in order, whatever the workers; what fails is a row."""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engine.conftest import KEY, documents, rows, tree

from incognote.engine import events
from incognote.engine.local import deid, detect, restore
from incognote.engine.settings import Settings
from incognote.policy import DetectorRules, load_policy
from incognote.transform.vault.file import Vault, VaultWriter


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """400 rows in row groups of 64; the note of every hundredth is no text."""
    notes = [b"caf\xe9" if n % 100 == 50 else f"note {n} of <Ann>".encode() for n in range(400)]
    columns = {"id": [f"n{n}" for n in range(400)], "text": notes, "n": list(range(400))}
    path = tmp_path / "in" / "notes.parquet"
    path.parent.mkdir()
    pq.write_table(pa.table(columns), path, row_group_size=64)
    return path


def test_rows_that_fail_are_quarantined_one_by_one(table: Path, tmp_path: Path, settings) -> None:
    kept = replace(settings, quarantine=tmp_path / "bad")
    summary = deid(str(table), str(tmp_path / "out.parquet"), kept)
    assert (summary.documents, summary.quarantined) == (400, 4)
    out = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["n"] for row in out] == [n for n in range(400) if n % 100 != 50]
    assert out[7] == {"id": "n7", "text": b"note 7 of <[PATIENT]>", "n": 7}
    first, *_ = rows(tmp_path / "bad" / "quarantine.jsonl")
    assert first["message"] == "notes.parquet:51: holds text that is not UTF-8"
    raw = pq.read_table(tmp_path / "bad" / first["raw"])
    assert raw.to_pylist() == [{"id": "n50", "text": b"caf\xe9", "n": 50}]


def test_a_row_that_a_detector_throws_at(tmp_path: Path, settings: Settings) -> None:
    pq.write_table(pa.table({"text": ["fine", "odd", "fine"]}), tmp_path / "in.parquet")
    throw = DetectorRules(use="function", options={"function": "tests.engine.test_away:throw"})
    policy = replace(settings.policy, detectors={"throw": throw})
    settings = replace(settings, policy=policy, quarantine=tmp_path / "bad")
    assert deid(str(tmp_path / "in.parquet"), str(tmp_path / "o.parquet"), settings).quarantined
    assert pq.read_table(tmp_path / "o.parquet").to_pydict() == {"text": ["fine", "fine"]}
    (failed,) = rows(tmp_path / "bad" / "quarantine.jsonl")
    assert pq.read_table(tmp_path / "bad" / failed["raw"]).to_pydict() == {"text": ["odd"]}


@pytest.mark.parametrize(("workers", "batch"), [(1, 1), (1, 1000), (2, 7)])
def test_workers_and_batches_do_not_change_a_byte(
    table: Path, tmp_path: Path, settings: Settings, workers: int, batch: int
) -> None:
    deid(str(table.parent), str(tmp_path / "one"), settings)
    other = replace(settings, workers=workers, batch=batch)
    deid(str(table.parent), str(tmp_path / "other"), other)
    assert tree(tmp_path / "one") == tree(tmp_path / "other")


def test_a_table_of_columns_that_nobody_reads_is_no_single_batch(
    tmp_path: Path, settings: Settings, monkeypatch
) -> None:
    pq.write_table(pa.table({"n": list(range(2000))}), tmp_path / "in.parquet")
    batches: list[int] = []

    def count(work, workers, batches_of_items, documents):
        for batch in batches_of_items:
            batches.append(sum(len(part.chunk.records) for part in batch))
            yield batch, []

    monkeypatch.setattr(events, "run_batches", count)
    deid(str(tmp_path / "in.parquet"), str(tmp_path / "out.parquet"), settings)
    assert pq.read_table(tmp_path / "out.parquet")["n"].to_pylist() == list(range(2000))
    assert max(batches) < 500


def test_a_table_without_its_index_is_not_written(
    table: Path, tmp_path: Path, settings: Settings, monkeypatch
) -> None:
    (table.parent / "z.txt").write_text("<Bo>")
    monkeypatch.setattr("incognote.formats.tables.parquet_writing.TableWriter.end", lambda _: 1 / 0)
    here = replace(settings, isolate=False)
    summary = deid(str(table.parent), str(tmp_path / "out"), here)
    assert (summary.documents, summary.quarantined) == (2, 1)
    assert set(tree(tmp_path / "out")) == {"z.txt", "manifest.jsonl", "quarantine.jsonl"}
    listed = [(row["id"], row["status"]) for row in documents(tmp_path / "out" / "manifest.jsonl")]
    assert listed == [("notes.parquet", "quarantined"), ("z.txt", "done")]


def test_detect_says_where(table: Path, tmp_path: Path, settings: Settings) -> None:
    detect(str(table), str(tmp_path / "out.jsonl"), settings)
    found = rows(tmp_path / "out.jsonl")
    assert found[7]["locator"] == "notes.parquet:8 text"
    assert found[7]["spans"][0]["start"] == len("note 7 of <")
    assert found[50]["spans"] is None


def test_safe_harbor_writes_years_and_the_default_policy_dates(tmp_path: Path) -> None:
    columns = {
        "patient_id": ["p"],
        "dob": [dt.date(1958, 2, 14)],
        "seen_at": [dt.datetime.fromisoformat("2024-02-11 06:15:00")],
        "mrn": [7741902],
        "heart_rate": [72],
    }
    pq.write_table(pa.table(columns), tmp_path / "in.parquet")
    out = tmp_path / "out.parquet"
    deid(str(tmp_path / "in.parquet"), str(out), Settings(load_policy("rules"), KEY))
    moved = pq.read_table(out)
    assert moved.schema.equals(pq.read_table(tmp_path / "in.parquet").schema)
    (row,) = moved.to_pylist()
    assert row["mrn"] != 7741902
    assert row["seen_at"] - columns["seen_at"][0] == dt.timedelta(
        days=(row["dob"] - columns["dob"][0]).days
    )
    policy = load_policy("hipaa-safe-harbor+rules")
    deid(str(tmp_path / "in.parquet"), str(out), Settings(policy, KEY))
    (row,) = pq.read_table(out).to_pylist()
    assert row["dob"] == "1958"
    assert row["seen_at"].startswith("2024")
    assert row["heart_rate"] == 72


def test_the_way_back(tmp_path: Path) -> None:
    columns = {
        "id": ["a", "b"],
        "patient_id": ["p", "p"],
        "dob": [dt.date(1958, 2, 14), None],
        "mrn": [7741902, 7741902],
        "text": ["Mr. John Smith seen on 3/4/2020.", "fine"],
    }
    pq.write_table(pa.table(columns), tmp_path / "in.parquet")
    out, back = tmp_path / "out.parquet", tmp_path / "back.parquet"
    settings = Settings(load_policy("rules"), KEY)
    with VaultWriter(tmp_path / "vault", KEY[::-1]) as vault:
        deid(str(tmp_path / "in.parquet"), str(out), replace(settings, vault=vault))
    assert not pq.read_table(out).equals(pa.table(columns))
    restore(str(out), str(back), Vault(tmp_path / "vault", KEY[::-1]), "a test", settings)
    assert pq.read_table(back).equals(pa.table(columns))


def test_a_killed_run_is_resumed(table: Path, tmp_path: Path) -> None:
    """Killed outright while the second file was written: the first one is carried over."""
    second = table.with_name("second.parquet")
    columns = {"id": [f"s{n}" for n in range(6_000)], "text": ["note of <Bo>"] * 6_000}
    pq.write_table(pa.table(columns), second)
    (tmp_path / "tiny.toml").write_text(
        'name = "tiny"\n[detectors.find]\nuse = "regex"\n'
        'options = { label = "PATIENT", patterns = ["<(?P<phi>[^<>]+)>"] }\n'
        '[labels]\ndefault = { action = "tag", because = "a test" }\n'
    )
    out = tmp_path / "out"
    command = [sys.executable, "-m", "incognote", "deid", str(table.parent), "-o", str(out)]
    command += ["--policy", str(tmp_path / "tiny.toml"), "--quiet"]
    env = {**os.environ, "INCOGNOTE_KEY": KEY.decode()}
    pq.write_table(
        pq.read_table(table).filter(pa.array([n % 100 != 50 for n in range(400)])), table
    )
    with subprocess.Popen(command, env=env) as run:
        while not list(out.glob(".second.parquet.*.partial")) and run.poll() is None:
            time.sleep(0.005)
        run.send_signal(signal.SIGKILL)
    assert (out / "notes.parquet").exists()
    assert not (out / "second.parquet").exists()
    subprocess.run([*command, "--resume"], env=env, check=True)
    assert [path.name for path in sorted(out.iterdir())] == [
        "manifest.jsonl", "notes.parquet", "second.parquet",
    ]  # fmt: skip
    assert pq.read_table(out / "second.parquet")["text"][5_999].as_py() == "note of <[PATIENT]>"
    assert len(documents(out / "manifest.jsonl")) == 396 + 6_000
