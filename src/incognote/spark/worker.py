"""What runs in Spark's Python workers: rows in, rows without their PHI out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from incognote.core.types import Document, Failure, Result
from incognote.engine.patients import Patients
from incognote.formats.fields import Columns, new_value
from incognote.formats.tables.arrow_columns import new_field, read_columns
from incognote.formats.tables.parquet_writing import texts_of
from incognote.pipeline import failure
from incognote.policy import DROP, Policy
from incognote.spark.keys import Key
from incognote.spark.processing import Processing, key_of, processing
from incognote.spark.rows import NAME, Fields, Rows, input_tag, key_tag, slices
from incognote.transform import Originals

# The columns that are added to those of the input.
SPANS, FAILURE, POLICY = "incognote_spans", "incognote_failure", "incognote_policy"
KEY, INPUT, CHARACTERS = "incognote_key", "incognote_input", "incognote_characters"
ADDED = (SPANS, FAILURE, POLICY, KEY, INPUT, CHARACTERS)
# What a first pass found of the patient of a row; it is read and not written.
KNOWN = "incognote_known"


@dataclass(frozen=True, slots=True)
class Work:
    """What every worker needs. It travels in the plan, so it holds no key. `stamp` is the hash of
    the policy: working it out takes as long as reading a note. Rows with more than `longest`
    characters in a text fail, if it is not 0."""

    policy: Policy
    stamp: str
    key: Key
    originals: Originals | None = field(default=None, repr=False)
    longest: int = 0
    isolate: bool = False

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        pipeline = processing(
            self.policy, self.stamp, self.key, self.originals, isolate=self.isolate
        )
        for batch in slices(batches):
            yield _Batch(batch, self, key_of(self.key), pipeline).rewritten()


def failure_type() -> Any:
    """The Arrow type of the column that says why a row failed."""
    import pyarrow as pa

    return pa.struct([(name, pa.string()) for name in ("stage", "error", "message")])


def output_schema(schema: Any, policy: Policy) -> Any:
    """The Arrow schema of the rows that workers give back."""
    import pyarrow as pa

    columns, read = read_columns(schema, policy.formats)
    span = pa.struct(
        [
            ("column", pa.string()),
            ("start", pa.int32()),
            ("end", pa.int32()),
            ("label", pa.string()),
        ]
    )
    # A failed row is all null, so every column must allow it.
    fields = [new_field(each, columns, read).with_nullable(True) for each in schema]
    added = [
        (SPANS, pa.list_(span)),
        (FAILURE, failure_type()),
        (POLICY, pa.string()),
        (KEY, pa.string()),
        (INPUT, pa.string()),
        (CHARACTERS, pa.int64()),
    ]
    return pa.schema([*fields, *(pa.field(*each) for each in added)])


class _Batch:
    """Some rows on their way through."""

    def __init__(self, batch: Any, work: Work, key: bytes, pipeline: Processing) -> None:
        self._known = _known_of(batch)
        self._batch = batch.drop_columns([KNOWN]) if KNOWN in batch.schema.names else batch
        self._stamp = work.stamp
        self._key = key
        self._pipeline = pipeline
        self._rows = Rows(self._batch, work.policy.formats, work.longest)
        self._columns, self._read = self._rows.columns, self._rows.read
        self._schema = output_schema(self._batch.schema, work.policy)

    def rewritten(self) -> Any:
        import pyarrow as pa

        every = list(self._rows.fields())
        asked = [self._documents(fields, row) for row, fields in enumerate(every)]
        wanted = [document for row in asked if isinstance(row, dict) for document in row.values()]
        answers = iter(self._pipeline.deid(wanted))
        settled = [
            row if isinstance(row, Failure) else self._settled(row, [next(answers) for _ in row])
            for row in asked
        ]
        failed = [each if isinstance(each, Failure) else None for each in settled]
        new = [{} if isinstance(each, Failure) else each[0] for each in settled]
        added = {
            SPANS: [None if isinstance(each, Failure) else each[1] for each in settled],
            FAILURE: [why(each) for each in failed],
            POLICY: [self._stamp] * len(every),
            KEY: [key_tag(self._key)] * len(every),
            INPUT: [input_tag(fields, self._key) for fields in every],
            CHARACTERS: [
                sum(len(document.text) for document in row.values()) if isinstance(row, dict) else 0
                for row in asked
            ],
        }
        arrays = [
            pa.array(added[name], kind)
            if name in added
            else self._column(name, kind, [row.get(name) for row in new], failed)
            for name, kind in zip(self._schema.names, self._schema.types, strict=True)
        ]
        return pa.record_batch(arrays, schema=self._schema)

    def _documents(self, fields: Fields, row: int) -> dict[str, Document] | Failure:
        found = self._rows.documents(fields)
        if isinstance(found, Failure) or not self._known:
            return found
        patient = self._known[row]
        return {name: patient.with_known_values(each) for name, each in found.items()}

    def _settled(
        self, documents: Mapping[str, Document], outcomes: Sequence[Result | Failure]
    ) -> tuple[dict[str, str], list[dict[str, Any]]] | Failure:
        """The new values of a row and the places of PHI, or why the row fails."""
        values: dict[str, str] = {}
        spans: list[dict[str, Any]] = []
        for (name, document), outcome in zip(documents.items(), outcomes, strict=True):
            if isinstance(outcome, Failure):
                return outcome
            try:
                values[name] = new_value(outcome)
            except Exception as error:  # noqa: BLE001 - fail closed
                return failure(NAME, "write", error)
            spans += [
                {
                    "column": name,
                    "start": max(span.start - document.lead, 0),
                    "end": span.end - document.lead,
                    "label": span.label,
                }
                for span in outcome.spans
                if span.end > document.lead
            ]
        return values, spans

    def _column(
        self, name: str, kind: Any, new: list[str | None], failed: list[Failure | None]
    ) -> Any:
        """A column of the output: new values where there are any, null where the row failed."""
        import pyarrow as pa

        old = self._batch.column(name)
        if name not in self._read or not any(each is not None for each in new):
            kept = pa.nulls(len(old), kind) if _is_dropped(self._columns, name) else old.cast(kind)
            return _nulled(kept, failed)
        given = zip(texts_of(old).to_pylist(), new, failed, strict=True)
        values = [
            None if why is not None else (text if fresh is None else fresh)
            for text, fresh, why in given
        ]
        return pa.array([_fitting(value, kind) for value in values], pa.string()).cast(kind)


def _is_dropped(columns: Columns, name: str) -> bool:
    return columns.choice(name) == DROP


def _nulled(values: Any, failed: list[Failure | None]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not any(failed):
        return values
    mask = pa.array([each is None for each in failed])
    return pc.if_else(mask, values, pa.nulls(len(values), values.type))


def _fitting(value: str | None, kind: Any) -> str | None:
    """A value that its column can hold; null otherwise, as in Parquet files."""
    import pyarrow as pa

    if value is None:
        return None
    try:
        pa.scalar(value).cast(kind)
    except pa.ArrowException:
        return None
    return value


def why(failed: Failure | None) -> dict[str, str] | None:
    if failed is None:
        return None
    return {"stage": failed.stage, "error": failed.error, "message": failed.message}


def _known_of(batch: Any) -> list[Patients]:
    """What a first pass found, for each row; empty where there was none."""
    if KNOWN not in batch.schema.names:
        return []
    found = []
    for rows in batch.column(KNOWN).to_pylist():
        patients = Patients()
        for row in rows or ():
            patients.add_row(row["patient"], row["kind"], row["value"], row["count"])
        found.append(patients)
    return found
