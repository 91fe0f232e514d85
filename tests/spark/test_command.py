"""`incognote deid --engine spark`, on this machine and on a cluster of two worker processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs the extra 'spark'")
pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
if shutil.which("java") is None:
    pytest.skip("Java is not installed", allow_module_level=True)

import pyarrow.dataset as ds
import pyspark
from tests.cli.conftest import TINY
from tests.spark.conftest import QUICK_JAVA

import incognote
from incognote.cli import main
from incognote.spark import KeyFile

pytestmark = pytest.mark.filterwarnings("default")
# Dies of "poison", wherever it is read.
DEADLY = TINY.replace(
    "[labels]",
    '[detectors.function]\noptions = { function = "tests.spark.deadly:find" }\n[labels]',
)
_START_SECONDS = 120
_RUN_SECONDS = 400


def lines(path: Path, texts: list[str]) -> Path:
    rows = (json.dumps({"id": f"n{n}", "text": text}) for n, text in enumerate(texts))
    path.write_text("\n".join(rows) + "\n")
    return path


def rows_in(out: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ds.dataset(out / "rows").to_table().to_pylist()
    return found


def test_the_command_writes_rows_and_goes_on(
    spark: Any, key: KeyFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "tiny.toml"
    policy.write_text(TINY)
    notes = lines(tmp_path / "notes.jsonl", [f"Seen: <Ann {n}>." for n in range(5)])
    out, told = tmp_path / "out", tmp_path / "summary.json"

    def run(*more: str) -> int:
        given = ["--policy", str(policy), "--key-file", key.path, "--engine", "spark", *more]
        return main(["deid", str(notes), "-o", str(out), "--summary", str(told), *given])

    assert run() == 0
    row = json.loads(told.read_text())
    assert (row["documents"], row["spans"], row["engine"]) == (5, {"PATIENT": 5}, "spark")
    assert row["characters"] >= 5 * len("Seen: <Ann 0>.")
    assert run() == 1
    assert "--resume adds what is new" in capsys.readouterr().err
    lines(notes, [f"Seen: <Ann {n}>." for n in range(7)])
    assert run("--resume") == 0
    assert json.loads(told.read_text())["documents"] == 2
    written = rows_in(out)
    assert sorted(row["id"] for row in written) == [f"n{n}" for n in range(7)]
    assert not any("Ann" in row["text"] for row in written)
    assert not (out / "known").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["NOTES", "-o", "OUT", "--vault", "v"], "not with --engine spark"),
        (["NOTES"], "reads and writes folders"),
        (["NOTES", "-o", "OUT", "--format", "docx"], "does not read docx"),
        (["FOLDER", "-o", "OUT"], "tables of one format"),
    ],
)
def test_what_spark_cannot_do_is_said(
    arguments: list[str], said: str, spark: Any, key: KeyFile, tmp_path: Path, capsys: Any
) -> None:
    notes = lines(tmp_path / "notes.jsonl", ["a"])
    empty = tmp_path / "empty"
    empty.mkdir()
    places = {"NOTES": str(notes), "OUT": str(tmp_path / "out"), "FOLDER": str(empty)}
    given = [places.get(each, each) for each in arguments]
    assert main(["deid", *given, "--key-file", key.path, "--engine", "spark"]) == 1
    assert said in capsys.readouterr().err


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a stand-alone cluster: a master and two workers, each a process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"spark://127.0.0.1:{port}"
    place = tmp_path_factory.mktemp("cluster")
    launch = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    local = ["--host", "127.0.0.1", "--webui-port", "0"]
    worker = [*local, "--cores", "1", "--memory", "1g", "--work-dir", str(place), address]
    jobs = [["master.Master", *local, "--port", str(port)], *[["worker.Worker", *worker]] * 2]
    started: list[subprocess.Popen[bytes]] = []
    logs = [(place / f"{number}.log").open("wb") for number in range(len(jobs))]
    try:
        for (name, *rest), log in zip(jobs, logs, strict=True):
            command = [launch, f"org.apache.spark.deploy.{name}", *rest]
            started.append(
                subprocess.Popen(
                    command,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    env=_environment(),
                )
            )
        _wait_for(lambda: (place / "0.log").read_text().count("Registering worker") == 2)
        yield address
    finally:
        for process in started:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)
        for log in logs:
            log.close()


def test_a_cluster_survives_a_note_that_kills_its_process(
    cluster: str, key: KeyFile, tmp_path: Path
) -> None:
    policy = tmp_path / "deadly.toml"
    policy.write_text(DEADLY)
    box = tmp_path / "notes"
    box.mkdir()
    for number in range(4):
        texts = [f"Seen: <Ann {number}.{n}>." for n in range(10)]
        if number == 2:
            texts[3] = "poison <Bo>"
        lines(box / f"{number}.jsonl", texts)
    out, told = tmp_path / "out", tmp_path / "summary.json"
    command = [
        *(sys.executable, "-m", "incognote", "deid", str(box), "-o", str(out)),
        *("--policy", str(policy), "--allow-functions", "tests.spark.deadly"),
        *("--key-file", key.path, "--engine", "spark", "--master", cluster),
        *("--summary", str(told)),
    ]
    done = subprocess.run(
        command,
        env=_environment(),
        capture_output=True,
        timeout=_RUN_SECONDS,
        check=False,
    )
    assert done.returncode == 3, done.stderr.decode()[-2000:]
    row = json.loads(told.read_text())
    assert (row["documents"], row["quarantined"]) == (40, 1)
    assert row["quarantined_by_reason"] == {"worker: WorkerDied": 1}
    assert len(rows_in(out)) == 40
    assert b"Bo" not in done.stderr


def _environment() -> dict[str, str]:
    """Executors import what these tests import, and talk to nobody else."""
    source = Path(incognote.__file__).parents[1]
    paths = [str(source), str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        **QUICK_JAVA,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def _wait_for(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + _START_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError("the cluster did not start")
        time.sleep(0.5)
