"""The work behind the endpoints: a bounded queue, batches across requests, lanes of workers.

Documents of requests that arrive within a few milliseconds share a batch, which a model reads far
faster than one at a time. A worker that dies or hangs costs the document that did it, not the
service: its batch is tried again one by one in a new process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from incognote.core.types import Document, Failure
from incognote.policy import Policy
from incognote.serve.lane import Lane, Outcome, Task

GATHER_SECONDS = 0.005
LARGEST_BATCH = 32
# A long note makes a batch of its own, so that short ones do not wait for it.
LONG_CHARACTERS = 50_000


class BusyError(Exception):
    """The queue is full: come again later."""


@dataclass(slots=True)
class _Waiting:
    task: Task
    document: Document
    answer: asyncio.Future[Outcome]

    @property
    def is_long(self) -> bool:
        return len(self.document.text) > LONG_CHARACTERS


class Workers:
    """Worker processes and the queue before them."""

    def __init__(
        self,
        policies: Mapping[str, Policy],
        key: bytes,
        count: int,
        *,
        most_waiting: int,
        seconds: float,
    ) -> None:
        self._start = policies, key, count
        self._most_waiting = most_waiting
        self._seconds = seconds
        self.waiting = 0
        self.is_ready = False
        self._idle = asyncio.Event()
        self._idle.set()

    async def start(self) -> None:
        """Start the processes and wait until each has read its models."""
        policies, key, count = self._start
        self._queue: asyncio.Queue[_Waiting] = asyncio.Queue()
        self._free: asyncio.Queue[Lane] = asyncio.Queue()
        self._lanes = [Lane(policies, key) for _ in range(count)]
        self._running: set[asyncio.Task[None]] = set()
        await asyncio.gather(*(lane.ready() for lane in self._lanes))
        for lane in self._lanes:
            self._free.put_nowait(lane)
        self._begin(self._gather())
        self.is_ready = True

    async def stop(self) -> None:
        """Answer what is under way, then end the processes."""
        self.is_ready = False
        await self._idle.wait()
        for task in tuple(self._running):
            task.cancel()
        for lane in self._lanes:
            lane.end()

    async def run(self, task: Task, documents: Sequence[Document]) -> list[Outcome]:
        """The outcome of each document, in order. BusyError where too many are waiting."""
        self._enter(len(documents))
        loop = asyncio.get_running_loop()
        asked = [_Waiting(task, document, loop.create_future()) for document in documents]
        try:
            for each in asked:
                self._queue.put_nowait(each)
            return list(await asyncio.gather(*(each.answer for each in asked)))
        finally:
            self._leave(len(asked))

    async def run_file(self, task: Task, name: str, data: bytes) -> bytes | Failure:
        """A whole file of any format, in one process."""
        self._enter(1)
        try:
            lane = await self._free.get()
            try:
                return await asyncio.wait_for(lane.file(task, name, data), self._seconds)
            except (BrokenProcessPool, TimeoutError) as error:
                lane.replace()
                return _lost("file", error)
            except asyncio.CancelledError:
                lane.replace()  # nobody waits for the answer, and the next one must not
                raise
            finally:
                self._free.put_nowait(lane)
        finally:
            self._leave(1)

    def _enter(self, count: int) -> None:
        if not self.is_ready or self.waiting + count > self._most_waiting:
            raise BusyError
        self.waiting += count
        self._idle.clear()

    def _leave(self, count: int) -> None:
        self.waiting -= count
        if not self.waiting:
            self._idle.set()

    async def _gather(self) -> None:
        """Collect what arrives together into batches of one kind."""
        held: _Waiting | None = None
        while True:
            first = held or await self._queue.get()
            lane = await self._free.get()
            batch, held = await self._batch(first)
            self._begin(self._answer(lane, batch))

    async def _batch(self, first: _Waiting) -> tuple[list[_Waiting], _Waiting | None]:
        """A batch that begins with `first`, and what came next but did not fit."""
        batch = [first]
        loop = asyncio.get_running_loop()
        end = loop.time() + GATHER_SECONDS
        while len(batch) < LARGEST_BATCH and not first.is_long:
            try:
                async with asyncio.timeout_at(end):
                    item = await self._queue.get()
            except TimeoutError:
                break
            if item.task != first.task or item.is_long:
                return batch, item
            batch.append(item)
        return batch, None

    async def _answer(self, lane: Lane, batch: list[_Waiting]) -> None:
        try:
            for each, outcome in await self._outcomes(lane, batch):
                if not each.answer.done():
                    each.answer.set_result(outcome)
        except Exception as error:  # noqa: BLE001 - whoever waits must get an answer
            for each in batch:
                if not each.answer.done():
                    each.answer.set_result(_lost(each.document.id, error))
        finally:
            self._free.put_nowait(lane)

    async def _outcomes(self, lane: Lane, batch: list[_Waiting]) -> list[tuple[_Waiting, Outcome]]:
        asked = [each for each in batch if not each.answer.done()]  # a caller may have left
        if not asked:
            return []
        documents = [each.document for each in asked]
        try:
            outcomes = await asyncio.wait_for(
                lane.documents(asked[0].task, documents), self._seconds
            )
        except (BrokenProcessPool, TimeoutError) as error:
            lane.replace()
            if len(asked) == 1:
                return [(asked[0], _lost(documents[0].id, error))]
            # One of them did it: find it, and let the others have their answers.
            alone = [await self._outcomes(lane, [each]) for each in asked]
            return [pair for pairs in alone for pair in pairs]
        return list(zip(asked, outcomes, strict=True))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)


def _lost(document_id: str, error: Exception) -> Failure:
    if isinstance(error, TimeoutError):
        return Failure(document_id, "serve", "Timeout", "took longer than the service allows")
    if isinstance(error, BrokenProcessPool):
        return Failure(document_id, "serve", "WorkerDied", "ended its worker process")
    return Failure(document_id, "serve", type(error).__name__)
