"""The transformer detector: an int8 encoder in ONNX that sees words, letter case and layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incognote.core.types import Span, View
from incognote.detect.model_folder import DEFAULT_SENSITIVITY, ModelFolder, open_model
from incognote.detect.operating import Settings
from incognote.detect.tagging import Floats, Scores
from incognote.detect.units import CONTINUES, layouts, shape, split
from incognote.detect.wordpiece import WordPiece

_BATCH_PIECES = 4096


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


class TransformerDetector:
    """Long texts are read in overlapping windows; where two windows disagree, PHI wins."""

    def __init__(
        self,
        model: str = "accurate",
        sensitivity: float = DEFAULT_SENSITIVITY,
        safe: float | None = None,
        threads: int = 0,
    ) -> None:
        self._folder = open_model(model, "transformer")
        self._settings = Settings(self._folder, sensitivity, safe)
        self._threads = threads
        self._scorer: TransformerScorer | None = None
        self.name = "transformer"
        self.labels = self._settings.labels
        self.languages = frozenset({"en"})

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_scorer": None}

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        if self._scorer is None:
            self._scorer = TransformerScorer(self._folder, self._threads)
        decoder = self._settings.decoder(self.name)
        texts = [view.text for view in views]
        return [
            decoder.spans(text, scores)
            for text, scores in zip(texts, self._scorer.score(texts), strict=True)
        ]


class TransformerScorer:
    """The loaded network: texts in, scores for each unit out."""

    def __init__(self, folder: ModelFolder, threads: int = 0) -> None:
        vocabulary = folder.file("vocab.txt").read_text(encoding="utf-8").splitlines()
        self._pieces = WordPiece(vocabulary, lower=folder.settings["lower"])
        self._size: int = folder.settings["window"]
        self._overlap: int = folder.settings["overlap"]
        self._session = open_session(folder.file("model.onnx").read_bytes(), threads)

    def score(self, texts: Sequence[str]) -> list[Scores]:
        read = [self._read(text) for text in texts]
        windows = [
            _Window(number, start, end)
            for number, text in enumerate(read)
            for start, end in self._windows(text)
        ]
        # Like lengths together: padding is work for nothing.
        windows.sort(key=lambda window: window.end - window.start)
        logits = [np.full((len(text.ids), 0), 0, np.float32) for text in read]
        for batch in _batched(windows):
            found = self._run(read, batch)
            for row, window in enumerate(batch):
                size = window.end - window.start
                if not logits[window.text].size:
                    length = len(read[window.text].ids)
                    logits[window.text] = np.full((length, found.shape[2]), np.nan, np.float32)
                _merge(logits[window.text][window.start : window.end], found[row, 1 : size + 1])
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

    def _run(self, read: Sequence[_Text], batch: Sequence[_Window]) -> Floats:
        width = 2 + max(window.end - window.start for window in batch)
        ids = np.full((len(batch), width), self._pieces.pad, np.int64)
        shapes, gaps, mask = (np.zeros((len(batch), width), np.int64) for _ in range(3))
        for row, window in enumerate(batch):
            text, part = read[window.text], slice(window.start, window.end)
            size = window.end - window.start
            ids[row, 0], ids[row, size + 1] = self._pieces.first, self._pieces.last
            ids[row, 1 : size + 1] = text.ids[part]
            shapes[row, 1 : size + 1] = text.shapes[part]
            gaps[row, 1 : size + 1] = text.layouts[part]
            mask[row, : size + 2] = 1
        feed = {"ids": ids, "shapes": shapes, "layouts": gaps, "mask": mask}
        result: Floats = self._session.run(None, feed)[0]
        return result


def open_session(weights: bytes, threads: int) -> Any:
    """An onnxruntime session on the CPU; 0 threads means all cores."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # Threads that spin while they wait take the cores of other workers.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])


def _batched(windows: Sequence[_Window]) -> list[list[_Window]]:
    groups: list[list[_Window]] = []
    for window in windows:
        width = window.end - window.start + 2
        if groups and width * (len(groups[-1]) + 1) <= _BATCH_PIECES:
            groups[-1].append(window)
        else:
            groups.append([window])
    return groups


def _merge(old: Floats, new: Floats) -> None:
    """Writes `new` over `old` where nothing stood yet or where it sees more PHI."""
    margin_old = old[:, 1:-1].max(axis=1) - old[:, 0]
    margin_new = new[:, 1:-1].max(axis=1) - new[:, 0]
    better = np.isnan(margin_old) | (margin_new > margin_old)
    old[better] = new[better]


def _scores(text: _Text, logits: Floats) -> Scores:
    if not text.units:
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
