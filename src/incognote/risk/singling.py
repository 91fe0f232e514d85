"""Singling out: who is on its own by what is left in the *output*, read anew."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from typing import Any

import numpy as np

from incognote.anonymize.table import Table
from incognote.lexicon import lexicon
from incognote.lexicon.words import is_medical
from incognote.persons.view import View
from incognote.risk.attributes import AttributeRisk, attribute_risks, unique_by_any
from incognote.risk.classes import THRESHOLD, Classes, Risk, risks
from incognote.risk.population import population_uniqueness

_GAPS = 3
_WORD = re.compile(r"[A-Za-z][A-Za-z-]{3,}")
_MOST_COMBINATIONS = 12
# Of the persons of a cautious count, how many may still be there twice: no linker knows a record
# again in which everything is misspelt. Of 2,000 generated people 10 to 18 were; with this share
# taken off each class, rounded up, 2 of 800 smallest classes were one person too large.
SPLIT = 0.03


@dataclass(frozen=True, slots=True)
class Singling:
    """`unique_by_any[n]`: the share of persons whom some n attributes single out. `cautious`:
    classes of the cautious count, each a little smaller than counted. `gaps`: how many persons have
    three visit gaps in a row that nobody else has, of how many who have four visits. `rare`: terms
    held by fewer than k persons. `why`: why the figures are not reliable, where it is not known how
    many persons the notes are of."""

    classes: Classes
    risks: tuple[Risk, ...]
    attributes: tuple[AttributeRisk, ...] = field(repr=False)
    uniqueness: Mapping[str, float]
    threshold: float
    unique_by_any: Mapping[int, float] = field(default_factory=dict)
    gaps: tuple[int, int] | None = None
    rare: Mapping[str, int] | None = None
    cautious: Classes | None = None
    why: str = ""

    @property
    def worst(self) -> Classes:
        """Of the people as linked and as linked cautiously, those with the smaller class."""
        if self.cautious is not None and self.cautious.smallest < self.classes.smallest:
            return self.cautious
        return self.classes

    @property
    def _counts(self) -> list[Classes]:
        return [self.classes, *([self.cautious] if self.cautious else [])]

    def as_dict(self) -> dict[str, Any]:
        telling = [each.as_dict() for each in self.attributes[::-1][:_MOST_COMBINATIONS]]
        return {
            "attributes": list(self.classes.attributes),
            "persons": self.classes.persons,
            "suppressed": self.classes.suppressed,
            "classes": len(self.classes.sizes),
            "smallest_class": self.worst.smallest,
            "uniques": max(each.uniques for each in self._counts),
            "threshold": self.threshold,
            "histogram": [list(pair) for pair in self.classes.histogram()],
            "risks": {each.attacker: each.as_dict() for each in self.risks},
            "population_uniqueness": dict(self.uniqueness),
            "most_telling_attributes": telling,
            "unique_by_any": {str(n): share for n, share in self.unique_by_any.items()},
            "visit_gaps": None
            if self.gaps is None
            else {"unique_persons": self.gaps[0], "persons_with_four_visits": self.gaps[1]},
            "rare_terms": None if self.rare is None else dict(self.rare),
            "persons_cautious": None if self.cautious is None else self.cautious.persons,
            "why_not_vouched_for": self.why,
        }


def singling_out(
    data: Any,
    quasi: Sequence[str],
    *,
    threshold: float = THRESHOLD,
    population: int | None = None,
    missing: str = "value",
    suppressed: Any = None,
) -> Singling:
    """The figures of a table with one row for each person."""
    data = Table.of(data, list(quasi))
    classes = Classes.of(data, quasi, suppressed, missing)
    telling = attribute_risks(data, quasi)
    return Singling(
        classes,
        tuple(risks(classes, threshold, population)),
        tuple(telling),
        _uniqueness(classes, population),
        threshold,
        unique_by_any(data, telling),
    )


def _uniqueness(classes: Classes, population: int | None) -> dict[str, float]:
    """By sampling fraction: that of this release, or three usual ones."""
    shares = [classes.persons / population] if population else [0.01, 0.1, 0.2]
    return {f"{share:.4g}": population_uniqueness(classes.sizes, share) for share in shares}


def of_view(
    view: View,
    words: Mapping[str, frozenset[str]],
    k: int,
    *,
    quasi: Sequence[str] = (),
    threshold: float = THRESHOLD,
    population: int | None = None,
    missing: str = "value",
) -> Singling:
    """The figures of released notes: `view` is what reading them anew found, `words` the words of
    each person's notes."""
    chosen = list(quasi) or view.known("quasi")
    table = view.table(chosen)
    found = singling_out(table, chosen, threshold=threshold, population=population, missing=missing)
    found = replace(found, gaps=visit_gaps(view), rare=rare_terms(view, words, k), why=view.why)
    if view.why:
        return found
    if not view.cautious:
        return replace(found, why="no document says of whom it is")
    if all(how == "stated" for how, _ in view.how.values()):
        return found
    cautious = Classes.of(view.cautious_table(chosen), chosen, None, missing)
    uniqueness = _uniqueness(cautious, population)
    fewer = np.ceil(SPLIT * cautious.sizes).astype(np.int64)
    cautious = replace(cautious, sizes=np.maximum(1, cautious.sizes - fewer))
    others = risks(cautious, threshold, population)
    return replace(
        found,
        risks=tuple(
            max(pair, key=lambda risk: (risk.largest, risk.average))
            for pair in zip(found.risks, others, strict=True)
        ),
        uniqueness={
            name: max(value, uniqueness.get(name, value))
            for name, value in found.uniqueness.items()
        },
        cautious=cautious,
    )


def visit_gaps(view: View) -> tuple[int, int]:
    """Shifting dates keeps the days between them. Persons with three gaps in a row that only they
    have, and persons who have as many visits at all."""
    days: defaultdict[str, set[date]] = defaultdict(set)
    for each in view.mentions:
        if each.attribute in ("visit", "admission"):
            days[view.owner[each.document]].add(date.fromisoformat(each.value))
    holders: defaultdict[tuple[int, ...], set[str]] = defaultdict(set)
    having = 0
    for person, found in days.items():
        ordered = sorted(found)
        gaps = [(b - a).days for a, b in pairwise(ordered)]
        having += len(gaps) >= _GAPS
        for at in range(len(gaps) - _GAPS + 1):
            holders[tuple(gaps[at : at + _GAPS])].add(person)
    alone = {next(iter(who)) for who in holders.values() if len(who) == 1}
    return len(alone), having


def rare_terms(view: View, words: Mapping[str, frozenset[str]], k: int) -> dict[str, int]:
    """How many diagnoses and clinical words fewer than k persons have; no word itself."""
    codes: defaultdict[str, set[str]] = defaultdict(set)
    for each in view.mentions:
        if each.attribute == "diagnosis":
            codes[each.value].add(view.owner[each.document])
    counts: Counter[str] = Counter()
    for found in words.values():
        counts.update(found)
    rare_words = {word for word, count in counts.items() if count < k}
    return {
        "k": k,
        "diagnoses": sum(len(who) < k for who in codes.values()),
        "diagnoses_in_all": len(codes),
        "clinical_words": len(rare_words),
        "clinical_words_in_all": len(counts),
        "persons_with_a_rare_word": sum(bool(found & rare_words) for found in words.values()),
    }


def clinical_words(text: str) -> frozenset[str]:
    """Words of diagnoses, findings and drugs that are not everyday English."""
    known = lexicon()
    return frozenset(
        word
        for word in {each.casefold() for each in _WORD.findall(text)}
        if is_medical(word) and not known.is_ordinary(word)
    )
