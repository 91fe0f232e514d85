"""One worker process and what runs in it.

Each lane is a pool of one process: where a document kills its process, the other lanes work on.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process
from threading import Thread

from incognote.core.types import Document, Failure, Result
from incognote.engine.workers import collect_seldom
from incognote.pipeline import Pipeline
from incognote.policy import Policy

Outcome = Result | Failure


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked of a worker. `key` where the caller has surrogates of their own."""

    verb: str
    policy: str
    key: bytes | None = field(default=None, repr=False)


class Lane:
    """A worker process that can be replaced."""

    def __init__(self, policies: Mapping[str, Policy], key: bytes) -> None:
        self._start = dict(policies), key
        self._pool = self._new_pool()

    async def ready(self) -> None:
        await asyncio.wrap_future(self._pool.submit(_load))

    async def documents(self, task: Task, documents: Sequence[Document]) -> list[Outcome]:
        return await asyncio.wrap_future(self._pool.submit(_run, task, list(documents)))

    async def file(self, task: Task, name: str, data: bytes) -> bytes | Failure:
        return await asyncio.wrap_future(self._pool.submit(_run_file, task, name, data))

    def replace(self) -> None:
        """Another process in its place; the old one is ended, whatever it is doing."""
        self.end()
        self._pool = self._new_pool()

    def end(self) -> None:
        processes = list((self._pool._processes or {}).values())  # noqa: SLF001 - no other way to a hung worker
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            1, get_context("spawn"), initializer=_begin, initargs=self._start
        )


class _Pipelines:
    """The pipelines of a worker process, made when they are first asked for."""

    def __init__(self, policies: Mapping[str, Policy], key: bytes) -> None:
        self._policies = policies
        self._key = key
        self._made: dict[tuple[str, bytes], Pipeline] = {}

    def get(self, policy: str, key: bytes | None) -> Pipeline:
        key = key or self._key
        if (policy, key) not in self._made:
            self._made[policy, key] = Pipeline(self._policies[policy], key)
        return self._made[policy, key]

    def load(self) -> None:
        """Read the models now, not at the first request."""
        for policy in self._policies:
            self.get(policy, None).deid([Document("first", "Seen by Dr. Smith on 3/4/2020.")])


_pipelines: _Pipelines


def _begin(policies: Mapping[str, Policy], key: bytes) -> None:
    global _pipelines  # noqa: PLW0603 - a worker process is one set of pipelines
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    Thread(target=_leave_with_parent, daemon=True).start()
    _pipelines = _Pipelines(policies, key)


def _leave_with_parent() -> None:
    """A parent that was killed outright cannot end its workers, and they hold notes."""
    if parent := parent_process():
        parent.join()
        os._exit(1)


def _load() -> None:
    _pipelines.load()
    collect_seldom()


def _run(task: Task, documents: list[Document]) -> list[Outcome]:
    pipeline = _pipelines.get(task.policy, task.key)
    return (pipeline.deid if task.verb == "deid" else pipeline.detect)(documents)


def _run_file(task: Task, name: str, data: bytes) -> bytes | Failure:
    from incognote.engine.whole_files import deidentified

    pipeline = _pipelines.get(task.policy, task.key)
    return deidentified(pipeline, pipeline.policy.formats, name, data)
