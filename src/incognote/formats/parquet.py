"""Parquet: a table by columns. Cells are masked or read by their column, the schema stays.

One row group at a time would keep memory flat, but a Parquet file ends with its index, so that a
file is one record; tables larger than memory are better exported as CSV.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from incognote.core.errors import MissingExtra, ReadError
from incognote.core.types import Document, Failure, Result
from incognote.formats.base import Record, refused, require_modules
from incognote.formats.fields import Columns, Row, new_value, require
from incognote.policy import DROP, KEEP, FormatRules


class ParquetFormat:
    name = "parquet"
    suffixes = (".parquet", ".pq")

    def sniff(self, head: bytes) -> bool:
        return head[:4] == b"PAR1"

    def require(self, rules: FormatRules) -> None:
        del rules
        require_modules("the format 'parquet'", "parquet", "pyarrow")

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        try:
            self.require(rules)
            table, compression = _opened(stream.read())
            require(table.column_names, rules)
            columns = Columns(table.column_names, rules)
            places, documents = _documents(table, name, columns)
        except (ReadError, MissingExtra) as error:
            yield refused(name, error)
            return
        dropped = [key for key in table.column_names if columns.choice(key) == DROP]

        def render(results: Sequence[Result]) -> bytes:
            changed: dict[str, dict[int, str]] = {}
            for (row, column), result in zip(places, results, strict=True):
                changed.setdefault(column, {})[row] = new_value(result)
            return _written(table, changed, dropped, compression)

        yield Record(tuple(documents), render)


def _opened(data: bytes) -> tuple[Any, str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

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
    table: Any, name: str, columns: Columns
) -> tuple[list[tuple[int, str]], list[Document]]:
    """The documents, and for each its row and column."""
    texts = {column: _texts(table, column, columns) for column in table.column_names}
    read = {column: values for column, values in texts.items() if values is not None}
    places: list[tuple[int, str]] = []
    documents: list[Document] = []
    for number in range(table.num_rows):
        fields = {key: text for key, each in read.items() if (text := each[number]) is not None}
        for column, document in Row(name, number + 1, fields).documents(columns).items():
            places.append((number, column))
            documents.append(document)
    return places, documents


def _texts(table: Any, column: str, columns: Columns) -> list[str | None] | None:
    """The values of a column as text; None for one that says nothing or need not be read."""
    import pyarrow as pa
    from pyarrow import types

    kind = table.schema.field(column).type
    if columns.choice(column) in (KEEP, DROP) and column not in columns.keys:
        return None
    if types.is_boolean(kind) or types.is_null(kind) or types.is_time(kind):
        return None
    if _numbers_within(kind):
        return None
    if types.is_temporal(kind):
        columns.promise(column, "DATE")
    try:
        texts: list[str | None] = table.column(column).cast(pa.string()).to_pylist()
    except pa.ArrowException:
        raise ReadError(
            f"column {column!r} holds {kind}, which cannot be read: say keep or drop"
        ) from None
    return texts


def _numbers_within(kind: Any) -> bool:
    """Whether a type is a list of numbers, however deep: a waveform, a vector."""
    from pyarrow import types

    deep = False
    while types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        kind, deep = kind.value_type, True
    return deep and (types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind))


def _written(
    table: Any,
    changed: Mapping[str, Mapping[int, str]],
    dropped: Sequence[str],
    compression: str,
) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for column, news in changed.items():
        at = table.column_names.index(column)
        kind = table.schema.field(column).type
        values = table.column(column).cast(pa.string()).to_pylist()
        if all(values[row] == new for row, new in news.items()):
            continue
        for row, text in news.items():
            values[row] = text
        fresh = pa.array(values, type=pa.string())
        # A number or date whose replacement is neither makes its column one of text.
        with suppress(pa.ArrowException):
            fresh = fresh.cast(kind)
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
