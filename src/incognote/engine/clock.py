"""Where the time of a run goes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from time import perf_counter
from typing import TypeVar

from incognote.engine.output.ledger import Summary

Event = TypeVar("Event")


class Clock:
    """Adds up the seconds of stages, as workers report them, and those of the run itself."""

    def __init__(self) -> None:
        self._began = perf_counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def add(self, seconds: Mapping[str, float]) -> None:
        for stage, spent in seconds.items():
            self._seconds[stage] += spent

    def around(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events; what the caller does between two of them is "write"."""
        for event in events:
            given = perf_counter()
            yield event
            self._seconds["write"] += perf_counter() - given

    def stop(self, summary: Summary) -> Summary:
        summary.elapsed = perf_counter() - self._began
        summary.seconds = dict(self._seconds)
        return summary
