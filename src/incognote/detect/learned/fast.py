"""The fast detector: a small convolutional tagger over hashed words, affixes, shapes, layout and
what the lexicon knows of a word.

Clinical text repeats its words, so each distinct unit is hashed once; reading a note is then one
dictionary lookup for each unit and a few matrix products.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from incognote.detect.learned.detector import LearnedDetector
from incognote.detect.learned.encoder.onnx_session import open_session, sigmoid, softmax
from incognote.detect.learned.model_folder import DEFAULT_SENSITIVITY, ModelFolder
from incognote.detect.learned.tagging import Scores
from incognote.detect.learned.units import layouts, shape, split
from incognote.detect.word_class import word_class

Ints = NDArray[np.int64]

WORDS = 1 << 16  # hash buckets for whole words
AFFIXES = 1 << 13  # and for prefixes of 2 and 3 letters, suffixes of 2, 3 and 4
COLUMNS = 8  # word, two prefixes, three suffixes, shape, word class
SEPARATOR = 16  # empty units between texts: the widest reach of one layer
_CACHED = 200_000


def unit_features(unit: str) -> tuple[int, ...]:
    """(word, prefix 2, prefix 3, suffix 2, suffix 3, suffix 4, shape, class); 0 is "none"."""
    form = shape(unit)
    if unit[0].isdecimal():
        # Small numbers are words of their own; of long ones the length and the first two count.
        short = unit if len(unit) < 3 else unit[:2] + "0" * len(unit[2:10])
        return _bucket("w", short, WORDS), 0, 0, 0, 0, 0, form, 0
    if not unit[0].isalpha():
        return _bucket("w", unit[:4], WORDS), 0, 0, 0, 0, 0, form, 0
    low = unit.lower()
    return (
        _bucket("w", low, WORDS),
        _bucket("p", low[:2], AFFIXES),
        _bucket("p", low[:3], AFFIXES),
        _bucket("s", low[-2:], AFFIXES),
        _bucket("s", low[-3:], AFFIXES),
        _bucket("s", low[-4:], AFFIXES),
        form,
        word_class(unit),
    )


def _bucket(kind: str, text: str, size: int) -> int:
    return 1 + crc32((kind + text).encode()) % (size - 1)


class UnitTable(dict[str, int]):
    """Rows of features for units seen so far; an unknown unit gets a new row."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[tuple[int, ...]] = []
        self._array: Ints = np.zeros((0, COLUMNS), np.int64)

    def __missing__(self, unit: str) -> int:
        row = len(self._rows)
        self._rows.append(unit_features(unit))
        self[unit] = row
        return row

    def features(self, text: str, units: Sequence[tuple[int, int]]) -> Ints:
        """One row a unit: its features, then its layout."""
        if len(self) > _CACHED:
            self.clear()
            self._rows.clear()
            self._array = self._array[:0]
        rows = [self[text[start:end]] for start, end in units]
        if len(self._array) < len(self._rows):
            new = np.array(self._rows[len(self._array) :], np.int64)
            self._array = np.concatenate([self._array, new])
        gaps = np.array(layouts(text, list(units)), np.int64)
        return np.concatenate([self._array[rows], gaps[:, None]], axis=1)


class FastDetector(LearnedDetector):
    """For large archives and small machines: a few points less recall, many times the speed."""

    kind = "fast"

    def __init__(
        self,
        model: str | Sequence[str] = "fast",
        sensitivity: float = DEFAULT_SENSITIVITY,
        safe: float | None = None,
    ) -> None:
        super().__init__(model, sensitivity, safe)

    def _load(self, folder: ModelFolder) -> FastScorer:
        return FastScorer(folder)


class FastScorer:
    """The loaded network: texts in, scores for each unit out."""

    def __init__(self, folder: ModelFolder) -> None:
        self._session = open_session(folder.file("model.onnx"))
        self._table = UnitTable()

    def score(self, texts: Sequence[str]) -> list[Scores]:
        # Each text alone: int8 scales depend on all that is read at once, and a note must get the
        # same spans whatever it is processed with.
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Scores:
        units = split(text)
        if not units:
            return Scores([], np.zeros((0, 1), np.float32), np.zeros(0, np.float32))
        rows, _ = stacked([self._table.features(text, units)])
        logits = self._session.run(None, {"features": rows})[0][: len(units)]
        return Scores(units, softmax(logits[:, :-1]), sigmoid(logits[:, -1]))


def stacked(features: Sequence[Ints]) -> tuple[Ints, list[int]]:
    """Texts one after the other with empty rows between, and where each starts."""
    size = sum(len(rows) + SEPARATOR for rows in features)
    stack = np.zeros((size, COLUMNS + 1), np.int64)
    starts = []
    position = 0
    for rows in features:
        starts.append(position)
        stack[position : position + len(rows)] = rows
        position += len(rows) + SEPARATOR
    return stack, starts
