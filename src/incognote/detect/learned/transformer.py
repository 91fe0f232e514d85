"""The transformer detector: an encoder that sees words, letter case and layout.

On a CPU it runs in onnxruntime, int8; on a GPU in torch, bfloat16, with the same weights.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import parent_process
from typing import Protocol

import numpy as np

from incognote.core.caches import BoundedDict
from incognote.core.errors import DetectError, UsageError
from incognote.detect.learned.detector import LearnedDetector
from incognote.detect.learned.encoder import gpu
from incognote.detect.learned.encoder.onnx_session import open_session, sigmoid, softmax
from incognote.detect.learned.encoder.pieces import Feed, Pieces, Reader
from incognote.detect.learned.encoder.subwords import open_tokenizer
from incognote.detect.learned.encoder.weights import GRAPH, INPUTS, WEIGHTS
from incognote.detect.learned.model_folder import DEFAULT_SENSITIVITY, ModelFolder, open_model
from incognote.detect.learned.screen import Mask, Screen
from incognote.detect.learned.tagging import Floats, Scores
from incognote.detect.learned.units import Offsets

DEVICES = ("auto", "cpu", "cuda")
SCREEN_SENSITIVITY = 0.98
GPU_DOCUMENTS = 256  # of 32 notes a GPU computes 3.5 times the pieces it needs, of 256 1.4
AHEAD = 2  # shares of the texts that are read before answers are waited for


@dataclass(frozen=True, slots=True)
class _PendingTexts:
    """A share of the texts on its way through the encoder.

    Windows are (number of the text, first piece, last piece) of what is read; with a screen that
    is not all of a text, and the masks say which units it is.
    """

    units: list[Offsets] = field(repr=False)
    read: list[Pieces] = field(repr=False)
    masks: list[Mask] | None = field(repr=False)
    windows: list[tuple[int, int, int]] = field(repr=False)
    answers: Iterable[Floats] = field(repr=False)


class Encoder(Protocol):
    """Windows in, the logits of their pieces out, in order. `share` texts are asked at once."""

    share: int

    def run(self, feeds: Sequence[Feed]) -> Iterable[Floats]: ...


class TransformerDetector(LearnedDetector):
    """Long texts are read in overlapping windows; where two windows disagree, PHI wins.

    With `screen`, a fast model first rules out lines that surely hold no PHI.
    """

    kind = "transformer"

    def __init__(
        self,
        model: str | Sequence[str] = "accurate",
        sensitivity: float = DEFAULT_SENSITIVITY,
        safe: float | None = None,
        threads: int = 0,
        screen: str | None = None,
        screen_sensitivity: float = SCREEN_SENSITIVITY,
        device: str = "auto",
        remember: int = 0,
    ) -> None:
        super().__init__(model, sensitivity, safe)
        if min(threads, remember) < 0:
            raise UsageError("threads and remember must not be below 0")
        self._threads = threads
        self._screen = open_model(screen, "fast") if screen else None
        if self._screen:
            self._screen.point(screen_sensitivity)
        self._screen_sensitivity = screen_sensitivity
        if device not in DEVICES:
            raise UsageError(f"device = {device!r}: there are {', '.join(DEVICES)}")
        if device == "cuda":
            gpu.require()
        self._device = device
        self._remember = remember

    @property
    def batch_documents(self) -> int:
        """A GPU fills its batches with windows of like width: of few notes, most is padding."""
        return GPU_DOCUMENTS if self._on_gpu() else 0

    def _on_gpu(self) -> bool:
        return self._device == "cuda" or (self._device == "auto" and gpu.is_there())

    def _load(self, folder: ModelFolder) -> TransformerScorer:
        if self._on_gpu():
            # A GPU reads everything faster than a CPU could screen it.
            return TransformerScorer(folder, encoder=gpu.encoder(folder))
        screen = Screen(self._screen, self._screen_sensitivity) if self._screen else None
        return TransformerScorer(folder, self._threads, screen=screen, remember=self._remember)


class TransformerScorer:
    """The loaded network: texts in, scores for each unit out."""

    def __init__(
        self,
        folder: ModelFolder,
        threads: int = 0,
        *,
        screen: Screen | None = None,
        encoder: Encoder | None = None,
        remember: int = 0,
    ) -> None:
        self.reader = Reader(
            open_tokenizer(folder),
            folder.settings["window"],
            folder.settings["overlap"],
        )
        self._columns = len(folder.labels) + 2
        self._screen = screen
        self._encoder = encoder or OnnxEncoder(folder, threads, remember)

    def score(self, texts: Sequence[str]) -> Iterator[Scores]:
        """One share of the texts is read while a GPU works on those before it."""
        waiting: deque[_PendingTexts] = deque()
        size = self._encoder.share
        shares = [texts[i : i + size] for i in range(0, len(texts), size)]
        for share in shares:
            waiting.append(self._ask(share, [self.reader.read(text) for text in share]))
            if len(waiting) > AHEAD:
                yield from self._answered(waiting.popleft())
        for asked in waiting:
            yield from self._answered(asked)

    def _ask(self, texts: Sequence[str], read: list[Pieces]) -> _PendingTexts:
        units = [text.units for text in read]
        masks = self._screen.masks(texts) if self._screen else None
        if masks:
            read = [text.only(mask) for text, mask in zip(read, masks, strict=True)]
        windows = [
            (number, start, end)
            for number, text in enumerate(read)
            for start, end in self.reader.windows(text)
        ]
        feeds = [self.reader.feed(read[number], start, end) for number, start, end in windows]
        return _PendingTexts(units, read, masks, windows, self._encoder.run(feeds))

    def _answered(self, asked: _PendingTexts) -> Iterator[Scores]:
        logits = [np.zeros((text.size, self._columns), np.float32) for text in asked.read]
        here = seen = -1
        for (number, start, end), found in zip(asked.windows, asked.answers, strict=True):
            if not np.isfinite(found).all():
                raise DetectError("the encoder failed on a window")
            seen = seen if number == here else start
            shared = seen - start
            _merge(logits[number][start:seen], found[:shared])
            logits[number][seen:end] = found[shared:]
            here, seen = number, end
        for number, (text, rows) in enumerate(zip(asked.read, logits, strict=True)):
            scores = _scores(text, rows)
            if asked.masks:
                scores = _spread(scores, asked.units[number], asked.masks[number])
            yield scores


class OnnxEncoder:
    """onnxruntime on the CPU, one window at a time.

    int8 scales depend on all that is in a batch, and a note must get the same spans whatever it is
    processed with. Larger batches would not be faster either: one window fills a core. Where notes
    copy each other, it pays to remember the last windows.
    """

    share = 64

    def __init__(self, folder: ModelFolder, threads: int = 0, remember: int = 0) -> None:
        folder.file(WEIGHTS)  # the graph names this file; here its hash is checked
        self._session = open_session(folder.file(GRAPH))
        self._known: BoundedDict[bytes, Floats] = BoundedDict(f"{__name__}.windows", remember)
        self._remember = remember
        threads = threads or _free_cores()
        self._map = ThreadPoolExecutor(threads).map if threads > 1 else map

    def run(self, feeds: Sequence[Feed]) -> Iterable[Floats]:
        return self._map(self._remembered if self._remember else self._one, feeds)

    def _remembered(self, feed: Feed) -> Floats:
        key = feed.tobytes()
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._one(feed)
        return found

    def _one(self, feed: Feed) -> Floats:
        rows = dict(zip(INPUTS, feed[:, None], strict=True))
        result: Floats = self._session.run(None, rows)[0][0, 1:-1]
        return result


def _free_cores() -> int:
    """All cores this process may use, or one where it is a worker beside others."""
    if parent_process() is not None:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _merge(old: Floats, new: Floats) -> None:
    """Writes `new` over `old` where it sees more PHI."""
    better = _margin(new) > _margin(old)
    old[better] = new[better]


def _margin(logits: Floats) -> Floats:
    found: Floats = logits[:, 1:-1].max(axis=1, initial=-np.inf) - logits[:, 0]
    return found


def _scores(text: Pieces, logits: Floats) -> Scores:
    if not text.units:
        return Scores([], np.zeros((0, logits.shape[1] - 1), np.float32), np.zeros(0, np.float32))
    rows = logits[text.firsts]
    return Scores(text.units, softmax(rows[:, :-1]), sigmoid(rows[:, -1]))


def _spread(read: Scores, units: Offsets, mask: Mask) -> Scores:
    """Scores of all units, where some were read: the others are surely no PHI."""
    labels = np.zeros((len(units), read.labels.shape[1]), np.float32)
    labels[:, 0] = 1.0
    opens = np.zeros(len(units), np.float32)
    labels[mask], opens[mask] = read.labels, read.opens
    return Scores(units, labels, opens)
