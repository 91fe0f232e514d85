"""The names detector: people in clinical text by word lists judged in context, no learned model."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from incognote.core.labels import SAFE
from incognote.core.types import Span, span_order
from incognote.detect.names.evidence import CUES, names_thing, weights
from incognote.detect.names.facts import AMBIGUOUS, DRUG, LOWER, ORDINARY, PLACE, STRONG, Facts
from incognote.detect.names.page import Page
from incognote.detect.names.people import opinions_about
from incognote.detect.names.spelled import find_spelled
from incognote.detect.scans import legible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from incognote.core.types import View
    from incognote.detect.names.people import Opinion

# So far below the threshold an eponym is no name.
_SURELY = 2.0
_SCORE = 0.95
_SHORTEST_DRUG = 5  # shorter ones are abbreviations of many things
# Signs of a place or of a person that are no cues by themselves.
_PLACE_OR_PERSON = frozenset(
    ("place-before", "state-behind", "place-behind", "place", "seen-before", "told", "verb-behind")
)


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
    opinions = opinions_about(page)
    names = [opinion for opinion in opinions if opinion.score >= threshold]
    spans = [_span(page, opinion, threshold) for opinion in names]
    things = [_thing(page, opinion) for opinion in opinions if _is_thing(page, opinion, threshold)]
    things += _drugs(page, names)
    return sorted(spans + find_spelled(page, spans) + things, key=span_order)


def _drugs(page: Page, names: Sequence[Opinion]) -> Iterator[Span]:
    """Drugs written with a capital, which a model may take for anything."""
    taken = {at for opinion in names for at in range(opinion.run.first, opinion.run.stop)}
    for at in page.notable:
        bits = page.bits[at]
        if not bits & DRUG or bits & LOWER or at in taken:
            continue
        if len(page.words[at]) >= _SHORTEST_DRUG:
            yield Span(page.starts[at], page.ends[at], SAFE, _SCORE, _sources("drug"))


def _is_thing(page: Page, opinion: Opinion, threshold: float) -> bool:
    """An eponym that a thing or a number follows, or that hardly anybody is called by."""
    evidence = opinion.evidence
    if opinion.score > threshold - _SURELY or "eponym" not in evidence:
        return False
    words = [page.bits[at] for at in opinion.run.names]
    if any(bits & (ORDINARY | AMBIGUOUS | LOWER) for bits in words):
        return False  # "Ward", "West": a part of anything
    rare = not any(bits & (STRONG | PLACE) for bits in words)
    return (rare or names_thing(evidence)) and _PLACE_OR_PERSON.isdisjoint(evidence)


def _thing(page: Page, opinion: Opinion) -> Span:
    run = opinion.run
    return Span(
        page.starts[run.names[0]], page.ends[run.names[-1]], SAFE, _SCORE, _sources("eponym")
    )


def _span(page: Page, opinion: Opinion, threshold: float) -> Span:
    weight = weights().weight
    best = max(opinion.evidence, key=lambda name: (name in CUES, weight.get(name, 0.0)))
    return Span(
        page.starts[opinion.run.first],
        page.ends[opinion.run.stop - 1],
        "DOCTOR" if opinion.staff > 0 else "PATIENT",
        round(min(0.99, 0.6 + 0.08 * (opinion.score - threshold)), 2),
        _sources(best),
    )


@cache
def _sources(evidence: str) -> tuple[str]:
    """Who found it, one object for all finds by the same evidence."""
    return (f"names/{evidence}",)
