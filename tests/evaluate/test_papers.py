"""The papers' experiments run from end to end, at small size."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from pathlib import Path

import pytest
from bench.notes import ROOT
from bench.papers import bert, cincinnati, hide, ibm, mayo
from bench.papers.__main__ import PAPERS, main
from bench.papers.material import Material, open_i2b2, open_physionet
from bench.papers.page import write_page
from tests.evaluate.notes import annotated
from tests.toy_encoder import write_toy_encoder

from incognote.core import registry
from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document
from incognote.corpus import write_corpus
from incognote.learn.hide import studies
from incognote.learn.network.base import open_base
from incognote.policy import load_policy

pytest.importorskip("pycrfsuite", reason="needs the extra 'crf'")


def test_hide_gives_all_of_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studies, "SHARES", (0.5, 1.0))
    monkeypatch.setattr(studies, "WINDOWS", (1,))
    monkeypatch.setattr(studies, "BOTH", ((0.1, 1),))
    monkeypatch.setattr(studies, "HISTORIES", (0, 1))
    names = "Abel Boyd Cruz Dunn Farr Gale".split()
    notes = [
        annotated(f"Seen by Dr. [[{name}|DOCTOR]] on [[{n + 1}/4/20|DATE]].", f"n{n}")
        for n, name in enumerate(names)
    ]
    tables = list(hide.run(Material("six", notes), 2))
    titles = [table.title for table in tables]
    assert len(tables) == 7
    assert len(tables[0].rows) == 2**4  # every subset of four groups, and all with the word
    page = write_page(hide.ABOUT, tables, "six notes")
    assert all(f"### {title}" in page for title in titles)
    assert "| all and the word itself | 1.0000 |" in page
    assert {row[0] for row in tables[-2].rows} == {"NAME", "DATE"}


def test_mayo_counts_days_from_group_d_on() -> None:
    note = (
        "Dr. [[Okafor|DOCTOR]] saw him [[Tuesday|DATE]], [[3/4/2020|DATE]], again [[Friday|DATE]]."
    )
    gold = [annotated(note, "n1")]
    found = [
        annotated("Dr. [[Okafor|DOCTOR]] saw him [[Tuesday|DATE]], 3/4/2020, again Friday.", "n1")
    ]
    reading = mayo.Reading(*([mayo.with_days_apart(doc) for doc in docs] for docs in (gold, found)))
    groups = {row[0]: row[2] for row in mayo.groups_table(reading.table).rows}
    assert groups["A"] == "0.0000"  # the date is missed; neither days nor doctors count
    assert groups["D"] == f"{2 / 6:.4f}"
    errors = [*mayo.errors_of(reading)]
    (dates,) = (row for row in mayo.errors_table(reading, errors).rows if row[0] == "DATE")
    assert dates[1:] == ["3", "2", "66.67%", "2", "0%"]


def test_mayo_counts_errors_by_note_and_by_value() -> None:
    gold = [
        annotated("[[Ann Lee|PATIENT]] and [[Ann Lee|PATIENT]], [[3/4/2020|DATE]].", "n1"),
        annotated("[[Ann  lee|PATIENT]] again.", "n2"),
        annotated("[[Bo|PATIENT]].", "n3"),
    ]
    found = [
        annotated("Ann [[Lee|PATIENT]] and Ann Lee, 3/4/2020.", "n1"),
        annotated("Ann  lee again.", "n2"),
        annotated("[[Bo|PATIENT]].", "n3"),
    ]
    reading = mayo.Reading(gold, found)
    errors = [*mayo.errors_of(reading)]
    names = {row[0]: row[1:] for row in mayo.errors_table(reading, errors).rows}["NAME"]
    assert names == ["4", "3", "75.00%", "2", "17%"]  # half of one of three was found
    notes = dict(mayo.notes_table(reading, errors).rows)
    assert (notes["without an error"], notes["with 1"], notes["with 3"]) == ("1", "1", "1")
    assert notes["mean errors of a note with any"] == "2.00"
    assert notes["mean error types of such a note"] == "1.50"
    unique = {row[0]: row[1:] for row in mayo.unique_table(errors).rows}
    assert unique["NAME"] == ["3", "1", "3", "0"]


def test_mayo_gives_all_of_its_tables() -> None:
    policy = load_policy("rules")
    notes = [annotated("Seen by Dr. [[Okafor|DOCTOR]] on [[3/4/2020|DATE]] in clinic.", "n1")]
    table = mayo.parts_table(policy, notes)
    ways = [row[0] for row in table.rows]
    assert ways[0] == "the ensemble"
    assert {"without `patterns`", "`patterns` alone"} <= set(ways)
    assert table.rows[0][2] == "1.0000"


def test_mayo_learns_in_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cincinnati, "ITERATIONS", 5)
    for name, value in (("ROUND", 3), ("ROUNDS", 2), ("POOL", 4)):
        monkeypatch.setattr(mayo, name, value)
    notes = [
        annotated(f"Visit {n}: Dr. [[Okafor|DOCTOR]] on [[{n + 1}/4/20|DATE]].", f"w1_{n}")
        for n in range(12)
    ]
    rows = mayo.rounds_table(notes, notes[:4]).rows
    assert [row[:3] for row in rows[:3]] == [
        ["notes with errors", "0", "3"],
        ["notes with errors", "1", "6"],
        ["notes with errors", "2", "9"],
    ]
    assert rows[0][3:] == rows[3][3:]  # both ways begin with the same notes


def test_speed_does_not_count_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    clock = mayo.process_time
    monkeypatch.setattr(mayo, "process_time", lambda: order.append("clock") or clock())
    read = mayo.Pipeline.detect
    monkeypatch.setattr(
        mayo.Pipeline, "detect", lambda *given: order.append("read") or read(*given)
    )
    monkeypatch.setattr(mayo, "DEFAULT", "rules")
    table = mayo.throughput_table([annotated("Seen by Dr. [[Okafor|DOCTOR]].", "n1")])
    assert order[:4] == ["read", "clock", "read", "clock"]
    assert [row[0] for row in table.rows] == ["`rules`", "`fast`", "`rules`"]


def test_cincinnati_gives_all_of_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cincinnati, "SHUFFLES", 19)
    monkeypatch.setattr(cincinnati, "ITERATIONS", 5)
    monkeypatch.setattr(cincinnati, "SHARES", (1.0,))
    monkeypatch.setattr(cincinnati, "FEWEST", 5)
    names = "Abel Boyd Cruz Dunn Farr Gale Hale Ivey Judd Kerr".split()
    words = "ankle back chest dental elbow fever gout hip itch jaw".split()
    notes = [
        annotated(
            f"{word} visit: Dr. [[{name}|DOCTOR]] saw the {word} on [[{n + 1}/4/20|DATE]].",
            f"{group}_{n}",
        )
        for group in ("w1", "w15")
        for n, (name, word) in enumerate(zip(names, words, strict=True))
    ]
    tables = list(cincinnati.run(Material("twenty", notes), 0))
    assert [table.title.partition(":")[0] for table in tables[::2]] == ["Table 3", "Table 5"]
    classes = {row[0]: row[1:5] for row in tables[0].rows}
    assert classes["DOCTOR"][:2] == ["20", "20"]
    assert {(row[0], row[1]) for row in tables[1].rows} == {
        (one, other)
        for one in ("original", "resynthesised", "both")
        for other in ("original", "resynthesised")
    }
    added = [row[0] for row in tables[3].rows if "+" in row[0]]
    assert added[:2] == ["ours + 0% of informal", "ours + 100% of informal"]
    assert "| DOCTOR | 20 | 20 |" in write_page(cincinnati.ABOUT, tables, "twenty notes")


def test_data_of_others_stands_beside_the_open_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "ankle back chest dental elbow fever gout hip itch jaw".split()
    own = [annotated(f"{word} visit: Dr. [[Okafor|DOCTOR]].", f"w1_{word}") for word in words]
    monkeypatch.setattr(cincinnati, "open_corpus", lambda name: Material(name, own))
    theirs = [annotated(f"{word}, seen by [[Lee|DOCTOR]].", f"1-{word}") for word in words]
    corpora = cincinnati.two_institutions(Material("i2b2 2014", theirs[:6], theirs[6:9]))
    assert list(corpora) == ["i2b2 2014", "ours"]
    assert [doc.id for doc in corpora["i2b2 2014"].test] == [doc.id for doc in theirs[6:9]]
    ours = corpora["ours"]
    assert len([*ours.train, *ours.test]) == 9  # as many notes as theirs


def test_bert_gives_all_of_its_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    base = open_base(write_toy_encoder(tmp_path))
    monkeypatch.setattr(bert, "BASES", {"toy": lambda: base, "other": lambda: base})
    monkeypatch.setattr(bert, "RATES", (1e-3,))
    monkeypatch.setattr(bert, "EPOCHS", 1)
    monkeypatch.setattr(bert, "FEWEST", 3)
    words = "ankle back chest dental elbow fever gout hip itch jaw".split()
    notes = [
        annotated(f"{word} visit: Dr. [[Okafor|DOCTOR]] on [[{n + 1}/4/20|DATE]].", f"{group}_{n}")
        for group in ("w1", "w15")
        for n, word in enumerate(words)
    ]
    material = Material("twenty", notes)
    study, between, fixed, beside = bert.run(material, 0)
    assert [row[0] for row in study.rows[1:]] == [
        "toy",
        "other",
        "toy, rate 0.001",
        "toy, warm-up 0",
        "toy, dropout 0",
        "toy, frozen",
        "toy, windows apart",
        "toy, 2 layers",
    ]
    assert [row[:2] for row in between.rows][1] == ["ours", "informal"]
    assert [row[0] for row in fixed.rows] == ["100.0%", "99.9%", "99.7%", "99.0%"]
    assert all(float(row[2]) > 0 for row in fixed.rows)  # hiding every word is the last resort
    words_counted = sum(int(row[at]) for row in beside.rows for at in (1, 4))
    assert words_counted > 0
    (crossed,) = bert.between([material, Material("ten", notes[:10])])
    assert [row[:2] for row in crossed.rows] == [
        [one, other] for one in ("twenty", "ten") for other in ("twenty", "ten")
    ]


def test_ibm_says_what_is_found_and_what_is_not() -> None:
    """By rules alone, which is quick; the page uses the default policy."""
    table = ibm.kinds_table(ibm.everything_on("rules"))
    found = {row[0]: row[1:] for row in table.rows}
    assert len(found) == len(ibm.KINDS["sentences"])
    assert {kind for kind, row in found.items() if row[0] != "yes"} == set(ibm.KINDS["left_alone"])
    assert found["ATC"] == ["yes", "`ATC`", "yes"]
    assert found["ICD-9"] == ["yes", "`ICD`", "yes"]
    assert found["religion"] == ["yes", "`RELIGION`", "yes"]
    assert found["DICOM UID"] == ["yes", "`IDNUM`", ""]
    assert found["symptoms"][0].startswith("no: ")
    assert found["card brand"][0] == "no: no identifier"
    assert found["GUID"][0] == "yes"
    assert {row[1] for row in ibm.options_table().rows} >= {"`truncate`", "`surrogate`"}


@pytest.mark.parametrize("row", ibm.OPTIONS, ids=lambda row: row[0])
def test_ibm_names_options_that_exist(row: tuple[str, str, str]) -> None:
    _, action, said = row
    component = registry.load("transform", action)
    named = [each for each in re.findall(r"`([^`]+)`", said) if not each.startswith("[")]
    assert set(named) <= set(inspect.signature(component).parameters)


def test_ibm_runs_the_options_of_single_kinds() -> None:
    options = ibm.KINDS["options"]
    assert all(("rule" in each) != ("left" in each) for each in options)
    rows = ibm.kind_options_table("rules").rows
    made = {(kind, theirs): value for kind, theirs, *_, value in rows}
    assert len(rows) == len(options) == len(made)
    assert made["IP address", "keep the subnet"] == "`203.0.***.**`"
    assert made["MAC address", "keep the vendor"] == "`00:1B:44:**:**:**`"
    assert made["date", "quarter and year"] == "`Q1 2021`"
    assert made["date", "the year, and none that tells of 90 years or more"] == "`[DATE]`"
    assert made["card number", "keep the last four"] == "`**** **** **** 1111`"
    assert made["ICD-9", "its category"] == "`250`"
    assert made["ICD-10", "its category"] == "`M32`"
    assert made["ATC", "its third level"] == "`C09A`"
    assert made["IBAN", "keep the country"].startswith("`GB")
    assert made["SWIFT code", "keep the country"][5:7] == "GB"
    assert made["card number", "keep the issuer"].startswith("`4")
    assert made["city", "one of the nearest cities"] == ""
    for kind, theirs, rule, value, new in rows:
        assert (rule.startswith("none: ") and not new) or new not in ("", value), (kind, theirs)


def test_ibm_masks_each_kind_in_each_way() -> None:
    rows = {row[0]: row[1:] for row in ibm.ways_table("rules").rows}
    assert rows.keys() == ibm.KINDS["sentences"].keys() - ibm.KINDS["left_alone"].keys()
    redacted, tagged, hashed, truncated, encrypted, surrogate, own = rows["telephone"]
    assert (tagged, truncated) == ("`[PHONE]`", "`93*-***-**42`")
    assert len(redacted) == len("`937-555-0142`")
    assert len({redacted, tagged, hashed, truncated, encrypted, surrogate}) == 6
    assert "937-555-0142" not in "".join(rows["telephone"])
    assert own == ""
    assert rows["age"][-1].startswith("age90: `67`, generalize: `")
    assert rows["ZIP code"][-1] == "zip3: `454`"
    assert rows["date"][-1] == "year: `2021`, period: `03/2021`"
    assert rows["state"][1] == "`[STATE]`"  # the town beside it is replaced, too


NOTE = "Seen by Dr. [[Okafor|DOCTOR]] of [[Harrow Clinic|HOSPITAL]] on [[3/4/2020|DATE]]."


def as_handed_out_2014(folder: Path) -> Path:
    """Two folders to learn from, one to test on, and the test notes once more without tags."""
    parts = {
        "training-PHI-Gold-Set1": ("110-01", "110-02"),
        "training-PHI-Gold-Set2": ("220-01",),
        "testing-PHI-Gold-fixed": ("330-01",),
    }
    for name, ids in parts.items():
        place = folder / name
        place.mkdir(parents=True)
        write_corpus([annotated(NOTE, each) for each in ids], place, "i2b2-2014")
    bare = folder / "testing-PHI-noTags"
    bare.mkdir()
    write_corpus([annotated("Seen by Dr. Okafor.", "330-01")], bare, "i2b2-2014")
    return folder


def test_i2b2_2014_is_read_as_it_is_handed_out(tmp_path: Path) -> None:
    found = open_i2b2(as_handed_out_2014(tmp_path))
    assert [doc.id for doc in found.train] == ["110-01", "110-02", "220-01"]
    assert [doc.id for doc in found.test] == ["330-01"]
    assert [span.label for span in found.test[0].spans] == ["DOCTOR", "HOSPITAL", "DATE"]
    assert found.train[0].document.patient_id == "110"
    assert found.parts() == (found.train, found.test)


def test_i2b2_2006_is_read_as_it_is_handed_out(tmp_path: Path) -> None:
    for name, ids in (("deid_surrogate_train_all", ("1", "2")), ("deid_surrogate_test_all", "3")):
        write_corpus([annotated(NOTE, each) for each in ids], tmp_path / f"{name}.xml", "i2b2-2006")
    found = open_i2b2(tmp_path)
    assert ([doc.id for doc in found.train], [doc.id for doc in found.test]) == (["1", "2"], ["3"])
    assert [span.label for span in found.train[0].spans] == ["DOCTOR", "HOSPITAL", "DATE"]


def of_physionet(patient: int) -> AnnotatedDocument:
    note = annotated("Dr. [[Okafor|DOCTOR]] at [[Harrow|CITY]] on [[3/4|DATE]].", "note")
    theirs = {"DOCTOR": "HCPName", "CITY": "Location", "DATE": "Date"}
    spans = tuple(replace(span, label=theirs[span.label]) for span in note.spans)
    return AnnotatedDocument(
        Document(f"{patient}-1", note.text, {"patient_id": str(patient)}), spans
    )


def test_physionet_is_read_as_it_is_handed_out(tmp_path: Path) -> None:
    write_corpus([of_physionet(1)], tmp_path / "deid-1.1", "physionet")
    found = open_physionet(tmp_path)
    assert [span.label for span in found.train[0].spans] == ["DOCTOR", "CITY", "DATE"]
    assert not found.test


@pytest.mark.parametrize("open_it", [open_i2b2, open_physionet])
def test_a_folder_without_such_data_is_refused(open_it, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no "):
        open_it(tmp_path)
    with pytest.raises(UsageError, match="no "):
        open_it(tmp_path / "absent")


def test_one_command_writes_the_page_of_named_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What needs an agreement leaves scores alone: no text stands in the page."""
    monkeypatch.setattr(ibm, "DEFAULT", "rules")
    folder = as_handed_out_2014(tmp_path / "i2b2")
    out = tmp_path / "pages"
    assert main(["ibm", "--i2b2", str(folder), "--out", str(out), "--write"]) == 0
    page = (out / "ibm.md").read_text("utf-8")
    assert "3 notes and 1 to test on (i2b2 2014)" in page
    assert "Okafor" not in page
    assert page.strip() == capsys.readouterr().out.strip()
    assert main(["mayo", "--i2b2", str(tmp_path / "absent")]) == 1
    assert "no such folder" in capsys.readouterr().err


def test_the_command_names_each_of_several_corpora(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(studies, "STUDIES", ("history",))
    monkeypatch.setattr(hide, "STUDIES", ("history",))
    monkeypatch.setattr(studies, "HISTORIES", (0,))
    monkeypatch.setattr(hide, "dictionaries", dict)
    write_corpus([of_physionet(number) for number in range(4)], tmp_path / "physionet", "physionet")
    folders = ["--i2b2", str(as_handed_out_2014(tmp_path / "i2b2"))]
    folders += ["--physionet", str(tmp_path / "physionet")]
    assert main(["hide", *folders, "--folds", "2"]) == 0
    page = capsys.readouterr().out
    for name in ("i2b2 2014", "PhysioNet deid"):
        assert f"### Training time against history ({name})" in page


TITLES = {
    "hide": ("Groups of features", "Tokens with another label than theirs"),
    "cincinnati": ("Table 3", "Trained on original", "Table 5", "Figures 2 to 4"),
    "bert": ("Encoders and settings", "Fixed sensitivity", "Neighbouring words"),
    "mayo": ("Groups of labels", "Errors by category", "Errors by note", "Unique errors",
             "Parts of the ensemble", "Iterative rounds", "Throughput"),
    "ibm": ("Kinds of value", "Ways to mask", "Each kind", "Options of single kinds", "Beside"),
}  # fmt: skip


@pytest.mark.parametrize("name", PAPERS)
def test_each_command_writes_its_page_at_small_size(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {
        studies: {"SHARES": (1.0,), "WINDOWS": (1,), "BOTH": ((0.1, 1),), "HISTORIES": (0,)},
        hide: {"dictionaries": dict},
        cincinnati: {"SHUFFLES": 9, "ITERATIONS": 3, "SHARES": (1.0,), "FEWEST": 5},
        bert: {"RATES": (), "EPOCHS": 1},
        mayo: {"ROUND": 3, "ROUNDS": 1, "POOL": 3, "DEFAULT": "rules"},
        ibm: {"DEFAULT": "rules"},
    }
    for module, values in small.items():
        for constant, value in values.items():
            monkeypatch.setattr(module, constant, value)
    words = "ankle back chest dental elbow fever gout hip itch jaw".split()
    notes = [
        annotated(f"{word} visit: Dr. [[Okafor|DOCTOR]] on [[{n + 1}/4/20|DATE]].", f"{group}_{n}")
        for group in ("w1", "w15")
        for n, word in enumerate(words)
    ]
    write_corpus(notes, tmp_path / "notes.jsonl", "jsonl")
    given = [name, "--corpus", str(tmp_path / "notes.jsonl"), "--notes", "20", "--folds", "2"]
    if name == "bert":
        base = open_base(write_toy_encoder(tmp_path))
        monkeypatch.setattr(bert, "BASES", {"toy": lambda: base})
    assert main([*given, "--out", str(tmp_path / "pages"), "--write"]) == 0
    page = (tmp_path / "pages" / f"{name}.md").read_text("utf-8")
    assert "20 notes (notes.jsonl)" in page
    headings = re.findall(r"^### (.+)", page, re.MULTILINE)
    for title in TITLES[name]:
        assert any(each.startswith(title) for each in headings), title


@pytest.mark.parametrize("paper", [hide, cincinnati, bert, mayo, ibm], ids=lambda p: p.__name__)
def test_each_paper_has_a_page_that_its_command_wrote(paper) -> None:
    """What people wrote in it is what the module says; numbers stay as they were measured."""
    name = paper.__name__.rpartition(".")[2]
    page = (ROOT / "docs" / "papers" / f"{name}.md").read_text("utf-8")
    about = paper.ABOUT
    for part in (f"# {about.title}\n", about.source, about.did, about.here, about.differs):
        assert part in page
    assert f"python -m bench.papers {name} " in about.here
