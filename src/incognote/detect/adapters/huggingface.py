"""A Hugging Face token classifier in a local folder.

    [detectors.hf]
    use = "huggingface"
    options = { model = "models/my-deid-roberta", labels = { STAFF = "DOCTOR", MISC = "" } }

Nothing is downloaded. Every label of the model must be one of ours or be mapped: a class that is
silently ignored would be a leak.
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

# Words that two windows of a long text share, so that each is seen with its neighbours.
_STRIDE = 64


class HuggingFaceDetector:
    learned = True

    def __init__(
        self,
        model: str,
        labels: Mapping[str, str] | None = None,
        scheme: str = "",
        languages: Sequence[str] = ("en",),
        batch: int = 8,
    ) -> None:
        if find_spec("transformers") is None or find_spec("torch") is None:
            raise MissingExtra("the detector 'huggingface'", "huggingface")
        if not Path(model).is_dir():
            raise PolicyError(f"huggingface detector: there is no model folder {model}")
        self.name = "huggingface"
        self.languages = frozenset(languages)
        self._labels = LabelMap(scheme, labels, who="huggingface detector")
        self.labels = self._labels.labels
        self._model = model
        self._batch = batch

    @cached_property
    def _classify(self) -> Any:
        from transformers import AutoModelForTokenClassification, AutoTokenizer, pipeline

        model = AutoModelForTokenClassification.from_pretrained(self._model, local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(self._model, local_files_only=True)
        names = {_bare(name) for name in model.config.id2label.values()} - {"O"}
        if unknown := self._labels.missing(names):
            raise PolicyError(
                f"huggingface detector: labels of the model that nothing maps: {', '.join(unknown)}"
            )
        return pipeline(
            "token-classification",
            model=model,
            tokenizer=tokenizer,
            aggregation_strategy="first",
            stride=min(_STRIDE, tokenizer.model_max_length // 4),
        )

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_classify"}

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        texts = [view.cased for view in views]
        return [
            [
                Span(found["start"], found["end"], label, float(found["score"]), (self.name,))
                for found in answer
                if found["start"] < found["end"]
                and (label := self._labels[_bare(found["entity_group"])])
            ]
            for answer in self._classify(texts, batch_size=self._batch)
        ]


def _bare(name: str) -> str:
    """DATE for B-DATE, I-DATE, U-DATE, ..."""
    return name[2:] if name[1:2] == "-" and name[:1] in "BILOUSE" else name
