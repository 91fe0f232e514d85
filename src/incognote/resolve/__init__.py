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
from incognote.resolve.never import drop_in_listed_sentences, drop_never
from incognote.resolve.record import known_from_record
from incognote.resolve.repeat import repetitions
from incognote.resolve.settle import (
    NOTHING_LEARNED,
    Learned,
    count_votes,
    settle,
    specify,
    weigh_evidence,
)
from incognote.resolve.speech import drop_non_nouns
from incognote.resolve.taggers import check_tagger

__all__ = ["Resolution", "check_rules", "known_from_record", "resolve"]


@dataclass(frozen=True, slots=True)
class Resolution:
    """The spans of a document, sorted and disjoint, and what became of the other candidates.

    `harmless` are the stretches that a list or a rule, no model, knows to be no PHI; a model
    thinks so of the `doubted` ones.
    """

    spans: tuple[Span, ...]
    dropped: tuple[Dropped, ...]
    harmless: tuple[tuple[int, int], ...] = ()
    doubted: tuple[tuple[int, int], ...] = ()


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

    def filtered(claims: list[Claim]) -> list[Claim]:
        kept, listed = drop_in_listed_sentences(claims, unread)
        kept, refuted = weigh_evidence(kept, harmless, learned)
        kept, forbidden = drop_never(kept, text, rules.never)
        kept, misread = drop_non_nouns(kept, views, rules.speech)
        kept, doubtful = drop_doubtful(kept, document)
        dropped.extend([*listed, *refuted, *forbidden, *misread, *doubtful])
        return kept

    def settled_and_joined(claims: list[Claim]) -> list[Claim]:
        specific, general = specify(claims)
        settled, lost = settle(specific, text)
        connected, joined = connect(settled, text, rules.connect)
        dropped.extend([*general, *lost, *joined])
        return connected

    claims = filtered([claim for claim in claims if claim.span.label != SAFE])
    claims, outvoted = count_votes(claims, rules.votes)
    dropped.extend(outvoted)
    claims = settled_and_joined(claims)
    if rules.repetitions and (again := filtered(repetitions(claims, text, document.known))):
        claims = settled_and_joined([*claims, *again])
    return Resolution(
        grouped([claim.span for claim in claims], text, rules.connect),
        tuple(sorted(dropped, key=lambda drop: (span_order(drop.span), drop.reason))),
        *_by_origin(harmless, learned),
    )


_Stretches = tuple[tuple[int, int], ...]


def _by_origin(harmless: Sequence[Claim], learned: Learned) -> tuple[_Stretches, _Stretches]:
    """Stretches that a detector without a learned model knows to be harmless, and those that only
    models say so of."""
    listed: list[tuple[int, int]] = []
    doubted: list[tuple[int, int]] = []
    for claim in harmless:
        known = any(detector_of(source) not in learned for source in claim.span.sources)
        (listed if known else doubted).append((claim.span.start, claim.span.end))
    return tuple(listed), tuple(doubted)
