"""Estimates the weights of the names detector from annotated notes and prints them beside today's.

    python tools/fit_names.py data/train.jsonl --hold-out w6,w11,w17,w21,w24

A logistic regression over the evidence of every run of words that may be a name. What it prints is
a proposal for src/incognote/detect/names/weights.toml: a person rounds, reads and writes it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from incognote.core.types import Document, Span
from incognote.detect.names.evidence import evidence_of, weights
from incognote.detect.names.facts import Facts
from incognote.detect.names.initials import find_initials
from incognote.detect.names.page import Page
from incognote.detect.names.runs import find_runs
from incognote.policy import load_policy
from incognote.prepare import prepare

PEOPLE = ("PATIENT", "DOCTOR")
STEPS = 1500
RATE = 0.05


def examples(path: Path, held_out: set[str]) -> Iterator[tuple[list[str], bool, str]]:
    """For each run: its evidence, whether gold calls it a name, and whose."""
    facts = Facts()
    rules = load_policy("everything").prepare
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["id"].partition("_")[0] in held_out:
            continue
        gold = {
            at: span["type"]
            for span in row["spans"]
            if span["type"] in PEOPLE
            for at in range(span["start"], span["end"])
        }
        for view in prepare(Document(row["id"], row["text"]), rules):
            page = Page(view, facts)
            runs = list(find_runs(page))
            taken = {at for run in runs for at in range(run.first, run.stop)}
            runs += [run for run in find_initials(page, ()) if run.first not in taken]
            for run in runs:
                found = Span(page.starts[run.first], page.ends[run.stop - 1], "PATIENT")
                span = view.to_source(found)
                covered = sum(at in gold for at in range(span.start, span.end)) / span.length
                whose = gold.get(span.start) or gold.get(span.end - 1) or ""
                yield evidence_of(page, run), covered > 0.5, whose


def fit(
    matrix: NDArray[np.float32], wanted: NDArray[np.float64], penalty: float
) -> tuple[NDArray[np.float64], float]:
    """Logistic regression with a small ridge penalty, by Adam; the last weight is the bias."""
    with_bias = np.hstack([matrix, np.ones((len(matrix), 1), np.float32)])
    weight = np.zeros(with_bias.shape[1])
    mean, spread = np.zeros_like(weight), np.zeros_like(weight)
    for step in range(1, STEPS + 1):
        chance = 1 / (1 + np.exp(-(with_bias @ weight)))
        slope = with_bias.T @ (chance - wanted) / len(wanted)
        slope[:-1] += penalty * weight[:-1]
        mean = 0.9 * mean + 0.1 * slope
        spread = 0.999 * spread + 0.001 * slope**2
        weight -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.999**step)) + 1e-8)
    return weight[:-1], float(weight[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--hold-out", default="", help="groups to leave out, by prefix of id")
    parser.add_argument("--penalty", type=float, default=5e-5)
    options = parser.parse_args()
    rows = list(examples(options.notes, set(options.hold_out.split(","))))
    names = sorted({name for evidence, _, _ in rows for name in evidence})
    column = {name: at for at, name in enumerate(names)}
    matrix = np.zeros((len(rows), len(names)), np.float32)
    for at, (evidence, _, _) in enumerate(rows):
        matrix[at, [column[name] for name in evidence]] = 1
    is_name = np.array([row[1] for row in rows], np.float64)
    weight, bias = fit(matrix, is_name, options.penalty)
    people = [at for at, row in enumerate(rows) if row[1] and row[2]]
    is_staff = np.array([rows[at][2] == "DOCTOR" for at in people], np.float64)
    staff, staff_bias = fit(matrix[people], is_staff, 1e-3)
    print(f"threshold = {-bias:.1f}\nstaff_bias = {staff_bias:.1f}\n")
    print(f"{'evidence':24} {'today':>6} {'fit':>6} {'staff':>6} {'runs':>7}")
    for name in sorted(names, key=lambda name: -weight[column[name]]):
        at = column[name]
        today = weights().weight.get(name, 0.0)
        count = int(matrix[:, at].sum())
        print(f"{name:24} {today:6.1f} {weight[at]:6.1f} {staff[at]:6.1f} {count:7,}")


if __name__ == "__main__":
    main()
