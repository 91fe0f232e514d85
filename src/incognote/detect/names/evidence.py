"""Evidence for and against a run of words being a person's name, and of staff or others.

`evidence_of` only names what it sees. The names are keys of weights.toml, which says how much each
counts; the code holds no numbers.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from incognote.core.caches import once
from incognote.detect.names.before import before
from incognote.detect.names.behind import behind
from incognote.detect.names.facts import (
    AMBIGUOUS,
    CALENDAR,
    COMMA,
    CREDENTIAL,
    DOT,
    EPONYM,
    FIRST,
    HYPHEN,
    KNOWN,
    LAST,
    LOWER,
    MAKES_THING,
    MEDICAL,
    OPEN,
    ORDINARY,
    PARTICLE,
    PLACE,
    REGION,
    ROLE_STAFF,
    SERVICE,
    STRONG,
    UNKNOWN,
    UPPER,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from incognote.detect.names.page import Page, Run

_KINDS = (
    (STRONG, "strong"),
    (KNOWN, "known"),
    (UNKNOWN, "unknown"),
    (AMBIGUOUS, "ambiguous"),
    (ORDINARY, "ordinary"),
)
_CLOSING_TOKENS = 40  # the last words of a note, where people sign
_SIGNATURE_TOKENS = 25
_SHORT_TITLES = frozenset(("Dr", "Mr", "Ms"))


@dataclass(frozen=True, slots=True)
class Weights:
    threshold: float
    sure: float
    staff_bias: float
    weight: Mapping[str, float]
    staff: Mapping[str, float]


@once
def weights() -> Weights:
    table = tomllib.loads(files(__package__).joinpath("weights.toml").read_text("utf-8"))
    return Weights(**table)


# A cue of these settles most of the matter: what is only usual around names then counts no more.
CUES = frozenset(
    """title-staff title-civil title-open kin kin-apposition kin-behind role-staff role-behind
    role-civil salutation credential field-patient field-kin field-staff field-civil column-field
    patient-data-behind patient-word family-behind initials-word""".split()
)
_TITLES = frozenset(("title-staff", "title-civil"))
_USUAL = frozenset(
    """line-end column-end closed quote-behind comma-behind dot-behind colon-behind slash-behind
    mark-behind number-behind word-behind capital-behind line-start wrapped sentence-start
    comma-before dash slash-before mark-before number-before word-before verb-before
    capital-before abbreviation-before column-start opened quoted age-behind field-other""".split()
)


def evidence_of(page: Page, run: Run) -> list[str]:
    """The evidence for one run, by name."""
    around = before(page, run.first) + behind(page, run.stop)
    if run.names and (title := _glued_title(page.words[run.names[0]])):
        around.append(title)
    if "family-behind" in around and "thing-before" in around:
        around.remove("thing-before")  # "the Hostetter twins"
    if "thing-behind" in around and not _TITLES.isdisjoint(around):
        around.remove("thing-behind")  # "Mr. Haskell's clinic"
    cued = not CUES.isdisjoint(around)
    if cued:
        around = [name for name in around if name not in _USUAL]
    elif "opened" in around and "closed" in around:
        around.append("bracketed")
    elif "dash" in around and "line-end" in around:
        around.append("signed-off")
    if run.names:
        found = _words(page, run, cued=cued) + _shape(page, run) + around
    else:
        found = [_initials(page, run, cued=cued), *around]
    if page.breaks(run.first):
        if page.breaks(run.stop):
            found.append("alone-on-line")
        # A note that is one line is not signed where it begins.
        signs = 0 < run.first >= len(page) - _CLOSING_TOKENS
        if signs and _is_signature(page, run.stop):
            found.append("end-of-note")
    return found


def _glued_title(word: str) -> str:
    """The title that a missing blank made part of the name: "DrSmith", "MrsLopez"."""
    if word[:2] not in _SHORT_TITLES:
        return ""
    rest = word.removeprefix("Mrs") if word.startswith("Mrs") else word[2:]
    if len(rest) < 4 or not rest.istitle():
        return ""
    return "title-staff" if word.startswith("Dr") else "title-civil"


def _is_signature(page: Page, stop: int) -> bool:
    """Posts, places and numbers follow on the line, or a remark set off from the name; no prose."""
    if stop < len(page) and page.bits[stop] & (COMMA | OPEN | HYPHEN):
        return True
    for at in range(stop, min(stop + _SIGNATURE_TOKENS, len(page))):
        if page.breaks(at):
            return True
        bits = page.bits[at]
        if bits & (CREDENTIAL | ROLE_STAFF | SERVICE):
            return True
        if bits & LOWER and not page.lower_case:
            return False
    return page.breaks(stop + _SIGNATURE_TOKENS)


def names_thing(evidence: Sequence[str]) -> bool:
    """An eponym with the thing or the number behind it: "Fogarty balloon", "Risser 4"."""
    return "eponym" in evidence and ("thing-behind" in evidence or "number-behind" in evidence)


def _words(page: Page, run: Run, *, cued: bool) -> list[str]:
    """What the lists say of the words, and what their letter case is worth here."""
    bits = [page.bits[index] for index in run.names]
    head, tail = bits[0], bits[-1]
    either = head | tail
    kind = next((name for bit, name in _KINDS if either & bit), "ordinary")
    if cued:
        found = ["cued-" + kind]
        if all(b & MEDICAL for b in bits):
            found.append("cued-medical")
    elif len(bits) == 1:
        found = [kind + ("-first" if head & FIRST and not head & LAST else "")]
    else:
        found = ["pair-" + kind]
        if any(b & AMBIGUOUS for b in bits):
            found.append("part-ambiguous")
    if not cued:
        if all(b & MEDICAL for b in bits):
            found.append("medical")
        # With a particle before it a person is meant: "van der Berg".
        particle = run.first < run.names[0] and page.bits[run.first] & PARTICLE
        if all(b & EPONYM for b in bits) and not particle:
            found.append("eponym")
        if all(b & PLACE for b in bits) or (
            len(bits) > 1 and page.facts.is_place([page.words[i] for i in run.names])
        ):
            found.append("place")
        if any(b & REGION for b in bits):
            found.append("region")
        if len(bits) == 1 and head & CALENDAR:
            found.append("calendar")
        if tail & MAKES_THING:
            found.append("thing-inside")
    if head & LOWER:
        found.append(
            ("cued-" if cued else "")
            + ("lower-case-note" if page.lower_case else "lower-case-name")
        )
    elif head & UPPER:
        if page.in_capitals(run.names[0]):
            found.append("all-capitals")
        elif all(len(page.words[i]) < 5 for i in run.names):
            found.append("short-capitals")
        else:
            found.append("capitals-in-text")
    return found


def _initials(page: Page, run: Run, *, cued: bool) -> str:
    kind = (
        "dotted"
        if run.stop - run.first > 1
        else "small"
        if page.bits[run.first] & LOWER
        else "capital"
    )
    return f"{'cued-' if cued else ''}initials-{kind}"


def _shape(page: Page, run: Run) -> list[str]:
    found: list[str] = []
    head, tail = page.bits[run.names[0]], page.bits[run.names[-1]]
    if run.comma:
        found.append("last-first" if tail & FIRST or head & LAST else "comma-pair")
    elif len(run.names) > 1:
        if all(page.bits[i + 1] & HYPHEN for i in run.names[:-1]):
            found.append("hyphen")
        elif head & FIRST and tail & (LAST | UNKNOWN):
            found.append("first-last")
        elif head & LAST and tail & FIRST:
            found.append("last-first-words")
        else:
            found.append("two-words")
    if run.initials:
        side = "initial-name" if run.initials[0] < run.names[0] else "name-initial"
        dotted = page.bits[run.initials[0] + 1 : run.initials[0] + 2]
        found.append(side if dotted and dotted[0] & DOT else "bare-" + side)
    elif len(run.names) == 1 and len(page.words[run.names[0]]) < 4:
        found.append("short-word")
    if run.nickname:
        found.append("nickname")
    if run.suffix:
        found.append("suffix")
    if len(run.names) > 3:
        found.append("many-words")
    return found
