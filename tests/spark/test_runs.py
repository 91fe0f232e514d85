"""Rows that kill their process, runs that go on where others ended, two passes, streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs the extra 'spark'")
pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")

import pyarrow as pa
import pyarrow.parquet as pq
from tests.spark.conftest import SECRET

from incognote.cli import main
from incognote.core.errors import UsageError
from incognote.policy import policy_from
from incognote.spark import KeyFile, deid

pytestmark = pytest.mark.filterwarnings("default")
# Finds what stands in angle brackets, so that these tests are about Spark.
BRACKETS = {
    "use": "regex",
    "options": {"label": "PATIENT", "patterns": ["<(?P<phi>[^<>]+)>"]},
}
TINY = {
    "name": "tiny",
    "detectors": {"find": BRACKETS},
    "labels": {"default": {"action": "tag", "because": "a test"}},
    "formats": {"labels": {"id": "keep", "patient_id": "keep"}},
}
DEADLY = {
    **TINY,
    "detectors": {
        "find": BRACKETS,
        "function": {"options": {"function": "tests.spark.deadly:find"}},
    },
}


def frame_of(spark: Any, texts: list[str], parts: int = 2) -> Any:
    rows = [(f"n{number}", f"p{number % 2}", text) for number, text in enumerate(texts)]
    return spark.createDataFrame(rows, "id string, patient_id string, text string").repartition(
        parts, "id"
    )


def test_a_row_that_kills_its_process_ends_in_quarantine(spark: Any, key: KeyFile) -> None:
    texts = [f"Seen: <Ann {number}>." for number in range(40)]
    texts[17] = "poison <Bo>"
    rows = deid(frame_of(spark, texts), policy_from(DEADLY), key=key).rows.collect()
    assert len(rows) == 40
    clean = [row for row in rows if row["incognote_failure"] is None]
    (lost,) = [row for row in rows if row["incognote_failure"] is not None]
    assert sorted(row["id"] for row in clean) == sorted(f"n{n}" for n in range(40) if n != 17)
    assert not any("Ann" in row["text"] for row in clean)
    assert lost["incognote_failure"]["error"] == "WorkerDied"
    assert lost["text"] is None
    assert "Bo" not in str(lost.asDict())


def test_who_never_tries_again_is_told(spark: Any, key: KeyFile) -> None:
    frame = frame_of(spark, ["a"])

    class Once:
        def get(self, name: str, default: str) -> str:
            return "1" if name == "spark.task.maxFailures" else default

    class Session:
        conf = Once()

    class Frame:
        columns, schema, sparkSession = frame.columns, frame.schema, Session()  # noqa: N815

    with pytest.raises(UsageError, match="maxFailures"):
        deid(Frame(), policy_from(TINY), key=key)


def test_only_rows_that_no_earlier_run_wrote(spark: Any, key: KeyFile, tmp_path: Path) -> None:
    out = str(tmp_path / "rows")
    policy = policy_from(TINY)
    texts = [f"Seen: <Ann {number}>." for number in range(6)]
    deid(frame_of(spark, texts[:4]), policy, key=key).rows.write.parquet(out)
    changed = ["Seen: <Ann 0> again.", *texts[1:]]
    more = deid(frame_of(spark, changed), policy, key=key, done=spark.read.parquet(out)).rows
    more.write.mode("append").parquet(out)
    written = sorted((row["id"], row["text"]) for row in spark.read.parquet(out).collect())
    assert [name for name, _ in written] == ["n0", "n0", "n1", "n2", "n3", "n4", "n5"]
    nothing = deid(frame_of(spark, changed), policy, key=key, done=spark.read.parquet(out)).rows
    assert nothing.count() == 0
    other = KeyFile(str(tmp_path / "key"))
    Path(other.path).write_text(f"{SECRET} and another")
    everything = deid(frame_of(spark, changed), policy, key=other, done=spark.read.parquet(out))
    assert everything.rows.count() == 6


TWO_PASSES = {
    "across": {"extends": ["i2b2-2014", "rules"], "resolve": {"across_documents": True}},
    "corpus": {"extends": ["i2b2-2014", "rules"], "transform": {"scope": "corpus"}},
}


@pytest.mark.parametrize("kind", TWO_PASSES)
def test_two_passes_give_the_rows_of_the_command_line(
    spark: Any, key: KeyFile, tmp_path: Path, kind: str
) -> None:
    texts = [
        "Mrs. Okonkwo was seen by Dr. Brandvold on 3/4/24.",
        "Okonkwo came back; brandvold agrees.",
        "Mr. Tvedt lives in Hardin, MT 59034.",
        "tvedt called about 3/4/24.",
    ]
    rows = [
        {"id": f"n{number}", "patient_id": f"p{number // 2}", "text": text}
        for number, text in enumerate(texts)
    ]
    notes = tmp_path / "notes.parquet"
    pq.write_table(pa.Table.from_pylist(rows), notes)
    policy = tmp_path / "policy.toml"
    policy.write_text(_toml(TWO_PASSES[kind]))
    known = tmp_path / "known"
    frame = spark.read.parquet(str(notes)).repartition(3)
    found = deid(frame, str(policy), key=key, known=str(known)).clean.collect()
    out = tmp_path / "out.parquet"
    said = ["--policy", str(policy), "--key-file", key.path, "--quiet"]
    assert main(["deid", str(notes), "-o", str(out), *said]) == 0
    written = {row["id"]: row for row in pq.read_table(out).to_pylist()}
    assert {row["id"]: {k: row[k] for k in rows[0]} for row in found} == written
    assert known.is_dir()


def test_a_folder_of_json_lines_as_a_stream(spark: Any, key: KeyFile, tmp_path: Path) -> None:
    box, out, state = (tmp_path / name for name in ("in", "out", "state"))
    box.mkdir()

    def arrive(name: str, *texts: str) -> None:
        lines = (json.dumps({"id": f"{name}{n}", "text": text}) for n, text in enumerate(texts))
        (box / f"{name}.jsonl").write_text("\n".join(lines) + "\n")

    def read_on() -> list[Any]:
        stream = spark.readStream.schema("id string, text string").json(str(box))
        rows = deid(stream, policy_from(TINY), key=key).rows
        query = (
            rows.writeStream.format("parquet")
            .option("path", str(out))
            .option("checkpointLocation", str(state))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination(120)
        assert query.exception() is None
        return spark.read.parquet(str(out)).collect()

    arrive("a", "Seen: <Ann>.", "Seen: <Bo>.")
    assert len(read_on()) == 2
    arrive("b", "Seen: <Cy>.")
    rows = read_on()
    assert sorted(row["id"] for row in rows) == ["a0", "a1", "b0"]
    assert not any(name in str(rows) for name in ("Ann", "Bo", "Cy"))
    stream = spark.readStream.schema("id string, text string").json(str(box))
    with pytest.raises(UsageError, match="twice"):
        deid(stream, TWO_PASSES["across"], key=key, known=str(tmp_path / "known"))
    with pytest.raises(UsageError, match="checkpoint"):
        deid(stream, policy_from(TINY), key=key, done=spark.read.parquet(str(out)))


def _toml(policy: dict[str, Any]) -> str:
    lines = [f"extends = {json.dumps(policy['extends'])}"]
    for section in ("resolve", "transform"):
        if section in policy:
            lines.append(f"[{section}]")
            lines += [f"{key} = {json.dumps(value)}" for key, value in policy[section].items()]
    return "\n".join(lines)
