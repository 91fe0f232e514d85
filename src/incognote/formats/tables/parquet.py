"""Parquet: a table by columns. Cells are masked or read by their column; a row is a record.

A file is read and written in batches of some megabytes, so that its size does not matter. Its
schema stays: what becomes of a column is decided before the first row is read, and a replacement
that its column's type cannot hold becomes null (or the column text, where the policy says so).
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO

from incognote.core.errors import MissingExtra, ReadError
from incognote.core.types import Failure, Result
from incognote.formats.base import Record, refused, require_modules
from incognote.formats.fields import Columns, Row, new_value, unreadable
from incognote.formats.tables.arrow_columns import new_field, read_columns
from incognote.formats.tables.parquet_bulk import group_sizes
from incognote.formats.tables.parquet_writing import RowBatch, TableWriter, one_row, texts_of
from incognote.policy import DROP, FormatRules

# What is read at a time, as far as the index of a file shows it: rows may be notes or numbers.
_PIECE_BYTES = 4 << 20
_BATCH_ROWS = 256
_READ_AHEAD = 1 << 20
# The rows of a table differ in something. One value repeated takes no room at all: a file
# of a few bytes could hold rows without end.
_ROWS = 1_000_000
_ROWS_PER_BYTE = 50


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
            table = _Table.opened(stream, name, rules)
        except (ReadError, MissingExtra) as error:
            yield refused(name, error)
            return
        yield from table.records()


@dataclass(slots=True)
class _Table:
    """A file on its way through, a batch of rows at a time."""

    name: str
    file: Any
    columns: Columns
    read: tuple[str, ...]  # the columns whose values are documents, or say whose they are
    sizes: tuple[int, ...]  # the bytes of each row group
    writer: TableWriter = field(init=False)

    @classmethod
    def opened(cls, stream: BinaryIO, name: str, rules: FormatRules) -> _Table:
        import pyarrow as pa
        import pyarrow.parquet as pq

        # The index appears at the end: what cannot be sought is held in memory.
        source = stream if stream.seekable() else io.BytesIO(stream.read())
        try:
            file = pq.ParquetFile(source, buffer_size=_READ_AHEAD, pre_buffer=False)
            schema = file.schema_arrow
        except (pa.ArrowException, OSError):
            raise ReadError("a broken or truncated Parquet file") from None
        size = source.seek(0, io.SEEK_END)
        if file.metadata.num_rows > max(_ROWS, size * _ROWS_PER_BYTE):
            raise ReadError("packed suspiciously tightly")
        columns, read = read_columns(schema, rules)
        sizes = tuple(group_sizes(source, file.metadata, size))
        table = cls(name, file, columns, read, sizes)
        new = [new_field(each, columns, read) for each in schema]
        dropped = frozenset(each for each in schema.names if columns.choice(each) == DROP)
        table.writer = TableWriter(new, dropped, file.metadata)
        return table

    def records(self) -> Iterator[Record | Failure]:
        import pyarrow as pa

        number = 1
        for group in range(self.file.num_row_groups):
            meta = self.file.metadata.row_group(group)
            size = max(1, meta.num_rows * _PIECE_BYTES // max(1, self.sizes[group]))
            batches = self.file.iter_batches(min(size, _BATCH_ROWS), [group])
            at = number
            while True:
                try:
                    data = next(batches, None)
                except (pa.ArrowException, OSError):
                    where = f"{self.name} row group {group + 1}"
                    yield refused(where, ReadError("broken: its rows cannot be read"))
                    break
                if data is None:
                    break
                yield from self._rows(RowBatch(data, group), at)
                at += data.num_rows
            number += meta.num_rows
        yield Record((), lambda _: self.writer.end(), required=True)

    def _rows(self, batch: RowBatch, number: int) -> Iterator[Record | Failure]:
        texts = _texts(batch.data, self.read)
        for row in range(batch.data.num_rows):
            # A batch that does not hold what it says is taken apart, to find the rows that do not.
            own = texts or _texts(batch.data.slice(row, 1), self.read)
            raw = partial(one_row, batch.data, row)
            if own is None:
                error = ReadError("holds text that is not UTF-8")
                yield unreadable(self.name, number + row, error, raw())
                continue
            values = {column: each[row if texts else 0] for column, each in own.items()}
            fields = {column: text for column, text in values.items() if text is not None}
            found = Row(self.name, number + row, fields)
            try:
                documents = found.documents(self.columns)
            except ReadError as error:
                row_id = found.id(self.columns)
                yield unreadable(self.name, number + row, error, raw(), row_id)
                continue
            render = partial(self._render, batch, row, {key: fields[key] for key in documents})
            yield Record(tuple(documents.values()), render, raw)

    def _render(
        self, batch: RowBatch, row: int, old: dict[str, str], results: Sequence[Result]
    ) -> bytes:
        new = {
            column: value
            for (column, text), result in zip(old.items(), results, strict=True)
            if (value := new_value(result)) != text
        }
        return self.writer.row(batch, row, new)


def _texts(data: Any, columns: Sequence[str]) -> dict[str, list[str | None]] | None:
    """The values of these columns as text; None if some of them, or of the others, are none."""
    import pyarrow as pa

    try:
        data.validate(full=True)
        return {column: texts_of(data.column(column)).to_pylist() for column in columns}
    except pa.ArrowException:
        return None
