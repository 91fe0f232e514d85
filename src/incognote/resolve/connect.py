"""Joins neighbouring finds that are one thing: "Health Center" of "Washington"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from incognote.core.types import Dropped
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
    if not rules:
        return list(claims), []
    tests = _tests(tuple(rules))
    joined: list[Claim] = []
    dropped: list[Dropped] = []
    for claim in claims:
        right = claim
        while joined and (label := _label(joined[-1], right, text, tests)):
            left = joined.pop()
            both = left.backed_by(right)
            span = both.span.moved(left.span.start, right.span.end)
            where = f"joined:{label}@{span.start}-{span.end}"
            dropped += [Dropped(left.span, where), Dropped(right.span, where)]
            right = Claim(replace(span, label=label), both.weight)
        joined.append(right)
    return joined, dropped


_Test = Callable[[Claim, Claim, str], str]


def _label(left: Claim, right: Claim, text: str, tests: Sequence[_Test]) -> str:
    """The label of the two as one; empty if they stay two."""
    if left.stated or right.stated or right.span.start - left.span.end > _FARTHEST:
        return ""
    gap = text[left.span.end : right.span.start]
    if "\n" in gap:
        return ""
    return next(filter(None, (test(left, right, gap.strip()) for test in tests)), "")


@lru_cache(maxsize=16)
def _tests(rules: tuple[ConnectRule, ...]) -> tuple[_Test, ...]:
    return tuple(_test(rule, f"resolve.connect[{i}].between") for i, rule in enumerate(rules))


def _test(rule: ConnectRule, where: str) -> _Test:
    between = [compile_pattern(pattern, where) for pattern in rule.between]

    def test(left: Claim, right: Claim, gap: str) -> str:
        if left.span.label not in rule.left or right.span.label not in rule.right:
            return ""
        if not any(pattern.fullmatch(gap) for pattern in between):
            return ""
        return rule.label or left.span.label

    return test
