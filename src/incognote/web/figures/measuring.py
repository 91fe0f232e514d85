"""How good suggestions are on notes whose gold is known: words found, with intervals; the bound on
notes that still leak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from incognote.core.types import AnnotatedDocument
from incognote.evaluate.confidence import bootstrap, randomisation, upper_bound
from incognote.evaluate.scoring.pairs import pair
from incognote.evaluate.scoring.words import NEUTRAL, WordTable, word_table

_RESAMPLES = 500


@dataclass(frozen=True, slots=True)
class Scores:
    """Of words, PHI or not. `bound`: fewer than this share of notes leak, with 95 % confidence."""

    notes: int
    words: int
    precision: float
    recall: float
    f1: float
    f1_low: float
    f1_high: float
    leaking: int
    bound: float

    def as_row(self) -> dict[str, Any]:
        return asdict(self)


def scores(gold: Sequence[AnnotatedDocument], found: Sequence[AnnotatedDocument]) -> Scores:
    table = _table(gold, found)
    by_document = table.by_document(None)
    counts = by_document.total()
    interval = bootstrap(by_document, _patients(gold), resamples=_RESAMPLES)["f1"]
    leaking = table.leaking(None)
    return Scores(
        len(gold),
        len(table),
        counts.precision,
        counts.recall,
        counts.f1,
        interval.low,
        interval.high,
        leaking,
        upper_bound(leaking, len(gold)),
    )


def difference(
    gold: Sequence[AnnotatedDocument],
    one: Sequence[AnnotatedDocument],
    other: Sequence[AnnotatedDocument],
) -> float:
    """The chance that a difference in F1 this large comes by chance alone."""
    pairs = {"all": (_table(gold, one).by_document(None), _table(gold, other).by_document(None))}
    return next(test.p for test in randomisation(pairs, shuffles=1999) if test.metric == "f1")


def _table(gold: Sequence[AnnotatedDocument], found: Sequence[AnnotatedDocument]) -> WordTable:
    return word_table(pair(gold, found), neutral=NEUTRAL)


def _patients(gold: Sequence[AnnotatedDocument]) -> list[str] | None:
    if not any(one.document.patient_id for one in gold):
        return None
    return [one.document.patient_id or f"document {one.id}" for one in gold]
