"""The named entities of a spaCy pipeline.

[detectors.spacy]
options = { model = "en_core_web_sm", labels = { GPE = "CITY", NORP = "" } }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from incognote.core.errors import MissingExtra, PolicyError
from incognote.core.types import Span, View
from incognote.detect.adapters.labels import LabelMap


class SpacyDetector:
    learned = True

    def __init__(
        self,
        model: str = "en_core_web_sm",
        labels: Mapping[str, str] | None = None,
        languages: Sequence[str] = ("en",),
    ) -> None:
        if find_spec("spacy") is None:
            raise MissingExtra("the detector 'spacy'", "spacy")
        if not Path(model).is_dir() and not (model.isidentifier() and find_spec(model)):
            raise PolicyError(f"spacy detector: the model {model!r} is not installed")
        self.name = "spacy"
        self.languages = frozenset(languages)
        self._labels = LabelMap("spacy", labels, who="spacy detector")
        self.labels = self._labels.labels
        self._model = model

    @cached_property
    def _pipeline(self) -> Any:
        import spacy

        return spacy.load(self._model)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_pipeline"}

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        return [
            [
                Span(entity.start_char, entity.end_char, label, sources=(self._source(entity),))
                for entity in read.ents
                if (label := self._labels[entity.label_])
            ]
            for read in self._pipeline.pipe(view.cased for view in views)
        ]

    def _source(self, entity: Any) -> str:
        return f"{self.name}/{entity.label_}"
