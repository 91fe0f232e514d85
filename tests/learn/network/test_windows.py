"""Cutting notes into windows loses no unit and no label."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from incognote.detect.learned.encoder.pieces import Reader
from incognote.detect.learned.encoder.wordpiece import WordPiece
from incognote.detect.learned.units import split
from incognote.learn.data import Note
from incognote.learn.network.windows import IGNORED, batches, cut, unit_targets

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.:/,%"
PIECES = WordPiece(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LETTERS, *(f"##{c}" for c in LETTERS)])
INDEX = {"DATE": 1, "DOCTOR": 2, "MEDICALRECORD": 3, "PATIENT": 4}


def test_targets_cover_what_the_marks_touch():
    note = Note("a", "by J. Doe on 3/4", ((3, 9, "DOCTOR"), (13, 16, "DATE")))
    labels, opens = unit_targets(note, split(note.text), INDEX)
    assert labels == [0, 2, 2, 2, 0, 1, 1, 1]
    assert opens == [0, 1, 0, 0, 0, 1, 0, 0]


def test_unknown_labels_count_as_none():
    note = Note("a", "x", ((0, 1, "AGE"),))
    assert unit_targets(note, split("x"), INDEX) == ([0], [0])


@pytest.mark.parametrize("size", [16, 40, 512])
def test_windows_hold_every_unit_once(notes, size):
    for note in notes[:10]:
        windows = cut(note, Reader(PIECES, size, 0), INDEX, random.Random(1))
        assert all(window.size <= size for window in windows)
        labels = [x for window in windows for x in window.labels if x != IGNORED]
        assert labels == unit_targets(note, split(note.text), INDEX)[0]


@pytest.mark.parametrize(("size", "overlap"), [(40, 16), (100, 40), (16, 14)])
def test_windows_that_overlap_share_so_many_pieces_and_lose_none(notes, size, overlap):
    for note in notes[:10]:
        units = len(split(note.text))
        said = np.repeat(np.arange(units)[:, None], 3, axis=1).astype(np.float16)
        reader = Reader(PIECES, size, 0)
        windows = cut(note, reader, INDEX, random.Random(1), taught=said, overlap=overlap)
        targets = unit_targets(note, split(note.text), INDEX)[0]
        held = [window.taught[:, 0].astype(int).tolist() for window in windows]
        assert [place for places in held for place in places] != list(range(units))
        assert {place for places in held for place in places} == set(range(units))
        for window, places in zip(windows, held, strict=True):
            assert window.size <= size
            assert places == list(range(places[0], places[-1] + 1))
            assert [targets[at] for at in places] == [x for x in window.labels if x != IGNORED]
        for before, after in pairwise(held):
            assert before[0] < after[0] <= before[-1] + 1


def test_batches_pad_and_hold_every_window(notes):
    windows = [w for n in notes for w in cut(n, Reader(PIECES, 64, 0), INDEX, random.Random(1))]
    made = batches(windows, PIECES.pad, 512, random.Random(2))
    assert sum(len(batch.ids) for batch in made) == len(windows)
    for batch in made:
        assert batch.ids.size <= 512
        assert (batch.ids[batch.mask == 0] == PIECES.pad).all()
        assert (batch.labels[batch.mask == 0] == IGNORED).all()
    assert sum(int(batch.mask.sum()) for batch in made) == sum(w.size for w in windows)
    assert isinstance(made[0].ids, np.ndarray)


def test_what_teachers_say_stands_with_its_unit(notes):
    windows = []
    for note in notes[:5]:
        units = len(split(note.text))
        said = np.repeat(np.arange(units)[:, None], 3, axis=1).astype(np.float16)
        windows += cut(note, Reader(PIECES, 40, 0), INDEX, random.Random(1), taught=said)
    for batch in batches(windows, PIECES.pad, 512):
        for row, labels in zip(batch.taught, batch.labels, strict=True):
            said = row[labels != IGNORED, 0]
            assert (np.diff(said) == 1).all()
            assert not row[labels == IGNORED].any()


def test_an_empty_note_has_no_window():
    assert cut(Note("a", " \n", ()), Reader(PIECES, 64, 0), INDEX, random.Random(1)) == []
