"""A column of whole files: the bytes that the command line writes, for folders and streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs the extra 'spark'")
pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")

from incognote.cli import main
from incognote.core.errors import UsageError
from incognote.spark import KeyFile, deid_files

pytestmark = pytest.mark.filterwarnings("default")
POLICY = "i2b2-2014+rules"
FRENCH = "Le patient a été vu par le docteur Canaryzebu à la consultation. " * 20
SHAPE = "path string, modificationTime timestamp, length long, content binary"


def message(patient: str, name: str, note: str) -> str:
    return "\r".join(
        (
            "MSH|^~\\&|LAB|NORTH|EHR|NORTH|20240311||ORU^R01|7|P|2.5",
            f"PID|1||{patient}^^^NORTH^MR||{name}||19500304|F",
            f"OBX|1|TX|NOTE||{note}",
            "OBX|2|NM|K||4.1|mmol/L",
            "",
        )
    )


NOTES = {
    "a.hl7": message("7741902", "Okonkwo^Ann", "Mrs. Okonkwo saw Dr. Brandvold on 3/11/24."),
    "b.hl7": message("7741902", "Okonkwo^Ann", "Okonkwo is better."),
}


def folder_of(place: Path, files: dict[str, str]) -> Path:
    place.mkdir(exist_ok=True)
    for name, text in files.items():
        (place / name).write_bytes(text.encode())
    return place


def test_the_bytes_are_those_of_the_command_line(spark: Any, key: KeyFile, tmp_path: Path) -> None:
    given = folder_of(tmp_path / "in", {**NOTES, "c.txt": FRENCH})
    out = tmp_path / "out"
    said = ["--policy", POLICY, "--key-file", key.path, "--quiet"]
    assert main(["deid", str(given), "-o", str(out), *said]) == 3  # the French note fails
    frame = spark.read.format("binaryFile").load(str(given))
    result = deid_files(frame, POLICY, key=key, keep=["length"])
    assert "path" not in result.rows.columns
    rows = [row.asDict(recursive=True) for row in result.rows.collect()]
    written = sorted(bytes(row["content"]) for row in rows if row["content"] is not None)
    assert written == sorted((out / name).read_bytes() for name in NOTES)
    assert b"K||4.1|mmol/L" in written[0]
    (lost,) = [row for row in rows if row["content"] is None]
    assert lost["incognote_failure"]["error"] == "LanguageError"
    assert lost["length"] == len(FRENCH.encode())
    assert "Canaryzebu" not in str(rows)


def test_a_folder_of_hl7_as_a_stream(spark: Any, key: KeyFile, tmp_path: Path) -> None:
    inbox, out, state = (tmp_path / name for name in ("in", "out", "state"))

    def read_on() -> list[Any]:
        arriving = spark.readStream.format("binaryFile").schema(SHAPE).load(str(inbox))
        query = (
            deid_files(arriving, POLICY, key=key)
            .rows.writeStream.format("parquet")
            .option("path", str(out))
            .option("checkpointLocation", str(state))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination(120)
        assert query.exception() is None
        return spark.read.parquet(str(out)).collect()

    folder_of(inbox, {"a.hl7": NOTES["a.hl7"]})
    assert len(read_on()) == 1
    folder_of(inbox, {"b.hl7": NOTES["b.hl7"]})
    rows = read_on()
    assert len(rows) == 2
    assert not any(name in str(rows) for name in ("Okonkwo", "Brandvold", "7741902"))
    first, second = (bytes(row["content"]).split(b"\r")[1] for row in rows)
    assert first == second, "one patient, one surrogate"


def test_what_is_wrong_is_said_before_the_first_file(spark: Any, key: KeyFile) -> None:
    frame = spark.createDataFrame(
        [("a.hl7", bytearray(b"x"), "y")], "path string, content binary, note string"
    )
    for said, given in (
        ("no column", {"content": "other"}),
        ("not text", {"content": "note"}),
        ("formats", {"name": "none"}),
        (
            "twice",
            {"policy": {"extends": ["i2b2-2014", "rules"], "transform": {"scope": "corpus"}}},
        ),
    ):
        with pytest.raises(UsageError, match=said):
            deid_files(frame, **{"policy": POLICY, "key": key, **given})


def test_a_file_that_is_too_long_is_not_read(spark: Any, key: KeyFile) -> None:
    frame = spark.createDataFrame([(bytearray(NOTES["a.hl7"].encode()),)], "content binary")
    (row,) = deid_files(frame, POLICY, key=key, format="hl7", most_bytes=20).rows.collect()
    assert row["content"] is None
    assert row["incognote_failure"]["error"] == "TooLarge"
