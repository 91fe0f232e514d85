"""The pipeline of a Python worker: in the worker itself, or in a process of its own.

A note may kill the process that reads it, for lack of memory or by a bug in a library. Spark tries
the task again, and would meet the same note again until it gives up the whole job. So a task that
is tried again reads its notes in a child process: the note that kills it is found by halving, and
goes to quarantine; the others come out.
"""

from __future__ import annotations

import atexit
from collections.abc import Sequence
from typing import Any, Protocol

from incognote.core.caches import BoundedDict
from incognote.core.types import Document, Failure, Result
from incognote.engine.packing import unpack
from incognote.engine.workers import Work, WorkerPool, collect_seldom
from incognote.pipeline import Pipeline
from incognote.policy import Policy
from incognote.spark.keys import Key
from incognote.transform import Originals


class Processing(Protocol):
    def deid(self, documents: Sequence[Document]) -> list[Result | Failure]: ...


class ChildProcess:
    """A pipeline in a process that may die."""

    def __init__(self, policy: Policy, key: bytes, originals: Originals | None = None) -> None:
        self._pool = WorkerPool(Work("deid", policy, key, originals, threads=1), 1)
        atexit.register(self._pool.close)

    def deid(self, documents: Sequence[Document]) -> list[Result | Failure]:
        outcomes = self._pool.outcomes(self._pool.submit(list(documents)))
        return [
            outcome if isinstance(outcome, Failure) else unpack(document, outcome)
            for document, outcome in zip(documents, outcomes, strict=True)
        ]


# Spark reuses workers: a worker reads its models and stretches its key once.
_made: BoundedDict[tuple[Any, ...], Processing] = BoundedDict(f"{__name__}.made", 8)
_keys: BoundedDict[Key, bytes] = BoundedDict(f"{__name__}.keys", 8)


def key_of(key: Key) -> bytes:
    if key not in _keys:
        _keys[key] = key.read()
    return _keys[key]


def processing(
    policy: Policy,
    stamp: str,
    key: Key,
    originals: Originals | None = None,
    *,
    isolate: bool = False,
) -> Processing:
    """One thread for models, because Spark fills the cores. `stamp` is the hash of the policy."""
    alone = isolate or _is_tried_again()
    known = stamp, key, originals, alone
    if known not in _made:
        secret = key_of(key)
        _made[known] = (
            ChildProcess(policy, secret, originals)
            if alone
            else Pipeline(policy, secret, originals, threads=1)
        )
        collect_seldom()
    return _made[known]


def _is_tried_again() -> bool:
    from pyspark import TaskContext

    context = TaskContext.get()
    return context is not None and context.attemptNumber() > 0
