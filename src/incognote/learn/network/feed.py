"""Epochs made ahead in other processes, so that a fast device never waits for its notes."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any, TypeVar

from incognote.detect.learned.encoder.pieces import Reader
from incognote.detect.learned.encoder.subwords import Tokenizer
from incognote.learn.data import Note
from incognote.learn.network.windows import Batch, Halves, batches, cut
from incognote.learn.text.augment import Source

T = TypeVar("T")
Maker = Callable[[int], T]


@dataclass(frozen=True, slots=True)
class Lesson:
    """A note as an epoch has it. `marked`: somebody annotated it; `taught`: what teachers say of
    its units."""

    note: Note
    marked: bool = True
    taught: Halves | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class LessonMaker:
    """The notes of one epoch, by its seed: annotated ones, then those for teachers alone."""

    source: Source

    def __call__(self, seed: int) -> list[Lesson]:
        return [
            *(Lesson(note) for note in self.source.epoch(seed)),
            *(Lesson(note, marked=False) for note in self.source.unmarked_epoch(seed)),
        ]


@dataclass(frozen=True, slots=True)
class BatchMaker:
    """Lessons as batches of windows."""

    pieces: Tokenizer = field(repr=False)
    index: dict[str, int]
    window: int
    budget: int
    overlap: int = 0

    def __call__(self, lessons: Iterable[Lesson], seed: int) -> list[Batch]:
        rng = random.Random(seed)
        reader = Reader(self.pieces, self.window, 0)
        windows = [
            window
            for one in lessons
            for window in cut(
                one.note,
                reader,
                self.index,
                rng,
                marked=one.marked,
                taught=one.taught,
                overlap=self.overlap,
            )
        ]
        return batches(windows, self.pieces.pad, self.budget, rng)


@dataclass(frozen=True, slots=True)
class EpochMaker:
    """The batches of one epoch, by its seed."""

    lessons: Maker[list[Lesson]]
    batches: BatchMaker

    def __call__(self, seed: int) -> list[Batch]:
        return self.batches(self.lessons(seed), seed)


def epochs(make: Maker[T], seeds: Sequence[int], workers: int) -> Iterator[T]:
    """What `make` makes of each seed, in order; `workers` processes are a little ahead of it."""
    if not workers:
        yield from map(make, seeds)
        return
    # Spawned, not forked: the parent may already hold a device and threads. The notes travel to
    # each process once, not with every epoch.
    with ProcessPoolExecutor(
        workers, get_context("spawn"), initializer=_settle, initargs=(make,)
    ) as pool:
        ahead: deque[Future[T]] = deque()
        for seed in seeds:
            ahead.append(pool.submit(_make, seed))
            if len(ahead) > workers + 2:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


_maker: Maker[Any] | None = None  # of a process that makes epochs


def _settle(make: Maker[Any]) -> None:
    global _maker  # noqa: PLW0603
    _maker = make


def _make(seed: int) -> Any:
    assert _maker
    return _maker(seed)
