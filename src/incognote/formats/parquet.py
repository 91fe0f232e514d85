"""Parquet: a table by columns. Cells are masked or read by their column; a row is a record.

A file is read and written in pieces of some megabytes, so that its size does not matter. Its schema
stays: what becomes of a column is decided before the first row is read, and a replacement that the
type of its column cannot hold becomes null (or the column text, where the policy says so).
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
from incognote.formats.fields import Columns, Row, new_value, require, unreadable
from incognote.formats.parquet_writing import Piece, TableWriter, one_row, texts_of
from incognote.policy import DROP, KEEP, TEXT, FormatRules

# What is read at a time, as far as the index of a file tells: rows may be notes or numbers.
_PIECE_BYTES = 4 << 20
_PIECE_ROWS = 256
_READ_AHEAD = 1 << 20


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
    """A file on its way through, a piece of a row group at a time."""

    name: str
    file: Any
    columns: Columns
    read: tuple[str, ...]  # the columns whose values are documents, or say whose they are
    writer: TableWriter = field(init=False)

    @classmethod
    def opened(cls, stream: BinaryIO, name: str, rules: FormatRules) -> _Table:
        import pyarrow as pa
        import pyarrow.parquet as pq

        # The index stands at the end: what cannot be sought is held in memory.
        source = stream if stream.seekable() else io.BytesIO(stream.read())
        try:
            file = pq.ParquetFile(source, buffer_size=_READ_AHEAD, pre_buffer=False)
            schema = file.schema_arrow
        except (pa.ArrowException, OSError):
            raise ReadError("a broken or truncated Parquet file") from None
        names = schema.names
        require(names, rules)
        if twice := next((each for each in names if names.count(each) > 1), None):
            raise ReadError(f"two columns are named {twice!r}")
        columns = Columns(names, rules)
        for each in schema:
            if pa.types.is_date(each.type) or pa.types.is_timestamp(each.type):
                columns.promise(each.name, "DATE")
        read = tuple(each.name for each in schema if _is_read(each, columns))
        table = cls(name, file, columns, read)
        new = [table._new_field(each) for each in schema]
        dropped = frozenset(each for each in names if columns.choice(each) == DROP)
        table.writer = TableWriter(new, dropped, file.metadata)
        return table

    def _new_field(self, old: Any) -> Any:
        """A column of the output, told by the policy and the schema alone."""
        import pyarrow as pa

        new, kind = old, old.type
        if self.columns.choice(old.name) == DROP:
            return new.with_nullable(True)
        if old.name not in self.read or self.columns.choice(old.name) == KEEP:
            return new
        if pa.types.is_dictionary(kind):
            # Replacements may be more than the values were that they stand for.
            return new.with_type(pa.dictionary(pa.int32(), kind.value_type, kind.ordered))
        as_text = self.columns.rules.types == TEXT and self.columns.is_label(old.name)
        return new.with_type(pa.string()) if as_text and not _holds_text(kind) else new

    def records(self) -> Iterator[Record | Failure]:
        import pyarrow as pa

        number = 1
        for group in range(self.file.num_row_groups):
            meta = self.file.metadata.row_group(group)
            size = max(1, meta.num_rows * _PIECE_BYTES // max(1, meta.total_byte_size))
            pieces = self.file.iter_batches(min(size, _PIECE_ROWS), [group])
            at = number
            while True:
                try:
                    data = next(pieces, None)
                except (pa.ArrowException, OSError):
                    where = f"{self.name} row group {group + 1}"
                    yield refused(where, ReadError("broken: its rows cannot be read"))
                    break
                if data is None:
                    break
                yield from self._rows(Piece(data, group), at)
                at += data.num_rows
            number += meta.num_rows
        yield Record((), lambda _: self.writer.end(), vital=True)

    def _rows(self, piece: Piece, number: int) -> Iterator[Record | Failure]:
        texts = _texts(piece.data, self.read)
        for row in range(piece.data.num_rows):
            # A piece that does not hold what it says is taken apart, to find the rows that do not.
            own = texts or _texts(piece.data.slice(row, 1), self.read)
            raw = partial(one_row, piece.data, row)
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
            render = partial(self._render, piece, row, {key: fields[key] for key in documents})
            yield Record(tuple(documents.values()), render, raw)

    def _render(
        self, piece: Piece, row: int, old: dict[str, str], results: Sequence[Result]
    ) -> bytes:
        new = {
            column: value
            for (column, text), result in zip(old.items(), results, strict=True)
            if (value := new_value(result)) != text
        }
        return self.writer.row(piece, row, new)


def _is_read(each: Any, columns: Columns) -> bool:
    """Whether the values of a column are to be looked at; a ReadError where nobody can."""
    import pyarrow as pa
    from pyarrow import types

    kind, choice = each.type, columns.choice(each.name)
    if choice == DROP or (choice == KEEP and each.name not in columns.keys):
        return False
    if types.is_boolean(kind) or types.is_null(kind) or _numbers_within(kind):
        return False
    if types.is_time(kind) or types.is_duration(kind):
        return False
    try:
        pa.array([], kind).cast(pa.string())
    except pa.ArrowException:
        raise ReadError(
            f"column {each.name!r} holds {kind}, which cannot be read: say keep or drop"
        ) from None
    return True


def _holds_text(kind: Any) -> bool:
    import pyarrow as pa

    texts = pa.string(), pa.large_string(), pa.string_view()
    return kind in (*texts, pa.binary(), pa.large_binary(), pa.binary_view())


def _numbers_within(kind: Any) -> bool:
    """Whether a type is a list of numbers, however deep: a waveform, a vector."""
    from pyarrow import types

    deep = False
    while types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        kind, deep = kind.value_type, True
    return deep and (types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind))


def _texts(data: Any, columns: Sequence[str]) -> dict[str, list[str | None]] | None:
    """The values of these columns as text; None if some of them, or of the others, are none."""
    import pyarrow as pa

    try:
        data.validate(full=True)
        return {column: texts_of(data.column(column)).to_pylist() for column in columns}
    except pa.ArrowException:
        return None
