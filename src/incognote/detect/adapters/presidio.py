"""The recognisers of Microsoft Presidio.

[detectors.presidio]
options = { model = "en_core_web_sm", entities = ["US_SSN", "PHONE_NUMBER"], threshold = 0.4 }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from incognote.core.errors import MissingExtra, PolicyError
from incognote.core.types import Span, View
from incognote.detect.adapters.labels import LabelMap


class PresidioDetector:
    learned = True
    languages = frozenset({"en"})

    def __init__(
        self,
        model: str = "en_core_web_sm",
        entities: Sequence[str] = (),
        labels: Mapping[str, str] | None = None,
        threshold: float = 0.4,
    ) -> None:
        if find_spec("presidio_analyzer") is None:
            raise MissingExtra("the detector 'presidio'", "presidio")
        self.name = "presidio"
        self._labels = LabelMap("presidio", labels, who="presidio detector")
        self.labels = self._labels.labels
        self._entities = list(entities) or None
        self._model = model
        self._threshold = threshold

    @cached_property
    def _engine(self) -> Any:
        from presidio_analyzer import AnalyzerEngine
        from presidio_analyzer.nlp_engine import NlpEngineProvider
        from spacy.util import is_package

        # Presidio would download a model that is missing; a de-identifier goes nowhere on its own.
        if not is_package(self._model):
            raise PolicyError(f"presidio detector: the model {self._model!r} is not installed")
        models = [{"lang_code": "en", "model_name": self._model}]
        provider = NlpEngineProvider(
            nlp_configuration={"nlp_engine_name": "spacy", "models": models}
        )
        return AnalyzerEngine(nlp_engine=provider.create_engine(), supported_languages=["en"])

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_engine"}

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        return [self._detect(view.cased) for view in views]

    def _detect(self, text: str) -> list[Span]:
        found = self._engine.analyze(
            text, language="en", entities=self._entities, score_threshold=self._threshold
        )
        return [
            Span(f.start, f.end, label, float(f.score), (f"{self.name}/{f.entity_type}",))
            for f in found
            if (label := self._labels[f.entity_type])
        ]
