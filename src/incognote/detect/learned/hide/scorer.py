"""A CRF trained by HIDE's recipe: texts in, scores for each token out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from incognote.core.errors import UsageError
from incognote.detect.learned.hide.features import HideFeatures, Phrases
from incognote.detect.learned.hide.tokens import OUTSIDE, tokens_of
from incognote.detect.learned.model_folder import ModelFolder
from incognote.detect.learned.suite import crfsuite
from incognote.detect.learned.tagging import Scores

RECIPE = "hide"  # what the settings of such a folder say
WEIGHTS = "model.crfsuite"
PHRASES = "phrases.json"


class HideScorer:
    """The whole note is one sequence, as in the papers."""

    def __init__(self, folder: ModelFolder) -> None:
        self._tagger: Any = crfsuite().Tagger()
        self._tagger.open(str(folder.file(WEIGHTS)))
        self._labels = folder.labels
        self._known = frozenset(self._tagger.labels())
        self._features = features_of(folder)

    def score(self, texts: Sequence[str]) -> list[Scores]:
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Scores:
        tokens = tokens_of(text)
        labels = np.zeros((len(tokens), len(self._labels) + 1), np.float32)
        opens = np.zeros(len(tokens), np.float32)
        if len(tokens):
            self._tagger.set(self._features.read(tokens.words))
        for i, row in enumerate(labels):
            row[0] = outside = self._chance(OUTSIDE, i)
            if outside < 0.999:  # what is surely outside needs no closer look
                for number, label in enumerate(self._labels, 1):
                    begins = self._chance(f"B-{label}", i)
                    opens[i] += begins
                    row[number] = begins + self._chance(f"I-{label}", i)
        return Scores(tokens.places, labels, opens)

    def _chance(self, label: str, token: int) -> float:
        return float(self._tagger.marginal(label, token)) if label in self._known else 0.0


def settings_of(features: HideFeatures) -> dict[str, Any]:
    """What a folder says of its features."""
    return {
        "recipe": RECIPE,
        "groups": list(features.groups),
        "history": features.history,
        "ahead": features.ahead,
        "affixes": features.affixes,
    }


def features_of(folder: ModelFolder) -> HideFeatures:
    settings = folder.settings
    try:
        phrases = json.loads(folder.file(PHRASES).read_text(encoding="utf-8"))
        return HideFeatures(
            tuple(settings["groups"]),
            settings["history"],
            settings["ahead"],
            settings["affixes"],
            _dictionaries(phrases),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UsageError(f"model folder {folder.path.name}: no settings of HIDE's recipe") from None


def _dictionaries(phrases: Mapping[str, Sequence[str]]) -> dict[str, Phrases]:
    return {name: Phrases(lines) for name, lines in phrases.items()}
