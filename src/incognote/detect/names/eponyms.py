"""Names that stand for a disease, a sign, an operation or a device: evidence against a person.

A list says that a word may be such a thing; only its use says that it is one here: what is said of
it ("Kawasaki was ruled out"), what it is a part of ("pouch of Douglas"), who has it ("aunt with
Lynch"), or the company it keeps ("Norwood, then Glenn, then Fontan").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from incognote.detect.names.evidence import CUES, names_thing
from incognote.detect.names.facts import (
    AMBIGUOUS,
    COLON,
    COMMA,
    DOT,
    EPONYM,
    JOINER,
    KIN,
    LOWER,
    ORDINARY,
    PLACE,
    POSSESSIVE,
    STRONG,
)  # fmt: skip
from incognote.lexicon import eponyms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from incognote.detect.names.page import Page
    from incognote.detect.names.people import ScoredRun

# So far below the threshold an eponym is no name.
_SURELY = 2.0
_THEN = frozenset(("then", "or", "versus", "vs"))
# Signs of a place or of a person that are no cues by themselves.
_PLACE_OR_PERSON = frozenset(
    (
        "place-before",
        "state-behind",
        "place-behind",
        "place",
        "seen-before",
        "informed",
        "verb-behind",
    )
)
_REACH = 4


def eponyms_in(page: Page, scored_runs: Sequence[ScoredRun], threshold: float) -> list[ScoredRun]:
    """The runs that name a thing and no person."""
    things: dict[int, ScoredRun] = {}
    named = [scored for scored in scored_runs if _is_eponym(page, scored)]
    # One after the other, from both sides: what appears in a list with a thing is one, too.
    for scored in (*named, *reversed(named)):
        if scored.run.first not in things and _is_thing(page, scored, threshold, things):
            things[scored.run.first] = scored
    return [things[first] for first in sorted(things)]


def _is_eponym(page: Page, scored: ScoredRun) -> bool:
    words = [page.bits[at] for at in scored.run.names]
    return bool(words) and all(bits & EPONYM and not bits & LOWER for bits in words)


def _is_thing(
    page: Page, scored: ScoredRun, threshold: float, things: Mapping[int, ScoredRun]
) -> bool:
    evidence = set(scored.evidence)
    cues = evidence & CUES
    if cues <= {"kin-behind", "field-kin"} and _is_had_by_kin(page, scored):
        return True
    if cues:
        return False
    if "seen-before" in evidence:  # a person of the note has this name
        names = scored.run.names
        return eponyms.names_thing(page.text, page.starts[names[0]], page.ends[names[-1]])
    if _is_in_list(page, scored, things):
        return True
    if scored.score >= threshold:
        return False
    if _is_named_so(page, scored):
        return True
    if not _PLACE_OR_PERSON.isdisjoint(evidence):
        return False
    if _word(page, scored.run.stop) in eponyms.FINDINGS:
        return True
    return scored.score <= threshold - _SURELY and _is_hardly_a_name(page, scored, evidence)


def _is_hardly_a_name(page: Page, scored: ScoredRun, evidence: set[str]) -> bool:
    """An eponym that a thing or a number follows, or that is rare as a name."""
    words = [page.bits[at] for at in scored.run.names]
    if "eponym" not in evidence or any(bits & (ORDINARY | AMBIGUOUS) for bits in words):
        return False  # "Ward", "West": a part of anything
    rare = not any(bits & (STRONG | PLACE) for bits in words)
    return rare or names_thing(scored.evidence)


def _is_named_so(page: Page, scored: ScoredRun) -> bool:
    first, stop = scored.run.first, scored.run.stop
    behind = [_word(page, at) for at in range(stop, min(stop + eponyms.REACH, len(page)))]
    before = _word(page, first - 1), _word(page, first - 2)
    return eponyms.is_said_of_thing(eponyms.Beside(before, tuple(behind))) or _is_bare_possessive(
        page, stop
    )


def _is_bare_possessive(page: Page, stop: int) -> bool:
    """What is owned is left out, as for diseases: "(Todd's)", "has Hodgkin's."."""
    if stop >= len(page) or not page.bits[stop] & POSSESSIVE:
        return False
    return stop + 1 >= len(page) or not page.words[stop + 1][:1].isalnum()


def _is_had_by_kin(page: Page, scored: ScoredRun) -> bool:
    """Relatives go by first names or whole ones: no "aunt with Lynch", no "Father: Paget"."""
    first = scored.run.first
    if len(scored.run.names) > 1 or first < 2 or not page.bits[first - 2] & KIN:
        return False
    if _word(page, first - 1) in eponyms.HAVING:
        return True
    return bool(page.bits[first - 1] & COLON) and not page.bits[first] & STRONG


def _is_in_list(page: Page, scored: ScoredRun, things: Mapping[int, ScoredRun]) -> bool:
    """Whether a neighbour in the list is a thing, or an eponym that is rare as a name."""
    first, stop = scored.run.first, scored.run.stop
    for at in (_across(page, stop, 1), _across(page, first - 1, -1)):
        if 0 <= at < len(page) and page.bits[at] & EPONYM and not page.bits[at] & LOWER:
            known = any(other.run.first <= at < other.run.stop for other in things.values())
            if known or not page.bits[at] & (STRONG | AMBIGUOUS):
                return True
    return False


def _across(page: Page, at: int, step: int) -> int:
    """The token on the other side of a comma, "and" or "then"; -1 where there is none of them."""
    start = at
    while 0 <= at < len(page) and abs(at - start) < _REACH:
        joins = page.bits[at] & (COMMA | JOINER) and not page.bits[at] & DOT
        if not joins and _word(page, at) not in _THEN:
            break
        at += step
    return at if at != start else -1


def _word(page: Page, at: int) -> str:
    return page.words[at].lower() if 0 <= at < len(page) else ""
