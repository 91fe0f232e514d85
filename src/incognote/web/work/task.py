"""What a job sees of its worker: the store, its arguments, progress, and whether to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from incognote.web.store.database.connection import Store

CHUNK = 200  # documents in a transaction; at most 500


class Cancelled(Exception):  # noqa: N818 - reads as what happened
    """The job was cancelled, or another worker has it."""


@dataclass(slots=True)
class Task:
    store: Store
    job: int
    project: int
    account: int | None
    arguments: Mapping[str, Any] = field(repr=False)
    stage: str = "start"
    done: int = 0
    total: int = 0
    is_cancelled: Callable[[], bool] = lambda: False

    def step(self, done: int, total: int | None = None) -> None:
        """Says how far the job is; ends it where nobody wants it any more."""
        self.done = done
        if total is not None:
            self.total = total
        if self.is_cancelled():
            raise Cancelled


Handler = Callable[[Task], dict[str, Any]]
