"""`incognote deid --engine spark`: tables in, Parquet rows out.

    OUT/rows/run=.../   the rows of each run, with their failures; read as one table
    OUT/known/          what the first of two passes finds, while the run lasts

A session that exists (spark-submit, a notebook) is used as it is; otherwise one is started.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from typing import Any

from incognote.core.errors import IncognoteError, MissingExtra, UsageError
from incognote.engine.output.ledger import Summary
from incognote.engine.settings import Settings
from incognote.spark.frame import deid
from incognote.spark.keys import Key
from incognote.spark.worker import CHARACTERS, FAILURE, SPANS

ROWS, KNOWN = "rows", "known"
FORMATS = {".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}
_TRIES = 4
_LOOK_SECONDS = 1.0


class SparkRun:
    """The `run` of `run_and_tell` on Spark. `master` is where it runs ("": as spark-submit says,
    or on this machine)."""

    def __init__(self, key: Key, master: str = "") -> None:
        self._key = key
        self._master = master

    def __call__(self, where: Sequence[str], out: str, settings: Settings) -> Summary:
        refused = {"--vault": settings.vault, "--quarantine": settings.quarantine}
        if unfit := [name for name, given in refused.items() if given]:
            raise UsageError(f"{', '.join(unfit)}: not with --engine spark")
        paths = [where] if isinstance(where, str) else list(where)
        if "-" in (*paths, out):
            raise UsageError("Spark reads and writes folders: name the input and --output")
        began = perf_counter()
        kind = settings.format or _format_of(paths)
        with _session(self._master, settings.workers) as spark:
            frame = _read(spark, kind, paths)
            settings.started(_size(paths))
            rows, known = f"{out}/{ROWS}", f"{out}/{KNOWN}"
            is_there = _exists(spark, rows)
            if is_there and not settings.resume:
                raise UsageError(f"{rows} is there already: --resume adds what is new")
            done = spark.read.parquet(rows) if is_there else None
            run = f"{rows}/run={datetime.now(UTC):%Y%m%dT%H%M%S%f}"
            started = perf_counter()
            try:
                with _watched(spark, settings, _size(paths)), _spark_errors():
                    result = deid(frame, settings.policy, key=self._key, done=done, known=known)
                    result.rows.write.parquet(run)
            finally:
                _delete(spark, known)
            written = perf_counter()
            summary = _summary(spark.read.parquet(run), settings)
            summary.elapsed = perf_counter() - began
            summary.seconds = {
                "start": started - began,
                "deid": written - started,
                "count": perf_counter() - written,
            }
        return summary


@contextmanager
def _spark_errors() -> Iterator[None]:
    """A job that Spark gave up; its log has the reason, which may be long."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        why = error.getCondition() or type(error).__name__
        raise IncognoteError(f"Spark gave up the job ({why}); the log of Spark says more") from None


@contextmanager
def _session(master: str, workers: int) -> Iterator[Any]:
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError:
        raise MissingExtra("--engine spark", "spark") from None
    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("incognote deid")
    is_submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if master:
        builder = builder.master(master)
    elif not is_submitted:
        local = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1"}
        builder = builder.master(f"local[{workers},{_TRIES}]")
        for name, value in local.items():
            builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def _format_of(paths: Sequence[str]) -> str:
    """The format that the names of files show; those of a folder on this machine are looked at."""
    names = [
        name
        for path in paths
        for name in (map(str, sorted(Path(path).rglob("*"))) if Path(path).is_dir() else [path])
    ]
    found = {FORMATS[suffix] for name in names if (suffix := Path(name).suffix) in FORMATS}
    if len(found) != 1:
        known = ", ".join(sorted(set(FORMATS.values())))
        raise UsageError(f"--engine spark reads tables of one format: --format {known}")
    return found.pop()


def _read(spark: Any, kind: str, paths: Sequence[str]) -> Any:
    from pyspark.errors import AnalysisException

    try:
        match kind:
            case "parquet":
                return spark.read.parquet(*paths)
            case "jsonl" | "ndjson" | "json":
                return spark.read.json(list(paths))
            case "csv":
                options = {"header": True, "multiLine": True, "quote": '"', "escape": '"'}
                return spark.read.options(**options).csv(list(paths))
    except AnalysisException as error:
        raise UsageError(f"Spark cannot read the input: {error.getCondition()}") from None
    raise UsageError(f"--engine spark does not read {kind}: parquet, jsonl or csv")


def _summary(rows: Any, settings: Settings) -> Summary:
    from pyspark.sql import functions as sql

    why = sql.concat_ws(": ", f"{FAILURE}.stage", f"{FAILURE}.error")
    groups = rows.groupBy(sql.when(sql.col(FAILURE).isNotNull(), why).alias("why")).agg(
        sql.count("*").alias("rows"), sql.sum(CHARACTERS).alias("characters")
    )
    summary = Summary(kept_fields=settings.policy.kept_fields)
    for row in groups.collect():
        summary.documents += row["rows"]
        summary.characters += row["characters"] or 0
        if row["why"]:
            summary.quarantined += row["rows"]
            summary.reasons[row["why"]] += row["rows"]
    labels = rows.select(sql.explode(SPANS).alias("span")).groupBy("span.label").count().collect()
    summary.labels = Counter({row["label"]: row["count"] for row in labels})
    kept = settings.policy.kept
    summary.kept = Counter({each: n for each, n in summary.labels.items() if each in kept})
    settings.progress(0, summary.documents)
    return summary


@contextmanager
def _watched(spark: Any, settings: Settings, size: int) -> Iterator[None]:
    """Tells how far the tasks are, as a share of the bytes of the input."""
    over = Event()

    def look() -> None:
        told = 0
        tracker = spark.sparkContext.statusTracker()
        while not over.wait(_LOOK_SECONDS):
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
            tasks = sum(stage.numTasks for stage in stages if stage)
            done = sum(stage.numCompletedTasks for stage in stages if stage)
            so_far = size * done // tasks if tasks else told
            if so_far > told:
                settings.progress(so_far - told, 0)
                told = so_far

    watcher = Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _size(paths: Sequence[str]) -> int:
    """Bytes of what lies on this machine; 0 of what lies elsewhere."""
    files = [each for path in map(Path, paths) for each in (path, *path.rglob("*"))]
    return sum(each.stat().st_size for each in files if each.is_file())


def _hadoop(spark: Any, path: str) -> tuple[Any, Any]:
    place = spark._jvm.org.apache.hadoop.fs.Path(path)  # noqa: SLF001 - the only way to HDFS and S3
    settings = spark._jsc.hadoopConfiguration()  # noqa: SLF001
    return place.getFileSystem(settings), place


def _exists(spark: Any, path: str) -> bool:
    files, place = _hadoop(spark, path)
    return bool(files.exists(place))


def _delete(spark: Any, path: str) -> None:
    files, place = _hadoop(spark, path)
    files.delete(place, True)
