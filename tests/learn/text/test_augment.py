"""Augmentation changes surfaces and nothing else."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.learn.data import Note
from incognote.learn.text import disturb
from incognote.learn.text.augment import Augmentation, Source
from incognote.learn.text.pools import Pools, gather
from incognote.learn.text.resurface import Resurfacer, cased_like

POOLS = Pools(
    own={"FIRST": ["Zelda"], "LAST": ["Quimby"], "CITY": ["Oz"], "HOSPITAL": ["Hill Clinic"]},
    more={},
)
SEEDS = st.integers(0, 10_000)


def between(note: Note) -> list[str]:
    """The text around the marks, which no rewriting may touch."""
    ends = [0, *(end for _, end, _ in note.marks)]
    starts = [*(start for start, _, _ in note.marks), len(note.text)]
    return [note.text[a:b] for a, b in zip(ends, starts, strict=True)]


def surfaces(note: Note) -> list[str]:
    return [note.text[a:b] for a, b, _ in note.marks]


@given(SEEDS)
def test_only_the_marked_surfaces_change(seed):
    note = _note()
    new = Resurfacer(POOLS, random.Random(seed), 1.0).rewrite(note)
    assert between(new) == between(note)
    assert [label for *_, label in new.marks] == [label for *_, label in note.marks]


@given(SEEDS)
def test_one_name_stays_one_name(seed):
    new = Resurfacer(POOLS, random.Random(seed), 1.0).rewrite(_note())
    full, short = (new.text[a:b] for a, b, label in new.marks if label == "PATIENT")
    assert full.split()[-1].upper() == short


def _note() -> Note:
    text = "Anna Abara, 67, MRN 4411; ABARA of Dayton, 3/14/2020 and 12 March 1999."
    marks = []
    for surface, label in (
        ("Anna Abara", "PATIENT"), ("ABARA", "PATIENT"), ("67", "AGE"), ("4411", "MEDICALRECORD"),
        ("Dayton", "CITY"), ("3/14/2020", "DATE"), ("12 March 1999", "DATE"),
    ):  # fmt: skip
        at = text.index(surface)
        marks.append((at, at + len(surface), label))
    return Note("a", text, tuple(sorted(marks)))


def test_everything_can_change():
    new = Resurfacer(POOLS, random.Random(1), 1.0).rewrite(_note())
    assert not set(surfaces(new)) & set(surfaces(_note()))


def test_nothing_changes_at_rate_zero():
    assert Resurfacer(POOLS, random.Random(1), 0.0).rewrite(_note()) == _note()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("SMITH", "jones", "JONES"),
        ("smith", "Jones", "jones"),
        ("Smith", "jones", "Jones"),
        ("Smith", "McKay", "McKay"),
    ],
)
def test_case_is_kept(old, new, expected):
    assert cased_like(old, new) == expected


@given(SEEDS, st.floats(0, 0.5))
def test_noise_keeps_marks_in_order(seed, rate):
    note = _note()
    new = disturb.noise(note, random.Random(seed), rate)
    ends = 0
    for start, end, _ in new.marks:
        assert ends <= start < end <= len(new.text)
        ends = end


@pytest.mark.parametrize("change", [disturb.upper_case, disturb.lower_case])
def test_case_changes_keep_offsets(change):
    note = Note("a", "Straße in İzmir: Éa", ((10, 15, "CITY"),))
    new = change(note)
    assert len(new.text) == len(note.text)
    assert new.marks == note.marks


@given(st.integers(0, 10_000))
def test_lost_punctuation_loses_no_letter_and_no_number(seed):
    note = Note("n", "Seen by Dr. A. Lee, 3.5 mg: stable.", ((12, 18, "DOCTOR"),))
    new = disturb.drop_punctuation(note, random.Random(seed), 1.0)
    assert new.text == "Seen by Dr A Lee 3.5 mg stable"
    (start, end, _), *_ = new.marks
    assert new.text[start:end] == "A Lee"


def test_wrapped_lines_break_at_spaces_alone():
    note = Note("n", "word " * 60, ((5, 14, "CITY"),))
    new = disturb.wrap_lines(note, random.Random(1), 50)
    assert new.text.split() == note.text.split()
    assert max(map(len, new.text.split("\n"))) <= 55
    assert new.marks == note.marks


def test_marks_alone_change_case():
    note = Note("n", "Ann Lee saw HTN on May 3", ((0, 7, "PATIENT"), (19, 24, "DATE")))
    assert disturb.recase_marks(note, str.upper).text == "ANN LEE saw HTN on May 3"
    assert disturb.recase_marks(note, str.lower).text == "ann lee saw HTN on May 3"


def test_line_breaks_become_spaces():
    note = Note("a", "a\nb\nc", ())
    assert disturb.drop_line_breaks(note, random.Random(1), 1.0).text == "a b c"


def test_epochs_repeat_by_seed_and_differ_between_seeds(notes):
    extra = [Note(f"x{i}", "no PHI here", ()) for i in range(5)]
    source = Source(notes, gather(notes), extra, Augmentation(extra=3))
    assert source.epoch(1) == source.epoch(1) != source.epoch(2)
    assert len(source.epoch(1)) == len(notes) + 3


def test_pools_come_from_the_notes_and_a_folder(notes, tmp_path):
    (tmp_path / "city.txt").write_text("Emerald City\n\n")
    pools = gather(notes, tmp_path)
    assert "Abara" in pools.own["LAST"]
    assert pools.more["CITY"] == ["Emerald City"]
    assert len(pools.more["LAST"]) > 1000
