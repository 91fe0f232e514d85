"""Batches through the pipeline, here or in worker processes; outcomes always in input order.

A worker holds a pipeline and nothing else, so it does not matter which worker gets which document.
"""

from __future__ import annotations

import gc
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from incognote.core.errors import IncognoteError, UsageError
from incognote.core.types import Detector, Document, Failure, Result
from incognote.engine.alarm import OutOfTime, time_limit
from incognote.engine.packing import PackedResult, pack, unpack
from incognote.engine.settings import Settings, ignore
from incognote.pipeline import Pipeline
from incognote.policy import Policy, ResolveRules
from incognote.resolve import known_from_record

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from incognote.transform import Originals

Batch = TypeVar("Batch")

# A document on which so many workers died, one after another and with nothing else to read, is
# given up. A worker killed from outside proves nothing, but looks the same as one that ran out
# of memory: it counts, and more of them are needed.
_DEATHS = 2
_KILLS = 4
_COLLECT = (10_000, 20, 50)
# Workers that die before they are ready, one after another, will not get better.
_FALSE_STARTS = 3


@dataclass(frozen=True, slots=True)
class Work:
    """What is done to each batch. `verb` is detect or deid; `threads` as in `Settings`."""

    verb: str
    policy: Policy
    key: bytes | None = field(default=None, repr=False)
    originals: Originals | None = field(default=None, repr=False)
    threads: int = 0
    detectors: Mapping[str, Detector] = field(default_factory=dict)

    def ready(self) -> Processor:
        """The pipeline, built. A policy that cannot run says so here, before any document."""
        pipeline = Pipeline(
            self.policy,
            self.key,
            self.originals,
            threads=self.threads,
            detectors=self.detectors,
        )
        rules = self.policy.resolve
        if self.verb == "detect":
            return Processor(pipeline.detect, pipeline.take_seconds, rules)
        pipeline.transformer  # noqa: B018 - built now, so that a bad action is an error now
        return Processor(pipeline.deid, pipeline.take_seconds, rules)


@dataclass(frozen=True, slots=True)
class Processor:
    """A pipeline at work: `run` processes documents, `take_seconds` says what that took. `rules`
    are those that it resolves by."""

    run: Callable[[Sequence[Document]], list[Result | Failure]]
    take_seconds: Callable[[], dict[str, float]]
    rules: ResolveRules


@dataclass(frozen=True, slots=True)
class UniqueDocuments:
    """A batch in which each of several equal documents is processed once.

    A message names its test in each of forty segments. Documents that differ in nothing but their
    place in the file have the same outcome.
    """

    every: Sequence[Document] = field(repr=False)
    documents: list[Document] = field(repr=False)
    places: list[int]  # for each document, where its equal appears in `documents`

    @classmethod
    def of(cls, every: Sequence[Document]) -> UniqueDocuments:
        first: dict[object, int] = {}
        documents: list[Document] = []
        places: list[int] = []
        for document in every:
            # The fields of a record share what they know of it, so that identity will do.
            shared = id(document.meta), id(document.known)
            own = document.id, document.record, document.text, document.given
            key = *own, document.free_text, document.released, *shared
            place = first.setdefault(key, len(documents))
            if place == len(documents):
                documents.append(document)
            places.append(place)
        return cls(every, documents, places)

    def spread(self, outcomes: Sequence[Result | Failure]) -> list[Result | Failure]:
        """The outcomes of the unique documents, for every document of the batch."""
        return [
            outcome
            if isinstance(outcome := outcomes[place], Failure) or outcome.document is document
            else replace(outcome, document=document)
            for document, place in zip(self.every, self.places, strict=True)
        ]


def run_batches(
    work: Work,
    settings: Settings,
    batches: Iterable[Batch],
    documents: Callable[[Batch], Sequence[Document]],
) -> Iterator[tuple[Batch, list[Result | Failure]]]:
    """Each batch with the outcomes of its documents."""
    workers = settings.workers
    processor = work.ready()  # also with workers: an error must not first show in a dying process
    if workers <= 1:
        with collecting_seldom():
            for batch in batches:
                unique = UniqueDocuments.of(documents(batch))
                outcomes = unique.spread(
                    _run_within(processor, unique.documents, settings.limits.seconds)
                )
                settings.timed(processor.take_seconds())
                yield batch, outcomes
        return
    pool = WorkerPool(work, workers, settings.limits.seconds, settings.timed)
    try:
        yield from _in_order(pool, workers * 2 + 1, batches, documents)
    finally:
        pool.close()


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Notes make and forget many small values that hold no circles: while they are worked on,
    circles are looked for less often."""
    usual = gc.get_threshold()
    gc.set_threshold(*_COLLECT)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def collect_seldom() -> None:
    """The same for good, in a process that does nothing else: what is loaded by now stays, and the
    collector need not look at it again."""
    gc.freeze()
    gc.set_threshold(*_COLLECT)


def _run_within(
    processor: Processor, documents: Sequence[Document], seconds: int
) -> list[Result | Failure]:
    """The outcomes; where a batch takes too long, its records have the time one by one, and then
    their documents, with what was found in the others."""
    try:
        with time_limit(seconds):
            return processor.run(documents)
    except OutOfTime:
        if len(documents) == 1:
            return [_too_late(documents[0].id, seconds)]
    records = [list(each) for _, each in groupby(documents, attrgetter("record"))]
    parts = records if len(records) > 1 else [[document] for document in documents]
    outcomes = [each for part in parts for each in _run_within(processor, part, seconds)]
    for at, told in known_from_record(outcomes, processor.rules):
        [outcomes[at]] = _run_within(processor, [told], seconds)
    return outcomes


def _too_late(document_id: str, seconds: int) -> Failure:
    message = f"took longer than {seconds} seconds (--time-limit)"
    return Failure(document_id, "worker", "TimeLimit", message)


def _in_order(
    pool: WorkerPool,
    ahead: int,
    batches: Iterable[Batch],
    documents: Callable[[Batch], Sequence[Document]],
) -> Iterator[tuple[Batch, list[Result | Failure]]]:
    """At most `ahead` batches are under way, so that memory does not grow with the input."""
    waiting: deque[tuple[Batch, UniqueDocuments, Task]] = deque()

    def finish() -> tuple[Batch, list[Result | Failure]]:
        batch, unique, task = waiting.popleft()
        pairs = zip(unique.documents, pool.outcomes(task), strict=True)
        return batch, unique.spread([_unpacked(document, outcome) for document, outcome in pairs])

    for batch in batches:
        unique = UniqueDocuments.of(documents(batch))
        waiting.append((batch, unique, pool.submit(unique.documents)))
        if len(waiting) >= ahead:
            yield finish()
    while waiting:
        yield finish()


@dataclass(slots=True, eq=False)
class Task:
    """Documents for one worker, and what came of them. After a death it may become two halves."""

    documents: list[Document] = field(repr=False)
    outcomes: list[PackedResult | Failure] | None = field(default=None, repr=False)
    halves: tuple[Task, ...] = ()
    deaths: int = 0
    kills: int = 0

    def collected(self) -> list[PackedResult | Failure] | None:
        if self.halves:
            parts = [half.collected() for half in self.halves]
            return None if None in parts else [each for part in parts for each in part or ()]
        return self.outcomes


@dataclass(slots=True, eq=False)
class _Worker:
    process: SpawnProcess
    connection: Connection
    task: Task | None = None
    is_ready: bool = False
    deadline: float = 0.0


class WorkerPool:
    """Worker processes, each with one task at a time. A worker that dies costs no other worker.

    A worker may be killed from outside, or by what it reads. Its task is run again; where it dies
    again, in halves, until the one document is found that no worker survives.
    """

    def __init__(
        self,
        work: Work,
        workers: int,
        seconds: int = 0,
        timed: Callable[[Mapping[str, float]], None] = ignore,
    ) -> None:
        self._work = work
        self._seconds = seconds
        self._timed = timed
        self._queue: deque[Task] = deque()
        self._false_starts = 0
        self._workers = [self._start() for _ in range(workers)]

    def submit(self, documents: list[Document]) -> Task:
        task = Task(documents)
        self._queue.append(task)
        self._assign()
        return task

    def outcomes(self, task: Task) -> list[PackedResult | Failure]:
        found = self._outcomes(task)
        if task.halves:  # parts of one record were read apart
            results = list(map(_unpacked, task.documents, found))
            for at, told in known_from_record(results, self._work.policy.resolve):
                [found[at]] = self._outcomes(self.submit([told]))
        return found

    def _outcomes(self, task: Task) -> list[PackedResult | Failure]:
        while (found := task.collected()) is None:
            self._wait()
        return found

    def close(self) -> None:
        for worker in self._workers:
            worker.process.kill()
            worker.connection.close()
        for worker in self._workers:
            worker.process.join()

    def _assign(self) -> None:
        for worker in self._workers:
            if self._queue and worker.is_ready and worker.task is None:
                task = self._queue.popleft()
                try:
                    worker.connection.send(task.documents)
                except OSError:  # it died while it had nothing to do
                    self._queue.appendleft(task)
                    continue
                worker.task = task
                worker.deadline = time.monotonic() + self._seconds

    def _wait(self) -> None:
        """Until something happens: an answer, a death, or a task that takes too long."""
        from multiprocessing.connection import wait

        waiting: list[object] = [worker.connection for worker in self._workers]
        limit = None
        if self._seconds:
            deadlines = [worker.deadline for worker in self._workers if worker.task]
            limit = max(0.0, min(deadlines) - time.monotonic()) if deadlines else None
        ready = wait(waiting, limit)  # type: ignore[arg-type]
        for number, worker in enumerate(self._workers):
            late = self._seconds and worker.task and time.monotonic() > worker.deadline
            if worker.connection in ready:
                try:
                    answer = worker.connection.recv()
                except (EOFError, OSError):
                    self._replace(number)
                    continue
                if worker.task is None:
                    worker.is_ready = True
                    self._false_starts = 0
                else:
                    worker.task.outcomes, seconds = answer
                    worker.task = None
                    self._timed(seconds)
            elif late:
                worker.process.kill()
                self._replace(number, is_late=True)
        self._assign()

    def _replace(self, number: int, *, is_late: bool = False) -> None:
        worker = self._workers[number]
        worker.process.join()
        worker.connection.close()
        if not worker.is_ready:
            self._false_starts += 1
            if self._false_starts >= _FALSE_STARTS:
                raise IncognoteError(
                    "worker processes die before they have read anything; a script that uses "
                    "workers must do so under `if __name__ == '__main__':`"
                )
        if worker.task:
            self._retry(worker.task, worker.process.exitcode or 0, is_late=is_late)
        self._workers[number] = self._start()

    def _retry(self, task: Task, code: int, *, is_late: bool) -> None:
        was_killed = not is_late and code in (-signal.SIGKILL, -signal.SIGTERM)
        task.deaths += 1
        task.kills += was_killed
        limit = _KILLS if task.kills == task.deaths else _DEATHS
        if len(task.documents) > 1 and task.deaths >= _DEATHS:
            half = len(task.documents) // 2
            task.halves = Task(task.documents[:half]), Task(task.documents[half:])
            self._queue.extendleft(reversed(task.halves))
        elif task.deaths < limit:
            self._queue.appendleft(task)
        else:
            document = task.documents[0].id
            message = "a worker process died of it, perhaps for lack of memory"
            died = Failure(document, "worker", "WorkerDied", message)
            task.outcomes = [_too_late(document, self._seconds) if is_late else died]

    def _start(self) -> _Worker:
        # Imported only where it is used: most runs are one small file, and start-up counts.
        from multiprocessing import get_context
        from pickle import PicklingError

        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self._work), daemon=True)
        try:
            process.start()
        except (PicklingError, AttributeError, TypeError):
            raise UsageError(
                "workers need a policy whose detectors can be sent to another process: "
                "a function must be importable by its name"
            ) from None
        theirs.close()
        return _Worker(process, ours)


def _serve(connection: Connection, work: Work) -> None:
    """The life of a worker process."""
    # Ctrl-C reaches the whole group; the parent alone decides what becomes of the run.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump would hold clinical text
    Thread(target=_end_with_parent, daemon=True).start()
    processor = work.ready()
    connection.send(None)
    is_settled = False
    while True:
        try:
            documents = connection.recv()
        except EOFError:
            return
        outcomes = [_packed(outcome) for outcome in processor.run(documents)]
        connection.send((outcomes, processor.take_seconds()))
        if not is_settled:  # the first notes have loaded all there is
            collect_seldom()
            is_settled = True


def _end_with_parent() -> None:
    """A parent that was killed outright cannot stop its workers, and they hold notes."""
    from multiprocessing import parent_process

    if parent := parent_process():
        parent.join()
        os._exit(1)


def _packed(outcome: Result | Failure) -> PackedResult | Failure:
    return outcome if isinstance(outcome, Failure) else pack(outcome)


def _unpacked(document: Document, outcome: PackedResult | Failure) -> Result | Failure:
    return outcome if isinstance(outcome, Failure) else unpack(document, outcome)
