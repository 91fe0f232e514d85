"""Neighbouring finds that belong together: one thing, or parts of one thing.

"Health Center" of "Washington" is one hospital. The street, the town and the ZIP code of an address
stay three finds, each replaced in its own way, and are one group.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from incognote.core.caches import cached
from incognote.core.types import Dropped, Span
from incognote.policy import ConnectRule
from incognote.policy.patterns import compile_pattern
from incognote.resolve.claims import Claim

# Between two parts of one thing appears a particle, not a clause.
_FARTHEST = 24


def connect(
    claims: Sequence[Claim], text: str, rules: Sequence[ConnectRule]
) -> tuple[list[Claim], list[Dropped]]:
    """Disjoint claims in order of text, with the pairs that a rule names made one.

    Pairs are joined from left to right, and what was joined may join again.
    """
    joins = _joins(tuple(rules))
    joined: list[Claim] = []
    dropped: list[Dropped] = []
    for claim in claims:
        right = claim
        while joined and (label := _label(joined[-1], right, text, joins)):
            left = joined.pop()
            both = left.backed_by(right)
            span = both.span.moved(left.span.start, right.span.end)
            where = f"joined:{label}@{span.start}-{span.end}"
            dropped += [Dropped(left.span, where), Dropped(right.span, where)]
            right = Claim(replace(span, label=label), both.weight)
        joined.append(right)
    return joined, dropped


def grouped(spans: Sequence[Span], text: str, rules: Sequence[ConnectRule]) -> tuple[Span, ...]:
    """Disjoint spans in order of text; neighbours that a rule groups carry the same `group`."""
    ties = _ties(tuple(rules))
    runs: list[tuple[str, list[Span]]] = []
    for span in spans:
        name, run = runs[-1] if runs else ("", [])
        tie = _between(run[-1], span, text, ties, line_ends=1) if run else ""
        if tie and name in ("", tie):
            runs[-1] = (tie, [*run, span])
        else:
            runs.append(("", [span]))
    return tuple(
        replace(span, group=f"{name}@{run[0].start}-{run[-1].end}") if name else span
        for name, run in runs
        for span in run
    )


# For each pair of labels: expressions for what may appear between, and the label or the group that
# the two then have.
_Table = Mapping[tuple[str, str], Sequence[tuple[Sequence[Any], str]]]


def _label(left: Claim, right: Claim, text: str, joins: _Table) -> str:
    """The label of the two as one; empty if they stay two."""
    if left.stated or right.stated:
        return ""
    return _between(left.span, right.span, text, joins)


def _between(left: Span, right: Span, text: str, table: _Table, *, line_ends: int = 0) -> str:
    rules = table.get((left.label, right.label))
    if rules is None or right.start - left.end > _FARTHEST:
        return ""
    gap = text[left.end : right.start]
    if gap.count("\n") > line_ends:
        return ""
    particle = gap.strip()
    for patterns, outcome in rules:
        if any(pattern.fullmatch(particle) for pattern in patterns):
            return outcome
    return ""


@cached(16)
def _joins(rules: tuple[ConnectRule, ...]) -> _Table:
    return _table([(i, rule) for i, rule in enumerate(rules) if not rule.group])


@cached(16)
def _ties(rules: tuple[ConnectRule, ...]) -> _Table:
    return _table([(i, rule) for i, rule in enumerate(rules) if rule.group])


def _table(rules: Sequence[tuple[int, ConnectRule]]) -> _Table:
    table: defaultdict[tuple[str, str], list[tuple[Sequence[Any], str]]] = defaultdict(list)
    for i, rule in rules:
        where = f"resolve.connect[{i}].between"
        patterns = [compile_pattern(pattern, where) for pattern in rule.between]
        for left, right in product(rule.left, rule.right):
            table[left, right].append((patterns, rule.group or rule.label or left))
    return dict(table)
