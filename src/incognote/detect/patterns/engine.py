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

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from incognote.core.caches import BoundedDict
from incognote.core.text.phrases import lower
from incognote.core.types import Tokens
from incognote.detect.patterns.checks import CHECKS
from incognote.detect.patterns.packfile import FLAGS, NAMED, Rule

LOOK_BACK = 60
LONGEST_RUN = 20
# A longer number is taken for one of this length.
_ENDLESS = "9" * (LONGEST_RUN + 1)
# Words whose triggers are kept.
_REMEMBERED = 50_000
_NINES = str.maketrans("0123456789", "9999999999")
# How many tokens a "~" rule may look back, and the marks that do not break its run.
RUN_TOKENS = 12
# A gate takes a microsecond to compile for each character of its patterns; a try that it spares
# takes about a third of one for each rule.
_SPARED_A_RULE = 0.3
_RUN_MARKS = frozenset("._-+/\\:%'#*")
# What `re` itself reads patterns with: nothing else says how long a match can be.
_PARSER: Any = importlib.import_module("re._parser")
_REFERENCE = re.compile(r"\(\?P=(\w+)\)")
_NUMBERED = re.compile(r"\\[1-9]|(?<!\\)\(\?\(")
_SHAPE = re.compile(r"(9+)(\+|\{1,(\d+)\})?(?:\[(.+)\]|(\D))?")


class Found(NamedTuple):
    """A candidate of one rule."""

    start: int
    end: int
    rule: Rule


class Matcher:
    """A rule ready to try. Compiles itself when it is first tried."""

    __slots__ = ("_accepts", "_groups", "look", "rule")

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        # Where the pattern matches, whatever its context and its checks say.
        self.look: Callable[[str, int], re.Match[str] | None] = self._compile
        self._accepts: tuple[Callable[[str, re.Match[str]], bool], ...] = ()
        self._groups: tuple[int, ...] = ()

    def _compile(self, text: str, at: int) -> re.Match[str] | None:
        flags = FLAGS if self.rule.case else FLAGS | re.IGNORECASE
        pattern = re.compile(self.rule.pattern, flags)
        groups = pattern.groupindex
        self._groups = tuple(groups[name] for name in groups if name.startswith("phi"))
        self._accepts = tuple(_conditions(self.rule, flags))
        self.look = pattern.match
        return pattern.match(text, at)

    def match(self, text: str, at: int) -> re.Match[str] | None:
        """The rule's match that starts at `at`, if its context and its checks agree."""
        match = self.look(text, at)
        return match if match is not None and self.accepts(text, match) else None

    def accepts(self, text: str, match: re.Match[str]) -> bool:
        """Whether the context of a match and the rule's checks agree."""
        for accept in self._accepts:  # noqa: SIM110 - all() takes twice as long
            if not accept(text, match):
                return False
        return True

    def spans(self, match: re.Match[str]) -> Iterator[Found]:
        for group in self._groups:
            start, end = match.span(group)
            if start < end:
                yield Found(start, end, self.rule)


def _conditions(rule: Rule, flags: int) -> Iterator[Callable[[str, re.Match[str]], bool]]:
    """The checks of a match, cheap ones first."""
    for check in rule.checks:
        yield _check(CHECKS[check])
    contexts = ((rule.needs, True), (rule.unless, False))
    for context, wanted in contexts:
        if context.after:
            yield _after(re.compile(context.after, flags).match, wanted=wanted)
    for context, wanted in contexts:
        if context.before:
            pattern = re.compile(rf"(?:{context.before})\Z", flags)
            yield _before(pattern.search, _reach(pattern), wanted=wanted)


def _after(
    match: Callable[[str, int], re.Match[str] | None], *, wanted: bool
) -> Callable[[str, re.Match[str]], bool]:
    return lambda text, found: (match(text, found.end()) is not None) == wanted


def _before(
    search: Callable[[str, int, int], re.Match[str] | None], reach: int, *, wanted: bool
) -> Callable[[str, re.Match[str]], bool]:
    def accept(text: str, found: re.Match[str]) -> bool:
        start = found.start()
        return (search(text, max(0, start - reach), start) is not None) == wanted

    return accept


def _reach(pattern: re.Pattern[str]) -> int:
    """How far before a match its context may begin: the search tries every place from there on, and
    most contexts are short."""
    longest: int = _PARSER.parse(pattern.pattern, pattern.flags).getwidth()[1]
    return min(LOOK_BACK, longest)


def _check(check: Callable[[re.Match[str]], bool]) -> Callable[[str, re.Match[str]], bool]:
    return lambda _, found: check(found)


Gate = Callable[[str, int], re.Match[str] | None]
_ANYTHING: Gate = re.compile("").match


class Group:
    """Rules with the same triggers, behind one expression that matches wherever one of them does.

    Nearly every place where a rule may start holds nothing. This gate finds that out in one step
    where the rules would take one each; it takes long to compile, so only busy groups get one. A
    single rule is its own gate.
    """

    __slots__ = ("_due", "_tries", "gate", "matchers")

    def __init__(self, matchers: tuple[Matcher, ...]) -> None:
        self.matchers = matchers
        self.gate: Gate = self._open if len(matchers) > 1 else self._single
        self._tries = 0
        self._due = tries_before_gate([matcher.rule for matcher in matchers])

    def _single(self, text: str, at: int) -> re.Match[str] | None:
        opened = self.matchers[0].look(text, at)
        self.gate = self.matchers[0].look  # compiled by now
        return opened

    def _open(self, text: str, at: int) -> re.Match[str] | None:
        """Every rule may have a look, until there were enough tries to make a gate pay."""
        self._tries += 1
        if self._tries == self._due:
            self.gate = make_gate([matcher.rule for matcher in self.matchers]) or self.gate
        return _ANYTHING(text, at)

    def behind(self, opened: re.Match[str]) -> Sequence[Matcher]:
        """The rule whose pattern opened the gate, and those behind it: none before it matches."""
        if len(self.matchers) == 1 or not opened.lastgroup:
            return self.matchers
        return self.matchers[int(opened.lastgroup[1:]) :]


def tries_before_gate(rules: Sequence[Rule]) -> int:
    """How often the rules of a group are tried until their gate would have paid for itself."""
    return round(sum(len(rule.pattern) for rule in rules) / (_SPARED_A_RULE * len(rules)))


def make_gate(rules: Sequence[Rule]) -> Gate | None:
    """The rules' patterns as one; None where a group is referred to by its number."""
    if any(_NUMBERED.search(rule.pattern) for rule in rules):
        return None
    return re.compile("|".join(map(_branch, range(len(rules)), rules)), FLAGS).match


def _branch(at: int, rule: Rule) -> str:
    """A pattern as part of a longer one: groups get names of their own, or none if not needed."""

    def rename(group: re.Match[str]) -> str:
        name = group[1]
        return f"(?P<{name}_{at}>" if f"(?P={name})" in rule.pattern else "(?:"

    pattern = _REFERENCE.sub(rf"(?P=\1_{at})", NAMED.sub(rename, rule.pattern))
    # The line end closes a comment, which a verbose pattern may end with.
    return f"(?P<g{at}>(?{'' if rule.case else 'i'}:{pattern}\n))"


class _Entry(NamedTuple):
    """What a token triggers: the rules that start at it, those that may start at any token of the
    run that leads to it, and, for a number, what it triggers before a certain character."""

    here: Group | None
    back: Group | None
    before: Mapping[str, _Entry]


class _Triggers(BoundedDict[str, "_Entry | None"]):
    """Word as written -> what it triggers. Looks a word up once."""

    def __init__(self, table: Mapping[str, _Entry]) -> None:
        super().__init__(f"{__name__}.triggers", _REMEMBERED)
        self._table = table

    def __missing__(self, word: str) -> _Entry | None:
        key = lower(word).translate(_NINES)
        entry = self[word] = self._table.get(_ENDLESS[1:] if key.startswith(_ENDLESS) else key)
        return entry


class Engine:
    """A set of rules behind one dictionary of triggers."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        here: dict[str, list[Matcher]] = {}
        back: dict[str, list[Matcher]] = {}
        for rule in rules:
            matcher = Matcher(rule)
            for trigger in sorted(rule.triggers):
                table = back if trigger.startswith("~") else here
                for key in trigger_keys(trigger.removeprefix("~")):
                    table.setdefault(key, []).append(matcher)
        groups: dict[tuple[Matcher, ...], Group] = {}

        def group(table: Mapping[str, list[Matcher]], *keys: str) -> Group | None:
            members = tuple(
                dict.fromkeys(matcher for key in keys for matcher in table.get(key, ()))
            )
            return groups.setdefault(members, Group(members)) if members else None

        followers: dict[str, set[str]] = {}
        for key in (*here, *back):
            mark = key.lstrip("9")
            word = key.removesuffix(mark) or key
            followers.setdefault(word, set()).update(key[len(word) :])
        self._triggers = _Triggers(
            {
                word: _Entry(
                    group(here, word),
                    group(back, word),
                    {
                        mark: _Entry(
                            group(here, word, word + mark), group(back, word, word + mark), {}
                        )
                        for mark in marks
                    },
                )
                for word, marks in followers.items()
            }
        )

    def find(self, text: str, tokens: Tokens) -> list[Found]:
        """Every candidate, in the order of its trigger. A rule never overlaps itself."""
        scan = _Scan(text, tokens)
        starts, ends = scan.starts, scan.ends
        entries = enumerate(map(self._triggers.__getitem__, tokens.words))
        # Most words trigger nothing: a comprehension dismisses them in half the time of a loop.
        for index, entry in [(index, entry) for index, entry in entries if entry]:
            here, back, before = entry
            if before:
                mark = text[ends[index] : ends[index] + 1]
                here, back, _ = before.get(mark) or before.get(lower(mark), entry)
            # Most triggers trigger nothing: the gate is asked here, before anything is called.
            if here and (opened := here.gate(text, starts[index])):
                scan.try_at(here.behind(opened), starts[index])
            if back:
                scan.try_run(back, index)
        return scan.found


class _Scan:
    """What one pass over one text remembers."""

    __slots__ = ("_busy", "_gaps", "_text", "_tried", "ends", "found", "starts")

    def __init__(self, text: str, tokens: Tokens) -> None:
        self._text = text
        self._gaps = tokens.gaps
        self.starts = tokens.starts.tolist()
        self.ends = tokens.ends.tolist()
        self._busy: dict[Matcher, int] = {}
        self._tried: dict[Group, int] = {}
        self.found: list[Found] = []

    def try_run(self, group: Group, index: int) -> None:
        """Tries every token of the run that leads to this one, each once for the same rules."""
        text, starts, gate = self._text, self.starts, group.gate
        first = index if self._gaps[index] else self._run_start(index)
        for at in range(max(first, self._tried.get(group, 0)), index + 1):
            if opened := gate(text, starts[at]):
                self.try_at(group.behind(opened), starts[at])
        self._tried[group] = index + 1

    def _run_start(self, index: int) -> int:
        floor = max(0, index - RUN_TOKENS)
        while index > floor and not self._gaps[index]:
            first = self._text[self.starts[index - 1]]
            if not (first.isalnum() or first in _RUN_MARKS):
                break
            index -= 1
        return index

    def try_at(self, matchers: Sequence[Matcher], start: int) -> None:
        busy, text = self._busy, self._text
        for matcher in matchers:
            if busy and busy.get(matcher, 0) > start:
                continue
            match = matcher.look(text, start)
            if match is not None and matcher.accepts(text, match):
                busy[matcher] = match.end()
                self.found.extend(matcher.spans(match))


def trigger_keys(trigger: str) -> Iterator[str]:
    """The dictionary keys of a trigger."""
    shape = _SHAPE.fullmatch(trigger)
    if shape is None:
        yield trigger.translate(_NINES)
        return
    digits, repeat, most, followers, follower = shape.groups()
    shortest = len(digits)
    longest = int(most) if most else LONGEST_RUN if repeat else shortest
    for run in range(shortest, longest + 1):
        for character in followers or [follower or ""]:
            yield "9" * run + character
