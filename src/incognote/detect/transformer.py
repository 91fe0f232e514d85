"""The transformer detector: an int8 encoder in ONNX that sees words, letter case and layout."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import parent_process
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.detect.learned import LearnedDetector
from incognote.detect.model_folder import DEFAULT_SENSITIVITY, ModelFolder
from incognote.detect.tagging import Floats, Scores
from incognote.detect.units import CONTINUES, layouts, shape, split
from incognote.detect.wordpiece import WordPiece


@dataclass(frozen=True, slots=True)
class _Text:
    """A text as the encoder reads it: flat pieces, and where each unit's first piece stands."""

    units: list[tuple[int, int]] = field(repr=False)
    ids: list[int] = field(repr=False)
    shapes: list[int] = field(repr=False)
    layouts: list[int] = field(repr=False)
    firsts: list[int] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Window:
    text: int
    start: int
    end: int


class TransformerDetector(LearnedDetector):
    """Long texts are read in overlapping windows; where two windows disagree, PHI wins."""

    kind = "transformer"

    def __init__(
        self,
        model: str = "accurate",
        sensitivity: float = DEFAULT_SENSITIVITY,
        safe: float | None = None,
        threads: int = 0,
    ) -> None:
        super().__init__(model, sensitivity, safe)
        self._threads = threads

    def _load(self, folder: ModelFolder) -> TransformerScorer:
        return TransformerScorer(folder, self._threads)


class TransformerScorer:
    """The loaded network: texts in, scores for each unit out."""

    def __init__(self, folder: ModelFolder, threads: int = 0) -> None:
        vocabulary = folder.file("vocab.txt").read_text(encoding="utf-8").splitlines()
        self._pieces = WordPiece(vocabulary, lower=folder.settings["lower"])
        self._size: int = folder.settings["window"]
        self._overlap: int = folder.settings["overlap"]
        self._session = open_session(folder.file("model.onnx").read_bytes())
        threads = threads or _free_cores()
        self._map = ThreadPoolExecutor(threads).map if threads > 1 else map

    def score(self, texts: Sequence[str]) -> list[Scores]:
        read = [self._read(text) for text in texts]
        windows = [
            _Window(number, start, end)
            for number, text in enumerate(read)
            for start, end in self._windows(text)
        ]
        logits: list[Floats | None] = [None] * len(read)
        # One window at a time: int8 scales depend on all that is in a batch, and a note must get
        # the same spans whatever it is processed with. Cores work on windows side by side.
        for window, found in zip(
            windows, self._map(partial(self._run, read), windows), strict=True
        ):
            rows = logits[window.text]
            if rows is None:
                length = len(read[window.text].ids)
                rows = logits[window.text] = np.full((length, found.shape[1]), np.nan, np.float32)
            _merge(rows[window.start : window.end], found)
        return [_scores(text, rows) for text, rows in zip(read, logits, strict=True)]

    def _read(self, text: str) -> _Text:
        units = split(text)
        read = _Text(units, [], [], [], [])
        room = self._size // 4  # a unit never fills a window alone
        for (start, end), gap in zip(units, layouts(text, units), strict=True):
            unit = text[start:end]
            found = self._pieces.pieces(unit)[:room]
            read.firsts.append(len(read.ids))
            read.ids.extend(found)
            read.shapes.extend([shape(unit)] * len(found))
            read.layouts.extend([gap] + [CONTINUES] * (len(found) - 1))
        return read

    def _windows(self, text: _Text) -> list[tuple[int, int]]:
        """Overlapping stretches of pieces; all start at a unit, so no word is cut at its front."""
        total, room = len(text.ids), self._size - 2
        if total <= room:
            return [(0, total)] if total else []
        is_first = np.zeros(total + 1, bool)
        is_first[text.firsts] = True
        is_first[total] = True
        spans = []
        start = 0
        while True:
            end = min(start + room, total)
            while not is_first[end]:
                end -= 1
            spans.append((start, end))
            if end == total:
                return spans
            start = end - self._overlap
            while not is_first[start]:
                start += 1

    def _run(self, read: Sequence[_Text], window: _Window) -> Floats:
        text, part = read[window.text], slice(window.start, window.end)
        size = window.end - window.start + 2
        ids = np.array([[self._pieces.first, *text.ids[part], self._pieces.last]], np.int64)
        shapes, gaps = np.zeros((2, 1, size), np.int64)
        shapes[0, 1:-1] = text.shapes[part]
        gaps[0, 1:-1] = text.layouts[part]
        feed = {"ids": ids, "shapes": shapes, "layouts": gaps, "mask": np.ones_like(ids)}
        result: Floats = self._session.run(None, feed)[0][0, 1:-1]
        return result


def _free_cores() -> int:
    """All cores this process may use, or one where it is a worker beside others."""
    if parent_process() is not None:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def open_session(weights: bytes) -> Any:
    """An onnxruntime session on the CPU, with one thread for each call."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])


def _merge(old: Floats, new: Floats) -> None:
    """Writes `new` over `old` where nothing stood yet or where it sees more PHI."""
    margin_old = old[:, 1:-1].max(axis=1) - old[:, 0]
    margin_new = new[:, 1:-1].max(axis=1) - new[:, 0]
    better = np.isnan(margin_old) | (margin_new > margin_old)
    old[better] = new[better]


def _scores(text: _Text, logits: Floats | None) -> Scores:
    if logits is None:
        return Scores([], np.zeros((0, 1), np.float32), np.zeros(0, np.float32))
    rows = logits[np.array(text.firsts)]
    return Scores(text.units, softmax(rows[:, :-1]), sigmoid(rows[:, -1]))


def softmax(logits: NDArray[np.float32]) -> Floats:
    exps = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: Floats = exps / exps.sum(axis=1, keepdims=True)
    return result


def sigmoid(logits: NDArray[np.float32]) -> Floats:
    result: Floats = (1.0 / (1.0 + np.exp(-logits))).astype(np.float32)
    return result
