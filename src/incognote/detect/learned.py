"""What the learned detectors share: a model folder, operating points, loading at the first call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Protocol

from incognote.core.types import Span, View
from incognote.detect.model_folder import DEFAULT_SENSITIVITY, ModelFolder, open_model
from incognote.detect.operating import Settings
from incognote.detect.tagging import Scores


class Scorer(Protocol):
    """A loaded model: texts in, scores for the units of each out."""

    def score(self, texts: Sequence[str]) -> Iterable[Scores]: ...


class LearnedDetector(ABC):
    """A model, read with the thresholds of one operating point.

    The folder is checked at once, so that a bad one is an error before the first document; the
    weights are loaded at the first call, in whatever process that happens.
    """

    kind: ClassVar[str]
    languages = frozenset({"en"})

    def __init__(
        self, model: str, sensitivity: float = DEFAULT_SENSITIVITY, safe: float | None = None
    ) -> None:
        self._folder = open_model(model, self.kind)
        self._settings = Settings(self._folder, sensitivity, safe)
        self._scorer: Scorer | None = None
        self.name = self.kind
        self.labels = self._settings.labels

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_scorer": None}

    @abstractmethod
    def _load(self, folder: ModelFolder) -> Scorer: ...

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        if self._scorer is None:
            self._scorer = self._load(self._folder)
        decoder = self._settings.decoder(self.name)
        texts = [view.text for view in views]
        return [
            decoder.spans(text, scores)
            for text, scores in zip(texts, self._scorer.score(texts), strict=True)
        ]
