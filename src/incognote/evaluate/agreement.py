"""Do annotators agree? Kappa over words, F1 over spans, and what is left to adjudicate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from incognote.core.types import AnnotatedDocument
from incognote.evaluate.pairs import Pair, pair
from incognote.evaluate.scores import ratio
from incognote.evaluate.spans import span_table
from incognote.evaluate.tokens import DEFAULT
from incognote.evaluate.words import WordTable, word_table


def kappa(both: int, only_one: int, only_other: int, neither: int) -> float:
    """Cohen's kappa of two yes-or-no judges from their agreement matrix."""
    total = both + only_one + only_other + neither
    observed = ratio(both + neither, total)
    one, other = ratio(both + only_one, total), ratio(both + only_other, total)
    chance = one * other + (1 - one) * (1 - other)
    # Two judges who both never (or always) say yes agree, though chance explains it all.
    return 1.0 if chance == 1 else (observed - chance) / (1 - chance)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of one pair of annotators. `matrix`: words both marked, only one, only the other, neither."""

    one: str
    other: str
    matrix: tuple[int, int, int, int]
    kappa: float
    kappa_labels: float
    kappa_by_label: Mapping[str, float]
    span_f1: float


@dataclass(frozen=True, slots=True)
class Dispute:
    """A place where annotators differ, for somebody to decide; `marks` are labels by annotator."""

    document_id: str
    start: int
    end: int
    marks: Mapping[str, tuple[str, ...]]


def agreement(
    annotators: Mapping[str, Sequence[AnnotatedDocument]], tokeniser: str = DEFAULT
) -> list[Agreement]:
    """Every pair of annotators. No label is neutral here: a clock time can be disputed too."""
    found = []
    for one, other in combinations(annotators, 2):
        pairs = pair(annotators[one], annotators[other], (one, other))
        found.append(_agreement(one, other, pairs, tokeniser))
    return found


def _agreement(one: str, other: str, pairs: list[Pair], tokeniser: str) -> Agreement:
    table = word_table(pairs, tokeniser, neutral=())
    gold, pred = table.gold > 0, table.pred > 0
    matrix = _matrix(gold, pred)
    by_label = {
        name: kappa(*_matrix(table.gold == at, table.pred == at))
        for at, name in enumerate(table.labels)
        if at
    }
    f1 = span_table(pairs, neutral=()).counts("strict").f1
    return Agreement(one, other, matrix, kappa(*matrix), _kappa_labels(table), by_label, f1)


def _matrix(one: np.ndarray, other: np.ndarray) -> tuple[int, int, int, int]:
    return (
        int((one & other).sum()),
        int((one & ~other).sum()),
        int((~one & other).sum()),
        int((~one & ~other).sum()),
    )


def _kappa_labels(table: WordTable) -> float:
    """Kappa with every label (and "no PHI") as a category of its own."""
    size, total = len(table.labels), len(table)
    observed = ratio(int((table.gold == table.pred).sum()), total)
    one = np.bincount(table.gold, minlength=size) / max(1, total)
    other = np.bincount(table.pred, minlength=size) / max(1, total)
    chance = float(one @ other)
    return 1.0 if chance == 1 else (observed - chance) / (1 - chance)


def disputes(annotators: Mapping[str, Sequence[AnnotatedDocument]]) -> list[Dispute]:
    """Stretches that some annotator marked and that not all mark alike."""
    names = list(annotators)
    for other in names[1:]:
        pair(annotators[names[0]], annotators[other], (names[0], other))
    by_id = {name: {doc.id: doc for doc in annotators[name]} for name in names}
    found: list[Dispute] = []
    for doc in annotators[names[0]]:
        marks = [
            (span.start, span.end, name, span.label)
            for name in names
            for span in by_id[name][doc.id].spans
        ]
        for stretch in _stretches(sorted(marks)):
            said = {
                name: tuple(f"{label} {s}-{e}" for s, e, who, label in stretch if who == name)
                for name in names
            }
            if len(set(said.values())) > 1:
                start, end = stretch[0][0], max(mark[1] for mark in stretch)
                found.append(Dispute(doc.id, start, end, said))
    return found


def _stretches(
    marks: Sequence[tuple[int, int, str, str]],
) -> list[list[tuple[int, int, str, str]]]:
    """Marks that touch each other, together."""
    groups: list[list[tuple[int, int, str, str]]] = []
    end = -1
    for mark in marks:
        if groups and mark[0] < end:
            groups[-1].append(mark)
        else:
            groups.append([mark])
        end = max(end, mark[1]) if len(groups[-1]) > 1 else mark[1]
    return groups
