"""The names detector: people in clinical text by word lists and context, without a learned
model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from incognote.core.caches import cached
from incognote.core.labels import SAFE
from incognote.core.types import Span, span_order
from incognote.detect.names.eponyms import eponyms_in
from incognote.detect.names.evidence import CUES, weights
from incognote.detect.names.facts import DRUG, LOWER, Facts
from incognote.detect.names.page import Page
from incognote.detect.names.people import score_runs
from incognote.detect.names.spelled import find_spelled
from incognote.detect.scans import legible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from incognote.core.types import View
    from incognote.detect.names.people import ScoredRun

_SCORE = 0.95
_SHORTEST_DRUG = 5  # shorter ones are abbreviations of many things


class NameDetector:
    """Names of people: PATIENT for patients, relatives and others, DOCTOR for care staff.

    What is surely an eponym ("Fogarty balloon") or a drug is evidence against: SAFE.
    """

    name = "names"
    labels = frozenset({"PATIENT", "DOCTOR", SAFE})
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
    scored_runs = score_runs(page)
    names = [scored for scored in scored_runs if scored.score >= threshold]
    spans = [_span(page, scored, threshold) for scored in names]
    safe = [_thing(page, scored) for scored in eponyms_in(page, scored_runs, threshold)]
    safe += _drugs(page, names)
    return sorted(spans + find_spelled(page, spans) + safe, key=span_order)


def _drugs(page: Page, names: Sequence[ScoredRun]) -> Iterator[Span]:
    """Drugs written with a capital, which a model may take for anything."""
    taken = {at for scored in names for at in range(scored.run.first, scored.run.stop)}
    for at in page.notable:
        bits = page.bits[at]
        if not bits & DRUG or bits & LOWER or at in taken:
            continue
        if len(page.words[at]) >= _SHORTEST_DRUG:
            yield Span(page.starts[at], page.ends[at], SAFE, _SCORE, _sources("drug"))


def _thing(page: Page, scored: ScoredRun) -> Span:
    run = scored.run
    return Span(
        page.starts[run.names[0]], page.ends[run.names[-1]], SAFE, _SCORE, _sources("eponym")
    )


def _span(page: Page, scored: ScoredRun, threshold: float) -> Span:
    weight = weights().weight
    best = max(scored.evidence, key=lambda name: (name in CUES, weight.get(name, 0.0)))
    return Span(
        page.starts[scored.run.first],
        page.ends[scored.run.stop - 1],
        "DOCTOR" if scored.staff > 0 else "PATIENT",
        round(min(0.99, 0.6 + 0.08 * (scored.score - threshold)), 2),
        _sources(best),
    )


@cached(4096)
def _sources(evidence: str) -> tuple[str]:
    """Who found it, one object for all finds by the same evidence."""
    return (f"names/{evidence}",)
