"""Batches through the pipeline, here or in worker processes; outcomes always in input order.

A worker holds a pipeline and nothing else, so it does not matter which worker gets which document.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from incognote.core.errors import IncognoteError
from incognote.core.types import Document, Failure, Replacement, Result, Span
from incognote.pipeline import Pipeline
from incognote.policy import Policy

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

    from incognote.transform import Originals

Batch = TypeVar("Batch")

# What travels back from a worker: a result without its document, which never left.
_Slim = tuple[tuple[Span, ...], tuple[Replacement, ...], str | None]


@dataclass(frozen=True, slots=True)
class Work:
    """What is done to each batch. `verb` is detect or deid."""

    verb: str
    policy: Policy
    key: bytes | None = field(default=None, repr=False)
    originals: Originals | None = field(default=None, repr=False)

    def ready(self) -> Callable[[Sequence[Document]], list[Result | Failure]]:
        """The pipeline's method. A policy that cannot run says so here, before any document."""
        pipeline = Pipeline(self.policy, self.key, self.originals)
        if self.verb == "detect":
            return pipeline.detect
        pipeline.transformer  # noqa: B018 - built now, so that a bad action is an error now
        return pipeline.deid


_run: Callable[[Sequence[Document]], list[Result | Failure]]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A batch with what stands in it twice asked about once.

    A message names its test in each of forty segments. Documents that differ in nothing but their
    place in the file have the same outcome.
    """

    every: Sequence[Document] = field(repr=False)
    documents: list[Document] = field(repr=False)
    places: list[int]  # for each document, where its like stands in `documents`

    @classmethod
    def of(cls, every: Sequence[Document]) -> _Asked:
        first: dict[object, int] = {}
        documents: list[Document] = []
        places: list[int] = []
        for document in every:
            # The fields of a record share what they know of it, so that identity will do.
            shared = id(document.meta), id(document.known)
            key = document.id, document.text, document.given, document.free_text, *shared
            place = first.setdefault(key, len(documents))
            if place == len(documents):
                documents.append(document)
            places.append(place)
        return cls(every, documents, places)

    def answered(self, outcomes: Sequence[Result | Failure]) -> list[Result | Failure]:
        """The outcomes of the documents asked about, for every document of the batch."""
        return [
            outcome
            if isinstance(outcome := outcomes[place], Failure) or outcome.document is document
            else replace(outcome, document=document)
            for document, place in zip(self.every, self.places, strict=True)
        ]


def run_batches(
    work: Work,
    workers: int,
    batches: Iterable[Batch],
    documents: Callable[[Batch], Sequence[Document]],
) -> Iterator[tuple[Batch, list[Result | Failure]]]:
    """Each batch with the outcomes of its documents."""
    run = work.ready()  # also with workers: an error must not first show in a dying process
    if workers <= 1:
        for batch in batches:
            asked = _Asked.of(documents(batch))
            yield batch, asked.answered(run(asked.documents))
        return
    crew = _Crew(work, workers)
    try:
        yield from _in_order(crew, workers * 2 + 1, batches, documents)
    finally:
        crew.leave()


def _in_order(
    crew: _Crew,
    ahead: int,
    batches: Iterable[Batch],
    documents: Callable[[Batch], Sequence[Document]],
) -> Iterator[tuple[Batch, list[Result | Failure]]]:
    """At most `ahead` batches are under way, so that memory does not grow with the input."""
    waiting: deque[tuple[Batch, _Asked, _Errand]] = deque()

    def finish() -> tuple[Batch, list[Result | Failure]]:
        batch, asked, errand = waiting.popleft()
        pairs = zip(asked.documents, crew.outcomes(errand), strict=True)
        return batch, asked.answered([_whole(document, outcome) for document, outcome in pairs])

    for batch in batches:
        asked = _Asked.of(documents(batch))
        waiting.append((batch, asked, crew.send(asked.documents)))
        if len(waiting) >= ahead:
            yield finish()
    while waiting:
        yield finish()


@dataclass(slots=True)
class _Errand:
    """Documents on their way to a worker and back."""

    documents: list[Document] = field(repr=False)
    future: Future[list[_Slim | Failure]]
    crew: int  # which crew they went with


class _Crew:
    """The worker processes, and others in their place where one dies.

    A worker may be killed from outside, or by what it reads: then every errand under way is lost.
    They are run again, and where a crew dies of one again, its documents in halves, until the one
    document is found that nobody survives.
    """

    def __init__(self, work: Work, workers: int) -> None:
        self._work = work
        self._workers = workers
        self._number = 0
        self._pool = self._hired()

    def send(self, documents: list[Document]) -> _Errand:
        from concurrent.futures import Future
        from concurrent.futures.process import BrokenProcessPool

        try:
            future = self._pool.submit(_work, documents)
        except BrokenProcessPool as error:
            future = Future()
            future.set_exception(error)
        return _Errand(documents, future, self._number)

    def outcomes(self, errand: _Errand) -> list[_Slim | Failure]:
        """What came of an errand, at the second try if its crew died, whoever it died of."""
        from concurrent.futures.process import BrokenProcessPool

        try:
            return errand.future.result()
        except BrokenProcessPool:
            if errand.crew == self._number:
                self._replace()
            return self._alone(errand.documents)

    def leave(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _alone(self, documents: list[Document]) -> list[_Slim | Failure]:
        """The outcomes of documents that no others are read beside."""
        from concurrent.futures.process import BrokenProcessPool

        try:
            return self._pool.submit(_work, documents).result()
        except BrokenProcessPool:
            self._replace()
        if len(documents) == 1:
            message = "a worker process died of it, perhaps for lack of memory"
            return [Failure(documents[0].id, "worker", "WorkerDied", message)]
        half = len(documents) // 2
        return self._alone(documents[:half]) + self._alone(documents[half:])

    def _replace(self) -> None:
        from concurrent.futures.process import BrokenProcessPool

        self.leave()
        self._number += 1
        self._pool = self._hired()
        try:
            self._pool.submit(_work, []).result()
        except BrokenProcessPool:
            raise IncognoteError("worker processes die before they have read anything") from None

    def _hired(self) -> ProcessPoolExecutor:
        # Imported only where they are used: most runs are one small file, and start-up counts.
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        return ProcessPoolExecutor(
            self._workers, get_context("spawn"), initializer=_start, initargs=(self._work,)
        )


def _start(work: Work) -> None:
    global _run  # noqa: PLW0603 - a worker process is one pipeline
    # Ctrl-C reaches the whole group; the parent alone decides what becomes of the run.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_leave_with_parent, daemon=True).start()
    _run = work.ready()


def _leave_with_parent() -> None:
    """A parent that was killed outright cannot send its workers home, and they hold notes."""
    from multiprocessing import parent_process

    if parent := parent_process():
        parent.join()
        os._exit(1)


def _work(documents: list[Document]) -> list[_Slim | Failure]:
    return [
        outcome
        if isinstance(outcome, Failure)
        else (outcome.spans, outcome.replacements, outcome.text)
        for outcome in _run(documents)
    ]


def _whole(document: Document, outcome: _Slim | Failure) -> Result | Failure:
    if isinstance(outcome, Failure):
        return outcome
    spans, replacements, text = outcome
    return Result(document, spans, (), replacements, text)
