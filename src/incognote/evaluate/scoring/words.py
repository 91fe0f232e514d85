"""The word table: one row for each word of a corpus, with what it is and what was said of it.

A word counts as found only when every character of PHI in it is covered: half a name is a leak.
Labels named neutral (clock times) earn nothing and cost nothing. The table is columns of numpy
arrays, so that scores by label, group, document or note type are all counting over masks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from incognote.core.labels import all_labels
from incognote.core.types import Span
from incognote.evaluate.scoring.counts import ByDocument, Counts
from incognote.evaluate.scoring.pairs import Pair
from incognote.evaluate.scoring.subsets import UNTYPED
from incognote.evaluate.scoring.tokens import DEFAULT, Ints, token_bounds

NEUTRAL = frozenset({"TIME"})

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class WordTable:
    """Columns over all words. `gold` and `pred` index `labels`; 0 is "no PHI".

    `found`: all PHI characters are covered. `score`: the best score of a span on it.
    `neutral`: neither a find nor a miss nor a false alarm.
    """

    tokeniser: str
    labels: tuple[str, ...]
    documents: tuple[str, ...]
    document: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]
    gold: npt.NDArray[np.int16]
    pred: npt.NDArray[np.int16]
    found: Mask
    neutral: Mask
    score: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.document)

    def ids(self, names: Collection[str]) -> Ints:
        return np.array([i for i, name in enumerate(self.labels) if name in names], np.int64)

    def outcome(self, wanted: Collection[str] | None = None, *, typed: bool = False) -> Outcome:
        """Which words are hits, false alarms and misses when only `wanted` labels matter.

        PHI of other labels is then neutral, and a span with another label hides nothing: that is
        how a policy limited to these labels would act. What names no label hides in any case.
        """
        if wanted is None:
            gold, pred = self.gold > 0, self.pred > 0
        else:
            gold = np.isin(self.gold, self.ids(wanted))
            pred = np.isin(self.pred, self.ids({*wanted, UNTYPED}))
        hit = gold & pred & self.found
        if typed:
            hit &= self.gold == self.pred
        false = pred & ~self.neutral & (self.gold == 0)
        if typed:
            # A word with the wrong type is a miss of one type and a false alarm of another.
            false |= pred & ~self.neutral & (self.gold != self.pred)
        return Outcome(hit, false, gold & ~hit)

    def counts(self, wanted: Collection[str] | None = None, *, typed: bool = False) -> Counts:
        return self.outcome(wanted, typed=typed).counts()

    def by_document(
        self, wanted: Collection[str] | None = None, *, typed: bool = False
    ) -> ByDocument:
        outcome = self.outcome(wanted, typed=typed)
        size = len(self.documents)
        return ByDocument(
            np.bincount(self.document[outcome.hit], minlength=size),
            np.bincount(self.document[outcome.false], minlength=size),
            np.bincount(self.document[outcome.missed], minlength=size),
        )

    def leaking(self, wanted: Collection[str] | None = None) -> int:
        """How many documents have at least one missed word."""
        return len(np.unique(self.document[self.outcome(wanted).missed]))


@dataclass(frozen=True, slots=True)
class Outcome:
    hit: Mask
    false: Mask
    missed: Mask

    def counts(self) -> Counts:
        return Counts(int(self.hit.sum()), int(self.false.sum()), int(self.missed.sum()))


def word_table(
    pairs: Sequence[Pair],
    tokeniser: str = DEFAULT,
    neutral: Collection[str] = NEUTRAL,
) -> WordTable:
    names: dict[str, int] = {"": 0}
    columns: list[tuple[npt.NDArray[np.generic], ...]] = []
    for number, pair in enumerate(pairs):
        columns.append(_rows(number, pair, tokeniser, neutral, names))
    joined = [np.concatenate(column) for column in zip(*columns, strict=True)]
    return WordTable(tokeniser, tuple(names), tuple(p.document.id for p in pairs), *joined)


def _rows(
    number: int, pair: Pair, tokeniser: str, neutral: Collection[str], names: dict[str, int]
) -> tuple[npt.NDArray[np.generic], ...]:
    text = pair.document.text
    starts, ends = token_bounds(text, tokeniser)
    gold = _paint(pair.gold, len(text), neutral, names)
    pred = _paint(pair.pred, len(text), neutral, names)
    phi = _within(gold > 0, starts, ends)
    covered = _within((gold > 0) & (pred > 0), starts, ends)
    spared = np.zeros(len(text), bool)
    for span in pair.gold:
        if span.label in neutral:
            spared[span.start : span.end] = True
    score = _scores(pair.pred, len(text))
    return (
        np.full(len(starts), number, np.int32),
        starts.astype(np.int32),
        ends.astype(np.int32),
        _label_of(gold, starts, ends),
        _label_of(pred, starts, ends),
        (phi > 0) & (covered == phi),
        (phi == 0) & (_within(spared, starts, ends) > 0),
        _weakest(score, gold > 0, starts, ends),
    )


def _paint(
    spans: Iterable[Span], length: int, neutral: Collection[str], names: dict[str, int]
) -> npt.NDArray[np.int16]:
    """The label of every character; where spans overlap, the one that starts last."""
    painted = np.zeros(length, np.int16)
    counted = sorted(_bounds(span) for span in spans if span.label not in neutral)
    if counted:
        starts, ends, labels = zip(*counted, strict=True)
        numbers = [names.setdefault(label, len(names)) for label in labels]
        characters, sizes = _characters(starts, ends)
        painted[characters] = np.repeat(np.array(numbers, np.int16), sizes)
    return painted


def _bounds(span: Span) -> tuple[int, int, str]:
    return span.start, span.end, span.label


def _characters(starts: Sequence[int], ends: Sequence[int]) -> tuple[Ints, Ints]:
    """Every character of the spans, span after span, and how many each has. A loop over spans is
    slow where there are a million."""
    first = np.array(starts, np.int64)
    sizes = np.array(ends, np.int64) - first
    before = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum()) + np.repeat(first - before, sizes), sizes


def _scores(spans: Sequence[Span], length: int) -> npt.NDArray[np.float32]:
    """The best score of a span on every character."""
    scores = np.zeros(length, np.float32)
    if spans:
        # The best comes last, and what is written last stays.
        ordered = sorted(spans, key=_score)
        starts, ends = [span.start for span in ordered], [span.end for span in ordered]
        characters, sizes = _characters(starts, ends)
        scores[characters] = np.repeat(np.array([s.score for s in ordered], np.float32), sizes)
    return scores


def _score(span: Span) -> float:
    return span.score


def _within(mask: Mask, starts: Ints, ends: Ints) -> Ints:
    """How many characters of each token are in the mask."""
    total = np.concatenate(([0], np.cumsum(mask)))
    counted: Ints = total[ends] - total[starts]
    return counted


def _label_of(painted: npt.NDArray[np.int16], starts: Ints, ends: Ints) -> npt.NDArray[np.int16]:
    """The label of each token's first labelled character."""
    first = painted[starts] if len(starts) else np.zeros(0, np.int16)
    inside = (first == 0) & (_within(painted > 0, starts, ends) > 0)
    for at in np.flatnonzero(inside):
        part = painted[starts[at] : ends[at]]
        first[at] = part[np.flatnonzero(part)[0]]
    return first


def _weakest(
    score: npt.NDArray[np.float32], phi: Mask, starts: Ints, ends: Ints
) -> npt.NDArray[np.float32]:
    """A token is as safe as the weakest span over its PHI; a false alarm as loud as its span."""
    if not len(starts):
        return np.zeros(0, np.float32)
    lowest = score[starts].copy()
    mixed = np.flatnonzero(_within(np.diff(score, prepend=score[:1]) != 0, starts + 1, ends) > 0)
    for at in mixed:
        part = slice(starts[at], ends[at])
        inside = phi[part]
        lowest[at] = score[part][inside].min() if inside.any() else score[part].max()
    return lowest


def by_label(table: WordTable, *, typed: bool = False) -> dict[str, Counts]:
    """A miss counts for the gold's label, a false alarm for the prediction's."""
    outcome = table.outcome(typed=typed)
    size = len(table.labels)
    tp = np.bincount(table.gold[outcome.hit], minlength=size)
    fn = np.bincount(table.gold[outcome.missed], minlength=size)
    fp = np.bincount(table.pred[outcome.false], minlength=size)
    order = {name: i for i, name in enumerate(all_labels())}
    found = {
        name: Counts(int(tp[i]), int(fp[i]), int(fn[i]))
        for i, name in enumerate(table.labels)
        if i and tp[i] + fp[i] + fn[i]
    }
    return dict(sorted(found.items(), key=lambda item: (order.get(item[0], len(order)), item[0])))
