"""PatternDetector: which packs run, and which rule wins where several see something."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from incognote.core.caches import cached
from incognote.core.types import Span, View
from incognote.detect.patterns.engine import Engine, Found
from incognote.detect.patterns.packfile import load_pack, pack_names
from incognote.detect.scans import legible


@dataclass(init=False, slots=True)
class PatternDetector:
    """Finds well-formed PHI by rules.

    `packs` names rule packs that ship, or paths to TOML files of the same shape; all that ship by
    default. A pack reads notes in its own languages. What the policy has turned off is dropped
    later, like anybody's.
    """

    name: str
    packs: tuple[str, ...]
    labels: frozenset[str]
    languages: frozenset[str]

    def __init__(self, packs: Sequence[str] = ()) -> None:
        self.name = "patterns"
        self.packs = tuple(packs) or pack_names()
        self.labels = frozenset().union(*(load_pack(pack).labels for pack in self.packs))
        self.languages = frozenset().union(*(load_pack(pack).languages for pack in self.packs))

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        return [
            [
                Span(
                    found.start,
                    found.end,
                    found.rule.label,
                    found.rule.score,
                    _sources(self.name, found.rule.id),
                )
                for found in self._find(view)
            ]
            for view in views
        ]

    def _find(self, view: View) -> list[Found]:
        spoken = {view.language, *view.also}
        packs = tuple(p for p in self.packs if not load_pack(p).languages.isdisjoint(spoken))
        engine, optional = _engine(packs)
        view = legible(view)
        # As written: identifiers, plates and logins are recognised by their letter case.
        # Only a note without any capital is read with its case restored.
        text = view.cased if view.text == view.text.lower() else view.text
        found = engine.find(text, view.tokens)
        # A label that most policies turn off must not push out one that they want: optional
        # packs are settled among themselves, and resolution chooses.
        usual = settle(each for each in found if each.rule.id not in optional)
        extra = settle(each for each in found if each.rule.id in optional)
        return sorted(usual + extra, key=_place)


@cached(4096)
def _sources(detector: str, rule: str) -> tuple[str]:
    """Who found it, one object for all finds of a rule: a long document has a hundred thousand."""
    return (f"{detector}/{rule}",)


@cached(16)
def _engine(packs: tuple[str, ...]) -> tuple[Engine, frozenset[str]]:
    """The rules of the packs behind one engine, and the ids of those from optional packs."""
    loaded = [load_pack(pack) for pack in packs]
    optional = frozenset(rule.id for pack in loaded if pack.optional for rule in pack.rules)
    return Engine(rule for pack in loaded for rule in pack.rules), optional


def settle(candidates: Iterable[Found]) -> list[Found]:
    """The best of each group that overlaps: higher score, then longer, then earlier.

    Rules know each other and their scores are set against each other, so the detector gives one
    answer for each stretch of text.
    """
    settled: list[Found] = []
    group: list[Found] = []
    reach = -1
    for candidate in sorted(candidates, key=_place):
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
    for candidate in sorted(group, key=_rank):
        if all(candidate.end <= other.start or other.end <= candidate.start for other in kept):
            kept.append(candidate)
    return sorted(kept, key=_place)


def _place(found: Found) -> tuple[int, int]:
    return found.start, found.end


def _rank(found: Found) -> tuple[float, int, int, str]:
    return -found.rule.score, found.start - found.end, found.start, found.rule.id
