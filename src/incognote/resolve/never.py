"""Words and sentences that the data office says are never PHI."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from operator import itemgetter

from incognote.core.caches import cached
from incognote.core.types import Dropped, Span
from incognote.policy import NeverRule
from incognote.policy.patterns import compile_pattern
from incognote.resolve.claims import Claim

# How far a context expression looks: about one line.
_REACH = 80


def drop_never(
    claims: Sequence[Claim], text: str, rules: Sequence[NeverRule]
) -> tuple[list[Claim], list[Dropped]]:
    """Drops the claims that a rule excludes. What the source states is never dropped."""
    if not rules:
        return list(claims), []
    tests = _tests(tuple(rules))
    kept: list[Claim] = []
    dropped: list[Dropped] = []
    for claim in claims:
        hit = next((i for i, test in enumerate(tests) if test(claim.span, text)), None)
        if hit is None or claim.stated:
            kept.append(claim)
        else:
            dropped.append(Dropped(claim.span, f"never:{hit}"))
    return kept, dropped


def drop_in_listed_sentences(
    claims: Sequence[Claim], unread: Sequence[tuple[int, int]]
) -> tuple[list[Claim], list[Dropped]]:
    """Drops what is claimed inside a sentence of the inclusion list: a person has read it."""
    if not unread:
        return list(claims), []
    places = sorted(unread)
    kept: list[Claim] = []
    dropped: list[Dropped] = []
    for claim in claims:
        at = bisect_right(places, claim.span.start, key=itemgetter(0)) - 1
        if claim.stated or at < 0 or claim.span.end > places[at][1]:
            kept.append(claim)
        else:
            dropped.append(Dropped(claim.span, "inclusion"))
    return kept, dropped


_Test = Callable[[Span, str], bool]


@cached(16)
def _tests(rules: tuple[NeverRule, ...]) -> tuple[_Test, ...]:
    return tuple(_test(rule, f"resolve.never[{i}]") for i, rule in enumerate(rules))


def _test(rule: NeverRule, where: str) -> _Test:
    says = _word_test(rule, where)
    before = compile_pattern(f"(?:{rule.before})\\W*$", where) if rule.before else None
    after = compile_pattern(f"^\\W*(?:{rule.after})", where) if rule.after else None
    labels = frozenset(rule.labels)

    def test(span: Span, text: str) -> bool:
        if labels and span.label not in labels:
            return False
        if not says(text[span.start : span.end]):
            return False
        if before and not before.search(text[max(0, span.start - _REACH) : span.start]):
            return False
        return not after or bool(after.search(text[span.end : span.end + _REACH]))

    return test


def _word_test(rule: NeverRule, where: str) -> Callable[[str], bool]:
    if rule.match == "regex":
        patterns = [compile_pattern(word, where) for word in rule.words]
        return lambda found: any(pattern.fullmatch(found) for pattern in patterns)
    if rule.match == "exact":
        return frozenset(rule.words).__contains__
    words = frozenset(word.casefold() for word in rule.words)
    return lambda found: found.casefold() in words
