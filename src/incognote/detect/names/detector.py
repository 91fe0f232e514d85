"""The names detector: people in clinical text by word lists judged in context, no learned model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from incognote.core.types import Span, span_order
from incognote.detect.names.evidence import CUES, weights
from incognote.detect.names.facts import Facts
from incognote.detect.names.page import Page
from incognote.detect.names.people import opinions_about
from incognote.detect.names.spelled import find_spelled
from incognote.detect.scans import legible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from incognote.core.types import View
    from incognote.detect.names.people import Opinion


class NameDetector:
    """Names of people: PATIENT for patients, relatives and others, DOCTOR for care staff."""

    name = "names"
    labels = frozenset({"PATIENT", "DOCTOR"})
    languages = frozenset({"en"})

    def __init__(self) -> None:
        self._facts: Facts | None = None

    def __getstate__(self) -> dict[str, None]:
        # The memory of words is rebuilt where the detector lands.
        return {"_facts": None}

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        if self._facts is None:
            self._facts = Facts()
        return [_detect(Page(legible(view), self._facts)) for view in views]


def _detect(page: Page) -> list[Span]:
    threshold = weights().threshold
    names = [opinion for opinion in opinions_about(page) if opinion.score >= threshold]
    spans = [_span(page, opinion, threshold) for opinion in names]
    return sorted(spans + find_spelled(page, spans), key=span_order)


def _span(page: Page, opinion: Opinion, threshold: float) -> Span:
    weight = weights().weight
    best = max(opinion.evidence, key=lambda name: (name in CUES, weight.get(name, 0.0)))
    return Span(
        page.starts[opinion.run.first],
        page.ends[opinion.run.stop - 1],
        "DOCTOR" if opinion.staff > 0 else "PATIENT",
        round(min(0.99, 0.6 + 0.08 * (opinion.score - threshold)), 2),
        (f"names/{best}",),
    )
