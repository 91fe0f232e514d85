"""What the learned detectors share: model folders, operating points, loading at the first call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from incognote.core.errors import UsageError
from incognote.core.types import Span, View
from incognote.detect.learned.model_folder import (
    DEFAULT_SENSITIVITY,
    ModelFolder,
    OperatingPoint,
    open_model,
    together,
)
from incognote.detect.learned.operating import Settings
from incognote.detect.learned.tagging import Floats, Scores


class Scorer(Protocol):
    """A loaded model: texts in, scores for the units of each out."""

    def score(self, texts: Sequence[str]) -> Iterable[Scores]: ...


class Either:
    """Several models as one that tags what any of them tags.

    Each model is read against its own thresholds: its certainty is bent so that its thresholds fall
    on those of the first model, and for each unit the surest model decides. So a word is harmless
    only if all of them say so.
    """

    def __init__(self, scorers: Sequence[Scorer], settings: Sequence[Settings]) -> None:
        self._scorers = scorers
        anchors = [one.anchors() for one in settings]
        self._bends = [(anchor, anchors[0]) for anchor in anchors]

    def score(self, texts: Sequence[str]) -> Iterator[Scores]:
        for answers in zip(*(scorer.score(texts) for scorer in self._scorers), strict=True):
            bent = [
                _bent(scores.labels, *bend)
                for scores, bend in zip(answers, self._bends, strict=True)
            ]
            surest = np.argmin([labels[:, 0] for labels in bent], axis=0)
            rows = np.arange(len(surest))
            labels = np.stack(bent)[surest, rows]
            opens = np.stack([scores.opens for scores in answers])[surest, rows]
            yield Scores(answers[0].units, labels, opens)


def _bent(labels: Floats, own: Floats, common: Floats) -> Floats:
    """Probabilities whose certainty is moved, piece by piece, from some thresholds to others."""
    if own is common or not len(labels):
        return labels
    certainty = 1.0 - labels[:, 0]
    best = labels[:, 1:].argmax(axis=1)
    moved = certainty.copy()
    for label in np.unique(best):
        here = best == label
        moved[here] = np.interp(certainty[here], own[label], common[label])
    scale = moved / np.maximum(certainty, 1e-9)
    return np.concatenate([1.0 - moved[:, None], labels[:, 1:] * scale[:, None]], axis=1).astype(
        np.float32
    )


class LearnedDetector(ABC):
    """A model, or several that are read together, with the thresholds of one operating point.

    Each folder is checked at once, so that a bad one is an error before the first document; the
    weights are loaded at the first call, in whatever process that happens.
    """

    kind: ClassVar[str]
    learned = True

    def __init__(
        self,
        model: str | Sequence[str],
        sensitivity: float = DEFAULT_SENSITIVITY,
        safe: float | None = None,
    ) -> None:
        models = [model] if isinstance(model, str) else model
        self._folders = [open_model(name, self.kind) for name in models]
        self._settings = Settings(together(self._folders), sensitivity, safe)
        self._each = [Settings(folder, sensitivity, safe) for folder in self._folders]
        self._scorer: Scorer | None = None
        self.name = self.kind
        self.labels = self._settings.labels
        self.languages = frozenset.intersection(*(f.languages for f in self._folders))
        if not self.languages:
            names = ", ".join(folder.name for folder in self._folders)
            raise UsageError(f"models that are read together must share a language; {names} do not")

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_scorer": None}

    @property
    def point(self) -> OperatingPoint:
        """What the chosen sensitivity costs."""
        return self._settings.folder.point(self._settings.sensitivity)

    @abstractmethod
    def _load(self, folder: ModelFolder) -> Scorer: ...

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        if self._scorer is None:
            scorers = [self._load(folder) for folder in self._folders]
            self._scorer = scorers[0] if len(scorers) == 1 else Either(scorers, self._each)
        decoder = self._settings.decoder(self.name)
        texts = [view.text for view in views]
        return [
            decoder.spans(text, scores)
            for text, scores in zip(texts, self._scorer.score(texts), strict=True)
        ]
