"""Rows of a batch as documents, as a row of a Parquet file becomes documents (`formats.fields`).

Where a row appears must not show in the output, since partitions have no order: what belongs to no
patient is known by what it says.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from incognote.core.errors import ReadError
from incognote.core.types import Document, Failure, fingerprint
from incognote.formats.fields import Row
from incognote.formats.tables.arrow_columns import read_columns
from incognote.formats.tables.parquet_writing import texts_of
from incognote.policy import FormatRules

NAME = "row"
# Short batches bound memory; a long one gains nothing on a CPU.
ROWS = 32

Fields = Mapping[str, str]


class Rows:
    """The rows of a batch and the columns that are read."""

    def __init__(self, batch: Any, rules: FormatRules, longest: int = 0) -> None:
        self.batch = batch
        self._longest = longest
        self.columns, self.read = read_columns(batch.schema, rules)

    def fields(self) -> Iterator[Fields]:
        """The values of each row by column, without those that are null."""
        texts = {name: texts_of(self.batch.column(name)).to_pylist() for name in self.read}
        for number in range(self.batch.num_rows):
            yield {
                name: values[number] for name, values in texts.items() if values[number] is not None
            }

    def documents(self, fields: Fields) -> dict[str, Document] | Failure:
        """The documents of a row by column, or why there are none."""
        try:
            documents = Row(NAME, 0, fields).documents(self.columns)
        except ReadError as error:
            return Failure(NAME, error.stage, type(error).__name__, str(error))
        if self._longest and any(len(each.text) > self._longest for each in documents.values()):
            return Failure(NAME, "read", "TooLarge", f"is longer than {self._longest} characters")
        record = fingerprint(documents.values(), NAME)
        return {name: replace(each, record=record) for name, each in documents.items()}


def slices(batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS):
            yield batch.slice(start, ROWS)


def input_tag(fields: Fields, key: bytes) -> str:
    """A keyed hash of what is read of a row: without the key, values cannot be guessed and
    compared."""
    tag = hmac.new(key, b"a row:", "sha256")
    for name in sorted(fields):
        for part in (name, fields[name]):
            data = part.encode("utf-8", "surrogatepass")
            tag.update(len(data).to_bytes(8) + data)
    return tag.hexdigest()[:32]


def key_tag(key: bytes) -> str:
    """A tag that differs between keys and reveals none; the same as in a manifest."""
    return hmac.new(key, b"the key of a manifest", "sha256").hexdigest()[:16]
