"""The same notes as text, CSV, Parquet, JSON Lines, NDJSON and HL7: speed, memory at any size.

    python -m bench.streams speed [--policy rules] [--rounds 5]
    python -m bench.streams size FORMAT [--megabytes 1000] [--policy bench/keep.toml] [--workers 2]

`speed` runs `deid` over the same notes in each format, format after format and round by round, so
that whatever else the machine does falls on all alike; it counts processor time, and medians.
It counts characters of the notes, to which what a format wraps around them is a cost, and bytes of
the file, to which it is a part of the work.

`size` makes a file of so many megabytes, runs `deid` over it and reports the most memory that the
run and its workers held together.
"""

from __future__ import annotations

import argparse
import base64
import csv
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count, cycle
from pathlib import Path
from threading import Event, Thread
from typing import BinaryIO

from bench.notes import notes
from incognote.engine.local import deid
from incognote.engine.settings import Settings
from incognote.policy import load_policy

Note = tuple[str, str, str]  # id, patient, text
KEY = b"a key for measuring, and nothing else"


def as_csv(note: Note) -> bytes:
    row = io.StringIO()
    csv.writer(row, lineterminator="\n").writerow(note)
    return row.getvalue().encode()


def as_jsonl(note: Note) -> bytes:
    return json.dumps(dict(zip(("id", "patient_id", "text"), note, strict=True))).encode() + b"\n"


def as_ndjson(note: Note) -> bytes:
    own, patient, text = note
    body = {"contentType": "text/plain", "data": base64.b64encode(text.encode()).decode()}
    resource = {
        "resourceType": "DocumentReference",
        "id": own,
        "status": "current",
        "subject": {"reference": f"Patient/{patient}"},
        "content": [{"attachment": body}],
    }
    return json.dumps(resource).encode() + b"\n"


def as_hl7(note: Note) -> bytes:
    """A report as laboratories send it: who it is about, and a segment for each of its lines."""
    own, patient, text = note
    escaped = text.replace("\\", "\\E\\").replace("|", "\\F\\").replace("^", "\\S\\")
    escaped = escaped.replace("&", "\\T\\").replace("~", "\\R\\")
    segments = [
        f"MSH|^~\\&|LAB|FENWICK|EHR|FENWICK|20240311101500||ORU^R01|{own}|P|2.5.1",
        f"PID|1||{patient}^^^FENWICK^MR||OKONKWO^ADAEZE||19580214|F|||14 LARKSPUR LN^^MILLBROOK^CT",
        f"OBR|1||{own}|11506-3^Progress note^LN|||20240311",
        *(
            f"OBX|{number}|TX|11506-3^Progress note^LN||{line}||||||F"
            for number, line in enumerate(escaped.splitlines(), 1)
        ),
    ]
    return "".join(segment + "\r" for segment in segments).encode()


Write = Callable[[Note], object]


@contextmanager
def as_rows(out: BinaryIO, row: Callable[[Note], bytes], head: bytes = b"") -> Iterator[Write]:
    out.write(head)
    yield lambda note: out.write(row(note))


@contextmanager
def as_parquet(out: BinaryIO) -> Iterator[Write]:
    """One row group for a million rows, as pandas writes them: nothing a reader could hold."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(name, pa.string()) for name in ("id", "patient_id", "text")])

    def add(note: Note) -> None:
        waiting.append(note)
        if len(waiting) == 500:
            flush()

    def flush() -> None:
        columns = [list(column) for column in zip(*waiting, strict=True)] or [[], [], []]
        writer.write_batch(pa.record_batch(columns, schema=schema), row_group_size=1 << 20)
        waiting.clear()

    waiting: list[Note] = []
    # Not packed, so that a gigabyte of file is a gigabyte of notes, as in the other formats.
    options = {"compression": "none", "use_dictionary": False}
    with pq.ParquetWriter(out, schema, **options) as writer:
        yield add
        flush()


FORMATS: dict[str, Callable[[BinaryIO], AbstractContextManager[Write]]] = {
    "csv": lambda out: as_rows(out, as_csv, b"id,patient_id,text\n"),
    "parquet": as_parquet,
    "jsonl": lambda out: as_rows(out, as_jsonl),
    "ndjson": lambda out: as_rows(out, as_ndjson),
    "hl7": lambda out: as_rows(out, as_hl7),
}


def endless(texts: Sequence[str]) -> Iterator[Note]:
    """The notes again and again, each time under another id; ten notes a patient."""
    for number, text in zip(count(), cycle(texts)):
        yield f"n{number}", f"p{number // 10}", text


def write(kind: str, path: Path, texts: Sequence[str], size: int) -> None:
    """A file of notes of at least `size` bytes, and of each note once."""
    written = 0
    with path.open("wb") as out, FORMATS[kind](out) as add:
        for number, note in enumerate(endless(texts), start=1):
            add(note)
            written += len(note[-1].encode())
            if number >= len(texts) and max(written, out.tell()) >= size:
                return


def speed(policy: str, rounds: int = 5, corpus: str = "dev") -> dict[str, dict[str, float]]:
    """Characters of notes and bytes of files a second, and both as a share of plain text."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    texts = [note.text for note in notes(corpus)] * 3
    characters = sum(map(len, texts))
    settings = Settings(load_policy(policy), KEY)
    found: dict[str, list[float]] = {kind: [] for kind in ("text", *FORMATS)}
    with tempfile.TemporaryDirectory() as folder:
        where = {kind: Path(folder) / f"notes.{kind}" for kind in found}
        where["text"].mkdir()
        for (own, _, text), _ in zip(endless(texts), texts, strict=False):
            (where["text"] / f"{own}.txt").write_text(text, "utf-8")
        for kind in FORMATS:
            write(kind, where[kind], texts, 0)
        for number in range(rounds + 1):
            for kind, path in where.items():
                out = Path(folder) / f"{kind}-{number}"
                began = time.process_time()
                summary = deid(str(path), f"{out}/", settings)
                seconds = time.process_time() - began
                assert not summary.quarantined
                if number:  # the first round loads what is loaded once
                    found[kind].append(seconds)
        sizes = {kind: path.stat().st_size for kind, path in where.items()}
    sizes["text"] = sum(len(text.encode()) for text in texts)
    medians = {kind: statistics.median(spent) for kind, spent in found.items()}
    return {
        kind: {
            "chars_per_s": characters / seconds,
            "bytes_per_s": sizes[kind] / seconds,
            "of_text": medians["text"] / seconds,
            "of_text_by_bytes": sizes[kind] / seconds / (sizes["text"] / medians["text"]),
        }
        for kind, seconds in medians.items()
    }


def size(kind: str, megabytes: int, policy: str, workers: int, folder: Path) -> dict[str, float]:
    """`deid` over one large file: seconds, megabytes a second and the most memory held."""
    path, out = folder / f"large.{kind}", folder / f"clean.{kind}"
    write(kind, path, [note.text for note in notes("train")], megabytes * 1_000_000)
    command = [sys.executable, "-m", "incognote", "deid", str(path), "-o", str(out)]
    began = time.monotonic()
    run = subprocess.Popen(
        [*command, "--policy", policy, "--workers", str(workers)],
        env={**os.environ, "INCOGNOTE_KEY": KEY.decode()},
    )
    peak, done = [0], Event()
    watcher = Thread(target=_watch, args=(run.pid, peak, done))
    watcher.start()
    code = run.wait()
    done.set()
    watcher.join()
    seconds = time.monotonic() - began
    return {
        "exit": code,
        "megabytes": path.stat().st_size / 1e6,
        "written": out.stat().st_size / 1e6,
        "seconds": seconds,
        "mb_per_s": path.stat().st_size / 1e6 / seconds,
        "peak_mb": peak[0] / 1e6,
    }


def _watch(pid: int, peak: list[int], done: Event) -> None:
    while not done.wait(0.25):
        peak[0] = max(peak[0], sum(_resident(each) for each in (pid, *_children(pid))))


def _children(pid: int) -> list[int]:
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [own for child in map(int, listed) for own in (child, *_children(child))]


def _resident(pid: int) -> int:
    """Memory of a process in bytes; shared pages count for each process that has them."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m bench.streams", description=__doc__, formatter_class=as_written
    )
    parser.add_argument("what", choices=("speed", "size"))
    parser.add_argument("format", nargs="?", choices=FORMATS, help="for size")
    parser.add_argument("--policy", default="rules", help="a preset or a TOML file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the large files go (default: temporary)")
    options = parser.parse_args()
    if options.what == "speed":
        print(json.dumps(speed(options.policy, options.rounds)))
        return
    if options.format is None:
        parser.error("size needs a format")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = size(
            options.format, options.megabytes, options.policy, options.workers, Path(folder)
        )
    print(json.dumps(found))


if __name__ == "__main__":
    main()
