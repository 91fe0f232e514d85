"""Tables in memory, by the way of a Parquet file in memory: columns are treated as in files."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from incognote.core.errors import MissingExtra, UsageError
from incognote.core.types import Failure, Result
from incognote.formats.base import Record
from incognote.pipeline import Pipeline, failure
from incognote.policy import checked

_BATCH = 256
_NAME = "table"


@dataclass(frozen=True, slots=True)
class TableResult:
    """A table without its PHI, of the kind that was given. `rows` are the numbers of the rows that
    are in it, counted from 0; the others failed."""

    table: Any = field(repr=False)
    rows: tuple[int, ...] = field(repr=False)
    failures: tuple[Failure, ...]


def rewrite_table(table: Any, pipeline: Pipeline, fields: Mapping[str, Any]) -> TableResult:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MissingExtra("a table", "parquet") from None

    from incognote.formats.tables.parquet import ParquetFormat

    arrow, back = _as_arrow(table, pa)
    missing = [name for name in _named(fields) if name not in arrow.column_names]
    if missing:
        raise UsageError(f"the table has no column {', '.join(map(repr, missing))}")
    rules = checked(
        replace(pipeline.policy, formats=replace(pipeline.policy.formats, **fields))
    ).formats
    file = io.BytesIO()
    pq.write_table(arrow, file)
    file.seek(0)
    new = io.BytesIO()
    rows: list[int] = []
    failures: list[Failure] = []
    number = 0
    for record, outcome in _outcomes(ParquetFormat().read(file, _NAME, rules), pipeline):
        is_row = isinstance(record, Failure) or not record.required
        if isinstance(outcome, Failure):
            failures.append(outcome)
            if not is_row:
                raise UsageError(f"the table cannot be written: {outcome.error}")
        else:
            new.write(outcome)
            rows += [number] if is_row else []
        number += is_row
    new.seek(0)
    return TableResult(back(pq.read_table(new)), tuple(rows), tuple(failures))


def _outcomes(
    contents: Iterator[Record | Failure], pipeline: Pipeline
) -> Iterator[tuple[Record | Failure, bytes | Failure]]:
    """Each record with its new bytes, or why there are none."""
    batch: list[Record | Failure] = []
    for content in contents:
        batch.append(content)
        if len(batch) == _BATCH:
            yield from _written(batch, pipeline)
            batch = []
    yield from _written(batch, pipeline)


def _written(
    batch: list[Record | Failure], pipeline: Pipeline
) -> Iterator[tuple[Record | Failure, bytes | Failure]]:
    records = [content for content in batch if isinstance(content, Record)]
    answers = iter(pipeline.deid([each for record in records for each in record.documents]))
    for content in batch:
        if isinstance(content, Failure):
            yield content, content
            continue
        outcomes = [next(answers) for _ in content.documents]
        failed = next((each for each in outcomes if isinstance(each, Failure)), None)
        if failed:
            yield content, failed
            continue
        try:
            yield content, content.render([each for each in outcomes if isinstance(each, Result)])
        except Exception as error:  # noqa: BLE001 - fail closed
            first = content.documents[0].id if content.documents else _NAME
            yield content, failure(first, "write", error)


def _as_arrow(table: Any, pa: Any) -> tuple[Any, Any]:
    """The table as Arrow has it, and the way back to its own kind."""
    module = type(table).__module__.partition(".")[0]
    if isinstance(table, pa.Table):
        return table, lambda new: new
    if module == "pandas" and hasattr(table, "columns"):
        return pa.Table.from_pandas(table, preserve_index=False), lambda new: new.to_pandas()
    if module == "polars" and hasattr(table, "to_arrow"):

        def polars(new: Any) -> Any:
            import polars as pl

            return pl.from_arrow(new)

        frame = table.collect() if hasattr(table, "collect") else table
        return frame.to_arrow(), polars
    kind = type(table).__name__
    raise UsageError(f"a table is a pandas or Polars data frame or an Arrow table, not {kind}")


def _named(fields: Mapping[str, Any]) -> list[str]:
    return [
        name for value in fields.values() for name in ([value] if isinstance(value, str) else value)
    ]
