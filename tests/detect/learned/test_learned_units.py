"""Units, shapes, layouts, word pieces: what every learned model reads."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.detect.learned import units
from incognote.detect.learned.encoder.wordpiece import WordPiece
from incognote.detect.learned.fast import COLUMNS, UnitTable, stacked, unit_features

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "smith", "jo", "##hn", "67", "-", "jose", "##6"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("67yo", ["67", "yo"], id="age-glued"),
        pytest.param("O'Brien", ["O", "'", "Brien"], id="apostrophe"),
        pytest.param("a_b", ["a", "_", "b"], id="underscore"),
        pytest.param("-----x", ["-----", "x"], id="ruler"),
        pytest.param("H51-2", ["H", "51", "-", "2"], id="code"),
        pytest.param("José", ["José"], id="accent"),
    ],
)
def test_units(text, expected):
    assert [text[a:b] for a, b in units.split(text)] == expected


@given(st.text())
def test_units_cover_everything_but_space_once(text):
    found = units.split(text)
    covered = [i for a, b in found for i in range(a, b)]
    assert covered == [i for i, c in enumerate(text) if not c.isspace()]
    assert all(0 < units.shape(text[a:b]) < units.SHAPES for a, b in found)
    assert all(0 < kind < units.LAYOUTS for kind in units.layouts(text, found))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("smith", "Smith"),
        ("Smith", "SMITH"),
        ("12", "13"),
        ("31", "32"),
        ("2014", "1430"),
        ("1430", "9999"),
        ("12345", "123456"),
    ],
)
def test_shapes_tell_apart(one, other):
    assert units.shape(one) != units.shape(other)


def test_layouts_tell_line_breaks_from_spaces():
    text = "a b  c\nd\n\ne.f"
    kinds = units.layouts(text, units.split(text))
    assert kinds == [
        units.LINE,
        units.SPACE,
        units.GAP,
        units.LINE,
        units.BLANK_LINE,
        units.GLUED,
        units.GLUED,
    ]


@pytest.mark.parametrize(
    ("unit", "pieces"),
    [
        ("Smith", ["smith"]),
        ("JOHN", ["jo", "##hn"]),
        ("676", ["67", "##6"]),
        ("josé", ["jose"]),
        ("------", ["-"]),
        ("zzz", ["[UNK]"]),
        ("smith" * 40, ["[UNK]"]),
    ],
)
def test_word_pieces(unit, pieces):
    assert [VOCABULARY[i] for i in WordPiece(VOCABULARY).pieces(unit)] == pieces


def test_word_pieces_survive_pickling():
    one = pickle.loads(pickle.dumps(WordPiece(VOCABULARY)))
    assert one.pieces("John") == WordPiece(VOCABULARY).pieces("John")


def test_a_vocabulary_needs_its_special_pieces():
    with pytest.raises(ValueError, match="UNK"):
        WordPiece(["a", "b"])


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=5))
def test_the_unit_table_answers_as_the_features_do(texts):
    table = UnitTable()
    for text in texts:
        found = units.split(text)
        rows = table.features(text, found)
        assert rows.shape == (len(found), COLUMNS + 1)
        for (start, end), row in zip(found, rows.tolist(), strict=True):
            assert tuple(row[:COLUMNS]) == unit_features(text[start:end])


def test_stacked_texts_stay_apart():
    table = UnitTable()
    rows = [table.features(t, units.split(t)) for t in ("one two", "three")]
    stack, starts = stacked(rows)
    assert starts == [0, 2 + 16]
    assert (stack[2:18] == 0).all()
    assert (stack[18] == rows[1][0]).all()
