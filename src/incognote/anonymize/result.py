"""A table made anonymous: the class of each row, and what is published of each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from incognote.anonymize.axes import Axis, Bounds
from incognote.anonymize.conditions import Conditions
from incognote.anonymize.hierarchy import ROOT
from incognote.anonymize.table import Bools, Ints
from incognote.anonymize.utility import Utility

SUPPRESSED = -1  # the class of a row that is not published


@dataclass(frozen=True, slots=True)
class Released:
    """What is published of one attribute: a text for each class, and what that costs."""

    name: str
    labels: tuple[str, ...] = field(repr=False)
    penalties: Sequence[float] = field(repr=False)
    shares: Sequence[float] = field(repr=False)

    @classmethod
    def of(cls, axis: Axis, bounds: Bounds) -> Released:
        pairs = np.stack(bounds, axis=1)
        distinct, inverse = np.unique(pairs, axis=0, return_inverse=True)
        texts = [axis.label(int(low), int(high)) for low, high in distinct]
        costs = [axis.loss(int(low), int(high)) for low, high in distinct]
        index = inverse.ravel().tolist()
        return cls(
            axis.name,
            tuple(texts[i] for i in index),
            [costs[i][0] for i in index],
            [costs[i][1] for i in index],
        )


@dataclass(frozen=True, slots=True)
class Anonymous:
    """`classes[row]` is the class of a row, -1 where it is suppressed."""

    quasi: tuple[str, ...]
    classes: Ints = field(repr=False)
    released: tuple[Released, ...] = field(repr=False)
    conditions: Conditions
    recoding: str
    utility: Utility
    levels: tuple[int, ...] = ()

    @property
    def suppressed(self) -> Bools:
        hidden: Bools = self.classes == SUPPRESSED
        return hidden

    @property
    def sizes(self) -> Ints:
        """How many persons each class holds."""
        kept = self.classes[self.classes >= 0]
        return np.bincount(kept, minlength=0)

    def column(self, name: str) -> list[str]:
        """The published value of every row; "*" where the row is suppressed."""
        released = next(each for each in self.released if each.name == name)
        texts = [*released.labels, ROOT]
        return [texts[number] for number in self.classes.tolist()]

    def columns(self) -> dict[str, list[str]]:
        return {name: self.column(name) for name in self.quasi}
