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

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from incognote.detect.names.page import Page
    from incognote.detect.names.people import Opinion

# So far below the threshold an eponym is no name.
_SURELY = 2.0
_FINDINGS = frozenset(
    """
    positive negative present absent noted elicited equivocal sign signs test tests maneuver
    manoeuvre disease syndrome phenomenon reflex triad lesion lesions deformity fracture fractures
    suspected excluded considered confirmed flare remission stage grade score criteria class type
    angina palsy tumor tumour ulcer node nodes spots abscess repair procedure operation reversal
    """.split()
)
# What is done to diseases and operations and to nobody: "X was ruled out".
_DONE_TO_THINGS = frozenset(
    """
    ruled excluded suspected considered performed planned reversed repaired resected dilated drained
    inserted replaced positive negative equivocal unremarkable normal present absent intact patent
    """.split()
)
_IS = frozenset("is are was were be been being both also again not now never remains".split())
# Before a disease: "history of", "diagnosed with", "signs of", "probable".
_BEFORE_DISEASE = frozenset(
    """
    probable possible suspected likely presumed severe mild moderate chronic recurrent classic
    modified bilateral advanced atypical secondary s/p r/o h/o hx incipient juvenile congenital
    """.split()
)
_HAVING = frozenset("with has had have having".split())
_BEFORE_OF = frozenset(
    """
    history hx signs symptoms diagnosis dx features evidence criteria treatment screen screening
    suspicion form variant type case risk stigmata
    pouch circle sphincter ligament foramen space duct canal bundle loop island islands islets
    crypts angle line triangle tetralogy pentalogy plexus tubercle valve fossa fascia sinus zone
    ampulla sulcus aqueduct trigone artery vein nerve ganglion band bands glands
    """.split()
)
_BEFORE_WITH = frozenset("diagnosed consistent compatible dx'd suggestive".split())
_BEFORE_FOR = frozenset(
    "positive negative treated screened concern suspicious screen criteria".split()
)
_THEN = frozenset(("then", "or", "versus", "vs"))
# Signs of a place or of a person that are no cues by themselves.
_PLACE_OR_PERSON = frozenset(
    ("place-before", "state-behind", "place-behind", "place", "seen-before", "told", "verb-behind")
)
_REACH = 4


def things(page: Page, opinions: Sequence[Opinion], threshold: float) -> list[Opinion]:
    """The opinions about words that name things."""
    things: dict[int, Opinion] = {}
    named = [opinion for opinion in opinions if _is_eponym(page, opinion)]
    # One after the other, from both sides: what stands in a list with a thing is one, too.
    for opinion in (*named, *reversed(named)):
        if opinion.run.first not in things and _is_thing(page, opinion, threshold, things):
            things[opinion.run.first] = opinion
    return [things[first] for first in sorted(things)]


def _is_eponym(page: Page, opinion: Opinion) -> bool:
    words = [page.bits[at] for at in opinion.run.names]
    return bool(words) and all(bits & EPONYM and not bits & LOWER for bits in words)


def _is_thing(
    page: Page, opinion: Opinion, threshold: float, things: Mapping[int, Opinion]
) -> bool:
    evidence = set(opinion.evidence)
    cues = evidence & CUES
    if cues <= {"kin-behind", "field-kin"} and _is_had_by_kin(page, opinion):
        return True
    if cues or "seen-before" in evidence:
        return False
    if _is_in_list(page, opinion, things):
        return True
    if opinion.score >= threshold:
        return False
    if _is_named_so(page, opinion):
        return True
    if not _PLACE_OR_PERSON.isdisjoint(evidence):
        return False
    if _word(page, opinion.run.stop) in _FINDINGS:
        return True
    return opinion.score <= threshold - _SURELY and _is_hardly_a_name(page, opinion, evidence)


def _is_hardly_a_name(page: Page, opinion: Opinion, evidence: set[str]) -> bool:
    """An eponym that a thing or a number follows, or that hardly anybody is called by."""
    words = [page.bits[at] for at in opinion.run.names]
    if "eponym" not in evidence or any(bits & (ORDINARY | AMBIGUOUS) for bits in words):
        return False  # "Ward", "West": a part of anything
    rare = not any(bits & (STRONG | PLACE) for bits in words)
    return rare or names_thing(opinion.evidence)


def _is_named_so(page: Page, opinion: Opinion) -> bool:
    """Whether the words around speak of a disease, a part of the body or an operation."""
    first, stop = opinion.run.first, opinion.run.stop
    before, ahead = _word(page, first - 1), _word(page, first - 2)
    if before in _BEFORE_DISEASE:
        return True
    if before == "of" and ahead in _BEFORE_OF:
        return True
    if before == "with" and ahead in _BEFORE_WITH:
        return True
    if before == "for" and ahead in _BEFORE_FOR:
        return True
    at = stop
    while at < min(stop + _REACH, len(page)) and _word(page, at) in _IS:
        at += 1
    if at > stop and _word(page, at) in _DONE_TO_THINGS:
        return True
    return _is_bare_possessive(page, stop)


def _is_bare_possessive(page: Page, stop: int) -> bool:
    """What is owned is left out, as for diseases: "(Todd's)", "has Hodgkin's."."""
    if stop >= len(page) or not page.bits[stop] & POSSESSIVE:
        return False
    return stop + 1 >= len(page) or not page.words[stop + 1][:1].isalnum()


def _is_had_by_kin(page: Page, opinion: Opinion) -> bool:
    """Relatives go by first names or whole ones: no "aunt with Lynch", no "Father: Paget"."""
    first = opinion.run.first
    if len(opinion.run.names) > 1 or first < 2 or not page.bits[first - 2] & KIN:
        return False
    if _word(page, first - 1) in _HAVING:
        return True
    return bool(page.bits[first - 1] & COLON) and not page.bits[first] & STRONG


def _is_in_list(page: Page, opinion: Opinion, things: Mapping[int, Opinion]) -> bool:
    """Whether a neighbour in the list is a thing, or an eponym that hardly anybody is called by."""
    first, stop = opinion.run.first, opinion.run.stop
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
