"""HIDE's experiments: training with L-BFGS, ten folds, scores over tokens.

Precision, recall and F count tokens of PHI; true negatives stay out: nearly every token is one.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument
from incognote.detect.learned.crf import crfsuite
from incognote.learn.hide.features import HideFeatures
from incognote.learn.hide.sampling import Sampling
from incognote.learn.hide.tokens import OUTSIDE, annotated, spans_of, tokens_of

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

    def labels(self, words: Sequence[str]) -> list[str]:
        return list(self._tagger.tag(self._features.read(words)))

    def tag(self, document: AnnotatedDocument) -> AnnotatedDocument:
        tokens = tokens_of(document.text)
        return AnnotatedDocument(
            document.document, tuple(spans_of(tokens, self.labels(tokens.words)))
        )


def train(
    documents: Sequence[AnnotatedDocument], path: Path, options: HideTraining
) -> tuple[HideTagger, float, int]:
    """The model, the seconds of processor time that it took, and the tokens it saw."""
    rng = random.Random(options.seed)
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
    for document in documents:
        tokens, labels = annotated(document)
        chosen = options.sampling.keeps(labels, rng)
        if chosen:
            rows = options.features.read(tokens.words)
            trainer.append([rows[i] for i in chosen], [labels[i] for i in chosen])
            kept += len(chosen)
    started = time.process_time()
    trainer.train(str(path))
    return HideTagger(path, options.features), time.process_time() - started, kept


def score(tagger: HideTagger, documents: Sequence[AnnotatedDocument]) -> TokenScores:
    hits: Counter[str] = Counter()
    said: Counter[str] = Counter()
    true: Counter[str] = Counter()
    confusion: Counter[tuple[str, str]] = Counter()
    for document in documents:
        tokens, gold = annotated(document)
        for expected, found in zip(gold, tagger.labels(tokens.words), strict=True):
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
    with tempfile.TemporaryDirectory(prefix="incognote-hide-") as scratch:
        for number, (seen, held) in enumerate(folded(documents, folds, options.seed)):
            tagger, seconds, kept = train(seen, Path(scratch) / str(number), options)
            found = score(tagger, held)
            total += TokenScores(found.hits, found.said, found.true, found.confusion, seconds, kept)
    return total


def folded(
    documents: Sequence[AnnotatedDocument], folds: int, seed: int
) -> Iterator[tuple[list[AnnotatedDocument], list[AnnotatedDocument]]]:
    """Training and test notes of each fold."""
    owners = sorted({_owner(document) for document in documents})
    if folds < 2 or len(owners) < folds:
        raise UsageError(f"{folds} folds need at least two folds and as many patients as folds")
    random.Random(seed).shuffle(owners)
    fold_of: Mapping[str, int] = {owner: number % folds for number, owner in enumerate(owners)}
    for fold in range(folds):
        inside = [document for document in documents if fold_of[_owner(document)] == fold]
        yield [document for document in documents if fold_of[_owner(document)] != fold], inside


def _owner(document: AnnotatedDocument) -> str:
    return document.document.patient_id or f"document {document.id}"


def _kind(label: str) -> str:
    return label.partition("-")[2]


def _count(counts: Counter[str], label: str | None) -> int:
    return counts[label] if label else counts.total()


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
