"""`incognote anonymize` as its user types it."""

from __future__ import annotations

import csv
import json

import pytest

from incognote.cli import main

CANARY = "CANARYZEBU"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    rows = [f"{CANARY}{n},{20 + n},{'FM'[n % 2]},0213{n % 10},flu{n % 3}" for n in range(60)]
    path.write_text("name,age,sex,zip,ill\n" + "\n".join(rows) + "\n")
    return path


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_only_what_is_named_is_released(table, tmp_path, capsys):
    out = tmp_path / "out.csv"
    command = ["anonymize", str(table), "--quasi", "age,sex,zip", "--sensitive", "ill"]
    assert main([*command, "--k", "5", "--l", "2", "-o", str(out)]) == 0
    rows = read(out)
    assert len(rows) == 60
    assert list(rows[0]) == ["age", "sex", "zip", "ill"]
    assert CANARY not in out.read_text()
    looks = [(row["age"], row["sex"], row["zip"]) for row in rows]
    assert min(looks.count(look) for look in set(looks)) >= 5
    release = json.loads((tmp_path / "out.csv.release.json").read_text())
    assert release["conditions"]["k"] == 5
    assert release["utility"]["smallest_class"]["after"] >= 5
    assert "smallest class" in capsys.readouterr().err


def test_global_recoding_fills_in_what_ships_and_can_be_applied(table, tmp_path):
    out = tmp_path / "out.csv"
    command = ["anonymize", str(table), "--quasi", "age,sex,zip", "--k", "5", "--quiet"]
    assert main([*command, "--recoding", "global", "-o", str(out)]) == 0
    assert {row["zip"] for row in read(out)} <= {"021", "0", "*"} | {f"0213{n}" for n in range(10)}
    again = tmp_path / "again.csv"
    applied = ["--apply", f"{out}.release.json", "-o", str(again), "--quiet"]
    assert main(["anonymize", str(table), *applied]) == 0
    assert again.read_text() == out.read_text()
    for more in (["--l", "2"], ["--quasi", "age"], ["--t", "0"]):  # nothing is ignored in silence
        assert main(["anonymize", str(table), *applied, *more]) == 1


def test_ties_of_relaxed_recoding_are_keyed(tmp_path):
    """Which of equal rows fall into which half cannot be worked out without the key."""
    path = tmp_path / "t.csv"
    path.write_text("age,ill\n" + "".join(f"{n % 3},flu{n}\n" for n in range(40)))
    command = ["anonymize", str(path), "--quasi", "age", "--sensitive", "ill", "--l", "2"]
    tables = []
    for number, name in enumerate(("one long key of ours", "one long key of ours", "b" * 9)):
        (tmp_path / "key").write_text(name + " and twelve more letters")
        out = tmp_path / f"{number}.csv"
        options = [
            "--k",
            "5",
            "--quiet",
            "--recoding",
            "relaxed",
            "--key-file",
            str(tmp_path / "key"),
        ]
        assert main([*command, *options, "-o", str(out)]) == 0
        tables.append(out.read_text())
    assert tables[0] == tables[1] != tables[2]


def test_a_quasi_identifier_cannot_be_kept(table, tmp_path, capsys):
    command = ["anonymize", str(table), "--quasi", "age,sex", "--keep", "age", "--k", "5"]
    assert main([*command, "-o", str(tmp_path / "o.csv")]) == 1
    assert "cannot be kept" in capsys.readouterr().err
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize("verb", ["anonymize", "histogram", "risk"])
@pytest.mark.parametrize("column", ["person", "mrn"])
def test_a_person_with_two_rows_is_no_two_persons(tmp_path, capsys, verb, column):
    path = tmp_path / "t.csv"
    rows = [f"{CANARY}{n // 2},{30 + n}" for n in range(8)]
    path.write_text(f"{column},age\n" + "\n".join(rows) + "\n")
    own = {
        "anonymize": ["--quasi", "age", "--k", "2"],
        "histogram": ["--by", "age", "--epsilon", "1"],
        "risk": ["--quasi", "age"],
    }[verb]
    named = [] if column == "person" else ["--person", column]
    out = ["-o", str(tmp_path / "out")]
    assert main([verb, str(path), *own, *named, *out]) == 1
    said = capsys.readouterr().err
    assert f"{column}, row 2: a person has more than 1 row" in said
    assert CANARY not in said
    if verb == "histogram":
        pytest.importorskip("opendp")
        assert main([verb, str(path), *own, *named, *out, "--contributions", "2"]) == 0


def test_mistakes_are_told_without_values(table, tmp_path, capsys):
    (tmp_path / "zip.csv").write_text("02130;021;*\n")
    for options in (
        ["--quasi", "age,colour"],
        ["--quasi", "age", "--hierarchy", "age"],
        ["--quasi", "zip", "--hierarchy", f"zip={tmp_path / 'zip.csv'}"],
        ["--quasi", "age", "--k", "500"],
        ["--quasi", "age", "--l", "3"],
        [],
    ):
        assert main(["anonymize", str(table), *options]) == 1
        said = capsys.readouterr()
        assert said.err.startswith("incognote anonymize: ")
        assert "bug" not in said.err
        assert CANARY not in said.err + said.out
