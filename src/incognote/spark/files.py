"""Whole files in a column: HL7 messages, C-CDA, DOCX, PDF, whatever a format reads.

    arriving = spark.readStream.format("binaryFile").schema(...).load("inbox/*.hl7")
    deid_files(arriving, policy="i2b2-2014", key=KeyFile("/secrets/key")).rows

A file comes back in kind, all of it or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incognote.core.errors import MissingExtra, UsageError
from incognote.core.types import Failure
from incognote.engine.whole_files import deidentified
from incognote.formats import format_named
from incognote.pipeline import Pipeline
from incognote.policy import DEFAULT, Policy, load_policy
from incognote.spark.frame import Deidentified, check_retries, needs_two_passes
from incognote.spark.keys import Key, checked_key
from incognote.spark.processing import key_of, processing
from incognote.spark.rows import input_tag, key_tag, slices
from incognote.spark.worker import FAILURE, INPUT, KEY, POLICY, failure_type, why

ADDED = (FAILURE, POLICY, KEY, INPUT)
# Longer files are refused: a worker holds a file, what was read of it, and what is written.
MOST_BYTES = 50_000_000


def deid_files(
    frame: Any,
    policy: str | Path | Policy | Mapping[str, Any] = DEFAULT,
    *,
    key: Key | Callable[[], bytes | str],
    content: str = "content",
    name: str = "path",
    format: str = "",  # noqa: A002 - the name that every other interface has
    keep: Sequence[str] = (),
    most_bytes: int = MOST_BYTES,
    isolate: bool = False,
) -> Deidentified:
    """A DataFrame of files without their PHI.

    `content` is a column of bytes, a file in each; `name` one of names, which show the format where
    `format` does not. Only `content` comes back, and the columns that `keep` names:
    paths and whatever else is beside a file may hold PHI. A streaming DataFrame gives a
    streaming one. `isolate` is as in `deid`; what reads a file runs in the worker itself.
    """
    try:
        from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
    except ModuleNotFoundError:
        raise MissingExtra("incognote.spark", "spark") from None
    settled = load_policy(policy)
    if missing := sorted({content, *keep} - set(frame.columns)):
        raise UsageError(f"the frame has no column {', '.join(missing)}")
    if dict(frame.dtypes)[content] != "binary":
        # A file says itself how its letters are written; a string would no longer be so.
        raise UsageError(f"{content}: files are bytes, not text")
    if not format and name not in frame.columns:
        raise UsageError(f"no column {name!r} tells the formats: name one, or give format=...")
    if taken := sorted(set(frame.columns) & set(ADDED)):
        raise UsageError(f"the frame already has the column {', '.join(taken)}")
    if needs_two_passes(settled):
        raise UsageError("this policy reads its input twice, which files in a column are not")
    if format:
        format_named(format)  # an unknown one is an error here, not in each file
    Pipeline(settled).check_coverage()
    check_retries(frame, isolate=isolate)
    columns = tuple(dict.fromkeys([content, *keep]))
    work = FileWork(
        settled,
        settled.hash,
        checked_key(key),
        content,
        name,
        format,
        columns,
        most_bytes,
        isolate,
    )
    wanted = [*columns, *([name] if name in frame.columns and name not in columns else [])]
    schema = from_arrow_schema(work.schema(to_arrow_schema(frame.select(*columns).schema)))
    return Deidentified(frame.select(*wanted).mapInArrow(work, schema))


@dataclass(frozen=True, slots=True)
class FileWork:
    """What every worker needs. It travels in the plan, so it holds no key."""

    policy: Policy
    stamp: str
    key: Key
    content: str
    name: str
    format: str
    columns: tuple[str, ...]
    most_bytes: int
    isolate: bool = False

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        for batch in slices(batches):
            yield self._rewritten(batch)

    def schema(self, given: Any) -> Any:
        import pyarrow as pa

        columns = [given.field(name).with_nullable(True) for name in self.columns]
        added = [pa.field(FAILURE, failure_type())]
        added += [pa.field(name, pa.string()) for name in ADDED[1:]]
        return pa.schema([*columns, *added])

    def _rewritten(self, batch: Any) -> Any:
        import pyarrow as pa

        key = key_of(self.key)
        schema = self.schema(batch.schema)
        given = batch.column(self.content).to_pylist()
        named = self.name in batch.schema.names
        names = batch.column(self.name).to_pylist() if named else [""] * len(given)
        outcomes = [
            None if data is None else self._file(name or "", data)
            for name, data in zip(names, given, strict=True)
        ]
        failed = [each if isinstance(each, Failure) else None for each in outcomes]
        tags = [input_tag({"": (data or b"").decode("latin-1")}, key) for data in given]
        values: dict[str, Any] = {
            self.content: [None if isinstance(each, Failure) else each for each in outcomes],
            FAILURE: [why(each) for each in failed],
            POLICY: [self.stamp] * len(given),
            KEY: [key_tag(key)] * len(given),
            INPUT: tags,
        }
        arrays = [
            pa.array(values[field.name], field.type)
            if field.name in values
            else batch.column(field.name)
            for field in schema
        ]
        return pa.record_batch(arrays, schema=schema)

    def _file(self, name: str, data: bytes) -> bytes | Failure:
        if len(data) > self.most_bytes:
            return Failure("file", "read", "TooLarge", f"is longer than {self.most_bytes} bytes")
        pipeline = processing(self.policy, self.stamp, self.key, isolate=self.isolate)
        return deidentified(pipeline, self.policy.formats, name, data, form=self.format)
