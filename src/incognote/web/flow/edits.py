"""Flat spans and the numbered edits that change them.

A span is `(start, end, label)` in code points; no two spans of a layer overlap. An edit takes the
spans `before` away and puts the spans `after` in their place, so its inverse is itself with both
sides swapped. Edit number n turns revision n-1 into revision n: sent twice it is confirmed twice,
and an edit made on another revision than the present one is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from incognote.core.errors import IncognoteError

Mark = tuple[int, int, str]


class Stale(IncognoteError):  # noqa: N818 - reads as what happened
    """The edit was made on another revision than the present one."""


class BadEdit(IncognoteError):  # noqa: N818 - reads as what happened
    """The edit does not fit the text, the labels or the spans that are there."""


@dataclass(frozen=True, slots=True)
class Edit:
    number: int
    operation: str
    before: tuple[Mark, ...] = ()
    after: tuple[Mark, ...] = ()

    @property
    def inverse(self) -> Edit:
        return Edit(self.number + 1, "undo", self.after, self.before)


def marks(rows: Iterable[Sequence[object]]) -> tuple[Mark, ...]:
    """Spans as JSON holds them: lists of start, end and label."""
    found = []
    for row in rows:
        if len(row) != 3:
            raise BadEdit("a span is a start, an end and a label")
        start, end, label = row
        if type(start) is not int or type(end) is not int or not isinstance(label, str):
            raise BadEdit("a span is a start, an end and a label")
        found.append((start, end, label))
    return tuple(found)


def applied(
    spans: Sequence[Mark], edit: Edit, length: int, labels: Collection[str]
) -> tuple[Mark, ...]:
    """The spans after an edit, in order."""
    kept = set(spans)
    for mark in edit.before:
        if mark not in kept:
            raise Stale("a span that the edit changes is not there")
        kept.discard(mark)
    for start, end, label in edit.after:
        if not 0 <= start < end <= length:
            raise BadEdit("a span lies outside the text")
        if label not in labels:
            raise BadEdit("a span has a label that the project does not use")
        kept.add((start, end, label))
    changed = tuple(sorted(kept))
    if not is_flat(changed):
        raise BadEdit("spans must not overlap")
    return changed


def is_flat(spans: Sequence[Mark]) -> bool:
    """Whether sorted spans leave each other alone."""
    return all(one[1] <= other[0] for one, other in pairwise(spans))


def flat(spans: Iterable[Mark]) -> tuple[Mark, ...]:
    """The spans without those that overlap an earlier or, at one place, a longer one."""
    kept: list[Mark] = []
    for mark in sorted(spans, key=lambda each: (each[0], -each[1], each[2])):
        if not kept or kept[-1][1] <= mark[0]:
            kept.append(mark)
    return tuple(kept)
