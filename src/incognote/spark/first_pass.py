"""The first of two passes, where a policy needs to see the whole corpus before it writes.

`across_documents`: what is surely found in one note of a patient is looked for in all of them.
Rows of (patient, kind, value, count) are added up and joined to the notes.
Corpus scope and `shuffle`: surrogates avoid every original of the corpus.

What the first pass finds are identifiers. They go where the caller says, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from incognote.core.caches import BoundedDict
from incognote.core.types import Failure, Result
from incognote.engine.patients import Patients
from incognote.pipeline import Pipeline
from incognote.policy import Policy
from incognote.spark.rows import Rows, slices
from incognote.transform import Originals

FOUND = ("patient", "kind", "value", "count")
FOUND_SCHEMA = "patient string, kind string, value string, count bigint"
# The kind of an original has this before the name of its list, and no patient.
_ORIGINAL = "original:"

_pipelines: BoundedDict[str, Pipeline] = BoundedDict(f"{__name__}.pipelines", 8)


@dataclass(frozen=True, slots=True)
class FirstPass:
    """What every worker needs in the first pass. No key is needed to find things."""

    policy: Policy
    stamp: str
    patients: bool
    originals: bool
    longest: int = 0

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        if self.stamp not in _pipelines:
            _pipelines[self.stamp] = Pipeline(self.policy, threads=1)
        pipeline = _pipelines[self.stamp]
        for batch in slices(batches):
            yield self._found(Rows(batch, self.policy.formats, self.longest), pipeline)

    def _found(self, rows: Rows, pipeline: Pipeline) -> Any:
        import pyarrow as pa

        documents = [
            document
            for row in map(rows.documents, rows.fields())
            if not isinstance(row, Failure)  # it fails again in the second pass, which says so
            for document in row.values()
        ]
        results = [each for each in pipeline.detect(documents) if isinstance(each, Result)]
        found: list[tuple[str | None, str, str, int]] = []
        if self.patients:
            patients = Patients()
            for result in results:
                patients.add(result)
            found += patients.rows()
        if self.originals:
            found += _originals(results)
        columns = zip(*found, strict=True) if found else ((), (), (), ())
        kinds = (pa.string(), pa.string(), pa.string(), pa.int64())
        arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
        return pa.record_batch(arrays, names=list(FOUND))


def _originals(results: list[Result]) -> Iterator[tuple[None, str, str, int]]:
    found = Originals.of((result.document, result.spans) for result in results)
    for each in fields(found):
        for value in sorted(getattr(found, each.name)):
            yield None, _ORIGINAL + each.name, value, 1


def originals_in(table: Any, most: int) -> tuple[Originals, bool]:
    """The originals that a first pass wrote, and whether there are more than `most`."""
    found = table.where(f"kind LIKE '{_ORIGINAL}%'").select("kind", "value").distinct()
    rows = found.limit(most + 1).collect()
    by_name: dict[str, set[str]] = {each.name: set() for each in fields(Originals)}
    for row in rows:
        by_name[row["kind"].removeprefix(_ORIGINAL)].add(row["value"])
    lists = {name: frozenset(values) for name, values in by_name.items()}
    return Originals(**lists), len(rows) > most


def known_by_patient(table: Any) -> Any:
    """One row for each patient: all that is known of them, added up."""
    from pyspark.sql import functions as sql

    added = (
        table.where("patient IS NOT NULL")
        .groupBy("patient", "kind", "value")
        .agg(sql.sum("count").alias("count"))
    )
    return added.groupBy("patient").agg(sql.collect_list(sql.struct(*FOUND)).alias("found"))
