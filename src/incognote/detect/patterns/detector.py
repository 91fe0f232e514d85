"""PatternDetector: which packs run, and which rule wins where several see something."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from incognote.core.labels import SAFE
from incognote.core.types import Span, View
from incognote.detect.patterns.engine import Engine, Found
from incognote.detect.patterns.packfile import load_pack, pack_names


@dataclass(frozen=True)
class PatternDetector:
    """Finds well-formed PHI by rules.

    `packs` names rule packs that ship, or paths to TOML files of the same shape; without it every
    pack runs that can find one of `labels`. Without `labels` only the optional packs stay away.
    """

    packs: tuple[str, ...]
    labels: frozenset[str]
    name = "patterns"
    languages = frozenset({"en"})

    def __init__(self, packs: Sequence[str] = (), labels: Collection[str] | None = None) -> None:
        chosen = tuple(packs) or pack_names(optional=False if labels is None else None)
        offered = frozenset().union(*(load_pack(pack).labels for pack in chosen))
        wanted = offered if labels is None else offered & (frozenset(labels) | {SAFE})
        if not packs:
            chosen = tuple(pack for pack in chosen if load_pack(pack).labels & wanted)
        object.__setattr__(self, "packs", chosen)
        object.__setattr__(self, "labels", wanted)

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        engine = _engine(self.packs, self.labels)
        return [
            [
                Span(
                    found.start,
                    found.end,
                    found.rule.label,
                    found.rule.score,
                    (self._source(found),),
                )
                for found in settle(engine.find(view.text, view.tokens))
                if found.rule.label != SAFE
            ]
            for view in views
        ]

    def _source(self, found: Found) -> str:
        return f"{self.name}/{found.rule.id}"


@cache
def _engine(packs: tuple[str, ...], labels: frozenset[str]) -> Engine:
    return Engine(rule for pack in packs for rule in load_pack(pack).rules if rule.label in labels)


def settle(candidates: Iterable[Found]) -> list[Found]:
    """The best of each group that overlap: higher score, then longer, then earlier.

    Rules know each other, and their scores are set against each other, so the detector gives one
    answer for each stretch of text. SAFE rules take part: what they hold is nobody else's.
    """
    ordered = sorted(candidates, key=lambda c: (c.start, c.end))
    settled: list[Found] = []
    group: list[Found] = []
    reach = -1
    for candidate in ordered:
        if candidate.start >= reach:
            settled += _best(group)
            group = []
        group.append(candidate)
        reach = max(reach, candidate.end)
    return settled + _best(group)


def _best(group: list[Found]) -> list[Found]:
    if len(group) < 2:
        return group
    kept: list[Found] = []
    for candidate in sorted(
        group, key=lambda c: (-c.rule.score, c.start - c.end, c.start, c.rule.id)
    ):
        if all(candidate.end <= k.start or k.end <= candidate.start for k in kept):
            kept.append(candidate)
    return sorted(kept, key=lambda c: c.start)
