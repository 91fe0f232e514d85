"""Clinical tables, in every format for tables, come back as they were, but for their PHI."""

from __future__ import annotations

import pytest
from bench.harm.tables import FORMATS, table_rates, tables

from incognote.pipeline import Pipeline

pytest.importorskip("openpyxl")
pytest.importorskip("pyarrow")


def test_there_are_enough_values_to_tell_one_in_a_thousand() -> None:
    harmless = sum(
        1
        for table in tables()
        for row in table.rows
        for name, value in zip(table.columns, row, strict=True)
        if value and name not in table.phi
    )
    assert harmless > 1_000


@pytest.mark.slow
def test_at_most_one_value_in_a_thousand_changes() -> None:
    found = table_rates(Pipeline("rules", b"a key for tests, and nothing else"))
    assert set(found) == {f"tables {kind}" for kind in FORMATS}
    for kind, harm in found.items():
        assert not harm.refused, kind
        assert harm.rate <= 1, [change.place for change in harm.changes]
