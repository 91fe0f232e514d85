"""How much text a Parquet file holds once its dictionaries are unfolded.

A column that repeats its values stores each once and refers to it: a long text, a thousand times,
takes no more room than one. Nothing in the index of a file says so, so the references are counted
before any of them is followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from incognote.core.errors import ReadError

# So many bytes may come out of any file, and so many out of each byte of a large one.
_UNFOLDED = 512 << 20
_UNFOLDED_PER_BYTE = 100
_CODED = frozenset(("RLE_DICTIONARY", "PLAIN_DICTIONARY"))
# What is looked at at a time.
_READ_AHEAD = 1 << 20
_PIECE_BYTES = 4 << 20
_ROWS = 65_536


def group_sizes(source: BinaryIO, metadata: Any, size: int) -> Iterator[int]:
    """The bytes of each row group; a ReadError where the file holds more than its size allows."""
    left = max(_UNFOLDED, size * _UNFOLDED_PER_BYTE)
    for group in range(metadata.num_row_groups):
        meta = metadata.row_group(group)
        chunks = [meta.column(number) for number in range(meta.num_columns)]
        coded = [chunk.path_in_schema for chunk in chunks if _may_unfold(chunk)]
        unfolded = meta.total_byte_size
        if coded:
            rows = max(1, meta.num_rows * _PIECE_BYTES // max(1, meta.total_byte_size))
            unfolded += _unfolded(source, group, coded, rows, left)
        left -= unfolded
        if left < 0:
            raise ReadError("packed suspiciously tightly")
        yield unfolded


def _may_unfold(chunk: Any) -> bool:
    """Whether a column refers to texts, and could hold too much if each were as long as may be."""
    return (
        chunk.physical_type == "BYTE_ARRAY"
        and not _CODED.isdisjoint(chunk.encodings)
        and chunk.num_values * chunk.total_uncompressed_size > _UNFOLDED
    )


def _unfolded(source: BinaryIO, group: int, columns: Sequence[str], rows: int, most: int) -> int:
    """The bytes of the texts that some columns refer to, counted until there are too many."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    total = 0
    try:
        file = pq.ParquetFile(
            source, read_dictionary=list(columns), buffer_size=_READ_AHEAD, pre_buffer=False
        )
        for batch in file.iter_batches(min(rows, _ROWS), [group], columns=list(columns)):
            total += sum(map(_length, batch.columns))
            if total > most:
                break
    except (pa.ArrowException, OSError):
        return total  # a broken group: who reads its rows says so
    return total


def _length(values: Any) -> int:
    """The bytes of an array of texts, those within lists and structures included."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if pa.types.is_dictionary(kind):
        lengths = pc.binary_length(values.dictionary).cast(pa.int64())
        return int(pc.sum(lengths.take(values.indices)).as_py() or 0)
    if pa.types.is_struct(kind):
        return sum(map(_length, values.flatten()))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        return _length(values.flatten() if not pa.types.is_map(kind) else values.items)
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if is_text or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return int(pc.sum(pc.binary_length(values).cast(pa.int64())).as_py() or 0)
    return 0
