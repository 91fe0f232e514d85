"""The CRF detector: a conditional random field over hand-made features, after HIDE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from incognote.detect.learned.crf_features import FeatureReader
from incognote.detect.learned.detector import LearnedDetector, Scorer
from incognote.detect.learned.hide.scorer import RECIPE, HideScorer
from incognote.detect.learned.model_folder import ModelFolder
from incognote.detect.learned.suite import crfsuite
from incognote.detect.learned.tagging import Scores

OUTSIDE = "O"
LONGEST = 400  # units in a sequence; probabilities get costly and thin beyond


class CrfDetector(LearnedDetector):
    """Needs a trained folder (`incognote train crf`); none ships with the package."""

    kind = "crf"

    def _load(self, folder: ModelFolder) -> Scorer:
        return HideScorer(folder) if folder.settings.get("recipe") == RECIPE else CrfScorer(folder)


class CrfScorer:
    """The loaded field: texts in, scores for each unit out."""

    def __init__(self, folder: ModelFolder) -> None:
        self._tagger = crfsuite().Tagger()
        self._tagger.open(str(folder.file("model.crfsuite")))
        self._labels = folder.labels
        self._known = frozenset(self._tagger.labels())
        self._reader = FeatureReader(folder.settings["groups"])

    def score(self, texts: Sequence[str]) -> list[Scores]:
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Scores:
        units, features = self._reader.read(text)
        labels = np.zeros((len(units), len(self._labels) + 1), np.float32)
        labels[:, 0] = 1.0
        position = 0
        for size in sequences(text, units):
            self._tagger.set(features[position : position + size])
            for i in range(size):
                outside = self._tagger.marginal(OUTSIDE, i) if OUTSIDE in self._known else 0.0
                row = labels[position + i]
                row[0] = outside
                if outside < 0.999:  # what is surely outside needs no closer look
                    for number, label in enumerate(self._labels, 1):
                        if label in self._known:
                            row[number] = self._tagger.marginal(label, i)
            position += size
        return Scores(units, labels, np.zeros(len(units), np.float32))


def sequences(text: str, units: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Sizes of the stretches that are labelled as one: up to a blank line or LONGEST units."""
    size = 0
    for number, (start, _) in enumerate(units):
        blank = number and text.count("\n", units[number - 1][1], start) > 1
        if size and (blank or size == LONGEST):
            yield size
            size = 0
        size += 1
    if size:
        yield size
