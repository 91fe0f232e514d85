"""From candidates to spans: votes, overlaps, filters, repetitions.

`resolve` is pure: the same candidates in any order give the same spans, and every candidate that
did not become a span of its own keeps a machine-readable reason, "code" or "code:detail".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from incognote.core.labels import SAFE
from incognote.core.types import Document, Dropped, Span, View, span_order
from incognote.policy import Policy, ResolveRules
from incognote.resolve.claims import Claim, detector_of
from incognote.resolve.claims import claims as weigh
from incognote.resolve.clinical import drop_doubtful
from incognote.resolve.connect import connect, grouped
from incognote.resolve.never import drop_never, drop_unread
from incognote.resolve.repeat import repetitions
from incognote.resolve.settle import (
    NOTHING_LEARNED,
    Learned,
    count_votes,
    settle,
    weigh_evidence,
)
from incognote.resolve.speech import drop_non_nouns
from incognote.resolve.taggers import check_tagger


@dataclass(frozen=True, slots=True)
class Resolution:
    """The spans of a document, sorted and disjoint, and what became of the other candidates.

    `harmless` are the stretches that a list or a rule, no model, knows to be no PHI.
    """

    spans: tuple[Span, ...]
    dropped: tuple[Dropped, ...]
    harmless: tuple[tuple[int, int], ...] = ()


def check_rules(rules: ResolveRules) -> None:
    """Refuses rules that cannot be followed here, because something they need is not installed."""
    check_tagger(rules.speech.tagger)


def resolve(
    document: Document,
    candidates: Sequence[Span],
    policy: Policy,
    views: Sequence[View] = (),
    learned: Learned = NOTHING_LEARNED,
) -> Resolution:
    """Settles what the detectors claim, in document coordinates, under a policy.

    `learned` are the labels of those detectors that were trained: they argue about no others.
    """
    text, rules = document.text, policy.resolve
    claims, dropped = weigh(document, candidates, policy)
    if not document.free_text and len(claims) < 2:
        # The source has stated what the whole of it is; forms have hundreds of such fields.
        return Resolution(tuple(claim.span for claim in claims), tuple(dropped))
    harmless = [claim for claim in claims if claim.span.label == SAFE]
    unread = [place for view in views for place in view.unread]

    def sieve(claims: list[Claim]) -> list[Claim]:
        kept, listed = drop_unread(claims, unread)
        kept, refuted = weigh_evidence(kept, harmless, learned)
        kept, forbidden = drop_never(kept, text, rules.never)
        kept, misread = drop_non_nouns(kept, views, rules.speech)
        kept, doubtful = drop_doubtful(kept, document)
        dropped.extend([*listed, *refuted, *forbidden, *misread, *doubtful])
        return kept

    def place(claims: list[Claim]) -> list[Claim]:
        settled, lost = settle(claims, text)
        connected, joined = connect(settled, text, rules.connect)
        dropped.extend([*lost, *joined])
        return connected

    claims = sieve([claim for claim in claims if claim.span.label != SAFE])
    claims, outvoted = count_votes(claims, rules.votes)
    dropped.extend(outvoted)
    claims = place(claims)
    if rules.repetitions and (again := sieve(repetitions(claims, text, document.known))):
        claims = place([*claims, *again])
    return Resolution(
        grouped([claim.span for claim in claims], text, rules.connect),
        tuple(sorted(dropped, key=lambda drop: (span_order(drop.span), drop.reason))),
        tuple((span.start, span.end) for span in _listed(harmless, learned)),
    )


def _listed(harmless: Sequence[Claim], learned: Learned) -> list[Span]:
    """What somebody knows to be harmless who did not learn it."""
    return [
        claim.span
        for claim in harmless
        if any(detector_of(source) not in learned for source in claim.span.sources)
    ]
