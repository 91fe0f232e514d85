"""The identifier view: people from notes, written and read again."""

from __future__ import annotations

import csv
import json
import stat
from dataclasses import fields, is_dataclass, replace

import pytest

from incognote.cli import main
from incognote.core.errors import UsageError
from incognote.persons.linking import cluster
from incognote.persons.mentions import ATTRIBUTES, Mention
from incognote.persons.view import Note, build, omop_columns, read_view, write_view

KEY = b"a key of a test, long"
CANARY = "CANARYZEBU"


def note(name: str, stated: str = "", **values: object) -> Note:
    mentions = [
        Mention(name, at, at + 1, "", attribute, value, "patient", 0.9)
        for at, (attribute, found) in enumerate(values.items())
        for value in (found if isinstance(found, list) else [found])
    ]
    return Note(name, stated, "2021-06-01", tuple(mentions))


def test_most_mentions_win_and_conflicts_are_counted():
    view = build(
        [note("a", "P1", sex=["female", "female"]), note("b", "P1", sex="male", age="47")], KEY
    )
    (person,) = view.persons
    assert person.values["sex"].value == "female"
    assert (person.values["sex"].count, person.values["sex"].conflicts) == (2, 1)
    assert person.documents == 2
    assert [view.mentions[row].value for row in person.values["age"].mentions] == ["47"]


def test_a_birth_date_gives_the_age_at_the_latest_note():
    view = build([note("a", "P1", birth_date="1950-06-02")], KEY)
    assert view.persons[0].values["age"].value == "70"


def test_ages_become_a_birth_year_with_the_dates_of_their_notes():
    older = replace(note("b", "P1", age=["52", "52"]), date="2026-02-03")
    dated = Note("c", "P1", "", note("c", "P1", age="50", visit="2024-03-04").mentions)
    view = build([note("a", "P1", age="47"), older, dated, note("d", "P2", sex="male")], KEY)
    grown, unknown = sorted((each.values for each in view.persons), key=lambda v: v["sex"].value)
    assert (grown["birth_year"].value, grown["birth_year"].count) == ("1974", 4)
    assert grown["age"].value == "52"
    assert (grown["age"].conflicts, grown["birth_year"].conflicts) == (0, 0)
    assert unknown["birth_year"].value == ""
    table = omop_columns(view)
    assert sorted(table["year_of_birth"], key=str) == [1974, None]


def test_an_age_that_no_birth_year_explains_is_a_conflict():
    older = replace(note("b", "P1", age="80"), date="2021-02-03")
    (person,) = build([note("a", "P1", age=["47", "47"]), older], KEY).persons
    assert person.values["age"].conflicts == person.values["birth_year"].conflicts == 1
    born = note("c", "P2", birth_date="1980-01-02", age="70")
    (other,) = build([born], KEY).persons
    assert (other.values["birth_year"].value, other.values["age"].conflicts) == ("1980", 1)


def test_of_values_said_equally_often_the_better_score_wins():
    unsure = Mention("a", 0, 1, "CITY", "city", "Avon, CT", "patient", 0.4)
    sure = Mention("a", 5, 6, "CITY", "city", "Yarmouth, ME", "patient", 0.9)
    (person,) = build([Note("a", "P1", "", (unsure, sure))], KEY).persons
    assert person.values["city"].value == "Yarmouth, ME"
    assert person.values["city"].conflicts == 1


def test_a_town_gets_the_state_that_the_record_has():
    def said(document: str, attribute: str, value: str, detector: str = "given") -> Mention:
        return Mention(document, 0, 1, "", attribute, value, "patient", 1.0, (detector,))

    notes = [
        Note("row", "P1", "", (said("row", "city", "Avon"), said("row", "state", "CT"))),
        Note("text", "P1", "", (said("text", "city", "Avon", "model"),)),
        Note("far", "P1", "", (said("far", "city", "Yarmouth", "model"),)),
        Note("other", "P2", "", (said("other", "city", "Avon"),)),
    ]
    view = build(notes, KEY)
    towns = {each.document: each.value for each in view.mentions if each.attribute == "city"}
    assert towns == {"row": "Avon, CT", "text": "Avon, CT", "far": "Yarmouth", "other": "Avon"}


def test_the_policy_says_what_an_attacker_does_with_an_attribute(tmp_path, capsys):
    rows = [
        {"id": str(n), "patient_id": f"P{n}",
         "text": f"{40 + n % 3}-year-old woman. Religion: {('Hindu', 'Methodist')[n % 2]}. Speaks Farsi."}
        for n in range(12)
    ]  # fmt: skip
    (tmp_path / "n.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    (tmp_path / "key").write_text("a key of a test, long")
    policy = tmp_path / "p.toml"
    head = 'name = "p"\nextends = "group-d"\n[roles]\n'
    view, out = str(tmp_path / "view"), str(tmp_path / "anon")
    command = ["persons", str(tmp_path / "n.jsonl"), "-o", view, "--policy", f"{policy}+rules"]
    command += ["--key-file", str(tmp_path / "key"), "--quiet"]
    for wrong, said in (
        ('religion = "secret"', "roles.religion"),
        ('creed = "quasi"', "roles.creed"),
    ):
        policy.write_text(head + wrong)
        assert main(command) == 1
        assert said in capsys.readouterr().err
    policy.write_text(head + 'religion = "sensitive"\nlanguage = "ignore"\n')
    assert main(command) == 0
    assert main(["anonymize", view, "--k", "2", "--l", "2", "-o", out, "--quiet"]) == 0
    release = json.loads((tmp_path / "anon/release.json").read_text())
    assert release["sensitive"] == "religion"
    assert release["quasi"] == ["age", "sex"]


def everything_in(value: object, seen: list[object]) -> list[object]:
    """All our objects within a value."""
    if isinstance(value, dict):
        for each in value.values():
            everything_in(each, seen)
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            everything_in(each, seen)
    elif is_dataclass(value):
        seen.append(value)
        for each in fields(value):
            everything_in(getattr(value, each.name), seen)
    return seen


def test_no_repr_holds_a_value():
    said = {name: CANARY for name in ATTRIBUTES if name not in ("age", "visit", "admission")}
    said |= {"birth_date": "1950-06-02", "visit": "2020-05-06"}
    del said["birth_year"], said["name"]
    notes = [replace(note(f"n{n}", CANARY, **said, age="61"), date="2021-06-01") for n in range(3)]
    view = build(notes, KEY)
    identity = notes[0].identity()
    clusters = cluster([identity, identity])
    for each in everything_in([view, notes, identity, clusters], []):
        shown = repr(each)
        assert CANARY not in shown, type(each)
        for day in ("1950", "2020-05-06", "2021-06-01"):
            assert day not in shown, type(each)


def test_relatives_do_not_enter_the_row():
    aunt = Mention("a", 1, 3, "AGE", "age", "88", "relative", 0.9)
    view = build([Note("a", "P1", "", (aunt,))], KEY)
    assert view.persons[0].values["age"].value == ""
    assert len(view.mentions) == 1


def test_names_of_people_depend_on_the_key_and_not_on_the_order():
    notes = [note("a", "P1", age="4"), note("b", "P2", age="5"), note("c", "", age="6")]
    first, again = build(notes, KEY), build(notes[::-1], KEY)
    assert first.owner == again.owner
    assert first.table() == again.table()
    assert build(notes, b"another key, as long").owner != first.owner


def test_a_view_comes_back_as_it_was_and_is_private(tmp_path):
    view = build(
        [note("a", "P1", age="47", zip="06110", mrn="7"), note("b", "P2", sex="male", mrn="7")], KEY
    )
    assert view.contradicting == {"a", "b"}
    write_view(view, tmp_path / "view")
    assert read_view(tmp_path / "view") == view
    for path in (tmp_path / "view").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_omop_has_a_row_for_each_person():
    view = build([note("a", "P1", sex="female", birth_date="1950-06-02", ethnicity="black")], KEY)
    table = omop_columns(view)
    assert (table["gender_concept_id"], table["year_of_birth"]) == ([8532], [1950])
    assert table["race_concept_id"] == [8516]


@pytest.mark.parametrize("damage", ["missing", "torn"])
def test_a_damaged_view_is_refused_without_its_text(tmp_path, damage):
    write_view(build([note("a", "P1", age="47", mrn=CANARY)], KEY), tmp_path / "view")
    path = tmp_path / "view/mentions.parquet"
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UsageError) as error:
        read_view(tmp_path / "view")
    assert CANARY not in str(error.value)


def test_a_person_who_stands_in_a_view_twice_is_refused(tmp_path):
    from incognote.anonymize.table import read_parquet, write_parquet

    write_view(build([note("a", "P1", age="47", mrn=CANARY)], KEY), tmp_path / "view")
    path = tmp_path / "view/persons.parquet"
    write_parquet(path, {name: cells * 2 for name, cells in read_parquet(path).items()})
    with pytest.raises(UsageError, match="a person stands in it twice") as error:
        read_view(tmp_path / "view")
    assert CANARY not in str(error.value)


def test_an_attribute_that_no_view_has():
    with pytest.raises(UsageError, match="no attribute 'agee'; it has name, "):
        build([note("a", "P1", age="47")], KEY).table(["agee"])


def test_no_documents_and_documents_with_one_id():
    with pytest.raises(UsageError, match="no document"):
        build([], KEY)
    with pytest.raises(UsageError, match="share an id"):
        build([note("a"), note("a")], KEY)


def test_the_verb_reads_notes_of_several_formats(tmp_path, capsys):
    notes = tmp_path / "notes"
    notes.mkdir()
    rows = [
        {"id": "1", "patient_id": "P1", "text": f"47-year-old woman. MRN: 5512345 {CANARY}"},
        {"id": "2", "patient_id": "P1", "text": "She is married. Religion: Hindu."},
    ]
    (notes / "a.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    (notes / "b.txt").write_text("A 60 yo man with COPD. MRN: 5512345")
    (tmp_path / "key").write_text("a key of a test, long")
    command = ["persons", str(notes), "-o", str(tmp_path / "view"), "--policy", "group-d+rules"]
    options = [
        "--key-file",
        str(tmp_path / "key"),
        "--csv",
        str(tmp_path / "p.csv"),
        "--loops",
        "1",
    ]
    assert main([*command, *options]) == 0
    with (tmp_path / "p.csv").open(newline="") as file:
        people = list(csv.DictReader(file))
    by_age = {person["age"]: person for person in people}
    assert by_age["47"]["religion"] == "hindu"
    assert by_age["47"]["marital"] == "married"
    said = capsys.readouterr()
    assert CANARY not in said.out + said.err


def test_workers_change_nothing(tmp_path):
    rows = [
        {"id": str(n), "patient_id": f"P{n % 4}", "text": f"{30 + n} year old man. Married."}
        for n in range(12)
    ]
    (tmp_path / "n.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    (tmp_path / "key").write_text("a key of a test, long")
    tables = []
    for workers in ("1", "2"):
        out = tmp_path / f"p{workers}.csv"
        command = ["persons", str(tmp_path / "n.jsonl"), "-o", str(tmp_path / f"v{workers}")]
        options = ["--policy", "group-d+rules", "--workers", workers, "--csv", str(out), "--quiet"]
        assert main([*command, *options, "--key-file", str(tmp_path / "key")]) == 0
        tables.append(out.read_text())
    assert tables[0] == tables[1]


def test_structured_fields_say_something_of_a_person(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "t.csv").write_text(
        "id,patient_id,name,dob,sex,race,marital_status,zip,note\n"
        "1,P1,Ann Quill,1961-04-05,F,White,Divorced,06110,Seen for gout on 2021-05-06.\n"
    )
    (folder / "m.hl7").write_text(
        "MSH|^~\\&|A|B|C|D|20240311||ADT^A01|1|P|2.5\r"
        "PID|1||7741902^^^X^MR||OKONKWO^Adaeze||19580214|F||2106-3|||||ES|M\r"
        "NK1|1|OKONKWO^Chidi|SPO\r"
    )
    (tmp_path / "key").write_text("a key of a test, long")
    command = ["persons", str(folder), "-o", str(tmp_path / "view"), "--policy", "group-d+rules"]
    options = ["--key-file", str(tmp_path / "key"), "--quiet"]
    assert main([*command, *options]) == 0
    view = read_view(tmp_path / "view")
    people = {person.values["zip"].value: person.values for person in view.persons}
    ann, adaeze = people["06110"], people[""]
    assert (ann["sex"].value, ann["ethnicity"].value) == ("female", "white")
    assert (ann["marital"].value, ann["birth_date"].value) == ("divorced", "1961-04-05")
    assert (ann["age"].value, ann["diagnosis"].value) == ("60", "M10")
    assert (adaeze["sex"].value, adaeze["marital"].value) == ("female", "married")
    assert (adaeze["ethnicity"].value, adaeze["language"].value) == ("white", "spanish")
    assert adaeze["name"].value == "okonkwo, adaeze"
    assert [each.subject for each in view.mentions if each.value == "okonkwo, chidi"] == [
        "relative"
    ]


def test_a_file_with_two_patients_is_a_note_of_each():
    from incognote.persons.reading import _settled

    notes = {
        ("b.json", "P1"): replace(note("b.json", "P1", age="4"), record=3),
        ("b.json", "P2"): replace(note("b.json", "P2", age="5"), record=3),
        ("m.hl7", "P3"): replace(note("m.hl7", "P3", age="6"), record=4),
        ("m.hl7 OBX-5", ""): replace(note("m.hl7 OBX-5", "", sex="male"), record=4),
    }
    settled = {each.id: each for each in _settled(notes)}
    assert [settled[name].stated for name in ("b.json#1", "b.json#2")] == ["P1", "P2"]
    assert settled["b.json#2"].mentions[0].document == "b.json#2"
    assert settled["m.hl7 OBX-5"].stated == "P3"  # an attachment is its record's patient's
    view = build(list(settled.values()), KEY)
    assert len(view.persons) == 3
