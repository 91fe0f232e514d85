"""A machine of many cores, perhaps with a GPU: what workers of one run reach there.

    python -m bench.machine [--workers N] [--notes N] [--corpus dev]

Prints what the machine is, and then, each line as soon as it is known:

- rules: one process alone, half as many and as many independent processes as workers, each with
  files of its own, beside one run with `--workers`. Where half as many processes are as fast
  together as all, the processors are hardware threads and not cores. Both must write the same
  bytes.
- the default policy with all workers, on the GPU where there is one; the share of words that get
  the same label as from one worker on the CPU, and whether one worker on the GPU says the same as
  all.

All runs are those of the command line, with what it takes to start them; the speed without that
is beside. Needs nothing that incognote does not need itself, and torch for the GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path
from typing import IO, Any

from bench.notes import ROOT, notes

KEY = "three grey geese in a green field, 77"
LIMIT_SECONDS = 150  # of one run; a machine on loan goes back
ROUNDS = 2
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--notes", type=int, default=1_500, help="for each worker")
    parser.add_argument("--corpus", default="dev")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    say("machine", _machine())
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(Path(place), options.workers)
        bench.write_notes(options.corpus, options.notes)
        for _ in range(options.rounds):
            bench.rules()
        bench.default()
        bench.labels()


def say(name: str, found: Any) -> None:
    print(json.dumps({name: found}), flush=True)


def _machine() -> dict[str, Any]:
    lines = []
    if shutil.which("lscpu"):
        told = subprocess.run(["lscpu"], capture_output=True, text=True, check=False).stdout
        lines = [line for line in told.splitlines() if not line.startswith(("Flags", "Vuln"))]
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    installed = {name: find_spec(name) is not None for name in ("re2", "py3langid", "torch")}
    return {"lscpu": lines, "may_use": len(cores), "load": os.getloadavg(), "has": installed}


@dataclass(slots=True)
class Bench:
    """The runs over notes in `folder`, a file for each worker."""

    folder: Path
    workers: int
    characters: int = 0

    @property
    def parts(self) -> list[Path]:
        return [self.folder / "notes" / f"{number:02}.jsonl" for number in range(self.workers)]

    def write_notes(self, corpus: str, count: int) -> None:
        texts = [note.text for note in notes(corpus)]
        (self.folder / "key").write_text(KEY)
        (self.folder / "notes").mkdir()
        for number, part in enumerate(self.parts):
            chosen = islice(cycle(texts), number, number + count)
            with part.open("w") as lines:
                for place, text in enumerate(chosen):
                    self.characters += len(text)
                    lines.write(json.dumps({"id": f"{number}-{place}", "text": text}) + "\n")
        say("notes", {"notes": count * self.workers, "characters": self.characters})

    def rules(self) -> None:
        speeds = {}
        for processes in (1, max(1, self.workers // 2), self.workers):
            began = time.perf_counter()
            outs = [self.folder / f"alone{number}" for number in range(processes)]
            started = [
                start(self._deid(part, out, 1, "--policy", "rules"))
                for part, out in zip(self.parts, outs, strict=False)
            ]
            finish(started)
            speeds[f"{processes} independent"] = self._speed(outs, time.perf_counter() - began)
        began = time.perf_counter()
        together = self.folder / "together"
        notes_folder = self.folder / "notes"
        finish([start(self._deid(notes_folder, together, self.workers, "--policy", "rules"))])
        speeds[f"--workers {self.workers}"] = self._speed([together], time.perf_counter() - began)
        same = all(
            (self.folder / f"alone{number}" / part.name).read_bytes()
            == (together / part.name).read_bytes()
            for number, part in enumerate(self.parts)
        )
        say("rules", {**speeds, "same_bytes": same})

    def default(self) -> None:
        out = self.folder / "default"
        began = time.perf_counter()
        with gpu_share() as busy:
            finish([start(self._deid(self.folder / "notes", out, self.workers))])
        speed = self._speed([out], time.perf_counter() - began)
        say("default", {**speed, "gpu_busy_percent": busy})

    def labels(self) -> None:
        """One worker on the CPU, one and all with what the machine has: the same labels?"""
        texts = self.folder / "texts"
        texts.mkdir()
        for corpus in ("dev", "unseen"):
            rows = [json.dumps({"id": note.id, "text": note.text}) for note in notes(corpus)]
            (texts / f"{corpus}.jsonl").write_text("\n".join(rows) + "\n")
        ways: dict[str, tuple[int, dict[str, str]]] = {
            "cpu": (1, NO_GPU),
            "one": (1, {}),
            "all": (self.workers, {}),
        }
        for way, (workers, environment) in ways.items():
            out = str(self.folder / f"{way}.jsonl")
            command = ["detect", str(texts), "-o", out, "--workers", str(workers), "--quiet"]
            finish([start(command, environment)])
        cpu, one, all_ = (self._words(way) for way in ways)
        same = sum(cpu[word] == all_.get(word) for word in cpu)
        found = {"words": len(cpu), "same_as_one_cpu_worker": round(same / len(cpu), 5)}
        say("labels", {**found, "one_worker_as_all": one == all_})

    def _words(self, way: str) -> dict[tuple[int, int], frozenset[str]]:
        """The labels of each word of the texts that could be read, by text and place."""
        texts = [note.text for corpus in ("dev", "unseen") for note in notes(corpus)]
        rows = [json.loads(line) for line in (self.folder / f"{way}.jsonl").open()]
        return {
            (number, word.start()): frozenset(
                span["label"]
                for span in row["spans"]
                if span["start"] < word.end() and word.start() < span["end"]
            )
            for number, (text, row) in enumerate(zip(texts, rows, strict=True))
            if row["spans"] is not None
            for word in re.finditer(r"\S+", text)
        }

    def _deid(self, notes_at: Path, out: Path, workers: int, *more: str) -> list[str]:
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        target = out if notes_at.is_dir() else out / notes_at.name
        command = ["deid", str(notes_at), "-o", str(target), "--workers", str(workers), "--quiet"]
        return [*command, "--key-file", str(self.folder / "key"), "--summary", f"{out}.json", *more]

    def _speed(self, outs: Sequence[Path], seconds: float) -> dict[str, Any]:
        """Characters a second by the clock, and what the runs themselves say, without starting."""
        told = [json.loads(Path(f"{out}.json").read_text()) for out in outs]
        characters = sum(one["characters"] for one in told)
        return {
            "seconds": round(seconds, 1),
            "characters_a_second": round(characters / seconds),
            "started": round(characters / max(one["elapsed_seconds"] for one in told)),
            "quarantined": sum(one["quarantined"] for one in told),
        }


@dataclass(frozen=True, slots=True)
class Started:
    process: subprocess.Popen[bytes]
    said: IO[str]


def start(command: Sequence[str], environment: dict[str, str] | None = None) -> Started:
    path = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH"))))
    settings = {**os.environ, "PYTHONPATH": path, **(environment or {})}
    whole = [sys.executable, "-m", "incognote", *command]
    # A file: a pipe that is not read would block.
    said = tempfile.TemporaryFile("w+")  # noqa: SIM115 - read when the run is over
    process = subprocess.Popen(whole, env=settings, stdout=subprocess.DEVNULL, stderr=said)
    return Started(process, said)


def finish(runs: Sequence[Started]) -> None:
    end = time.monotonic() + LIMIT_SECONDS
    try:
        for run in runs:
            code = run.process.wait(max(0.1, end - time.monotonic()))
            if code not in (0, 3):  # 3: done, with something in quarantine, which is counted
                run.said.seek(0)
                raise SystemExit(f"a run ended with {code}: {run.said.read()[-2000:]}")
    finally:
        for run in runs:
            run.process.kill()
            run.said.close()


@contextmanager
def gpu_share() -> Iterator[list[float]]:
    """The share of the time in which the GPU had work; filled in at the end, where there is one."""
    found: list[float] = []
    if not shutil.which("nvidia-smi") or find_spec("torch") is None:
        yield found
        return
    from bench.gpu import Watch

    with Watch() as watch:
        yield found
    working = [share for share in watch.seen if share]
    found += [round(sum(working) / max(1, len(working)), 1), max(watch.seen, default=0)]


if __name__ == "__main__":
    main()
