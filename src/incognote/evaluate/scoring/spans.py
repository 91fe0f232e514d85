"""The span table: every gold and every predicted span, and its partner on the other side.

Three ways to match: `strict` (same bounds), `relaxed` (same start, end at most two characters off,
as i2b2 2014 had it) and `overlap` (one character is enough, as PhysioNet counts). Strict and
relaxed partners are one to one. Each way is matched twice: with and without regard to the label.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incognote.core.types import Span
from incognote.evaluate.scoring.counts import ByDocument, Counts
from incognote.evaluate.scoring.pairs import Pair
from incognote.evaluate.scoring.subsets import UNTYPED
from incognote.evaluate.scoring.words import NEUTRAL

MODES = ("strict", "relaxed", "overlap")
NONE = -1
SPARED = -2  # an unmatched prediction on something neutral: no false alarm

_SLACK = 2

Index = npt.NDArray[np.int32]
Bounds = tuple[int, int, str]
Partners = tuple[list[int], list[int]]


@dataclass(frozen=True, slots=True)
class Side:
    """One side's spans as columns; `partner` by (mode, typed) indexes the other side's columns."""

    document: Index
    start: Index
    end: Index
    label: npt.NDArray[np.int16]
    partner: dict[tuple[str, bool], Index]


@dataclass(frozen=True, slots=True)
class SpanTable:
    labels: tuple[str, ...]
    documents: tuple[str, ...]
    gold: Side
    pred: Side

    def outcome(
        self, mode: str, wanted: Collection[str] | None = None, *, typed: bool = True
    ) -> SpanOutcome:
        """As in the word table: other labels' gold is neutral, other labels' spans hide nothing."""
        gold_in = self._in(self.gold, wanted)
        pred_in = self._in(self.pred, None if wanted is None else {*wanted, UNTYPED})
        to_pred = self.gold.partner[mode, typed]
        to_gold = self.pred.partner[mode, typed]
        hit = gold_in & (to_pred >= 0)
        hit[hit] = pred_in[to_pred[hit]]
        right = pred_in & (to_gold >= 0)
        right[right] = gold_in[to_gold[right]]
        false = pred_in & (to_gold == NONE)
        return SpanOutcome(hit, right, false, gold_in & ~hit)

    def _in(self, side: Side, wanted: Collection[str] | None) -> npt.NDArray[np.bool_]:
        if wanted is None:
            return np.ones(len(side.label), bool)
        return np.isin(side.label, [i for i, name in enumerate(self.labels) if name in wanted])

    def counts(
        self, mode: str, wanted: Collection[str] | None = None, *, typed: bool = True
    ) -> Counts:
        found = self.outcome(mode, wanted, typed=typed)
        # Only where one claim can serve two mentions do the two sides count differently.
        right = int(found.right.sum()) if mode == "overlap" else None
        return Counts(int(found.hit.sum()), int(found.false.sum()), int(found.missed.sum()), right)

    def by_label(self, mode: str, *, typed: bool = True) -> dict[str, Counts]:
        found = self.outcome(mode, typed=typed)
        size = len(self.labels)
        tp = np.bincount(self.gold.label[found.hit], minlength=size)
        fn = np.bincount(self.gold.label[found.missed], minlength=size)
        fp = np.bincount(self.pred.label[found.false], minlength=size)
        right = np.bincount(self.pred.label[found.right], minlength=size)
        return {
            name: Counts(int(tp[i]), int(fp[i]), int(fn[i]), int(right[i]))
            for i, name in enumerate(self.labels)
            if tp[i] + fp[i] + fn[i]
        }

    def by_document(
        self, mode: str, wanted: Collection[str] | None = None, *, typed: bool = True
    ) -> ByDocument:
        found = self.outcome(mode, wanted, typed=typed)
        size = len(self.documents)
        return ByDocument(
            np.bincount(self.gold.document[found.hit], minlength=size),
            np.bincount(self.pred.document[found.false], minlength=size),
            np.bincount(self.gold.document[found.missed], minlength=size),
        )


@dataclass(frozen=True, slots=True)
class SpanOutcome:
    """`hit` and `missed` are over gold spans, `right` and `false` over predicted ones."""

    hit: npt.NDArray[np.bool_]
    right: npt.NDArray[np.bool_]
    false: npt.NDArray[np.bool_]
    missed: npt.NDArray[np.bool_]


def span_table(pairs: Sequence[Pair], neutral: Collection[str] = NEUTRAL) -> SpanTable:
    names: dict[str, int] = {}
    gold, pred = _Columns(), _Columns()
    for number, pair in enumerate(pairs):
        true, spared = _unique(pair.gold, neutral)
        said, _ = _unique(pair.pred, neutral)
        same = _same(true, said)
        for mode in MODES:
            for typed in (True, False):
                to_pred, to_gold = _matched(true, said, same, mode, typed)
                _spare(said, to_gold, spared)
                gold.add_partners((mode, typed), to_pred, len(pred))
                pred.add_partners((mode, typed), to_gold, len(gold))
        gold.add_rows(number, true, names)
        pred.add_rows(number, said, names)
    documents = tuple(pair.document.id for pair in pairs)
    return SpanTable(tuple(names), documents, gold.build(), pred.build())


class _Columns:
    """One side under construction; arrays, because a million spans are many Python objects."""

    def __init__(self) -> None:
        self.document, self.start, self.end, self.label = (array("i") for _ in range(4))
        self.partners: dict[tuple[str, bool], list[Index]] = {
            (mode, typed): [] for mode in MODES for typed in (True, False)
        }

    def __len__(self) -> int:
        return len(self.start)

    def add_rows(self, number: int, spans: Sequence[Bounds], names: dict[str, int]) -> None:
        self.document.extend([number] * len(spans))
        self.start.extend([start for start, _, _ in spans])
        self.end.extend([end for _, end, _ in spans])
        self.label.extend([names.setdefault(label, len(names)) for _, _, label in spans])

    def add_partners(self, key: tuple[str, bool], partners: Sequence[int], base: int) -> None:
        found = np.array(partners, np.int32)
        found[found >= 0] += base
        self.partners[key].append(found)

    def build(self) -> Side:
        return Side(
            np.array(self.document, np.int32),
            np.array(self.start, np.int32),
            np.array(self.end, np.int32),
            np.array(self.label, np.int16),
            {
                key: np.concatenate(found) if found else np.zeros(0, np.int32)
                for key, found in self.partners.items()
            },
        )


def _unique(
    spans: Iterable[Span], neutral: Collection[str]
) -> tuple[list[Bounds], list[tuple[int, int]]]:
    """What is counted, each once and in order, and where neutral spans lie."""
    counted = {(s.start, s.end, s.label) for s in spans if s.label not in neutral}
    spared = {(s.start, s.end) for s in spans if s.label in neutral}
    return sorted(counted), sorted(spared)


def _spare(said: Sequence[Bounds], to_gold: list[int], spared: Sequence[tuple[int, int]]) -> None:
    if not spared:
        return
    for at, (start, end, _) in enumerate(said):
        if to_gold[at] == NONE and any(s < end and start < e for s, e in spared):
            to_gold[at] = SPARED


def _same(gold: Sequence[Bounds], pred: Sequence[Bounds]) -> Partners:
    """Spans that both sides have, bounds and label: partners in every way of matching."""
    where = {span: at for at, span in enumerate(pred)}
    to_pred = [where.get(span, NONE) for span in gold]
    to_gold = [NONE] * len(pred)
    for number, at in enumerate(to_pred):
        if at != NONE:
            to_gold[at] = number
    return to_pred, to_gold


def _matched(
    gold: Sequence[Bounds], pred: Sequence[Bounds], same: Partners, mode: str, typed: bool
) -> Partners:
    to_pred, to_gold = list(same[0]), list(same[1])
    if mode == "overlap":
        _add_overlaps(gold, pred, to_pred, typed)
        _add_overlaps(pred, gold, to_gold, typed)
    elif not (mode == "strict" and typed):  # those are the same spans already
        _add_by_start(gold, pred, to_pred, to_gold, typed, _SLACK if mode == "relaxed" else 0)
    return to_pred, to_gold


def _add_by_start(
    gold: Sequence[Bounds],
    pred: Sequence[Bounds],
    to_pred: list[int],
    to_gold: list[int],
    typed: bool,
    slack: int,
) -> None:
    """One to one; the same label is preferred, then the nearest end."""
    at_start: dict[int, list[int]] = {}
    for at, (start, _, _) in enumerate(pred):
        if to_gold[at] == NONE:
            at_start.setdefault(start, []).append(at)
    for number, (start, end, label) in enumerate(gold):
        if to_pred[number] != NONE:
            continue
        best = None
        for at in at_start.get(start, ()):
            gap = abs(pred[at][1] - end)
            same = pred[at][2] == label
            if gap > slack or to_gold[at] != NONE or (typed and not same):
                continue
            rank = (not same, gap, at)
            if best is None or rank < best:
                best = rank
        if best is not None:
            to_pred[number] = best[2]
            to_gold[best[2]] = number


def _add_overlaps(
    spans: Sequence[Bounds], others: Sequence[Bounds], partners: list[int], typed: bool
) -> None:
    """The partner of each span without one is that which shares most with it, the same label
    first."""
    longest = max((end - start for start, end, _ in others), default=0)
    starts = [start for start, _, _ in others]
    for number, (start, end, label) in enumerate(spans):
        if partners[number] != NONE:
            continue
        best = (False, 0)
        for at in range(bisect_left(starts, start - longest), bisect_left(starts, end)):
            other_start, other_end, other_label = others[at]
            rank = label == other_label, min(end, other_end) - max(start, other_start)
            if rank[1] > 0 and rank > best and (rank[0] or not typed):
                best = rank
                partners[number] = at
