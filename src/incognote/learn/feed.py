"""Epochs made ahead in other processes, so that a fast device never waits for its notes."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import TypeVar

from incognote.detect.wordpiece import WordPiece
from incognote.learn.augment import Source
from incognote.learn.windows import Batch, batches, cut

T = TypeVar("T")
Maker = Callable[[int], T]


@dataclass(frozen=True, slots=True)
class EpochMaker:
    """The batches of one epoch, by its seed: annotated notes, then those for a teacher alone."""

    source: Source
    pieces: WordPiece = field(repr=False)
    index: dict[str, int]
    window: int
    budget: int

    def __call__(self, seed: int) -> list[Batch]:
        rng = random.Random(seed)
        windows = [
            window
            for notes, marked in (
                (self.source.epoch(seed), True),
                (self.source.unmarked_epoch(seed), False),
            )
            for note in notes
            for window in cut(note, self.pieces, self.index, self.window, rng, marked=marked)
        ]
        return batches(windows, self.pieces.pad, self.budget, rng)


def epochs(make: Maker[T], seeds: Sequence[int], workers: int) -> Iterator[T]:
    """What `make` makes of each seed, in order; `workers` processes are a little ahead of it."""
    if not workers:
        yield from map(make, seeds)
        return
    # Spawned, not forked: the parent may already hold a device and threads.
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        ahead: deque[Future[T]] = deque()
        for seed in seeds:
            ahead.append(pool.submit(make, seed))
            if len(ahead) > workers + 2:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
