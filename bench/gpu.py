"""The accurate model on a GPU: pieces a second from text to spans, and what the GPU is busy with.

    python -m bench.gpu [--model accurate] [--device cuda|cpu] [--pieces N] [--workers N]

Reads the training notes again and again until there are enough word pieces, so that nothing but
torch and numpy is needed. Workers share the GPU as those of a run over files do: each reads,
asks the network and decodes. Prints how fast texts become spans, the share of that time in which
the GPU works, whether the order of the notes changes anything, and how far the labels agree with
onnxruntime's on the CPU, where that is installed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from itertools import cycle
from multiprocessing import get_context
from typing import Self

import torch

from bench.notes import notes
from incognote.core.types import Span
from incognote.detect.learned.detector import Scorer
from incognote.detect.learned.encoder.gpu import encoder
from incognote.detect.learned.model_folder import DEFAULT_SENSITIVITY, ModelFolder, open_model
from incognote.detect.learned.operating import Settings
from incognote.detect.learned.transformer import TransformerScorer

SHARE = 256  # notes that a worker is given at once
COMPARED = 60  # notes of which every word is compared


def main(arguments: Sequence[str] | None = None) -> None:
    options = parsed(arguments)
    folder = open_model(options.model, "transformer")
    alone = scorer_on(folder, options.device)
    texts, pieces = enough(alone, options.pieces)
    name = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    print(f"{name}; {folder.name}; {options.workers} workers")
    shares = [texts[i : i + SHARE] for i in range(0, len(texts), SHARE)]
    job = options.model, options.device
    with ProcessPoolExecutor(options.workers, get_context("spawn"), _start, job) as pool:
        # Starts every worker once, before the clock does.
        list(pool.map(_count, [texts[:SHARE]] * options.workers * 4))
        with Watch() as watch:
            began = time.perf_counter()
            spans = sum(pool.map(_count, shares))
            seconds = time.perf_counter() - began
    print(
        f"{pieces:,} pieces of {len(texts):,} notes ({sum(map(len, texts)):,} characters) "
        f"in {seconds:.2f} s: {pieces / seconds:,.0f} pieces/s, {spans:,} spans"
    )
    if watch.seen:
        print(f"the device worked {sum(watch.seen) / len(watch.seen):.0f}% of that time")
    compare(folder, alone, texts[:COMPARED])


def scorer_on(folder: ModelFolder, device: str) -> TransformerScorer:
    return TransformerScorer(folder, encoder=encoder(folder, device))


_found: Callable[[Sequence[str]], list[list[Span]]]


def _start(model: str, device: str) -> None:
    global _found  # noqa: PLW0603 - the one thing a worker holds
    torch.set_num_threads(1)
    folder = open_model(model, "transformer")
    _found = partial(found, scorer_on(folder, device), folder)


def _count(texts: Sequence[str]) -> int:
    return sum(map(len, _found(texts)))


class Watch:
    """Asks the driver four times a second which share of the time the GPU had work."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def __enter__(self) -> Self:
        self._process = None
        if shutil.which("nvidia-smi"):
            self._process = subprocess.Popen(
                ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits",
                 "--loop-ms=250"],
                stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
        return self

    def __exit__(self, *_: object) -> None:
        if self._process:
            self._process.terminate()
            shown, _ = self._process.communicate()
            self.seen = [int(line) for line in shown.split("\n") if line.strip().isdigit()]


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m bench.gpu", description=__doc__, formatter_class=as_written
    )
    parser.add_argument("--model", default="accurate", help="a shipped model or a model folder")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--pieces", type=int, default=10_000_000, help="to read (%(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="(%(default)s)")
    return parser.parse_args(arguments)


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
        agreement("torch on the CPU, float32", scorer_on(folder, "cpu"), scorer, texts)
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
