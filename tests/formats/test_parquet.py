"""Parquet: columns keep their types where what took the place of their values has them."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.formats.planted import masked, read

from incognote.core.types import Failure
from incognote.policy import FormatRules


def _table() -> bytes:
    table = pa.table(
        {
            "patient_id": ["7", "7"],
            "mrn": pa.array([7741902, None], pa.int64()),
            "text": ["Seen with Quillon.", None],
            "score": pa.array([1.5, 2.5]),
        }
    )
    buffer = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({"host": "Quillon"}), buffer)
    return buffer.getvalue()


def test_columns_keep_their_types():
    rules = FormatRules(labels={"mrn": "MEDICALRECORD"})
    out = masked(_table(), "x.parquet", ["Quillon"], rules)
    table = pq.read_table(io.BytesIO(out))
    assert table.column("text").to_pylist() == ["Seen with [PATIENT].", None]
    assert table.column("mrn").to_pylist() == ["[MEDICALRECORD]", None]
    assert table.column("score").to_pylist() == [1.5, 2.5]
    assert b"Quillon" not in out


def test_a_missing_column_is_named():
    (outcome,) = read(_table(), "x.parquet", FormatRules(text=("note",)))
    assert isinstance(outcome, Failure)
    assert "'note'" in outcome.message


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1 nonsense PAR1"])
def test_broken_files_are_refused(data):
    (outcome,) = read(data, "x.parquet")
    assert isinstance(outcome, Failure)
