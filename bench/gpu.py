"""The accurate model on a GPU: pieces a second from text to spans, and what the GPU is busy with.

    python -m bench.gpu [--model accurate] [--device cuda|cpu] [--pieces N] [--readers N]

Reads the training notes again and again until there are enough word pieces, so that nothing but
torch and numpy is needed. Prints how fast texts become spans (reading, network and decoding), the
share of that time in which the GPU works, whether the order of the notes changes anything, and how
far the labels agree with onnxruntime's on the CPU, where that is installed.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import cycle
from typing import Any

import torch

from bench.notes import notes
from incognote.core.types import Span
from incognote.detect.gpu import encoder
from incognote.detect.learned import Scorer
from incognote.detect.model_folder import DEFAULT_SENSITIVITY, ModelFolder, open_model
from incognote.detect.operating import Settings
from incognote.detect.torch_encoder import TorchEncoder
from incognote.detect.transformer import TransformerScorer
from incognote.detect.weights import WEIGHTS, EncoderShape

WARM = 256  # notes for each reading process before the clock starts
COMPARED = 60  # notes of which every word is compared


def main(arguments: Sequence[str] | None = None) -> None:
    options = parsed(arguments)
    folder = open_model(options.model, "transformer")
    network = Watched(folder, options.device)
    alone = TransformerScorer(folder, encoder=network)
    texts, pieces = enough(alone, options.pieces)
    print(f"{network.device_name}; {folder.name}; {options.readers} reading processes")
    scorer = TransformerScorer(folder, encoder=network, readers=options.readers)
    found(scorer, folder, texts[: WARM * max(1, options.readers)])  # starts everything once
    network.reset()
    began = time.perf_counter()
    spans = found(scorer, folder, texts)
    seconds = time.perf_counter() - began
    print(
        f"{pieces:,} pieces of {len(texts):,} notes ({sum(map(len, texts)):,} characters) "
        f"in {seconds:.2f} s: {pieces / seconds:,.0f} pieces/s, {sum(map(len, spans)):,} spans"
    )
    print(f"the device worked {network.busy():.0%} of that time")
    compare(folder, alone, texts[:COMPARED])


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m bench.gpu", description=__doc__, formatter_class=as_written
    )
    parser.add_argument("--model", default="accurate", help="a shipped model or a model folder")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--pieces", type=int, default=10_000_000, help="to read (%(default)s)")
    cores = (os.cpu_count() or 1) - 2
    parser.add_argument("--readers", type=int, default=max(0, cores), help="(%(default)s)")
    return parser.parse_args(arguments)


class Watched(TorchEncoder):
    """An encoder that counts the time the device works."""

    def __init__(self, folder: ModelFolder, device: str) -> None:
        shape = EncoderShape(**folder.settings["encoder"])
        super().__init__(folder.file(WEIGHTS), shape, device)
        self.on_gpu = device != "cpu"
        self.device_name = torch.cuda.get_device_name() if self.on_gpu else "CPU"
        self.reset()

    def reset(self) -> None:
        self._began = time.perf_counter()
        self._seconds = 0.0
        self._events: list[tuple[torch.cuda.Event, torch.cuda.Event]] = []

    def _forward(self, packed: torch.Tensor) -> Any:
        if not self.on_gpu:
            began = time.perf_counter()
            answer = super()._forward(packed)
            self._seconds += time.perf_counter() - began
            return answer
        marks = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        marks[0].record()
        answer = super()._forward(packed)
        marks[1].record()
        self._events.append(marks)
        return answer

    def busy(self) -> float:
        if self.on_gpu:
            torch.cuda.synchronize()
            self._seconds = sum(first.elapsed_time(last) for first, last in self._events) / 1000
        return self._seconds / (time.perf_counter() - self._began)


def enough(scorer: TransformerScorer, wanted: int) -> tuple[list[str], int]:
    """Notes, again and again, until they have so many pieces; each piece counts once, though
    windows overlap."""
    rng = random.Random(1)
    texts = [doc.text for doc in notes("train")]
    rng.shuffle(texts)
    sizes = [scorer.reader.read(text).size for text in texts]
    chosen: list[str] = []
    pieces = 0
    for text, size in cycle(zip(texts, sizes, strict=True)):
        if pieces >= wanted:
            break
        chosen.append(text)
        pieces += size
    return chosen, pieces


def found(scorer: Scorer, folder: ModelFolder, texts: Sequence[str]) -> list[list[Span]]:
    decoder = Settings(folder, DEFAULT_SENSITIVITY).decoder(folder.name)
    return [decoder.spans(t, s) for t, s in zip(texts, scorer.score(texts), strict=True)]


def compare(folder: ModelFolder, scorer: TransformerScorer, texts: Sequence[str]) -> None:
    forward = found(scorer, folder, texts)
    single = [found(scorer, folder, [text])[0] for text in reversed(texts)][::-1]
    print(f"in another order and one by one: {'the same' if forward == single else 'OTHER'} spans")
    if find_spec("onnxruntime") is None:
        exact = TransformerScorer(folder, encoder=encoder(folder, "cpu"))
        agreement("torch on the CPU, float32", exact, scorer, texts)
    else:
        agreement("onnxruntime, int8", TransformerScorer(folder), scorer, texts)


def agreement(
    name: str, one: TransformerScorer, other: TransformerScorer, texts: Sequence[str]
) -> None:
    words = same = 0
    for mine, yours in zip(one.score(texts), other.score(texts), strict=True):
        words += len(mine.units)
        same += int((mine.labels.argmax(axis=1) == yours.labels.argmax(axis=1)).sum())
    print(f"{name}: {same:,} of {words:,} words have the same label ({same / max(1, words):.3%})")


if __name__ == "__main__":
    main()
