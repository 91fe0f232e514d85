"""A cascade: a fast model says which words an accurate one needs to see.

Most of a note is surely no PHI, and a small model knows that. It screens at a very sensitive
operating point; the accurate model reads what is left, with some words of context around it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from incognote.detect.fast import FastScorer
from incognote.detect.model_folder import ModelFolder
from incognote.detect.pieces import near

CONTEXT = 16  # units read on either side of one that may be PHI


class Screen:
    def __init__(self, folder: ModelFolder, sensitivity: float) -> None:
        self._scorer = FastScorer(folder)
        thresholds = folder.point(sensitivity).thresholds
        self._thresholds = np.array([thresholds[label] for label in folder.labels], np.float32)

    def stretches(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """For each text, [first, last) of the units that are worth a closer look."""
        found: list[list[tuple[int, int]]] = []
        for scores in self._scorer.score(texts):
            if not len(scores.units):
                found.append([])
                continue
            best = scores.labels[:, 1:].argmax(axis=1)
            found.append(near(1.0 - scores.labels[:, 0] >= self._thresholds[best], CONTEXT))
        return found
