"""Parquet: a table by columns. Text columns are read, labelled columns masked, the schema stays.

One row group at a time would keep memory flat, but a Parquet file ends with its index, so that a
file is one record; tables larger than memory are better exported as CSV.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from incognote.core.errors import MissingExtra, ReadError
from incognote.core.types import Document, Failure, Result
from incognote.formats.base import Record, new_text
from incognote.formats.fields import Row, require
from incognote.policy import DROP, FormatRules


class ParquetFormat:
    name = "parquet"
    suffixes = (".parquet", ".pq")

    def sniff(self, head: bytes) -> bool:
        return head[:4] == b"PAR1"

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        try:
            table, compression = _opened(stream.read())
            require(dict.fromkeys(table.column_names), rules)
            columns, documents = _documents(table, name, rules)
        except (ReadError, MissingExtra) as error:
            yield Failure(name, ReadError.stage, type(error).__name__, f"{name}: {error}")
            return
        dropped = [key for key in table.column_names if rules.labels.get(key) == DROP]
        yield Record(
            tuple(documents),
            lambda results: _written(table, columns, results, dropped, compression),
        )


def _opened(data: bytes) -> tuple[Any, str]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MissingExtra("the format 'parquet'", "parquet") from None
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        table = file.read()
        table.validate(full=True)  # strings that are none would show up only when they are used
    except (pa.ArrowException, OSError):
        raise ReadError("a broken or truncated Parquet file") from None
    meta = file.metadata
    compressed = meta.num_row_groups and meta.num_columns
    return table, meta.row_group(0).column(0).compression if compressed else "SNAPPY"


def _documents(
    table: Any, name: str, rules: FormatRules
) -> tuple[list[tuple[int, str]], list[Document]]:
    """The documents, and for each its row and column."""
    places: list[tuple[int, str]] = []
    documents: list[Document] = []
    wanted = [
        column
        for column in table.column_names
        if column in (*rules.text, *rules.labels, rules.id, rules.patient)
    ]
    rows = table.select(wanted).to_pylist()
    for number, row in enumerate(rows):
        fields = {key: str(value) for key, value in row.items() if value is not None}
        for column, document in Row(name, number + 1, fields).documents(rules).items():
            places.append((number, column))
            documents.append(document)
    return places, documents


def _written(
    table: Any,
    places: Sequence[tuple[int, str]],
    results: Sequence[Result],
    dropped: Sequence[str],
    compression: str,
) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    changed: dict[str, dict[int, str]] = {}
    for (row, column), result in zip(places, results, strict=True):
        changed.setdefault(column, {})[row] = new_text(result)
    for column, news in changed.items():
        at = table.column_names.index(column)
        values = table.column(column).to_pylist()
        for row, text in news.items():
            values[row] = text
        kind = table.schema.field(column).type
        try:
            fresh = pa.array(values, type=kind)
        except (pa.ArrowException, TypeError):
            # A number or date whose replacement is neither: the column becomes text.
            fresh = pa.array([None if value is None else str(value) for value in values])
        table = table.set_column(at, column, fresh)
    for column in dropped:
        at = table.column_names.index(column)
        kind = table.schema.field(column).type
        table = table.set_column(at, column, pa.nulls(table.num_rows, kind))
    # Producers put host names, queries and index columns here.
    table = table.replace_schema_metadata(None)
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression=compression.lower())
    return buffer.getvalue()
