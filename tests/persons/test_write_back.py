"""Values of the anonymised view in the notes."""

from __future__ import annotations

import json

import pytest

from incognote.cli import main

POLICY = ["--policy", "group-d+rules", "--quiet"]


@pytest.fixture
def where(tmp_path):
    rows = []
    for n in range(24):
        age, town = 40 + n % 12, ("Hartford", "06103") if n % 2 else ("New Haven", "06511")
        rows.append(
            {
                "id": f"n{n}",
                "patient_id": f"P{n}",
                "text": f"A {age}-year-old man. DOB: 3/4/{2021 - age}. Lives in {town[0]}, CT {town[1]}. "
                "His daughter is a 7-year-old. Marital status: divorced. Works as a plumber.",
            }
        )
    (tmp_path / "notes.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    (tmp_path / "key").write_text("a key of a test, long")
    return tmp_path


def run(where, *command: str) -> int:
    return main([*command, "--key-file", str(where / "key"), *POLICY])


def anonymised(where, *options: str) -> None:
    assert run(where, "persons", str(where / "notes.jsonl"), "-o", str(where / "view")) == 0
    command = ["anonymize", str(where / "view"), "--k", "6", "-o", str(where / "anon"), "--quiet"]
    assert main([*command, *options]) == 0


def released(where, name: str = "notes.jsonl") -> list[str]:
    out = where / "out" / name
    source, view = str(where / name), str(where / "anon")
    assert run(where, "deid", source, "--view", view, "-o", str(out)) == 0
    return [json.loads(line)["text"] for line in out.read_text().splitlines()]


def test_every_person_looks_like_five_others(where):
    anonymised(where, "--quasi", "age,zip,city,marital")
    texts = released(where)
    report = where / "report"
    command = ["risk", str(where / "out"), "-o", str(report), "--quasi", "age,zip,city,marital"]
    assert main([*command, "--k", "6", *POLICY]) == 0
    found = json.loads((report / "risk.json").read_text())["singling_out"]
    assert found["smallest_class"] >= 6
    assert found["persons"] == 24
    assert len(texts) == 24


def test_values_and_fixed_rules(where):
    anonymised(where, "--quasi", "age")
    text = released(where)[0]
    assert "40-4" in text.split("-year-old")[0]  # a range of its class
    assert "daughter is a 7" not in text  # a relative's age: the fixed rule
    assert "DOB: [DATE]" in text  # more exact than the age that was generalised
    assert "[MARITAL]" in text  # not among the attributes of the table
    assert "New Haven" not in text
    assert "06511" not in text


def test_a_note_that_changed_gets_the_fixed_rules_only(where):
    anonymised(where, "--quasi", "age")
    rows = [json.loads(line) for line in (where / "notes.jsonl").read_text().splitlines()]
    rows[0]["text"] = "Now " + rows[0]["text"]
    (where / "notes.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    assert "40-49-year-old" in released(where)[0]


def test_a_birth_date_that_the_view_does_not_know_is_no_date_like_others(where):
    """Moved by a few days it would tell the age that the table hides."""
    anonymised(where, "--quasi", "age")
    rows = [json.loads(line) for line in (where / "notes.jsonl").read_text().splitlines()]
    rows[0]["text"] = "DOB: 3/4/1981. Seen 6/7/2021. " + rows[0]["text"]
    rows[0]["dob"] = "1981-03-04"
    (where / "notes.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    out = where / "out/notes.jsonl"
    source, view = str(where / "notes.jsonl"), str(where / "anon")
    assert run(where, "deid", source, "--view", view, "-o", str(out)) == 0
    first = json.loads(out.read_text().splitlines()[0])
    assert first["text"].startswith("DOB: [DATE]. Seen ")
    assert "Seen [DATE]" not in first["text"]
    assert first["dob"] == "[DATE]"


def test_a_view_of_other_documents_is_told(where, capsys):
    anonymised(where, "--quasi", "age")
    source, view = where / "other.jsonl", str(where / "anon")
    rows = (where / "notes.jsonl").read_text()
    source.write_text(rows)
    out = str(where / "out.jsonl")
    assert run(where, "deid", str(source), "--view", view, "-o", out) == 1
    assert "the view has read none of these documents" in capsys.readouterr().err
    (where / "notes.jsonl").write_text(rows + json.dumps({"id": "new", "text": "Well."}) + "\n")
    command = ["deid", str(where / "notes.jsonl"), "--view", view, "-o", out]
    options = ["--key-file", str(where / "key"), *POLICY[:2]]
    assert main([*command, *options]) == 0
    assert "note: 1 documents are not in the view" in capsys.readouterr().err


def test_a_field_of_sex_is_not_read_where_it_may_be_replaced():
    """ "F" of PID-8 became another initial in a message with many names."""
    from incognote.persons.reading import reading_policy
    from incognote.persons.write_back import view_policy
    from incognote.policy import load_policy

    policy = load_policy("group-d+rules")
    assert reading_policy(policy).formats.labels["PID-8"] == "text"
    assert "PID-8" not in view_policy(policy).formats.labels


def test_workers_change_nothing(where):
    anonymised(where, "--quasi", "age,city")
    one = released(where)
    out = where / "two.jsonl"
    command = ["deid", str(where / "notes.jsonl"), "--view", str(where / "anon"), "-o", str(out)]
    assert run(where, *command, "--workers", "2") == 0
    assert [json.loads(line)["text"] for line in out.read_text().splitlines()] == one


def test_the_levels_of_a_release_are_used_for_new_notes(where, capsys):
    anonymised(where, "--quasi", "age,marital", "--recoding", "global")
    rows = (where / "notes.jsonl").read_text().replace("divorced", "married")
    (where / "notes.jsonl").write_text(rows)
    assert run(where, "persons", str(where / "notes.jsonl"), "-o", str(where / "view")) == 0
    command = ["anonymize", str(where / "view"), "--apply", str(where / "anon"), "--quiet"]
    assert main([*command, "-o", str(where / "again")]) == 0
    levels = [
        json.loads((where / name / "release.json").read_text())["levels"]
        for name in ("anon", "again")
    ]
    assert levels[0] == levels[1]
    few = "\n".join(rows.splitlines()[:3]) + "\n"
    (where / "notes.jsonl").write_text(few)
    assert run(where, "persons", str(where / "notes.jsonl"), "-o", str(where / "view")) == 0
    capsys.readouterr()
    assert main([*command, "-o", str(where / "no")]) == 1
    assert "only 3 persons" in capsys.readouterr().err
    assert not (where / "no").exists()


def test_a_folder_that_is_no_anonymised_view(where, capsys):
    anonymised(where)
    command = ["deid", str(where / "notes.jsonl"), "--view", str(where / "view")]
    assert run(where, *command, "-o", str(where / "o.jsonl")) == 1
    assert "not what `incognote anonymize` wrote" in capsys.readouterr().err
    assert not (where / "o.jsonl").exists()
