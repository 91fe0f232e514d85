"""A cross-training on disk: cross.html with the matrix, the curves and the tests; the same as JSON
and CSV; what was said of each note in predictions/."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any

from incognote.evaluate.cross import ADDED, Cell, Difference, predictions
from incognote.evaluate.report import svg
from incognote.evaluate.report.html import figure, page, shaded, table

_SCORES = {
    "f1": "F1, words",
    "recall": "Recall, words",
    "precision": "Precision, words",
    "mention_f1": "F1, exact mentions with the right label",
}


def write_cross(
    folder: Path,
    cells: Sequence[Cell],
    learner: str,
    tokeniser: str,
    tests: Sequence[Difference] = (),
) -> Path:
    """cross.html with the matrix, the curves and the tests; the same in cross.json, cells also in
    cross.csv and, label by label, in labels.csv; what was said of each note in predictions/."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [cell.as_row() for cell in cells]
    labels = [
        {"train": c.train, "test": c.test, "share": c.share, "label": name} | counts.as_row()
        for c in cells
        for name, counts in sorted(c.labels.items())
    ]
    tested = [
        {"test": one.test, "train_a": one.a, "train_b": one.b}
        | asdict(one.result)
        | {"difference": one.result.difference}
        for one in tests
    ]
    about = {"learner": learner, "tokeniser": tokeniser, "cells": rows, "tests": tested}
    (folder / "cross.json").write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    _write_csv(folder / "cross.csv", rows)
    _write_csv(folder / "labels.csv", labels)
    _write_csv(folder / "tests.csv", tested)
    _write_predictions(folder / "predictions", cells)
    written = folder / "cross.html"
    written.write_text(_page(cells, learner, tokeniser, tests), "utf-8")
    return written


def _write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    if not rows:
        return
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _write_predictions(folder: Path, cells: Sequence[Cell]) -> None:
    """As `evaluate` reads them: `evaluate GOLD predictions/a-on-b.jsonl`."""
    folder.mkdir(exist_ok=True)
    for cell in cells:
        part = "" if cell.share == 1 else f"-{100 * cell.share:g}"
        name = f"{cell.train.replace(ADDED, '+')}-on-{cell.test}{part}.jsonl"
        with (folder / name).open("w", encoding="utf-8") as out:
            for doc in predictions(cell):
                spans = [
                    {"start": s.start, "end": s.end, "label": s.label, "score": s.score}
                    for s in doc.spans
                ]
                out.write(json.dumps({"id": doc.id, "spans": spans}) + "\n")


def _page(cells: Sequence[Cell], learner: str, tokeniser: str, tests: Sequence[Difference]) -> str:
    single = [cell for cell in cells if ADDED not in cell.train]
    names = list(dict.fromkeys(cell.test for cell in single))
    largest = max(cell.share for cell in single)
    full = {(c.train, c.test): c for c in single if c.share == largest}
    tables = "".join(
        f"<h3>{title}</h3>" + _matrix(names, {key: c.as_row()[score] for key, c in full.items()})
        for score, title in _SCORES.items()
    )
    plots = "".join(
        figure(
            _curves([c for c in cells if c.test == test], test),
            f"Tested on {test}; one line for each training corpus.",
        )
        for test in names
        if len({c.share for c in cells}) > 1
    )
    curves = f"<h2>Growing parts of the training notes</h2><div class=grid>{plots}</div>"
    return page(
        "Cross-training",
        f"<p class=soft>Learner: {escape(learner)}. Words ({escape(tokeniser)} tokeniser), PHI or "
        "not, and exact mentions. Rows are trained on, columns tested on; corpora that share "
        "documents, as each with itself, are cross-validated by patient, or tested on their fixed "
        "split.</p>"
        f"<h2>Every corpus against every other</h2>{tables}{curves if plots else ''}"
        f"{_tests_table(tests)}",
    )


def _tests_table(tests: Sequence[Difference]) -> str:
    """Only what may be no chance: the files have all."""
    rows = [
        [
            one.test,
            one.result.subset,
            one.result.metric,
            f"{one.a}: {one.result.a:.4f}",
            f"{one.b}: {one.result.b:.4f}",
            f"{one.result.p:.4f}",
            f"{one.result.adjusted:.4f}",
        ]
        for one in tests
        if one.result.adjusted <= 0.05
    ]
    if not tests:
        return ""
    heads = ["tested on", "label", "score", "trained on", "or on", "p", "p, corrected"]
    return (
        f"<h2>Differences</h2><p class=soft>{len(tests):,} tests, approximate randomisation by "
        f"note, exact mentions, Bonferroni's correction over all of them; {len(rows):,} differ.</p>"
        + (table(heads, rows) if rows else "")
    )


def _matrix(names: Sequence[str], values: Mapping[tuple[str, str], float]) -> str:
    rows = [
        (
            train,
            [(f"{values[train, test]:.4f}", "good", 0.5 * values[train, test]) for test in names],
        )
        for train in names
    ]
    return shaded(["trained on", *names], rows)


def _curves(cells: Sequence[Cell], test: str) -> str:
    lines: dict[str, list[tuple[float, float]]] = {}
    for cell in sorted(cells, key=lambda one: one.share):
        lines.setdefault(cell.train, []).append((cell.share, cell.f1))
    return svg.lines(lines, "share of the training notes", f"F1 on {test}")
