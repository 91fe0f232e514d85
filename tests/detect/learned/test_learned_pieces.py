"""Reading for an encoder: pieces, windows, stretches, weight files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.core.errors import UsageError
from incognote.detect.learned.encoder.pieces import Reader
from incognote.detect.learned.encoder.weights import quantised, read_weights, stored
from incognote.detect.learned.encoder.wordpiece import WordPiece
from incognote.detect.learned.screen import CONTEXT, near, with_context
from incognote.detect.learned.units import CONTINUES, shape, split

WORDS = WordPiece(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abc123.", *(f"##{c}" for c in "abc123")])
TEXTS = st.text("abc 123.\nAB", max_size=200)


def reader(size=16, overlap=4):
    return Reader(WORDS, size, overlap)


@given(TEXTS)
def test_every_unit_has_its_pieces_shape_and_layout(text):
    read = reader(64).read(text)
    assert read.units == split(text)
    for number, (start, end) in enumerate(read.units):
        ids, shapes, gaps = pieces_of(read, number)
        unit = text[start:end]
        assert tuple(ids) == WORDS.pieces(unit)[:16]
        assert set(shapes) == {shape(unit)}
        assert set(gaps[1:]) <= {CONTINUES}


@given(TEXTS, st.integers(12, 40), st.integers(0, 4))
def test_windows_cover_the_text_and_cut_no_unit(text, size, overlap):
    one = reader(size, overlap)
    read = one.read(text)
    edges = {*read.firsts.tolist(), read.size}
    covered = np.zeros(read.size, bool)
    for start, end in one.windows(read):
        assert 0 < end - start <= size - 2
        assert {start, end} <= edges
        covered[start:end] = True
    assert covered.all()


@given(TEXTS, st.data())
def test_some_units_are_read_as_if_alone(text, data):
    read = reader().read(text)
    size = len(read.units)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)), bool)
    some = read.only(mask)
    assert some.units == [unit for unit, keep in zip(read.units, mask, strict=True) if keep]
    pieces = [pieces_of(read, unit) for unit in np.flatnonzero(mask)]
    assert [pieces_of(some, unit) for unit in range(len(some.units))] == pieces


def pieces_of(read, unit):
    edges = [*read.firsts.tolist(), read.size]
    return read.rows[:, edges[unit] : edges[unit + 1]].tolist()


@given(TEXTS, st.data())
def test_context_holds_what_is_wanted_and_ends_with_lines(text, data):
    units = split(text)
    wanted = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(units), max_size=len(units))), bool
    )
    kept = with_context(text, units, wanted)
    assert (kept | ~wanted).all()
    assert kept.any() == wanted.any()
    for unit in range(1, len(units)):
        if kept[unit] != kept[unit - 1]:
            whole_line = "\n" in text[units[unit - 1][1] : units[unit][0]]
            first = unit if kept[unit - 1] else unit - 1
            edge = (
                range(first - CONTEXT, first)
                if kept[unit - 1]
                else range(first + 1, first + 1 + CONTEXT)
            )
            assert whole_line or any(wanted[i] for i in edge if 0 <= i < len(units))


@given(st.lists(st.booleans()), st.integers(0, 5))
def test_near_is_all_within_reach(wanted, reach):
    found = {
        unit for first, last in near(np.array(wanted, bool), reach) for unit in range(first, last)
    }
    assert found == {
        unit for unit in range(len(wanted)) if any(wanted[max(0, unit - reach) : unit + reach + 1])
    }


def test_a_feed_stands_between_the_marks():
    one = reader()
    read = one.read("ab 1")
    feed = one.feed(read, 0, read.size)
    assert feed[0, 0] == WORDS.first
    assert feed[0, -1] == WORDS.last
    assert feed[:, 1:-1].tolist() == read.rows.tolist()
    assert not feed[1:, [0, -1]].any()


def weight_file(tensors):
    header, data = {}, b""
    for name, array in tensors.items():
        kind = {"int8": "I8", "float32": "F32", "int64": "I64"}[str(array.dtype)]
        spot = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": spot}
        data += array.tobytes()
    row = json.dumps(header).encode()
    return len(row).to_bytes(8, "little") + row + data


@pytest.mark.parametrize("axis", [0, 1])
def test_int8_weights_come_back_within_half_a_step(tmp_path, axis):
    weight = np.random.default_rng(1).normal(size=(6, 4)).astype(np.float32)
    path = tmp_path / "w"
    path.write_bytes(weight_file(quantised("up", weight, axis=axis) | {"up.bias": weight[0]}))
    found = read_weights(path)
    assert found.keys() == {"up.weight", "up.bias"}
    step = np.abs(weight).max(axis=axis, keepdims=True) / 127
    assert (np.abs(found["up.weight"] - weight) <= step / 2 + 1e-6).all()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\xff" * 64, id="endless-header"),
        pytest.param((5).to_bytes(8, "little") + b"abcde", id="no-json"),
        pytest.param((2).to_bytes(8, "little") + b"[]", id="no-object"),
        pytest.param(weight_file({"x": np.zeros(4, np.float32)})[:-1], id="cut-off"),
        pytest.param(weight_file({"x": np.zeros(4, np.int64)}), id="other-type"),
        pytest.param(b"\x80\x04K\x01.", id="pickle"),
    ],
)
def test_what_is_no_weight_file_is_refused(tmp_path, data):
    path = tmp_path / "w"
    path.write_bytes(data)
    with pytest.raises(UsageError, match="no weight file"):
        stored(path)
