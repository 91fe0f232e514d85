"""Do annotators agree? Kappa over words, F1 over spans, what is left to adjudicate, and the gold
that decisions make of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Span
from incognote.evaluate.scoring.counts import ratio
from incognote.evaluate.scoring.pairs import Pair, pair
from incognote.evaluate.scoring.spans import span_table
from incognote.evaluate.scoring.tokens import DEFAULT
from incognote.evaluate.scoring.words import WordTable, word_table


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


DECISION = "decision"
_MARK = re.compile(r"(\S+) (\d+)-(\d+)")
Decisions = Mapping[tuple[str, int, int], tuple[Span, ...]]


def read_decisions(path: Path) -> Decisions:
    """Decided disputes: the rows of adjudication.jsonl with a `decision` added to each, which is
    the name of the annotator who is right, or a list of marks as they appear in `marks`
    ("DATE 10-14"), empty for no PHI."""
    found: dict[tuple[str, int, int], tuple[Span, ...]] = {}
    undecided = 0
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            place = str(row["document_id"]), int(row["start"]), int(row["end"])
            if row.get(DECISION) is None:
                undecided += 1
                continue
            found[place] = tuple(_decided(row))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise UsageError(f"{path.name}, line {number}: no decided dispute") from None
    if undecided:
        raise UsageError(f"{path.name}: {undecided:,} places have no decision yet")
    return found


def _decided(row: Mapping[str, Any]) -> list[Span]:
    said = row[DECISION]
    marks = row["marks"][said] if isinstance(said, str) else said
    found = []
    for mark in marks:
        parts = _MARK.fullmatch(mark)
        if parts is None:
            raise ValueError
        found.append(Span(int(parts[2]), int(parts[3]), parts[1]))
    return found


def adjudicated(
    annotators: Mapping[str, Sequence[AnnotatedDocument]], decisions: Decisions
) -> list[AnnotatedDocument]:
    """The gold: what all annotators mark alike, and what was decided of the rest."""
    open_places = {(one.document_id, one.start, one.end) for one in disputes(annotators)}
    lacking = sorted(open_places - decisions.keys())
    if lacking:
        raise UsageError(f"no decision on {len(lacking):,} places, first in {lacking[0][0]!r}")
    strange = sorted(decisions.keys() - open_places)
    if strange:
        name, start, end = strange[0]
        raise UsageError(f"a decision on {name!r} [{start}, {end}), which nobody disputes")
    by_document: dict[str, list[tuple[str, int, int]]] = {}
    for place in sorted(open_places):
        by_document.setdefault(place[0], []).append(place)
    gold = []
    for doc in next(iter(annotators.values())):
        places = by_document.get(doc.id, [])
        agreed = [
            span
            for span in doc.spans
            if not any(start < span.end and span.start < end for _, start, end in places)
        ]
        spans = [*agreed, *(span for place in places for span in decisions[place])]
        if any(span.end > len(doc.text) for span in spans):
            raise UsageError(f"a decision on {doc.id!r} lies outside its text")
        gold.append(replace(doc, spans=tuple(sorted(spans))))
    return gold
