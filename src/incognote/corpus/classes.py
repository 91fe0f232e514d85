"""Mentions and different values of each class, before and after a corpus was made anew.

The test is that of Deleger et al. 2014, Table 3: is the number of different values of a class the
same? Chi-square with one degree of freedom against equal numbers, class by class.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from incognote.core.types import AnnotatedDocument
from incognote.corpus.describe import chi_square_tail
from incognote.corpus.rules import Rule

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Of one label."""

    label: str
    mentions: tuple[int, int]
    unique: tuple[int, int]

    @property
    def chi_square(self) -> float:
        before, after = self.unique
        return (before - after) ** 2 / (before + after) if before + after else 0.0

    @property
    def p(self) -> float:
        return chi_square_tail(self.chi_square, 1)


def class_counts(
    before: Sequence[AnnotatedDocument], after: Sequence[AnnotatedDocument]
) -> list[ClassCounts]:
    """A row for each label of either corpus."""
    (mentions, values), (new_mentions, new_values) = map(_counted, (before, after))
    return [
        ClassCounts(
            label,
            (mentions[label], new_mentions[label]),
            (len(values[label]), len(new_values[label])),
        )
        for label in sorted(mentions.keys() | new_mentions.keys())
    ]


def class_rules(rows: Sequence[ClassCounts]) -> list[Rule]:
    """Both rules of the table; `where` names labels instead of documents."""
    added = [row.label for row in rows if row.mentions[0] != row.mentions[1]]
    fewer = [row.label for row in rows if row.p < LEVEL]
    return [
        Rule("as many mentions of each class as before", len(rows), len(added), tuple(added)),
        Rule("as many different values of each class", len(rows), len(fewer), tuple(fewer)),
    ]


def _counted(
    documents: Sequence[AnnotatedDocument],
) -> tuple[Counter[str], defaultdict[str, set[str]]]:
    mentions: Counter[str] = Counter()
    values: defaultdict[str, set[str]] = defaultdict(set)
    for doc in documents:
        for span in doc.spans:
            mentions[span.label] += 1
            values[span.label].add(" ".join(doc.text[span.start : span.end].casefold().split()))
    return mentions, values
