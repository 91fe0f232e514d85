"""The people of a note: names found once are known in the rest of it.

Runs are judged one by one; here they vouch for one another. Names in a list lift each other, a
name met before needs no cue the second time, and whoever is staff in one place is so in all.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from incognote.detect.names.before import before
from incognote.detect.names.behind import behind
from incognote.detect.names.columns import initials_in_columns
from incognote.detect.names.evidence import CUES, judge, names_thing, weights
from incognote.detect.names.facts import (
    AMBIGUOUS,
    CLOSE,
    COMMA,
    CUE,
    DIGITS,
    DOT,
    EPONYM,
    JOINER,
    LOWER,
    MEDICAL,
    NEVER,
    OPEN,
    ORDINARY,
    UPPER,
)
from incognote.detect.names.initials import find_initials, signing_off
from incognote.detect.names.page import Run
from incognote.detect.names.runs import find_runs

if TYPE_CHECKING:
    from incognote.detect.names.page import Page

_CLEAR = 2.0  # a lean this strong needs nobody else to settle whose name it is
_SPOILERS = frozenset("place-behind thing-behind place-title pet mark-behind state-behind".split())


@dataclass(slots=True)
class Opinion:
    """A run with the evidence about it, added up. `staff` is above zero for care staff."""

    run: Run
    score: float
    staff: float
    evidence: list[str]

    def add(self, evidence: str) -> None:
        rules = weights()
        self.evidence.append(evidence)
        self.score += rules.weight[evidence]
        self.staff += rules.staff.get(evidence, 0.0)


def opinions_about(page: Page) -> list[Opinion]:
    """Every run of a page with its evidence, names or not, in order."""
    opinions = [_weigh(run, judge(page, run)) for run in find_runs(page)]
    _lists(page, opinions)
    people = _known_people(page, opinions)
    if people:
        _meet_again(page, opinions, people)
    opinions += _initials(page, opinions)
    opinions.sort(key=lambda opinion: opinion.run.first)
    return opinions


def _weigh(run: Run, evidence: list[str]) -> Opinion:
    rules = weights()
    weight, staff = rules.weight, rules.staff
    return Opinion(
        run,
        sum([weight.get(name, 0.0) for name in evidence]),
        rules.staff_bias + sum([staff.get(name, 0.0) for name in evidence]),
        evidence,
    )


def _lists(page: Page, opinions: list[Opinion]) -> None:
    """Names joined by "and", "/", a comma or a bracket vouch for one another, from either side."""
    threshold = weights().threshold
    joined = [
        (left, right)
        for left, right in itertools.pairwise(opinions)
        if right.run.first - left.run.stop == 1 and _joined(page, left.run, right.run)
    ]
    for sure, other in [*joined, *((right, left) for left, right in reversed(joined))]:
        if sure.score < threshold:
            continue
        if other.score < threshold:
            other.add("listed")
        if abs(other.staff) < _CLEAR < abs(sure.staff):
            other.staff += sure.staff / 2


def _joined(page: Page, left: Run, right: Run) -> bool:
    """Whether only a joiner stands between: "Ann and Bo", "Ann, Bo", "Ann/Bo", "Robert (Bob)"."""
    between = page.bits[left.stop]
    if page.breaks(right.first):
        return False
    if between & OPEN:
        return right.stop < len(page) and bool(page.bits[right.stop] & CLOSE)
    return bool(between & (JOINER | COMMA))


def _known_people(page: Page, opinions: list[Opinion]) -> dict[str, float]:
    """Words of sure names in small letters, each with its lean towards staff."""
    sure = weights().sure
    people: dict[str, float] = {}
    for opinion in opinions:
        if opinion.score >= sure:
            cued = not CUES.isdisjoint(opinion.evidence)
            for index in opinion.run.names:
                word = page.words[index].lower()
                # An eponym that nothing calls a person may be the thing everywhere.
                if len(word) > 1 and (cued or not page.bits[index] & EPONYM):
                    people[word] = people.get(word, 0.0) + opinion.staff
    return people


def _meet_again(page: Page, opinions: list[Opinion], people: dict[str, float]) -> None:
    threshold = weights().threshold
    taken: set[int] = set()
    for opinion in opinions:
        words = [page.words[index].lower() for index in opinion.run.names]
        known = [people[word] for word in words if word in people]
        taken.update(range(opinion.run.first, opinion.run.stop))
        if not known:
            continue
        if (
            opinion.score < threshold
            and not names_thing(opinion.evidence)
            and _only_known(page, opinion.run, people)
        ):
            opinion.add("seen-before")
        if abs(opinion.staff) < _CLEAR:
            opinion.staff += max(known, key=abs)
    forms = {form for word in people for form in (word.capitalize(), word.upper(), word)}
    for index in [index for index, word in enumerate(page.words) if word in forms]:
        if index not in taken and _same_person(page, index):
            staff = people[page.words[index].lower()]
            opinions.append(
                Opinion(Run(index, index + 1, [index], []), threshold, staff, ["seen-before"])
            )


def _only_known(page: Page, run: Run, people: dict[str, float]) -> bool:
    """Whether all words of a run are known, after an ordinary word in front has been let go."""
    while len(run.names) > 1 and page.words[run.names[0]].lower() not in people:
        if not page.bits[run.names[0]] & (ORDINARY | AMBIGUOUS) or run.initials:
            return False
        del run.names[0]
        run.first = run.names[0]
    return all(page.words[index].lower() in people for index in run.names)


def _same_person(page: Page, index: int) -> bool:
    """A known name in passing, and not the ordinary word that it also is."""
    bits = page.bits[index]
    if bits & LOWER and (
        bits & (ORDINARY | AMBIGUOUS | MEDICAL | NEVER | CUE) or len(page.words[index]) < 4
    ):
        return False
    if _inside_address(page, index):
        return False
    around = before(page, index) + behind(page, index + 1)
    if bits & (NEVER | ORDINARY | AMBIGUOUS) and not {"line-start", "sentence-start"}.isdisjoint(
        around
    ):
        return False
    if bits & NEVER and bits & UPPER:
        return False
    return _SPOILERS.isdisjoint(around)


def _inside_address(page: Page, index: int) -> bool:
    """Part of an e-mail address, a link or a login: tavita79@..., dr_tran."""
    if page.glued(index) and page.words[index - 1] in "@_./":
        return True
    behind = index + 1
    if not page.glued(behind):
        return False
    if page.words[behind] in "@_" or page.bits[behind] & DIGITS:
        return True
    return bool(page.bits[behind] & DOT) and page.glued(behind + 1)


def _initials(page: Page, opinions: list[Opinion]) -> list[Opinion]:
    """Initials on their own, judged by where they stand and by whose they could be."""
    threshold = weights().threshold
    owners: dict[str, float] = {}
    taken: set[int] = set()
    for opinion in opinions:
        if opinion.score < threshold:
            continue
        run = opinion.run
        taken.update(range(run.first, run.stop))
        parts = sorted(run.names + run.initials)
        letters = "".join(page.words[i][0] for i in parts).lower()
        if run.comma:
            letters = letters[1:] + letters[0]
        for short in {letters, letters[0] + letters[-1]}:
            if len(short) > 1:
                owners.setdefault(short, opinion.staff)
    found = []
    signed = signing_off(page)
    columns = initials_in_columns(page)
    for run in find_initials(page, owners, signed):
        if run.first in taken or run.first in columns:
            continue
        opinion = _weigh(run, judge(page, run))
        if run.first in signed:
            opinion.add("signs-off")
        letters = "".join(page.words[i] for i in run.initials).lower()
        if letters in owners:
            opinion.add("initials-of-known")
            opinion.staff += owners[letters]
        found.append(opinion)
    for at in sorted(columns - taken):
        run = Run(at, at + 1, [], [at])
        opinion = _weigh(run, judge(page, run))
        opinion.add("below-heading")
        found.append(opinion)
    return found
