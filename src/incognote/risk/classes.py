"""How large the classes are that people hide in, and what that means to three attackers.

prosecutor   knows that a certain person is in the release, and looks for that one
journalist   wants to show that anybody can be found; has a register of the population
marketer     wants as many matches as possible, right or wrong

The risk of a record is one by the size of its class (El Emam, Guide to the De-Identification of
Personal Health Information, 2013). Suppressed rows are in no class: they are counted apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from incognote.anonymize.grouping import group
from incognote.anonymize.table import MISSING, Bools, Ints, Table
from incognote.core.errors import UsageError

# EMA Policy 0070 and Health Canada's PRCI: at most 0.09, read as classes of eleven.
THRESHOLD = 0.09


def largest_risk(threshold: float) -> float:
    """The risk that a threshold allows: 0.09 means classes of eleven, that is 1 / 11, as the
    guidance reads it; any other means itself."""
    return 1 / 11 if threshold == THRESHOLD else threshold


@dataclass(frozen=True, slots=True)
class Classes:
    """The class of every person; `sizes[number]` people are in class `number`, or cannot be
    distinguished from those in it where missing values match all."""

    attributes: tuple[str, ...]
    numbers: Ints = field(repr=False)
    sizes: Ints = field(repr=False)
    suppressed: int = 0

    @classmethod
    def of(
        cls,
        data: Any,
        quasi: Sequence[str],
        suppressed: Bools | None = None,
        missing: str = "value",
    ) -> Classes:
        """`missing`: "value" takes a missing value for one of its own, "wildcard" for any."""
        if not quasi:
            raise UsageError("no quasi-identifier: name the attributes that an attacker may know")
        table = Table.of(data, list(quasi))
        hidden = np.zeros(table.rows, np.bool_) if suppressed is None else suppressed
        kept = np.flatnonzero(~hidden)
        columns = [table[name].codes[kept] for name in quasi]
        if not len(kept):
            return cls(tuple(quasi), np.zeros(0, np.int64), np.zeros(0, np.int64), table.rows)
        numbers = group(columns)
        sizes = np.bincount(numbers)
        if missing == "wildcard":
            sizes = _wildcards(columns, numbers, sizes)
        elif missing != "value":
            raise UsageError("missing values count as `value` or as `wildcard`")
        return cls(tuple(quasi), numbers, sizes, int(hidden.sum()))

    @property
    def persons(self) -> int:
        return len(self.numbers)

    @property
    def of_person(self) -> Ints:
        """The size of each person's class."""
        return self.sizes[self.numbers]

    @property
    def smallest(self) -> int:
        return int(self.of_person.min()) if self.persons else 0

    @property
    def uniques(self) -> float:
        """The share of persons who are alone in their class."""
        return float((self.of_person == 1).mean()) if self.persons else 0.0

    def histogram(self) -> list[tuple[str, int]]:
        """Persons by the size of their class."""
        bounds = ((1, 1), (2, 2), (3, 4), (5, 10), (11, 19), (20, 49), (50, 99), (100, None))
        own = self.of_person
        return [
            (
                str(low) if high == low else f"{low}-{high}" if high else f"{low}+",
                int(((own >= low) & (own <= (high or own.max(initial=0)))).sum()),
            )
            for low, high in bounds
        ]


def _wildcards(columns: Sequence[Any], numbers: Ints, sizes: Ints) -> Ints:
    """How many persons each class cannot be told from, where a missing value matches everything.

    Classes are compared by which of their values are missing: two kinds match in the attributes
    that both have, so that each pair of kinds is one grouping.
    """
    _, first = np.unique(numbers, return_index=True)
    looks = np.stack([column[first] for column in columns], axis=1)
    missing = looks == MISSING
    kinds, kind_of = np.unique(missing, axis=0, return_inverse=True)
    members = [np.flatnonzero(kind_of.ravel() == number) for number in range(len(kinds))]
    found = np.zeros(len(looks), np.int64)
    for one, asked in zip(kinds, members, strict=True):
        for other, held in zip(kinds, members, strict=True):
            shared = np.flatnonzero(~(one | other))
            if not len(shared):
                found[asked] += sizes[held].sum()
                continue
            both = np.concatenate([asked, held])
            groups = group([looks[both, column] for column in shared])
            counts = np.bincount(groups[len(asked) :], sizes[held], int(groups.max()) + 1)
            found[asked] += counts[groups[: len(asked)]].astype(np.int64)
    return found


@dataclass(frozen=True, slots=True)
class Risk:
    """`above`: the share of persons above the threshold; `largest`; `average`."""

    attacker: str
    above: float
    largest: float
    average: float

    def as_dict(self) -> dict[str, float]:
        return {
            "share_above_threshold": self.above,
            "maximum": self.largest,
            "average": self.average,
        }


def risks(
    classes: Classes, threshold: float = THRESHOLD, population: int | None = None
) -> list[Risk]:
    """The three attackers. Without a population the journalist and the marketer know no more than
    who is in the release, which is the worst that can be: their risk is the prosecutor's."""
    if not 0 < threshold <= 1:
        raise UsageError("the threshold must lie above 0 and at most at 1")
    own = classes.of_person.astype(np.float64)
    if not len(own):
        return [Risk(name, 0.0, 0.0, 0.0) for name in ("prosecutor", "journalist", "marketer")]
    if population is not None and population < classes.persons:
        raise UsageError("the population is smaller than the release")
    fraction = classes.persons / population if population else 1.0
    prosecutor = _risk("prosecutor", 1 / own, threshold)
    journalist = _risk("journalist", fraction / own, threshold)
    average = float((fraction / own).mean())
    marketer = Risk("marketer", 1.0 if average > largest_risk(threshold) else 0.0, average, average)
    return [prosecutor, journalist, marketer]


def _risk(name: str, each: Any, threshold: float) -> Risk:
    above = float((each > largest_risk(threshold)).mean())
    return Risk(name, above, float(each.max()), float(each.mean()))
