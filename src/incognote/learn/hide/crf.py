"""HIDE's experiments: training with L-BFGS, ten folds, scores over tokens.

Precision, recall and F count tokens of PHI; true negatives stay out: nearly every token is one.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument
from incognote.detect.learned.hide.features import HideFeatures
from incognote.detect.learned.hide.tokens import OUTSIDE, annotated, spans_of, tokens_of
from incognote.detect.learned.suite import crfsuite
from incognote.learn.hide.sampling import Sampling

FOLDS = 10
EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class HideTraining:
    """Everything that decides how a run goes."""

    features: HideFeatures = field(default_factory=HideFeatures)
    sampling: Sampling = field(default_factory=Sampling)
    iterations: int = 200
    l2: float = 1.0
    seed: int = 1

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise UsageError("there must be at least one iteration")
        if self.l2 < 0:
            raise UsageError("the weight of regularisation must be 0 or more")


@dataclass(frozen=True, slots=True)
class TokenScores:
    """Counts by label, B- and I- together, and which label was taken for which."""

    hits: Counter[str]
    said: Counter[str]
    true: Counter[str]
    confusion: Counter[tuple[str, str]] = field(repr=False)
    seconds: float = 0.0
    tokens: int = 0

    def precision(self, label: str | None = None) -> float:
        return _ratio(_count(self.hits, label), _count(self.said, label))

    def recall(self, label: str | None = None) -> float:
        return _ratio(_count(self.hits, label), _count(self.true, label))

    def f1(self, label: str | None = None) -> float:
        precision, recall = self.precision(label), self.recall(label)
        return _ratio(2 * precision * recall, precision + recall)

    def mixed_up(self) -> list[tuple[str, str, int]]:
        """True and found label where they differ, B- and I- apart, the most frequent first."""
        return [(*pair, count) for pair, count in self.confusion.most_common() if len({*pair}) > 1]

    def __add__(self, other: TokenScores) -> TokenScores:
        return TokenScores(
            self.hits + other.hits,
            self.said + other.said,
            self.true + other.true,
            self.confusion + other.confusion,
            self.seconds + other.seconds,
            self.tokens + other.tokens,
        )


class HideTagger:
    """A trained model."""

    def __init__(self, path: Path, features: HideFeatures) -> None:
        self._features = features
        self._tagger: Any = crfsuite().Tagger()
        self._tagger.open(str(path))

    def labels(self, rows: Any) -> list[str]:
        """The best labels of a note, by the features of its tokens."""
        return list(self._tagger.tag(rows))

    def tag(self, document: AnnotatedDocument) -> AnnotatedDocument:
        tokens = tokens_of(document.text)
        labels = self.labels(self._features.read(tokens.words))
        return AnnotatedDocument(document.document, tuple(spans_of(tokens, labels)))


@dataclass(frozen=True, slots=True)
class Example:
    """A note as CRFsuite reads it: all of it, and the part that is trained on."""

    owner: str
    labels: Sequence[str]
    rows: Any = field(repr=False)
    sample: Any = field(repr=False)
    sampled: Sequence[str]


def examples(documents: Iterable[AnnotatedDocument], options: HideTraining) -> list[Example]:
    rng = random.Random(options.seed)
    found = []
    for document in documents:
        tokens, labels = annotated(document)
        rows = options.features.read(tokens.words)
        chosen = options.sampling.keeps(labels, rng)
        items = crfsuite().ItemSequence
        whole = items(rows)
        part = whole if len(chosen) == len(labels) else items([rows[i] for i in chosen])
        sampled = [labels[i] for i in chosen]
        found.append(Example(_owner(document), labels, whole, part, sampled))
    return found


def train(
    given: Iterable[Example], path: Path, options: HideTraining
) -> tuple[HideTagger, float, int]:
    """The model, the seconds of processor time that it took, and the tokens it saw."""
    trainer = crfsuite().Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(
        {
            "c1": 0.0,
            "c2": options.l2,
            "max_iterations": options.iterations,
            "epsilon": EPSILON,
            "feature.possible_transitions": True,
        }
    )
    kept = 0
    for one in given:
        if one.sampled:
            trainer.append(one.sample, one.sampled)
            kept += len(one.sampled)
    started = time.process_time()
    trainer.train(str(path))
    return HideTagger(path, options.features), time.process_time() - started, kept


def score(tagger: HideTagger, given: Iterable[Example]) -> TokenScores:
    hits: Counter[str] = Counter()
    said: Counter[str] = Counter()
    true: Counter[str] = Counter()
    confusion: Counter[tuple[str, str]] = Counter()
    for one in given:
        for expected, found in zip(one.labels, tagger.labels(one.rows), strict=True):
            confusion[expected, found] += 1
            if found != OUTSIDE:
                said[_kind(found)] += 1
            if expected != OUTSIDE:
                true[_kind(expected)] += 1
                hits[_kind(expected)] += _kind(expected) == _kind(found)
    return TokenScores(hits, said, true, confusion)


def cross_validate(
    documents: Sequence[AnnotatedDocument], options: HideTraining, folds: int = FOLDS
) -> TokenScores:
    """Scores added up over folds that share no patient."""
    total = TokenScores(Counter(), Counter(), Counter(), Counter())
    dealt = folded([_owner(document) for document in documents], folds, options.seed)
    given = examples(documents, options)
    with tempfile.TemporaryDirectory(prefix="incognote-hide-") as scratch:
        for fold in range(folds):
            seen = (one for one in given if dealt[one.owner] != fold)
            tagger, seconds, kept = train(seen, Path(scratch) / str(fold), options)
            found = score(tagger, (one for one in given if dealt[one.owner] == fold))
            total += TokenScores(found.hits, found.said, found.true, found.confusion, seconds, kept)
    return total


def folded(owners: Iterable[str], folds: int, seed: int) -> dict[str, int]:
    """The fold in which each owner of notes is tested."""
    names = sorted(set(owners))
    if folds < 2 or len(names) < folds:
        raise UsageError(f"{folds} folds need at least two folds and as many patients as folds")
    random.Random(seed).shuffle(names)
    return {name: number % folds for number, name in enumerate(names)}


def _owner(document: AnnotatedDocument) -> str:
    return document.document.patient_id or f"document {document.id}"


def _kind(label: str) -> str:
    return label.partition("-")[2]


def _count(counts: Counter[str], label: str | None) -> int:
    return counts[label] if label else counts.total()


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
