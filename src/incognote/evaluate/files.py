"""A measurement on disk: report.html, scores.json, scores.csv and slices.csv in one folder."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from incognote.evaluate.measure import Json
from incognote.evaluate.report.page import render

_COLUMNS = ("tp", "fp", "fn", "precision", "recall", "f1", "f2")


def write_report(
    folder: Path, measured: Json, title: str, comparison: Json | None = None
) -> list[Path]:
    """Writes the files and names them."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "report.html"
    page.write_text(render(measured, title, comparison), "utf-8")
    everything = folder / "scores.json"
    whole = measured if comparison is None else measured | {"comparison": comparison}
    everything.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")
    scores, slices = folder / "scores.csv", folder / "slices.csv"
    _write_csv(scores, ("unit", "match", "subset", *_COLUMNS), _score_rows(measured))
    _write_csv(slices, ("factor", "kind", "words", "missed", "recall"), _slice_rows(measured))
    return [page, everything, scores, slices]


def _score_rows(measured: Json) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []

    def add(unit: str, match: str, subset: str, scores: Json) -> None:
        rows.append((unit, match, subset, *(scores[column] for column in _COLUMNS)))

    for subset, scores in measured["words"].items():
        add("word", "PHI or not", subset, scores)
        add("word", "typed", subset, scores["typed"])
    for mode, kinds in measured["spans"].items():
        for kind, name in (("typed", "typed"), ("phi", "PHI or not")):
            for subset, scores in kinds[kind].items():
                if not subset.startswith("macro"):
                    add("mention", f"{mode}, {name}", subset, scores)
    for label, kinds in measured["labels"].items():
        add("word", "PHI or not", label, kinds["words"])
        for mode in measured["spans"]:
            add("mention", f"{mode}, typed", label, kinds[mode])
    return rows


def _slice_rows(measured: Json) -> list[tuple[object, ...]]:
    errors = measured["errors"]
    rows: list[tuple[object, ...]] = [
        (factor, kind, row["words"], row["missed"], row["recall"])
        for factor, kinds in errors["breakdowns"].items()
        for kind, row in kinds.items()
    ]
    rows += [
        ("note type", name, row["phi"], row["missed"], row["recall"])
        for name, row in errors["note_types"].items()
    ]
    return rows


def _write_csv(path: Path, heads: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(heads)
        writer.writerows(rows)
