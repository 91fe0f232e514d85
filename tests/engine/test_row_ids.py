"""Ids of rows and patients are mapped one to one; documents without a patient stand alone."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from incognote import Deidentifier
from incognote.cli import main
from incognote.engine.local import deid, detect
from incognote.engine.settings import Settings
from incognote.policy import load_policy

KEY = b"a key for tests, 32 bytes long.."
PATIENTS = ["123-45-6789", "John Smith", "p7", "", "smithj@example.org"]


@pytest.fixture
def rules() -> Settings:
    return Settings(load_policy("rules"), KEY)


def table(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("column", ["patient_id", "who", "subject"])
def test_the_patient_column_is_mapped_and_still_joins(
    tmp_path: Path, rules: Settings, column: str
) -> None:
    rules = replace(
        rules,
        policy=replace(rules.policy, formats=replace(rules.policy.formats, patient=column)),
    )
    rows = [[str(n), who, "Stable."] for n, who in enumerate(PATIENTS * 2, 1)]
    (tmp_path / "in").mkdir()
    for name in ("a.csv", "b.csv"):
        table(tmp_path / "in" / name, [["id", column, "text"], *rows])
    deid(str(tmp_path / "in"), str(tmp_path / "out"), rules)
    both = [read(tmp_path / "out" / name) for name in ("a.csv", "b.csv")]
    written = "".join(path.read_text() for path in (tmp_path / "out").iterdir())
    for who in filter(None, PATIENTS):
        if len(who) > 2:
            assert who not in written
    for new in both:
        images = [row[column] for row in new]
        assert images[:5] == images[5:]
        assert len(set(images)) == len(PATIENTS)
        assert images[3] == ""
    assert both[0] == both[1]


def test_two_hundred_row_ids_stay_two_hundred(tmp_path: Path, rules: Settings) -> None:
    table(tmp_path / "in.csv", [["id", "text"], *([str(n), "well"] for n in range(1, 201))])
    deid(str(tmp_path / "in.csv"), str(tmp_path / "o" / "out.csv"), rules)
    new = [row["id"] for row in read(tmp_path / "o" / "out.csv")]
    assert len(set(new)) == 200
    assert new != [str(n) for n in range(1, 201)]


def test_neither_manifest_nor_quarantine_repeats_an_id(tmp_path: Path, rules: Settings) -> None:
    rows = [
        {"id": "MRN7741902", "patient_id": "ZZQ-88123", "text": "well"},
        {"id": "MRN7741903", "patient_id": "ZZQ-88123", "text": 5},
    ]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    summary = deid(str(tmp_path / "in.jsonl"), str(tmp_path / "out" / "x.jsonl"), rules)
    assert summary.quarantined == 1
    written = "".join(path.read_text() for path in (tmp_path / "out").iterdir())
    assert "774190" not in written
    assert "88123" not in written


def test_keeping_an_id_is_a_decision_that_is_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "p.toml"
    policy.write_text('name = "p"\nextends = "rules"\n[formats.labels]\nid = "keep"\n')
    (tmp_path / "in.jsonl").write_text('{"id": "n-1", "text": "well"}\n')
    out = tmp_path / "out" / "x.jsonl"
    assert main(["deid", str(tmp_path / "in.jsonl"), "-o", str(out), "--policy", str(policy)]) == 0
    assert json.loads(out.read_text())["id"] == "n-1"
    row, _ = map(json.loads, (out.parent / "manifest.jsonl").read_text().splitlines())
    assert (row["id"], row["kept_fields"]) == ("n-1", ["id"])
    assert capsys.readouterr().err.splitlines()[-1].endswith("copied by the policy: id")


def test_detect_speaks_of_rows_by_their_own_ids(tmp_path: Path, rules: Settings) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "n-1", "text": "well"}\n')
    detect(str(tmp_path / "in.jsonl"), str(tmp_path / "spans.jsonl"), rules)
    assert json.loads((tmp_path / "spans.jsonl").read_text())["id"] == "n-1"


VISIT = "Seen on 3/4/2020 and on {}/7/2020."


def _shift(text: str) -> str:
    found = re.search(r"\d+/\d+/\d{4}", text)
    assert found
    return found[0]


def test_texts_given_one_at_a_time_share_no_shift() -> None:
    deidentifier = Deidentifier("rules", KEY)
    shifts = {_shift(deidentifier.deid(VISIT.format(day)).text) for day in range(1, 13)}
    assert len(shifts) > 8


def test_one_text_is_the_same_text_every_time() -> None:
    first, second = (Deidentifier("rules", KEY).deid(VISIT.format(5)).text for _ in range(2))
    assert first == second


def test_rows_of_two_files_with_one_id_share_no_shift(tmp_path: Path, rules: Settings) -> None:
    (tmp_path / "in").mkdir()
    for number in range(12):
        row = {"id": "1", "text": VISIT.format(5)}
        (tmp_path / "in" / f"part{number}.jsonl").write_text(json.dumps(row) + "\n")
    deid(str(tmp_path / "in"), str(tmp_path / "out"), rules)
    texts = [path.read_text() for path in (tmp_path / "out").glob("part*")]
    assert len(texts) == 12
    assert len({_shift(text) for text in texts}) > 8


def test_standard_input_is_no_patient(capsysbinary, monkeypatch) -> None:
    import io
    import sys

    shifts = set()
    monkeypatch.setenv("INCOGNOTE_KEY", KEY.decode())
    for day in range(1, 13):
        stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(VISIT.format(day).encode())))
        monkeypatch.setattr(sys, "stdin", stream)
        assert main(["deid", "-", "--policy", "rules", "--quiet"]) == 0
        shifts.add(_shift(capsysbinary.readouterr().out.decode()))
    assert len(shifts) > 8


def test_the_fields_of_a_row_still_agree(tmp_path: Path, rules: Settings) -> None:
    table(
        tmp_path / "in.csv",
        [["id", "text", "comment"], ["1", "Seen on 3/4/2020.", "Seen on 3/4/2020."]],
    )
    deid(str(tmp_path / "in.csv"), str(tmp_path / "o" / "out.csv"), rules)
    (row,) = read(tmp_path / "o" / "out.csv")
    assert row["text"] == row["comment"] != "Seen on 3/4/2020."
