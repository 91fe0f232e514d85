"""The people of a note: names found once are known in the rest of it.

Runs are judged one by one; here they vouch for one another. Names in a list lift each other, a
name found before needs no cue the second time, and staff in one place are staff in all.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from incognote.detect.names.before import before
from incognote.detect.names.behind import behind
from incognote.detect.names.columns import initials_in_columns
from incognote.detect.names.evidence import CUES, evidence_of, names_thing, weights
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
    REGION,
    UPPER,
)
from incognote.detect.names.initials import find_initials, signing_off
from incognote.detect.names.page import Run
from incognote.detect.names.runs import find_runs

if TYPE_CHECKING:
    from incognote.detect.names.page import Page

_CLEAR = 2.0  # a staff score this far from zero decides the role without other mentions
_SPOILERS = frozenset("place-behind thing-behind place-title pet mark-behind state-behind".split())


@dataclass(slots=True)
class ScoredRun:
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


def score_runs(page: Page) -> list[ScoredRun]:
    """Every run of a page with its evidence, names or not, in order."""
    scored_runs = [_score(run, evidence_of(page, run)) for run in find_runs(page)]
    _lists(page, scored_runs)
    people = _known_people(page, scored_runs)
    if people:
        _find_known_again(page, scored_runs, people)
    scored_runs += _initials(page, scored_runs)
    scored_runs.sort(key=lambda scored: scored.run.first)
    return scored_runs


def _score(run: Run, evidence: list[str]) -> ScoredRun:
    rules = weights()
    weight, staff = rules.weight, rules.staff
    return ScoredRun(
        run,
        sum([weight.get(name, 0.0) for name in evidence]),
        rules.staff_bias + sum([staff.get(name, 0.0) for name in evidence]),
        evidence,
    )


def _lists(page: Page, scored_runs: list[ScoredRun]) -> None:
    """A name joined to a certain one by "and", "/", a comma or a bracket becomes more certain."""
    threshold = weights().threshold
    joined = [
        (left, right)
        for left, right in itertools.pairwise(scored_runs)
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
    """Whether only a joiner is between: "Ann and Bo", "Ann, Bo", "Ann/Bo", "Robert (Bob)"."""
    between = page.bits[left.stop]
    if page.breaks(right.first):
        return False
    if between & OPEN:
        return right.stop < len(page) and bool(page.bits[right.stop] & CLOSE)
    return bool(between & (JOINER | COMMA))


def _known_people(page: Page, scored_runs: list[ScoredRun]) -> dict[str, float]:
    """Words of certain names in small letters, each with its sum of scores for staff."""
    sure = weights().sure
    people: dict[str, float] = {}
    for scored in scored_runs:
        if scored.score >= sure:
            cued = not CUES.isdisjoint(scored.evidence)
            for index in scored.run.names:
                word = page.words[index].lower()
                # An eponym that nothing calls a person may be the thing everywhere.
                if len(word) > 1 and (cued or not page.bits[index] & EPONYM):
                    people[word] = people.get(word, 0.0) + scored.staff
    return people


def _find_known_again(page: Page, scored_runs: list[ScoredRun], people: dict[str, float]) -> None:
    """Adds every other mention of the known people, and their role to those already found."""
    threshold = weights().threshold
    taken: set[int] = set()
    for scored in scored_runs:
        words = [page.words[index].lower() for index in scored.run.names]
        known = [people[word] for word in words if word in people]
        taken.update(range(scored.run.first, scored.run.stop))
        if not known:
            continue
        if (
            scored.score < threshold
            and not names_thing(scored.evidence)
            and _only_known(page, scored.run, people)
        ):
            scored.add("seen-before")
        if abs(scored.staff) < _CLEAR:
            scored.staff += max(known, key=abs)
    forms = {form for word in people for form in (word.capitalize(), word.upper(), word)}
    for index in [index for index, word in enumerate(page.words) if word in forms]:
        if index not in taken and _same_person(page, index):
            staff = people[page.words[index].lower()]
            scored_runs.append(
                ScoredRun(Run(index, index + 1, [index], []), threshold, staff, ["seen-before"])
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
    """Whether a known word is the name here, and not the ordinary word that it also is."""
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
    # "Mr. French speaks French": a language or a nation needs a cue of its own.
    if bits & REGION and bits & NEVER and CUES.isdisjoint(around):
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


def _initials(page: Page, scored_runs: list[ScoredRun]) -> list[ScoredRun]:
    """Initials on their own, judged by where they appear and by whose they could be."""
    threshold = weights().threshold
    owners: dict[str, float] = {}
    taken: set[int] = set()
    for scored in scored_runs:
        if scored.score < threshold:
            continue
        run = scored.run
        taken.update(range(run.first, run.stop))
        parts = sorted(run.names + run.initials)
        letters = "".join(page.words[i][0] for i in parts).lower()
        if run.comma:
            letters = letters[1:] + letters[0]
        for short in {letters, letters[0] + letters[-1]}:
            if len(short) > 1:
                owners.setdefault(short, scored.staff)
    found = []
    signed = signing_off(page)
    columns = initials_in_columns(page)
    for run in find_initials(page, owners, signed):
        if run.first in taken or run.first in columns:
            continue
        scored = _score(run, evidence_of(page, run))
        if run.first in signed:
            scored.add("signs-off")
        letters = "".join(page.words[i] for i in run.initials).lower()
        if letters in owners:
            scored.add("initials-of-known")
            scored.staff += owners[letters]
        found.append(scored)
    for at in sorted(columns - taken):
        run = Run(at, at + 1, [], [at])
        scored = _score(run, evidence_of(page, run))
        scored.add("below-heading")
        found.append(scored)
    return found
