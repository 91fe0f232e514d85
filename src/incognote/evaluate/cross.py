"""Does a detector trained on one corpus serve another? Every corpus against every other.

Within a corpus the answer comes from folds that share no patient; between corpora, from training on
all of one and testing on all of the other, unless they share documents. Growing parts of a training
corpus show how many notes are enough. What learns is the caller's: this module only deals the notes
and counts.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document
from incognote.evaluate import svg
from incognote.evaluate.html import figure, page, shaded
from incognote.evaluate.pairs import Pair, pair
from incognote.evaluate.scores import Counts
from incognote.evaluate.tokens import DEFAULT
from incognote.evaluate.words import word_table

Tagger = Callable[[Sequence[Document]], list[AnnotatedDocument]]
Learner = Callable[[Sequence[AnnotatedDocument]], Tagger]

FOLDS = 10


@dataclass(frozen=True, slots=True)
class Cell:
    """Trained on so many notes of one corpus, tested on another (or on its own folds)."""

    train: str
    test: str
    share: float
    notes: int
    precision: float
    recall: float
    f1: float


def cross(
    corpora: Mapping[str, Sequence[AnnotatedDocument]],
    learn: Learner,
    *,
    folds: int = FOLDS,
    shares: Sequence[float] = (1.0,),
    tokeniser: str = DEFAULT,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Cell]:
    """A cell for each training corpus, share of it, and test corpus. Words, PHI or not."""
    if folds < 2:
        raise UsageError("cross-validation needs at least two folds")
    return list(_cells(corpora, learn, folds, sorted(shares), tokeniser, progress))


def _cells(
    corpora: Mapping[str, Sequence[AnnotatedDocument]],
    learn: Learner,
    folds: int,
    shares: Sequence[float],
    tokeniser: str,
    progress: Callable[[str], None],
) -> Iterator[Cell]:
    for name, documents in corpora.items():
        order = _shuffled(documents)
        for share in shares:
            for other, test in corpora.items():
                progress(f"{name} ({share:.0%}) on {other}")
                pairs = _tested(order, share, test, learn, folds)
                yield _cell(name, other, share, len(_part(order, share)), pairs, tokeniser)


def _part(documents: Sequence[AnnotatedDocument], share: float) -> Sequence[AnnotatedDocument]:
    return documents[: max(2, round(share * len(documents)))]


def _tested(
    order: Sequence[AnnotatedDocument],
    share: float,
    test: Sequence[AnnotatedDocument],
    learn: Learner,
    folds: int,
) -> list[Pair]:
    """Corpora that share documents (a corpus and itself, or one made from the other) are tested
    in folds: no document is on both sides. Whatever the share to learn from, all are tested."""
    by_id = {doc.id: doc for doc in test}
    if not by_id.keys() & {doc.id for doc in order}:
        return _tagged(learn(_part(order, share)), test)
    return [
        found
        for train, held in _folds(order, folds)
        for found in _tagged(
            learn(_part(train, share)), [by_id[doc.id] for doc in held if doc.id in by_id]
        )
    ]


def _tagged(tagger: Tagger, test: Sequence[AnnotatedDocument]) -> list[Pair]:
    return pair(test, tagger([doc.document for doc in test])) if test else []


def _cell(
    train: str, test: str, share: float, notes: int, pairs: Sequence[Pair], tokeniser: str
) -> Cell:
    counts: Counts = word_table(pairs, tokeniser).counts()
    return Cell(train, test, share, notes, counts.precision, counts.recall, counts.f1)


def _shuffled(documents: Sequence[AnnotatedDocument]) -> list[AnnotatedDocument]:
    """The same random order on every machine; notes of one patient stay together."""
    return sorted(documents, key=lambda doc: (_drawn(_patient(doc)), doc.id))


def _patient(doc: AnnotatedDocument) -> str:
    return doc.document.patient_id or f"document {doc.id}"


def _drawn(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def _folds(
    documents: Sequence[AnnotatedDocument], folds: int
) -> Iterator[tuple[list[AnnotatedDocument], list[AnnotatedDocument]]]:
    patients = sorted({_patient(doc) for doc in documents}, key=_drawn)
    if len(patients) < 2:
        raise UsageError("cross-validation needs notes of at least two patients")
    fold_of = {patient: number % folds for number, patient in enumerate(patients)}
    for fold in range(min(folds, len(patients))):
        train = [doc for doc in documents if fold_of[_patient(doc)] != fold]
        test = [doc for doc in documents if fold_of[_patient(doc)] == fold]
        yield train, test


def write_cross(folder: Path, cells: Sequence[Cell], learner: str, tokeniser: str) -> Path:
    """cross.html with the matrix and the curves, cross.json and cross.csv."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [asdict(cell) for cell in cells]
    about = {"learner": learner, "tokeniser": tokeniser, "cells": rows}
    (folder / "cross.json").write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    with (folder / "cross.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    page = folder / "cross.html"
    page.write_text(_page(cells, learner, tokeniser), "utf-8")
    return page


def _page(cells: Sequence[Cell], learner: str, tokeniser: str) -> str:
    names = list(dict.fromkeys(cell.train for cell in cells))
    largest = max(cell.share for cell in cells)
    full = {(c.train, c.test): c for c in cells if c.share == largest}
    tables = "".join(
        f"<h3>{title}</h3>" + _matrix(names, {key: getattr(c, metric) for key, c in full.items()})
        for metric, title in (("f1", "F1"), ("recall", "Recall"), ("precision", "Precision"))
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
        "not. Rows are trained on, columns tested on; corpora that share documents, as each with "
        "itself, are cross-validated by patient.</p>"
        f"<h2>Every corpus against every other</h2>{tables}{curves if plots else ''}",
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
