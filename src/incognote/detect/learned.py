"""What the learned detectors share: model folders, operating points, loading at the first call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from incognote.core.types import Span, View
from incognote.detect.model_folder import (
    DEFAULT_SENSITIVITY,
    ModelFolder,
    OperatingPoint,
    open_model,
    together,
)
from incognote.detect.operating import Settings
from incognote.detect.tagging import Scores


class Scorer(Protocol):
    """A loaded model: texts in, scores for the units of each out."""

    def score(self, texts: Sequence[str]) -> Iterable[Scores]: ...


class Vote:
    """Several models as one: the mean of what they say."""

    def __init__(self, scorers: Sequence[Scorer]) -> None:
        self._scorers = scorers

    def score(self, texts: Sequence[str]) -> Iterator[Scores]:
        for answers in zip(*(scorer.score(texts) for scorer in self._scorers), strict=True):
            labels = np.mean([scores.labels for scores in answers], axis=0)
            opens = np.mean([scores.opens for scores in answers], axis=0)
            yield Scores(answers[0].units, labels, opens)


class LearnedDetector(ABC):
    """A model, or several that vote, read with the thresholds of one operating point.

    Each folder is checked at once, so that a bad one is an error before the first document; the
    weights are loaded at the first call, in whatever process that happens.
    """

    kind: ClassVar[str]
    languages = frozenset({"en"})

    def __init__(
        self,
        model: str | Sequence[str],
        sensitivity: float = DEFAULT_SENSITIVITY,
        safe: float | None = None,
    ) -> None:
        models = [model] if isinstance(model, str) else model
        self._folders = [open_model(name, self.kind) for name in models]
        self._settings = Settings(together(self._folders), sensitivity, safe)
        self._scorer: Scorer | None = None
        self.name = self.kind
        self.labels = self._settings.labels

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
            self._scorer = Vote(scorers) if len(scorers) > 1 else scorers[0]
        decoder = self._settings.decoder(self.name)
        texts = [view.text for view in views]
        return [
            decoder.spans(text, scores)
            for text, scores in zip(texts, self._scorer.score(texts), strict=True)
        ]
