"""Bins for counting: all of them known before anybody looks at the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from incognote.anonymize.hierarchy import ROOT, Hierarchy
from incognote.anonymize.shipped import (
    OTHER,
    TRAITS,
    hierarchy_for,
    icd_categories,
    occupation_codes,
    state_codes,
    trait_values,
)
from incognote.core.errors import UsageError

# The default level of counting: coarse enough for a table that can be read.
_LEVELS = {"age": 2, "birth_year": 2, "zip": 2, "diagnosis": 3, "profession": 3, "place": 2}
_STATES_LEVEL = 2
_BIRTH_YEARS = range(1900, 2040)
_SEXES = ("female", "male")


@dataclass(frozen=True, slots=True)
class Bins:
    """Labels of the bins; the last is "other"."""

    hierarchy: Hierarchy
    level: int
    labels: tuple[str, ...] = field(repr=False)

    @property
    def other(self) -> int:
        return len(self.labels) - 1

    def index(self, value: Any) -> int:
        path = self.hierarchy.path(value)
        if path is None or path[self.level] not in self.labels:
            return self.other
        return self.labels.index(path[self.level])


def bins_for(name: str, hierarchy: Hierarchy | None, level: int | None) -> Bins:
    """The bins of an attribute: those of its hierarchy at a level, and "other"."""
    chosen = hierarchy or hierarchy_for(name)
    if chosen is None:
        raise UsageError(f"{name}: counting needs a hierarchy, so that the bins are public")
    if level is None:
        level = _LEVELS.get(chosen.name, 0 if chosen.name == "sex" else 1)
    if not 0 <= level < chosen.levels:
        raise UsageError(f"{name}: levels go from 0 to {chosen.levels - 1}")
    labels: dict[str, None] = {}
    for leaf in _domain(chosen, level):
        path = chosen.path(leaf)
        if path is not None and path[level] not in (ROOT, OTHER):
            labels[path[level]] = None
    return Bins(chosen, level, (*labels, OTHER))


def _domain(hierarchy: Hierarchy, level: int) -> Iterable[Any]:
    """Every value there may be, as far as the bins of a level depend on it."""
    if hierarchy.leaves:
        return hierarchy.leaves
    if "widths" in hierarchy.spec:
        top = hierarchy.spec["top"]
        if hierarchy.name == "birth_year":
            return _BIRTH_YEARS
        if top is None:
            raise UsageError(f"{hierarchy.name}: counting needs intervals with a `top`")
        return range(int(top) + 1)
    if hierarchy.name == "sex":
        return _SEXES
    if hierarchy.name in TRAITS:
        return trait_values(hierarchy.name)
    if hierarchy.name == "diagnosis" and level > 0:
        return icd_categories()
    if hierarchy.name == "zip" and level > 0:
        return (f"{number:03d}" for number in range(1000))
    if hierarchy.name == "profession" and level > 0:
        return occupation_codes()
    if hierarchy.name == "place" and level >= _STATES_LEVEL:
        return state_codes()
    raise UsageError(f"{hierarchy.name}: level {level} has no public list of values")
