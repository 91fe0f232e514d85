"""Spark gives the rows that the command line writes, on real Python workers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="needs the extra 'spark'")
pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
if shutil.which("java") is None:
    pytest.skip("Java is not installed", allow_module_level=True)

import pyarrow as pa
import pyarrow.parquet as pq
from tests.spark.conftest import SECRET

from incognote.cli import main
from incognote.core.errors import PolicyError, UsageError
from incognote.core.keys import surrogate_key
from incognote.spark import KeyEnv, KeyFile, deid
from incognote.spark.keys import KeyCall

# pyspark itself warns about the interpreters and libraries it runs on.
pytestmark = pytest.mark.filterwarnings("default")
POLICY = "i2b2-2014+rules"
FRENCH = "Le patient a été vu par le docteur Canaryzebu à la consultation. " * 20


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spark") / "notes.parquet"
    rows = [
        {
            "id": f"n{number}",
            "patient_id": f"p{number % 3}",
            "name": "Ann Okonkwo",
            "potassium": 4.1,
            "text": f"Mrs. Okonkwo was seen by Dr. Brandvold on 3/{number + 1}/24. K 4.1.",
        }
        for number in range(20)
    ]
    rows[7]["text"] = FRENCH
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_the_rows_are_those_of_the_command_line(spark, notes: Path, key: KeyFile, tmp_path) -> None:
    result = deid(spark.read.parquet(str(notes)).repartition(3), POLICY, key=key)
    rows = result.rows.cache()
    clean = {row["id"]: row.asDict() for row in result.clean.collect()}
    out = tmp_path / "out.parquet"
    code = main(
        ["deid", str(notes), "-o", str(out), "--policy", POLICY, "--key-file", key.path, "--quiet"]
    )
    assert code == 3  # the French row is in quarantine
    written = {row["id"]: row for row in pq.read_table(out).to_pylist()}
    assert len(written) == 19
    assert {name: {k: row[k] for k in written[name]} for name, row in clean.items()} == written
    assert rows.where("incognote_failure IS NOT NULL").count() == 1
    (why,) = result.quarantine.collect()
    assert why["error"] == "LanguageError"
    assert "Canaryzebu" not in json.dumps(why.asDict())


def test_spans_policy_and_other_columns(spark, notes: Path, key: KeyFile) -> None:
    (row,) = deid(spark.read.parquet(str(notes)), POLICY, key=key).clean.limit(1).collect()
    assert row["potassium"] == 4.1
    assert "Okonkwo" not in row["name"]
    assert {span["label"] for span in row["incognote_spans"]} >= {"PATIENT", "DOCTOR", "DATE"}
    assert len(row["incognote_policy"]) >= 16


def test_partitions_change_nothing(spark, notes: Path, key: KeyFile) -> None:
    frame = spark.read.parquet(str(notes)).drop("patient_id")
    one, many = (
        sorted(map(str, deid(frame.repartition(parts), POLICY, key=key).clean.collect()))
        for parts in (1, 7)
    )
    assert one == many


def test_the_key_is_not_in_the_plan(spark, notes: Path, key: KeyFile) -> None:
    frame = deid(spark.read.parquet(str(notes)), POLICY, key=key).rows
    plan = frame._jdf.queryExecution().toString()
    settings = str(spark.sparkContext.getConf().getAll())
    assert SECRET not in plan + settings


def test_the_event_log_holds_neither_key_nor_note(
    spark, notes: Path, key: KeyFile, event_log: Path
) -> None:
    frame = spark.read.parquet(str(notes)).repartition(2)
    assert deid(frame, POLICY, key=key).rows.where("incognote_failure IS NULL").count() == 19
    written = b"".join(path.read_bytes() for path in event_log.rglob("*") if path.is_file())
    assert b"MapInArrow" in written, "the log tells of this run"
    for secret in (SECRET, "Okonkwo", "Brandvold", "Canaryzebu"):
        assert secret.encode() not in written


def test_a_long_note_among_short_ones(spark, key: KeyFile, tmp_path: Path) -> None:
    """It costs its own task and nobody else's, and comes out as on the command line."""
    short = "Mrs. Okonkwo was seen by Dr. Brandvold on 3/4/24. "
    texts = [short, short * 4_000, short]
    path = tmp_path / "notes.parquet"
    rows = [{"id": f"n{n}", "patient_id": "p", "text": text} for n, text in enumerate(texts)]
    pq.write_table(pa.Table.from_pylist(rows), path)
    found = deid(spark.read.parquet(str(path)).repartition(3), POLICY, key=key).clean.collect()
    out = tmp_path / "out.parquet"
    said = ["--policy", POLICY, "--key-file", key.path, "--quiet"]
    assert main(["deid", str(path), "-o", str(out), *said]) == 0
    written = {row["id"]: row["text"] for row in pq.read_table(out).to_pylist()}
    assert {row["id"]: row["text"] for row in found} == written
    assert len(written) == 3


def test_a_note_that_is_too_long_is_told_and_not_read(spark, key: KeyFile) -> None:
    rows = [("n0", "Seen by Dr. Brandvold. " * 20), ("n1", "Seen by Dr. Brandvold.")]
    frame = spark.createDataFrame(rows, "id string, text string")
    result = deid(frame, POLICY, key=key, longest=100)
    (why,) = result.quarantine.collect()
    assert why["error"] == "TooLarge"
    assert result.clean.count() == 1
    with pytest.raises(UsageError, match="longest"):
        deid(frame, POLICY, key=key, longest=-1)


def test_counts_are_observed_while_rows_are_written(spark, notes: Path, key: KeyFile) -> None:
    from pyspark.sql import Observation

    seen = Observation()
    rows = deid(spark.read.parquet(str(notes)), POLICY, key=key).observed(seen).rows.collect()
    assert seen.get == {
        "documents": 20,
        "failures": 1,
        "characters": sum(row["incognote_characters"] for row in rows),
        "spans": sum(len(row["incognote_spans"] or ()) for row in rows),
    }


def test_a_function_fetches_the_key_on_the_worker(spark, notes: Path, key: KeyFile) -> None:
    """As from a vault. The function refers to the place of the key, not to the key."""
    place = key.path
    frame = spark.read.parquet(str(notes))
    found = deid(frame, POLICY, key=lambda: Path(place).read_bytes()).clean.collect()
    assert sorted(map(str, found)) == sorted(map(str, deid(frame, POLICY, key=key).clean.collect()))


def test_what_is_wrong_is_said_before_the_first_row(spark, notes: Path, key: KeyFile) -> None:
    frame = spark.read.parquet(str(notes))
    with pytest.raises(UsageError, match="KeyFile"):
        deid(frame, POLICY, key=SECRET.encode())
    with pytest.raises(UsageError, match="reads its input twice"):
        deid(frame, {"extends": ["i2b2-2014", "rules"], "transform": {"scope": "corpus"}}, key=key)
    with pytest.raises(UsageError, match="rows that deid wrote"):
        deid(frame, POLICY, key=key, done=frame)
    with pytest.raises(PolicyError):
        deid(frame, {"extends": ["i2b2-2014", "rules"], "labels": {"PATIENT": "keep"}}, key=key)


def test_keys_are_read_where_the_work_is_done(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPARK_TEST_KEY", SECRET)
    assert KeyEnv("SPARK_TEST_KEY").read() == surrogate_key(SECRET.encode(), "test")
    with pytest.raises(UsageError, match="not set"):
        KeyEnv("NO_SUCH_VARIABLE").read()
    with pytest.raises(UsageError, match="cannot be read"):
        KeyFile(str(tmp_path / "none")).read()
    assert KeyCall(lambda: SECRET).read() == surrogate_key(SECRET.encode(), "test")
    with pytest.raises(UsageError, match="neither bytes nor text"):
        KeyCall(lambda: None).read()  # type: ignore[arg-type, return-value]

    def failing() -> bytes:
        raise RuntimeError(SECRET)

    with pytest.raises(UsageError, match="RuntimeError") as caught:
        KeyCall(failing).read()
    assert SECRET not in str(caught.value)
