"""What is wrong is named by attribute and row, never by its value."""

from __future__ import annotations

import math

import pytest

from incognote.anonymize import Conditions, from_rows, mondrian, read_hierarchy, read_table
from incognote.core.errors import UsageError

CANARY = "CANARYZEBU"
GOOD = {"age": [30, 31, 32, 33], "ill": ["flu", "flu", "hiv", "hiv"]}


def error(call, *args, **options) -> str:
    with pytest.raises(UsageError) as caught:
        call(*args, **options)
    assert CANARY not in str(caught.value)
    return str(caught.value)


def test_a_value_that_the_hierarchy_does_not_know():
    tree = from_rows("job", [("a", "x", "*"), ("b", "x", "*")])
    table = {"job": ["a", "b", CANARY, "a"]}
    assert "job, row 3" in error(mondrian, table, ["job"], 2, hierarchies={"job": tree})


def test_a_value_with_two_parents():
    rows = [("a", "x", "*"), ("b", "x", "*"), ("c", CANARY, "p", "*"), ("d", CANARY, "q", "*")]
    assert "row 4: a value of level 1 has two parents" in error(from_rows, "job", rows)
    assert "row 2: a value is listed twice" in error(
        from_rows, "job", [(CANARY, "x", "*"), (CANARY, "y", "*")]
    )


def test_k_above_the_number_of_persons():
    assert "only 4 persons" in error(mondrian, GOOD, ["age"], 5)


def test_no_quasi_identifier():
    assert "no quasi-identifier" in error(mondrian, GOOD, [], 2)
    assert "no column 'zip'" in error(mondrian, GOOD, ["zip"], 2)


def test_fewer_than_two_sensitive_values():
    table = {"age": [1, 2, 3, 4], "ill": [CANARY] * 4}
    assert "ill: has fewer than two values" in error(
        mondrian, table, ["age"], conditions=Conditions(2, 2), sensitive="ill"
    )


def test_the_whole_table_is_not_diverse_enough():
    table = {"age": [1, 2, 3, 4], "ill": [CANARY, "b", "b", "b"]}
    assert "whole table" in error(
        mondrian, table, ["age"], conditions=Conditions(2, 3), sensitive="ill"
    )


def test_not_a_number():
    assert "age, row 2: not a number" in error(mondrian, {"age": [1.0, math.nan, 3.0]}, ["age"], 2)


def test_an_empty_table(tmp_path):
    assert "empty" in error(mondrian, {"age": []}, ["age"], 1)
    (tmp_path / "t.csv").write_text("")
    assert "empty" in error(read_table, tmp_path / "t.csv")


def test_a_row_with_too_many_cells(tmp_path):
    (tmp_path / "t.csv").write_text(f"age,sex\n1,F\n2,M,{CANARY}\n")
    assert "row 3: 3 cells under 2 heads" in error(read_table, tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (
            "t.csv",
            f"age,name\n30,Jos\u00e9 {CANARY}\n".encode("latin-1"),
            "not a text file in UTF-8",
        ),
        ("t.csv", f'age,sex\n30,"{CANARY}\n31,M\n'.encode(), "never closed"),
        ("t.csv", f"age,sex\n30,F\nNaN,{CANARY}\n".encode(), "age, row 2: not a number"),
        ("t.csv", f"age,sex\n-inf,F\n31,{CANARY}\n".encode(), "age, row 1: not a number"),
        ("t.parquet", CANARY.encode(), "not a Parquet file"),
    ],
)
def test_a_table_that_cannot_be_read(tmp_path, name, data, said):
    (tmp_path / name).write_bytes(data)
    assert said in error(read_table, tmp_path / name)


def test_a_column_of_lists():
    assert "neither text" in error(mondrian, {"age": [[CANARY], [CANARY]]}, ["age"], 1)


def test_a_hierarchy_with_an_open_quote(tmp_path):
    (tmp_path / "h.csv").write_text(f'a;x;*\nb;"{CANARY};*\n')
    assert "not a CSV file" in error(read_hierarchy, tmp_path / "h.csv")


def test_a_hierarchy_file_that_is_none(tmp_path):
    (tmp_path / "h.toml").write_text(f"width = [5]\n# {CANARY}")
    assert "not understood: width" in error(read_hierarchy, tmp_path / "h.toml")
    (tmp_path / "h.toml").write_text("widths = [5, 7]")
    assert "multiple" in error(read_hierarchy, tmp_path / "h.toml")
    assert "No such file" in error(read_hierarchy, tmp_path / "no.csv")


def test_a_value_never_shows_in_a_repr():
    found = mondrian({"job": [CANARY, CANARY, "b", "b"]}, ["job"], 2)
    for shown in (found, found.released, found.utility):
        assert CANARY not in repr(shown)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("k", 0),
        ("l", -1),
        ("l", math.nan),
        ("t", 1.5),
        ("t", math.nan),
        ("diversity", "most"),
        ("c", -1.0),
        ("c", math.nan),
    ],
)
def test_conditions_that_make_no_sense(name, value):
    options = {"diversity": "recursive"} if name == "c" else {}
    with pytest.raises(UsageError):
        Conditions(**{**options, name: value})


def test_tables_of_other_libraries():
    import pyarrow as pa

    same = mondrian(GOOD, ["age"], 2).columns()
    assert mondrian(pa.table(GOOD), ["age"], 2).columns() == same


def test_numbers_in_a_csv_and_codes_that_start_with_zero(tmp_path):
    (tmp_path / "t.csv").write_text("age;zip;born\n30;02139;2001-04-05\n;90210;\n")
    table = read_table(tmp_path / "t.csv")
    assert table["age"] == [30, None]
    assert table["zip"] == ["02139", "90210"]
    assert table["born"][0].isoformat() == "2001-04-05"
