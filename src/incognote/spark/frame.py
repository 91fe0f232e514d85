"""The driver's side: schemas and the plan. No key passes through the driver, and no note; where a
policy needs two passes over a corpus, the originals to be avoided do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from incognote.core.errors import MissingExtra, UsageError
from incognote.formats.tables.arrow_columns import read_columns
from incognote.pipeline import Pipeline
from incognote.policy import DEFAULT, Policy, checked, load_policy
from incognote.spark.first_pass import FOUND_SCHEMA, FirstPass, known_by_patient, originals_in
from incognote.spark.keys import Key, checked_key
from incognote.spark.tags import Tags
from incognote.spark.worker import (
    ADDED,
    CHARACTERS,
    FAILURE,
    INPUT,
    KEY,
    KNOWN,
    POLICY,
    SPANS,
    Work,
    output_schema,
)
from incognote.transform import needs_originals

# Originals travel to every worker: more of them than this are no longer a small thing.
MOST_ORIGINALS = 2_000_000
_FEWEST_FAILURES = 2


@dataclass(frozen=True, slots=True)
class Deidentified:
    """Two views of one result. Cache or write `rows` first: reading `clean` and `quarantine` from a
    frame that is not cached processes every note twice."""

    rows: Any = field(repr=False)

    @property
    def clean(self) -> Any:
        """The rows without their PHI, with its places and which policy and key were used."""
        return self.rows.where(f"{FAILURE} IS NULL").drop(FAILURE)

    @property
    def quarantine(self) -> Any:
        """Why rows failed: stage, error, message, and the tag of the row. No values."""
        failed = self.rows.where(f"{FAILURE} IS NOT NULL")
        why = [f"{FAILURE}.{name}" for name in ("stage", "error", "message")]
        return failed.select(*why, INPUT, POLICY, KEY)

    def observed(self, observation: Any) -> Deidentified:
        """The same, counted while it is written: documents, failures, characters and spans, for an
        `Observation` of Spark, or under a name for the listener of a stream."""
        from pyspark.sql import functions as sql

        counts = [sql.count(sql.lit(1)).alias("documents"), sql.count(FAILURE).alias("failures")]
        if CHARACTERS in self.rows.columns:  # those of whole files are not told
            spans = sql.when(sql.col(SPANS).isNotNull(), sql.size(SPANS)).otherwise(0)
            counts += [
                sql.sum(CHARACTERS).alias("characters"),
                sql.sum(spans).alias("spans"),
            ]
        return replace(self, rows=self.rows.observe(observation, *counts))


def deid(
    frame: Any,
    policy: str | Path | Policy | Mapping[str, Any] = DEFAULT,
    *,
    key: Key | Callable[[], bytes | str],
    text: str | Sequence[str] = (),
    id: str = "",  # noqa: A002 - the name that every other interface has
    patient: str = "",
    done: Any = None,
    known: str = "",
    longest: int = 0,
    isolate: bool = False,
) -> Deidentified:
    """A DataFrame without its PHI, column by column as the policy says.

    `text`, `id` and `patient` name columns, where the policy does not. Rows of one patient share
    surrogates without a shuffle: they follow from key, patient and value. `done` are rows of
    earlier runs: what they hold is not processed again. `known` is a folder for what the first of
    two passes finds, where the policy needs two; it holds identifiers, and the caller deletes it.
    Rows with a text of more than `longest` characters go to quarantine, if it is not 0: one of ten
    million holds a core for a minute. A task that is tried again reads its rows in a process of its
    own, so that a row that kills its process ends in quarantine; with `isolate`, every task does.

    A streaming DataFrame gives a streaming one; policies with two passes and `done` do not stream.
    """
    try:
        from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
    except ModuleNotFoundError:
        raise MissingExtra("incognote.spark", "spark") from None
    key = checked_key(key)
    if longest < 0:
        raise UsageError("longest: must be 0 (any length) or more")
    settled = _with_columns(load_policy(policy), text, id, patient)
    if taken := sorted(set(frame.columns) & {*ADDED, KNOWN}):
        raise UsageError(f"the frame already has the column {', '.join(taken)}")
    Pipeline(settled).check_coverage()  # a policy that lets identifiers pass is refused here
    check_retries(frame, isolate=isolate)
    arrow = to_arrow_schema(frame.schema)
    schema = from_arrow_schema(output_schema(arrow, settled))
    if done is not None:
        frame = _without_done(frame, done, settled, key)
    work = Work(settled, settled.hash, key, longest=longest, isolate=isolate)
    if needs_two_passes(settled):
        frame, work = _after_first_pass(frame, work, known, arrow)
    return Deidentified(frame.mapInArrow(work, schema))


def _with_columns(policy: Policy, text: str | Sequence[str], row_id: str, patient: str) -> Policy:
    named: dict[str, Any] = {}
    if text:
        named["text"] = (text,) if isinstance(text, str) else tuple(text)
    if row_id:
        named["id"] = row_id
    if patient:
        named["patient"] = patient
    return checked(replace(policy, formats=replace(policy.formats, **named))) if named else policy


def check_retries(frame: Any, *, isolate: bool) -> None:
    """A cluster that never tries again would lose the job to one bad note."""
    given = frame.sparkSession.conf.get("spark.task.maxFailures", "4")
    if not isolate and int(given) < _FEWEST_FAILURES:
        raise UsageError(
            "spark.task.maxFailures must be 2 or more, so that a row that kills its process can be "
            "found; or pass isolate=True"
        )


def _without_done(frame: Any, done: Any, policy: Policy, key: Key) -> Any:
    """The rows that no earlier run with this policy and key has written."""
    from pyspark.sql import types

    if frame.isStreaming:
        raise UsageError("a stream has no `done`: its checkpoint knows what was processed")
    if missing := sorted({INPUT, POLICY, KEY} - set(done.columns)):
        raise UsageError(f"`done` has no column {', '.join(missing)}: give rows that deid wrote")
    tagged = types.StructType(
        [*frame.schema.fields, *(types.StructField(each, types.StringType()) for each in _TAGGED)]
    )
    found = frame.mapInArrow(Tags(policy, policy.hash, key), tagged)
    earlier = done.select(*_TAGGED).distinct()
    return found.join(earlier, list(_TAGGED), "left_anti").select(*frame.columns)


_TAGGED = (INPUT, POLICY, KEY)


def needs_two_passes(policy: Policy) -> bool:
    return policy.resolve.across_documents or needs_originals(policy)


def _after_first_pass(frame: Any, work: Work, known: str, schema: Any) -> tuple[Any, Work]:
    """The frame and the work of the second pass, with what the first one found."""
    if frame.isStreaming or not known:
        raise UsageError(
            "this policy reads its input twice (across_documents, corpus scope or shuffle): "
            "name a folder for what the first pass finds, known=...; a stream cannot be read twice"
        )
    policy = work.policy
    across, avoid = policy.resolve.across_documents, needs_originals(policy)
    first = FirstPass(policy, work.stamp, across, avoid, work.longest)
    found = frame.mapInArrow(first, FOUND_SCHEMA)
    found.write.mode("overwrite").parquet(known)
    table = frame.sparkSession.read.schema(FOUND_SCHEMA).parquet(known)
    if avoid:
        originals, too_many = originals_in(table, MOST_ORIGINALS)
        if too_many:
            raise UsageError(
                f"the corpus has more than {MOST_ORIGINALS:,} originals to avoid; "
                "use the scope of patients"
            )
        work = replace(work, originals=originals)
    if across:
        columns, _ = read_columns(schema, policy.formats)
        if columns.patient in frame.columns:
            frame = _joined(frame, columns.patient, known_by_patient(table))
    return frame, work


def _joined(frame: Any, patient: str, known: Any) -> Any:
    from pyspark.sql import functions as sql

    same = sql.col(f"`{patient}`").cast("string") == known["patient"]
    with_known = frame.join(known, same, "left")
    columns = [frame[f"`{name}`"] for name in frame.columns]
    return with_known.select(*columns, known["found"].alias(KNOWN))
