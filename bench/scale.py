"""How much, how fast: one core, Spark beside the local engine, the service under load.

    python -m bench.scale cores   [--presets rules,fast] [--rounds 20]
    python -m bench.scale engines [--notes 20000] [--policy rules]
    python -m bench.scale serve   [--policy fast] [--seconds 20] [--requests 5000]
    python -m bench.scale all

`cores` counts processor time of one process over the development notes, again and again, best
round and median: other work on the machine slows the clock, and the processor less.
`engines` runs `deid` over the same Parquet file with the local engine and with Spark, two workers
each, and compares the rows; start-up is counted apart.
`serve` starts the service with two workers and asks it over loopback, from this process: how many
requests of 2 kB a second (and a second of processor time, which other work hardly changes), how
long each takes at 50 a second, what becomes of ten times the load it can serve (every request must
get an answer), and how its memory grows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from bench.notes import notes
from incognote.core.types import Document, Failure
from incognote.engine.workers import collecting_seldom
from incognote.pipeline import Pipeline

KEY = "three grey geese in a green field, 77"
BATCH = 32
WORKERS = 2
NOTE_CHARACTERS = 2_000
CALLERS = 16
STEADY_RATE = 50.0
OVERLOAD = 10
_START_SECONDS = 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("part", choices=("cores", "engines", "serve", "all"))
    parser.add_argument("--presets", default="rules,fast")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--notes", type=int, default=20_000)
    parser.add_argument("--policy", default="")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--requests", type=int, default=5_000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    parts: dict[str, Callable[[argparse.Namespace], Any]] = {
        "cores": cores,
        "engines": engines,
        "serve": serve,
    }
    found: dict[str, Any] = {"load": os.getloadavg(), "processors": os.cpu_count()}
    for name, measure in parts.items():
        if options.part in (name, "all"):
            found[name] = measure(options)
    print(json.dumps(found, indent=2))
    if options.out:
        options.out.write_text(json.dumps(found, indent=2) + "\n")


def cores(options: argparse.Namespace) -> dict[str, Any]:
    """Characters a second of processor time, one process and one thread."""
    documents = [Document(note.id, note.text) for note in notes("dev")]
    characters = sum(len(document.text) for document in documents)
    speeds = {}
    for preset in options.presets.split(","):
        pipeline = Pipeline(preset, KEY.encode(), threads=1)
        rates = []
        failed = 0
        with collecting_seldom():  # as a run over files does
            for _ in range(options.rounds + 3):  # the first rounds read data and compile rules
                began = time.process_time()
                for start in range(0, len(documents), BATCH):
                    outcomes = pipeline.deid(documents[start : start + BATCH])
                    failed += sum(isinstance(outcome, Failure) for outcome in outcomes)
                rates.append(characters / (time.process_time() - began))
        speeds[preset] = {
            "best": round(max(rates[3:])),
            "median": round(statistics.median(rates[3:])),
            "failed": failed,
        }
    return speeds


def engines(options: argparse.Namespace) -> dict[str, Any]:
    """The same rows from both engines, and what they took."""
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    policy = options.policy or "rules"
    texts = [note.text for note in notes("dev")]
    rows = [
        {"id": f"n{number}", "patient_id": f"p{number % 997}", "text": text}
        for number, text in enumerate(islice(cycle(texts), options.notes))
    ]
    characters = sum(len(row["text"]) for row in rows)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "key").write_text(KEY)
        (folder / "notes").mkdir()
        for part in range(WORKERS * 4):  # tasks for Spark; the local engine reads file by file
            table = pa.Table.from_pylist(rows[part :: WORKERS * 4])
            pq.write_table(table, folder / "notes" / f"{part}.parquet")
        took = {}
        for engine in ("local", "spark"):
            told = folder / f"{engine}.json"
            command = ["deid", str(folder / "notes"), "-o", str(folder / engine)]
            command += ["--policy", policy, "--key-file", str(folder / "key"), "--quiet"]
            command += ["--workers", str(WORKERS), "--engine", engine, "--summary", str(told)]
            subprocess.run(
                [sys.executable, "-m", "incognote", *command], check=True, stderr=subprocess.DEVNULL
            )
            took[engine] = json.loads(told.read_text())
        columns = ["id", "patient_id", "text"]
        ours = ds.dataset(folder / "local", format="parquet", exclude_invalid_files=True)
        theirs = ds.dataset(folder / "spark" / "rows", format="parquet")
        same = sorted(map(str, ours.to_table(columns).to_pylist())) == sorted(
            map(str, theirs.to_table(columns).to_pylist())
        )
    work = {
        "local": took["local"]["elapsed_seconds"],
        "spark": took["spark"]["seconds_by_stage"]["deid"],
    }
    return {
        "policy": policy,
        "notes": len(rows),
        "characters": characters,
        "rows_are_equal": same,
        "seconds": work,
        "spark_start_seconds": took["spark"]["seconds_by_stage"]["start"],
        "characters_a_second": {name: round(characters / spent) for name, spent in work.items()},
    }


@dataclass(slots=True)
class Answers:
    """What callers got: statuses (0: no answer) and the seconds that answers took."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    def summary(self) -> dict[str, Any]:
        good = sorted(self.seconds)
        return {
            "statuses": {str(status): n for status, n in sorted(self.statuses.items())},
            "lost": self.statuses[0],
            "median_ms": round(1000 * statistics.median(good), 1) if good else None,
            "p95_ms": round(1000 * good[len(good) * 95 // 100], 1) if good else None,
        }


def serve(options: argparse.Namespace) -> dict[str, Any]:
    with _service(options.policy or "fast") as (port, process):
        return asyncio.run(_load(port, process, options.seconds, options.requests))


async def _load(port: int, process: int, seconds: float, requests: int) -> dict[str, Any]:
    body = _body()
    before = _memory(process)
    spent = _spent(process)
    full, most = await _closed(port, body, seconds)
    spent = _spent(process) - spent
    steady = await _open(port, body, STEADY_RATE, seconds)
    over = await _open(port, body, OVERLOAD * most, min(seconds, 5.0))
    memory = [_memory(process)]
    for _ in range(10):
        await _many(port, body, requests // 10)
        memory.append(_memory(process))
    return {
        "requests_a_second": round(most, 1),
        "requests_a_processor_second": round(full.statuses[200] / spent, 1),
        "at_full_load": full.summary(),
        f"at_{STEADY_RATE:g}_a_second": steady.summary(),
        "at_ten_times_the_load": over.summary(),
        "memory_mb": {"before": before, "over_requests": memory, "requests": requests},
    }


async def _closed(port: int, body: bytes, seconds: float) -> tuple[Answers, float]:
    """Callers that ask again as soon as they are answered."""
    answers = Answers()
    end = time.perf_counter() + seconds

    async def caller() -> None:
        while time.perf_counter() < end:
            await _ask(port, body, answers)

    began = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    return answers, answers.statuses[200] / (time.perf_counter() - began)


async def _open(port: int, body: bytes, rate: float, seconds: float) -> Answers:
    """Callers that come at their own pace, answered or not."""
    answers = Answers()
    began = time.perf_counter()
    asked: list[Awaitable[None]] = []
    for number in range(int(rate * seconds)):
        wait = began + number / rate - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        asked.append(asyncio.ensure_future(_ask(port, body, answers)))
    await asyncio.gather(*asked)
    return answers


async def _many(port: int, body: bytes, count: int) -> None:
    answers = Answers()
    for start in range(0, count, CALLERS):
        several = range(start, min(start + CALLERS, count))
        await asyncio.gather(*(_ask(port, body, answers) for _ in several))
    assert answers.statuses[200] == count, answers.statuses


async def _ask(port: int, body: bytes, answers: Answers) -> None:
    began = time.perf_counter()
    status = 0
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(body)
        answer = await reader.read()
        status = int(answer.split(b" ", 2)[1])
        writer.close()
    except (OSError, IndexError, ValueError):
        pass  # counted as lost
    answers.statuses[status] += 1
    if status == 200:
        answers.seconds.append(time.perf_counter() - began)


def _body() -> bytes:
    text = "\n".join(note.text for note in notes("dev"))[:NOTE_CHARACTERS]
    said = json.dumps({"documents": [{"id": "1", "text": text}]}).encode()
    head = (
        "POST /v1/deid HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(said)}\r\n\r\n"
    )
    return head.encode() + said


@contextmanager
def _service(policy: str) -> Iterator[tuple[int, int]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "incognote", "serve", "--policy", policy]
    command += ["--port", str(port), "--workers", str(WORKERS)]
    process = subprocess.Popen(
        command,
        env={**os.environ, "INCOGNOTE_KEY": KEY},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + _START_SECONDS
        while not _is_up(port):
            if process.poll() is not None or time.monotonic() > end:
                raise SystemExit("the service did not start")
            time.sleep(0.2)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(60)


def _is_up(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def _family(process: int) -> Iterator[tuple[Path, dict[str, str]]]:
    """A process and its children, with what Linux says of each."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "status").read_text()
        except OSError:
            continue
        facts = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        if process in (int(facts["Pid"]), int(facts["PPid"])):
            yield folder, facts


def _memory(process: int) -> int:
    """Megabytes that a process and its children hold."""
    held = (facts.get("VmRSS", "0 kB") for _, facts in _family(process))
    return sum(int(each.split()[0]) for each in held) // 1024


def _spent(process: int) -> float:
    """Seconds of processor time that a process and its children have taken: other work on the
    machine hardly changes them."""
    stats = ((folder / "stat").read_text().rpartition(")")[2] for folder, _ in _family(process))
    ticks = sum(sum(map(int, each.split()[11:13])) for each in stats)
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
