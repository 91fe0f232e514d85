"""`python -m bench.release`: what a million rows cost, and what the cube gains over cells.

Every line runs in a process of its own, on one core, in processor time and at its largest memory.
The rows are drawn at random: six attributes, as many kinds of people as persons.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from incognote.anonymize import mondrian
from incognote.anonymize.counts.histogram import cells_of, cube_of
from incognote.risk import singling_out

ROWS, K, SEED = 1_000_000, 11, 1
ADULT = Path("../shared/data/adult/mondrian/adult.data")
_RUNS, _RANGES = 10, 300


def people() -> dict[str, Any]:
    chance = np.random.default_rng(SEED)
    return {
        "age": chance.integers(0, 100, ROWS),
        "sex": chance.integers(0, 2, ROWS),
        "zip": chance.integers(0, 900, ROWS),
        "education": chance.integers(0, 16, ROWS),
        "ethnicity": chance.integers(0, 5, ROWS),
        "hours": np.clip(chance.normal(40, 12, ROWS), 1, 99).astype(np.int64),
    }


def _strict() -> str:
    return f"smallest class {mondrian(people(), list(people()), K).utility.smallest}"


def _relaxed() -> str:
    found = mondrian(people(), list(people()), K, mode="relaxed")
    return f"smallest class {found.utility.smallest}"


def _risk() -> str:
    return f"{singling_out(people(), list(people())).classes.uniques:.1%} are alone"


WORK: Mapping[str, Callable[[], str]] = {
    "Mondrian, strict": _strict,
    "Mondrian, relaxed": _relaxed,
    "risk": _risk,
}


def _measured(name: str, answers: Any) -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    began = time.process_time()
    said = WORK[name]()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    answers.put((time.process_time() - began, memory, said))


def cube_and_cells(epsilon: float) -> tuple[float, float]:
    """The mean error of random ranges of UCI Adult in 118,400 cells, over several runs."""
    true = np.zeros((74, 16, 100), np.int64)
    for line in ADULT.read_text("utf-8").splitlines():
        row = line.split(",")
        if len(row) > 12:
            true[int(row[0]) - 17, int(row[4]) - 1, min(int(row[12]), 99)] += 1
    chance = np.random.default_rng(SEED)
    errors = np.zeros(2)
    for _ in range(_RUNS):
        counts = cube_of(true, epsilon, None, 1)[0], cells_of(true, epsilon, None, 1)[0]
        for _ in range(_RANGES):
            ends = np.sort(chance.integers(0, true.shape, (2, 3)).T)
            box = tuple(slice(low, high + 1) for low, high in ends)
            errors += [abs(each[box].sum() - true[box].sum()) for each in counts]
    cube, cells = (errors / (_RUNS * _RANGES)).tolist()
    return cube, cells


def main() -> None:
    fresh = multiprocessing.get_context("spawn")
    for name in WORK:
        answers = fresh.Queue()
        process = fresh.Process(target=_measured, args=(name, answers))
        process.start()
        seconds, memory, said = answers.get()
        process.join()
        print(f"{name:<20}{seconds:6.1f} s {memory:6.2f} GB  {said}", flush=True)
    if ADULT.is_file():
        for epsilon in (1.0, 0.1):
            cube, cells = cube_and_cells(epsilon)
            print(f"ε {epsilon:g}: error of the cube {cube:.0f}, of cells {cells:.0f}", flush=True)


if __name__ == "__main__":
    main()
