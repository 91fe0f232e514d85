"""The detector: reads each view once and applies the rules in order."""

from __future__ import annotations

from collections.abc import Sequence

from incognote.core.caches import cached
from incognote.core.types import Span, View, span_order
from incognote.detect.places.rules import (
    cities,
    countries,
    cued,
    headed,
    jobs,
    known,
    landmarks,
    letterhead,
    states,
)
from incognote.detect.places.scan import Scan
from incognote.detect.places.words import Vocabulary
from incognote.detect.scans import legible


@cached(4096)
def _sources(rule: str) -> tuple[str]:
    """Who found it, one object for all finds of a rule."""
    return (f"places/{rule}",)


# In this order: the first rule that claims a word keeps it.
_RULES = (
    known.find,
    headed.find,
    letterhead.find,
    landmarks.find,
    states.find,
    countries.find,
    cities.find,
    cued.find,
    jobs.find,
)


class PlaceDetector:
    """Places of care, organisations, towns, countries, landmarks and jobs.

    Rules and lists only. Word facts are kept between calls, up to a limit.
    """

    name = "places"
    labels = frozenset(
        ("HOSPITAL", "ORGANIZATION", "CITY", "STATE", "COUNTRY", "LOCATION-OTHER", "PROFESSION")
    )
    languages = frozenset(("en",))

    def __init__(self) -> None:
        self._vocabulary: Vocabulary | None = None

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        return [self._read(view) for view in views]

    def __reduce__(self) -> tuple[type[PlaceDetector], tuple[()]]:
        # A copy of the detector fills its own cache of words.
        return PlaceDetector, ()

    def _read(self, view: View) -> list[Span]:
        if self._vocabulary is None:
            self._vocabulary = Vocabulary()
        scan = Scan(legible(view), self._vocabulary)
        found: list[Span] = []
        taken = bytearray(len(scan))  # tokens that a rule has spoken for
        for rule in _RULES:
            for first, end, label, source, score in rule(scan, taken):
                taken[first:end] = b"\1" * (end - first)
                found.append(
                    Span(scan.starts[first], scan.ends[end - 1], label, score, _sources(source))
                )
        return sorted(found, key=span_order)
