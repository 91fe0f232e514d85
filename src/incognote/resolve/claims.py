"""A claim is a candidate span with the weight that the policy gives to its detector."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from incognote.core.caches import once
from incognote.core.errors import OffsetError
from incognote.core.labels import SAFE, all_labels
from incognote.core.types import Document, Dropped, Span
from incognote.policy import OFF, Policy

# What the source or the policy itself states: no detector outweighs it.
STATED = 101
GIVEN = "given"  # the source's name among the detectors


@dataclass(frozen=True, slots=True)
class Claim:
    span: Span
    weight: int

    @property
    def stated(self) -> bool:
        return self.weight >= STATED

    def backed_by(self, other: Claim) -> Claim:
        """Two finders of one thing: the heavier weight, the better score, both names."""
        span, score = self.span, max(self.span.score, other.span.score)
        sources = tuple(sorted({*span.sources, *other.span.sources}))
        return Claim(
            Span(span.start, span.end, span.label, score, sources), max(self.weight, other.weight)
        )


def rank(claim: Claim) -> tuple[float, ...]:
    """Who goes first in a conflict: weight, score, length, place in the taxonomy, place in text."""
    span = claim.span
    return (-claim.weight, -span.score, -span.length, _order()[span.label], span.start)


@once
def _order() -> Mapping[str, int]:
    return {name: at for at, name in enumerate((*all_labels(), SAFE))}


def detector_of(source: str) -> str:
    """Who appears behind a source: "names" behind "names/title"."""
    return source.partition("/")[0]


def claims(
    document: Document, candidates: Iterable[Span], policy: Policy
) -> tuple[list[Claim], list[Dropped]]:
    """Candidates weighed and tidied: one claim for each stretch and label, in order of text."""
    found: dict[tuple[int, int, str], Claim] = {}
    dropped: list[Dropped] = []
    for span, weight in _weighed(document, candidates, policy):
        tidy = _tidy(_in_value(span, document.lead), document.text)
        refusal = _refusal(span, weight, policy) if tidy else "empty"
        if refusal or tidy is None:
            dropped.append(Dropped(span, refusal))
            continue
        claim = Claim(tidy, weight)
        where = (tidy.start, tidy.end, tidy.label)
        found[where] = claim.backed_by(found[where]) if where in found else claim
    return [found[where] for where in sorted(found)], dropped


def _weighed(
    document: Document, candidates: Iterable[Span], policy: Policy
) -> Iterator[tuple[Span, int]]:
    for span in document.given:
        yield replace(span, sources=span.sources or (GIVEN,)), STATED
    for span in candidates:
        weights = [_weight(source, span.label, policy) for source in span.sources]
        yield span, max(weights, default=1)


def _weight(source: str, label: str, policy: Policy) -> int:
    rules = policy.detectors.get(detector_of(source))
    return 1 if rules is None else rules.weight_for(label)


def _refusal(span: Span, weight: int, policy: Policy) -> str:
    if weight == 0:
        return "weight-zero"
    if span.label != SAFE and policy.rule(span.label).action == OFF:
        return "label-off"
    return ""


def _in_value(span: Span, lead: int) -> Span:
    """What a detector takes for one with the words that a format put before the value begins with
    the value: the source does not hold those words."""
    return replace(span, start=lead) if span.start < lead < span.end else span


def _tidy(span: Span, text: str) -> Span | None:
    """The span without white space at its edges and with its sources sorted; or nothing."""
    if span.end > len(text):
        raise OffsetError(f"span [{span.start}, {span.end}) lies outside a text of {len(text)}")
    edges = text[span.start] + text[span.end - 1]
    if len(span.sources) < 2 and not (edges[0].isspace() or edges[1].isspace()):
        return span
    inside = text[span.start : span.end]
    start = span.end - len(inside.lstrip())
    end = span.start + len(inside.rstrip())
    if start >= end:
        return None
    return replace(span, start=start, end=end, sources=tuple(sorted(set(span.sources))))
