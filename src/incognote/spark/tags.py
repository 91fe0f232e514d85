"""Tags of rows, by which a run recognises a row that it has seen before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from incognote.policy import Policy
from incognote.spark.keys import Key
from incognote.spark.processing import key_of
from incognote.spark.rows import Rows, input_tag, key_tag
from incognote.spark.worker import INPUT, KEY, POLICY


@dataclass(frozen=True, slots=True)
class Tags:
    """Adds to each row the tags that `deid` would write with it."""

    policy: Policy
    stamp: str
    key: Key

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        key = key_of(self.key)
        for batch in batches:
            tags = [input_tag(row, key) for row in Rows(batch, self.policy.formats).fields()]
            added = {
                INPUT: tags,
                POLICY: [self.stamp] * len(tags),
                KEY: [key_tag(key)] * len(tags),
            }
            arrays = [*batch.columns, *(pa.array(each, pa.string()) for each in added.values())]
            yield pa.record_batch(arrays, names=[*batch.schema.names, *added])
