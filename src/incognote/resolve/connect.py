"""Neighbouring finds that belong together: one thing, or parts of one thing.

"Health Center" of "Washington" is one hospital. The street, the town and the ZIP code of an address
stay three finds, each replaced in its own way, and are one group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from incognote.core.types import Dropped, Span
from incognote.policy import ConnectRule
from incognote.policy.patterns import compile_pattern
from incognote.resolve.claims import Claim

# Between two parts of one thing stands a particle, not a clause.
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


# What a rule makes of two neighbours and the text between them: a label or a group; "" is nothing.
_Test = Callable[[Span, Span, str], str]


def _label(left: Claim, right: Claim, text: str, tests: Sequence[_Test]) -> str:
    """The label of the two as one; empty if they stay two."""
    if left.stated or right.stated:
        return ""
    return _between(left.span, right.span, text, tests)


def _between(
    left: Span, right: Span, text: str, tests: Sequence[_Test], *, line_ends: int = 0
) -> str:
    if not tests or right.start - left.end > _FARTHEST:
        return ""
    gap = text[left.end : right.start]
    if gap.count("\n") > line_ends:
        return ""
    return next(filter(None, (test(left, right, gap.strip()) for test in tests)), "")


@lru_cache(maxsize=16)
def _joins(rules: tuple[ConnectRule, ...]) -> tuple[_Test, ...]:
    return tuple(_test(rule, i) for i, rule in enumerate(rules) if not rule.group)


@lru_cache(maxsize=16)
def _ties(rules: tuple[ConnectRule, ...]) -> tuple[_Test, ...]:
    return tuple(_test(rule, i) for i, rule in enumerate(rules) if rule.group)


def _test(rule: ConnectRule, number: int) -> _Test:
    where = f"resolve.connect[{number}].between"
    between = [compile_pattern(pattern, where) for pattern in rule.between]

    def test(left: Span, right: Span, gap: str) -> str:
        if left.label not in rule.left or right.label not in rule.right:
            return ""
        if not any(pattern.fullmatch(gap) for pattern in between):
            return ""
        return rule.group or rule.label or left.label

    return test
