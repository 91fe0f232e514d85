"""The single pass: each rule is tried only at the tokens where it can start.

A trigger is a lower-case word, a punctuation mark, or the shape of a number:

    99       a run of two digits            9{1,3}   a run of one to three digits
    99/      ... directly followed by "/"   9+       a run of any length
    99[/-]   ... by "/" or "-"              9999+    a run of four digits or more

With "~" before it, a rule may start earlier: at any token of the unbroken run (letters, digits and
the marks inside addresses and identifiers) that leads to the trigger. "~@" finds an e-mail address
from its "@", "~9+" an identifier from its first digits.

One loop over the tokens looks each one up in a dictionary; an ordinary word costs one miss. A rule
that is triggered tries its pattern at that very place and nowhere else, and patterns hold bounded
repeats only, so time grows with the number of tokens and not faster. Nothing is compiled before
its trigger is first seen, which keeps the start short.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from incognote.core.types import Tokens
from incognote.detect.patterns.checks import CHECKS
from incognote.detect.patterns.packfile import FLAGS, Rule

LOOK_BACK = 60
LONGEST_RUN = 20
# How many tokens a "~" rule may look back, and the marks that do not break its run.
RUN_TOKENS = 12
_RUN_MARKS = frozenset("._-+/\\:%'#*")
_SHAPE = re.compile(r"(9+)(\+|\{1,(\d+)\})?(?:\[(.+)\]|(\D))?")


class Found(NamedTuple):
    """A candidate of one rule."""

    start: int
    end: int
    rule: Rule


class Matcher:
    """A rule ready to try. Compiles itself when it is first tried."""

    __slots__ = ("_accepts", "_groups", "_match", "rule")

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self._match: Callable[[str, int], re.Match[str] | None] | None = None
        self._accepts: tuple[Callable[[str, re.Match[str]], bool], ...] = ()
        self._groups: tuple[int, ...] = ()

    def _compile(self) -> Callable[[str, int], re.Match[str] | None]:
        flags = FLAGS if self.rule.case else FLAGS | re.IGNORECASE
        pattern = re.compile(self.rule.pattern, flags)
        groups = pattern.groupindex
        self._groups = tuple(groups[name] for name in groups if name.startswith("phi"))
        self._accepts = tuple(_conditions(self.rule, flags))
        self._match = pattern.match
        return pattern.match

    def match(self, text: str, at: int) -> re.Match[str] | None:
        """The rule's match that starts at `at`, if its context and its checks agree."""
        match = (self._match or self._compile())(text, at)
        if match is None:
            return None
        for accept in self._accepts:
            if not accept(text, match):
                return None
        return match

    def spans(self, match: re.Match[str]) -> Iterator[Found]:
        for group in self._groups:
            start, end = match.span(group)
            if start < end:
                yield Found(start, end, self.rule)


def _conditions(rule: Rule, flags: int) -> Iterator[Callable[[str, re.Match[str]], bool]]:
    """Cheap ones first; each says whether the match may stand."""
    for check in rule.checks:
        yield _check(CHECKS[check])
    contexts = ((rule.needs, True), (rule.unless, False))
    for context, wanted in contexts:
        if context.after:
            yield _after(re.compile(context.after, flags).match, wanted=wanted)
    for context, wanted in contexts:
        if context.before:
            yield _before(re.compile(rf"(?:{context.before})\Z", flags).search, wanted=wanted)


def _after(
    match: Callable[[str, int], re.Match[str] | None], *, wanted: bool
) -> Callable[[str, re.Match[str]], bool]:
    return lambda text, found: (match(text, found.end()) is not None) == wanted


def _before(
    search: Callable[[str, int, int], re.Match[str] | None], *, wanted: bool
) -> Callable[[str, re.Match[str]], bool]:
    def accept(text: str, found: re.Match[str]) -> bool:
        start = found.start()
        return (search(text, max(0, start - LOOK_BACK), start) is not None) == wanted

    return accept


def _check(check: Callable[[re.Match[str]], bool]) -> Callable[[str, re.Match[str]], bool]:
    return lambda _, found: check(found)


class Engine:
    """A set of rules behind one dictionary of triggers."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        here: dict[str, list[Matcher]] = {}
        back: dict[str, list[Matcher]] = {}
        for rule in rules:
            matcher = Matcher(rule)
            for trigger in sorted(rule.triggers):
                table = back if trigger.startswith("~") else here
                for key in _keys(trigger.removeprefix("~")):
                    table.setdefault(key, []).append(matcher)
        self._table = {
            key: (tuple(dict.fromkeys(here.get(key, ()))), tuple(dict.fromkeys(back.get(key, ()))))
            for key in (*here, *back)
        }

    def find(self, text: str, tokens: Tokens) -> list[Found]:
        """Every candidate, in the order of its trigger. A rule never overlaps itself."""
        scan = _Scan(text, tokens)
        lower = text.lower()
        if len(lower) != len(text):
            # A letter whose lower case is longer (U+0130) would move every offset behind it.
            lower = "".join(low if len(low := c.lower()) == 1 else c for c in text)
        get = self._table.get
        ends = tokens.ends
        for index, start in enumerate(tokens.starts):
            end = ends[index]
            word = lower[start:end]
            entry = get(word)
            if entry is not None:
                scan.try_entry(entry, index)
            # Digits and most marks sort before ":", letters behind it.
            if word < ":" and word.isdigit():
                shape = "9" * min(end - start, LONGEST_RUN)
                entry = get(shape)
                if entry is not None:
                    scan.try_entry(entry, index)
                if end < len(text):
                    entry = get(shape + lower[end])
                    if entry is not None:
                        scan.try_entry(entry, index)
        return scan.found


class _Scan:
    """What one pass over one text remembers."""

    __slots__ = ("_busy", "_ends", "_starts", "_text", "_tried", "found")

    def __init__(self, text: str, tokens: Tokens) -> None:
        self._text = text
        self._starts = tokens.starts
        self._ends = tokens.ends
        self._busy: dict[Matcher, int] = {}
        self._tried: dict[tuple[Matcher, ...], int] = {}
        self.found: list[Found] = []

    def try_entry(self, entry: tuple[tuple[Matcher, ...], tuple[Matcher, ...]], index: int) -> None:
        here, back = entry
        if here:
            self._try(here, self._starts[index])
        if back:
            # Each token of a run is tried once for the same rules, however many triggers it holds.
            first = max(self._run_start(index), self._tried.get(back, 0))
            for at in range(first, index + 1):
                self._try(back, self._starts[at])
            self._tried[back] = index + 1

    def _run_start(self, index: int) -> int:
        text, starts, ends = self._text, self._starts, self._ends
        floor = max(0, index - RUN_TOKENS)
        while index > floor and ends[index - 1] == starts[index]:
            first = text[starts[index - 1]]
            if not (first.isalnum() or first in _RUN_MARKS):
                break
            index -= 1
        return index

    def _try(self, matchers: Sequence[Matcher], start: int) -> None:
        busy = self._busy
        for matcher in matchers:
            if busy and busy.get(matcher, 0) > start:
                continue
            match = matcher.match(self._text, start)
            if match is not None:
                busy[matcher] = match.end()
                self.found.extend(matcher.spans(match))


def _keys(trigger: str) -> Iterator[str]:
    """The dictionary keys a trigger stands for."""
    shape = _SHAPE.fullmatch(trigger)
    if shape is None:
        yield trigger
        return
    digits, repeat, most, followers, follower = shape.groups()
    shortest = len(digits)
    longest = int(most) if most else LONGEST_RUN if repeat else shortest
    for run in range(shortest, longest + 1):
        for character in followers or [follower or ""]:
            yield "9" * run + character
