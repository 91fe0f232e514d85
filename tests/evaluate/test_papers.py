"""The papers' experiments run from end to end, at small size."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.papers import bert, cincinnati, hide, ibm, mayo
from bench.papers.page import write_page
from tests.evaluate.notes import annotated
from tests.toy_encoder import write_toy_encoder

from incognote.learn.network.base import open_base
from incognote.policy import load_policy

pytest.importorskip("pycrfsuite", reason="needs the extra 'crf'")


def test_hide_gives_all_of_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hide, "SHARES", (0.5, 1.0))
    monkeypatch.setattr(hide, "WINDOWS", (1,))
    monkeypatch.setattr(hide, "HISTORIES", (0, 1))
    names = "Abel Boyd Cruz Dunn Farr Gale".split()
    notes = [
        annotated(f"Seen by Dr. [[{name}|DOCTOR]] on [[{n + 1}/4/20|DATE]].", f"n{n}")
        for n, name in enumerate(names)
    ]
    tables = list(hide.run(notes, 2))
    titles = [table.title for table in tables]
    assert len(tables) == 6
    assert len(tables[0].rows) == 2**4  # every subset of four groups, and all with the word
    page = write_page(hide.ABOUT, tables, "six notes")
    assert all(f"### {title}" in page for title in titles)
    assert "| all and the word itself | 1.0000 |" in page


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
    (dates,) = (row for row in mayo.errors_table(reading).rows if row[0] == "DATE")
    assert dates[1:3] == ["3", "2"]


def test_mayo_gives_all_of_its_tables() -> None:
    policy = load_policy("rules")
    notes = [annotated("Seen by Dr. [[Okafor|DOCTOR]] on [[3/4/2020|DATE]] in clinic.", "n1")]
    table = mayo.parts_table(policy, notes)
    ways = [row[0] for row in table.rows]
    assert ways[0] == "the ensemble"
    assert {"without `patterns`", "`patterns` alone"} <= set(ways)
    assert table.rows[0][2] == "1.0000"


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
    tables = list(cincinnati.run(notes, 0))
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


def test_bert_gives_all_of_its_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    base = open_base(write_toy_encoder(tmp_path))
    monkeypatch.setattr(bert, "BASES", {"toy": lambda: base})
    monkeypatch.setattr(bert, "RATES", (1e-3,))
    monkeypatch.setattr(bert, "EPOCHS", 1)
    monkeypatch.setattr(bert, "FEWEST", 5)
    words = "ankle back chest dental elbow fever gout hip itch jaw".split()
    notes = [
        annotated(f"{word} visit: Dr. [[Okafor|DOCTOR]] on [[{n + 1}/4/20|DATE]].", f"{group}_{n}")
        for group in ("w1", "w15")
        for n, word in enumerate(words)
    ]
    study, between, fixed, beside = bert.run(notes, 0)
    assert [row[0] for row in study.rows] == ["toy, rate 0.001", "toy, frozen"]
    assert [row[:2] for row in between.rows][1] == ["ours", "informal"]
    assert [row[0] for row in fixed.rows] == ["100.0%", "99.9%", "99.7%", "99.0%"]
    assert all(row[1] for row in fixed.rows)  # a threshold, or that there is none
    words_counted = sum(int(row[at]) for row in beside.rows for at in (1, 4))
    assert words_counted > 0


def test_ibm_says_what_is_found_and_what_is_not() -> None:
    """By rules alone, which is quick; the page uses the default policy."""
    table = ibm.kinds_table(ibm.everything_on("rules"))
    found = {row[0]: row[1:] for row in table.rows}
    assert len(found) == len(ibm.KINDS)
    assert found["ATC"] == ["yes", "`ATC`", "yes"]
    assert found["ICD-9"] == ["yes", "`ICD`", "yes"]
    assert found["religion"] == ["yes", "`RELIGION`", "yes"]
    assert found["DICOM UID"] == ["yes", "`IDNUM`", ""]
    assert found["symptoms"][0].startswith("no: ")
    assert {row[1] for row in ibm.options_table().rows} >= {"`truncate`", "`surrogate`"}
