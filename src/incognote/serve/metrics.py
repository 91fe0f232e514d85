"""Counters for Prometheus: how much, how fast, what failed. No ids and no text."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from incognote.core.types import Failure, Result

_SECONDS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60)


class Metrics:
    """One registry for each application, so that tests and reloads do not share counts."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "incognote_requests", "Requests", ["endpoint", "status"], registry=self._registry
        )
        self.seconds = Histogram(
            "incognote_request_seconds",
            "Time to answer",
            ["endpoint"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.waiting = Gauge(
            "incognote_waiting_documents", "Documents under way", registry=self._registry
        )
        self._documents = Counter(
            "incognote_documents", "Documents answered", ["outcome"], registry=self._registry
        )
        self._characters = Counter(
            "incognote_characters", "Characters read", registry=self._registry
        )
        self._spans = Counter("incognote_spans", "PHI found", ["label"], registry=self._registry)
        self._failures = Counter(
            "incognote_failures", "Documents that failed", ["stage"], registry=self._registry
        )

    def count(self, outcomes: Iterable[Result | Failure]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, Failure):
                self._documents.labels("failed").inc()
                self._failures.labels(outcome.stage.partition(":")[0]).inc()
                continue
            self._documents.labels("done").inc()
            self._characters.inc(len(outcome.document.text))
            for span in outcome.spans:
                self._spans.labels(span.label).inc()

    def text(self) -> bytes:
        return generate_latest(self._registry)
