"""Writing a Parquet file while its rows still come: row group by row group, its index at the end.

Rows are handed in one by one, without those that went to quarantine. Arrow cannot change a value in
place, so that a batch of rows is put together again when the first row of the next one comes.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from incognote.core.errors import TransformError

# A row group of the output is one of the input, or this much of it: it is held in memory.
_GROUP_BYTES = 32 << 20
_VERSIONS = ("1.0", "2.4", "2.6")
_FIELD_ID = b"PARQUET:field_id"


@dataclass(frozen=True, slots=True, eq=False)
class RowBatch:
    """Rows that were read at a time, and the row group they appear in."""

    data: Any = field(repr=False)
    group: int


class TableWriter:
    """The rows of a table in order, as the bytes of a file.

    `fields` are those of the output; `dropped` are the columns that come out empty; `meta` is the
    index of the file that was read, whose compression and encodings are kept.
    """

    def __init__(self, fields: Sequence[Any], dropped: frozenset[str], meta: Any) -> None:
        import pyarrow as pa

        # Producers put host names, queries and comments into what they say of a schema.
        self.schema = pa.schema([_bare(each) for each in fields])
        self._dropped = dropped
        self._options = _options(meta)
        self._outlet = _Outlet()
        self._writer: Any = None
        self._batch: RowBatch | None = None
        self._rows: list[int] = []
        self._changed: dict[str, dict[int, str | None]] = {}
        self._waiting: list[Any] = []
        self._size = 0

    def row(self, batch: RowBatch, row: int, new: Mapping[str, str]) -> bytes:
        """The next row, with the new values of some columns; what has become of the file since."""
        fitting = {column: self._fitting(column, text) for column, text in new.items()}
        if batch is not self._batch:
            self._close_batch()
            if self._batch and self._batch.group != batch.group:
                self._close_group()
            self._batch = batch
        for column, text in fitting.items():
            self._changed.setdefault(column, {})[len(self._rows)] = text
        self._rows.append(row)
        return self._outlet.taken()

    def end(self) -> bytes:
        """The rest of the file."""
        self._close_batch()
        self._close_group()
        self._opened().close()
        return self._outlet.taken()

    def _fitting(self, column: str, text: str) -> str | None:
        """The text, if the type of its column can hold it; else null."""
        import pyarrow as pa

        each = self.schema.field(column)
        try:
            pa.scalar(text).cast(_plain(each.type))
        except pa.ArrowException:
            if each.nullable:
                return None
            raise TransformError(
                f"column {column!r} must hold {each.type}, which its replacement is not"
            ) from None
        return text

    def _close_batch(self) -> None:
        import pyarrow as pa

        if not self._rows:
            return
        assert self._batch
        data = _those(self._batch.data, self._rows)
        new = [self._column(each, data.column(number)) for number, each in enumerate(self.schema)]
        self._waiting.append(pa.record_batch(new, schema=self.schema))
        self._size += self._waiting[-1].nbytes
        self._rows, self._changed = [], {}
        if self._size >= _GROUP_BYTES:
            self._close_group()

    def _column(self, each: Any, old: Any) -> Any:
        import pyarrow as pa

        if each.name in self._dropped:
            return pa.nulls(len(old), each.type)
        changed = self._changed.get(each.name)
        if each.type == old.type and not changed:
            return old
        plain = _plain(each.type)
        new = old.dictionary_decode() if pa.types.is_dictionary(old.type) else old
        new = new if new.type == plain else texts_of(new).cast(plain)
        if changed:
            new = _replaced(new, changed)
        is_dictionary = pa.types.is_dictionary(each.type)
        return new.dictionary_encode().cast(each.type) if is_dictionary else new

    def _close_group(self) -> None:
        import pyarrow as pa

        if self._waiting:
            table = pa.Table.from_batches(self._waiting, self.schema)
            self._waiting, self._size = [], 0
            self._opened().write_table(table, row_group_size=table.num_rows)

    def _opened(self) -> Any:
        import pyarrow.parquet as pq

        if self._writer is None:
            self._writer = pq.ParquetWriter(self._outlet, self.schema, **self._options)
        return self._writer


class _Outlet(io.RawIOBase):
    """What a writer takes for a file; the bytes are gone as soon as they are asked for."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._at = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        self._at += len(self._parts[-1])
        return len(self._parts[-1])

    def tell(self) -> int:
        return self._at

    def taken(self) -> bytes:
        taken, self._parts = b"".join(self._parts), []
        return taken


def texts_of(values: Any) -> Any:
    """An array as text. Whole numbers are written as people write them, never as 1.2e+10."""
    import pyarrow as pa

    if pa.types.is_floating(values.type):
        whole = (
            str(int(value)) if value is not None and value.is_integer() else None
            for value in values.to_pylist()
        )
        return pa.array(whole, pa.string()).fill_null(values.cast(pa.string()))
    return values.cast(pa.string())


def one_row(data: Any, row: int) -> bytes:
    """A row as a file of its own, for the quarantine folder."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_batches([data.slice(row, 1)]), buffer)
    return buffer.getvalue()


def _those(data: Any, rows: Sequence[int]) -> Any:
    """These rows of a batch, which are nearly all: cut out in runs, whatever their types."""
    import pyarrow as pa

    if len(rows) == data.num_rows:
        return data
    runs = (list(run) for _, run in groupby(enumerate(rows), lambda each: each[1] - each[0]))
    return pa.concat_batches([data.slice(run[0][1], len(run)) for run in runs])


def _replaced(values: Any, changed: Mapping[int, str | None]) -> Any:
    """The values, some of them changed: all new ones behind the old ones, and each row takes its
    own."""
    import pyarrow as pa

    # What Arrow cannot take from views.
    kind = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}.get(
        values.type, values.type
    )
    order = list(range(len(values)))
    for place, row in enumerate(changed, start=len(values)):
        order[row] = place
    fresh = pa.array(changed.values(), pa.string()).cast(kind)
    return pa.concat_arrays([values.cast(kind), fresh]).take(pa.array(order)).cast(values.type)


def _plain(kind: Any) -> Any:
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _bare(each: Any) -> Any:
    """A field without what is said about it, but for the number that tables of files know it by."""
    number = (each.metadata or {}).get(_FIELD_ID)
    return each.with_metadata({_FIELD_ID: number} if number else None)


def _options(meta: Any) -> dict[str, Any]:
    """How the file that was read is compressed and encoded, column by column."""
    stored = b"ARROW:schema" in (meta.metadata or {})
    version = meta.format_version if meta.format_version in _VERSIONS else "2.6"
    options: dict[str, Any] = {"store_schema": stored, "version": version}
    if meta.num_row_groups and meta.num_columns:
        first = meta.row_group(0)
        columns = [first.column(number) for number in range(meta.num_columns)]
        options["compression"] = {
            each.path_in_schema: "NONE" if each.compression == "UNCOMPRESSED" else each.compression
            for each in columns
        }
        options["use_dictionary"] = [
            each.path_in_schema for each in columns if each.has_dictionary_page
        ]
        # Spark and Hive mark timestamps in 96 bits; their readers take no other.
        options["use_deprecated_int96_timestamps"] = any(
            each.physical_type == "INT96" for each in columns
        )
    return options
