"""A cascade: a fast model says which words an accurate one needs to see.

Most of a note is surely no PHI, and a small model knows that. It screens at a very sensitive
operating point; the accurate model reads the lines that are left, one after the other as if nothing
stood between them, so that a line about a patient is still read with the header that names him.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from incognote.detect.learned.fast import FastScorer
from incognote.detect.learned.model_folder import ModelFolder
from incognote.detect.learned.units import BLANK_LINE, LINE, Offsets, layouts

CONTEXT = 6  # units read on either side of one that may be PHI ...
LINE_END = 24  # ... and on to the end of the line, where it is this near
Mask = NDArray[np.bool_]


class Screen:
    def __init__(self, folder: ModelFolder, sensitivity: float) -> None:
        self._scorer = FastScorer(folder)
        thresholds = folder.point(sensitivity).thresholds
        self._thresholds = np.array([thresholds[label] for label in folder.labels], np.float32)

    def masks(self, texts: Sequence[str]) -> list[Mask]:
        """For each text, which of its units are worth a closer look."""
        return [
            with_context(text, list(scores.units), self._may_be_phi(scores.labels))
            for text, scores in zip(texts, self._scorer.score(texts), strict=True)
        ]

    def _may_be_phi(self, labels: NDArray[np.float32]) -> Mask:
        if not len(labels):
            return np.zeros(0, bool)
        found: Mask = 1.0 - labels[:, 0] >= self._thresholds[labels[:, 1:].argmax(axis=1)]
        return found


def with_context(text: str, units: Offsets, wanted: Mask) -> Mask:
    """The wanted units with some around them, and with the rest of their lines."""
    kept = np.zeros(len(wanted), bool)
    kinds = np.array(layouts(text, units), np.int64)
    starts = np.flatnonzero((kinds == LINE) | (kinds == BLANK_LINE))
    edges = np.unique(np.concatenate([[0], starts, [len(wanted)]]))
    for first, last in near(wanted, CONTEXT):
        begin = int(edges[np.searchsorted(edges, first, side="right") - 1])
        end = int(edges[np.searchsorted(edges, last)])
        kept[
            begin if first - begin <= LINE_END else first : end if end - last <= LINE_END else last
        ] = True
    return kept


def near(wanted: Mask, reach: int) -> list[tuple[int, int]]:
    """[first, last) of the stretches of units that are at most `reach` from a wanted one."""
    places = np.flatnonzero(wanted)
    if not len(places):
        return []
    breaks = np.flatnonzero(np.diff(places) > 2 * reach + 1) + 1
    edges = [0, *breaks.tolist(), len(places)]
    return [
        (max(0, int(places[a]) - reach), min(len(wanted), int(places[b - 1]) + reach + 1))
        for a, b in pairwise(edges)
    ]
