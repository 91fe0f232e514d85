"""Evidence on the left of a run: titles, roles, ties, fields, salutations, prepositions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from incognote.detect.names.facts import (
    AFTER_NAME,
    BEFORE_PLACE,
    BEFORE_THING,
    CAPITAL,
    CARE_BY,
    CLOSE,
    CLOSING,
    COLON,
    COMMA,
    COMPANY,
    CREDENTIAL,
    DIGITS,
    DIRECTION,
    DOT,
    EPONYM,
    FIELD_PATIENT,
    FIELD_STAFF,
    HYPHEN,
    IDENTITY,
    INFORMED,
    INITIALS_WORD,
    JOINER,
    KIN,
    LOWER,
    MAKES_PLACE_BEFORE,
    OPEN,
    PET,
    POSSESSIVE,
    QUOTE,
    ROLE_CIVIL,
    ROLE_STAFF,
    SALUTATION,
    SERVICE,
    TITLE,
    TITLE_CIVIL,
    TITLE_OPEN,
    TITLE_STAFF,
    UPPER,
    WORDLIKE,
    cues,
)  # fmt: skip

if TYPE_CHECKING:
    from incognote.detect.names.page import Page

# The first kind that a word has counts. The strongest evidence comes first.
_KINDS = (
    (PET, "pet"),
    (TITLE_STAFF, "title-staff"),
    (INITIALS_WORD, "initials-word"),
    (SALUTATION, "salutation"),
    (KIN, "kin"),
    (TITLE_CIVIL, "title-civil"),
    (TITLE_OPEN, "title-open"),
    (MAKES_PLACE_BEFORE, "place-title"),
    (ROLE_STAFF, "role-staff"),
    (CREDENTIAL, "role-staff"),
    (ROLE_CIVIL, "role-civil"),
    (CARE_BY, "care-by"),
    (CLOSING, "signature-mark"),
    (INFORMED, "informed"),
    (IDENTITY, "identity"),
    (COMPANY, "company"),
    (DIRECTION, "direction"),
    (FIELD_STAFF, "signed-word"),
    (FIELD_PATIENT, "patient-word"),
    (BEFORE_THING, "thing-before"),
    (BEFORE_PLACE, "place-before"),
    (SERVICE, "service"),
)
_DOTTED_POST = re.compile(r"(?:[A-Za-z]\.){2,4}$")
_DOTTED = TITLE | MAKES_PLACE_BEFORE
_DOSE_FORMS = frozenset("tab tabs cap caps inj syp syr oint".split())  # "Tab. Telma 40"


def before(page: Page, first: int) -> list[str]:
    """What comes before the token `first`."""
    at = first - 1
    if at < 0:
        return ["line-start"]
    bits = page.bits
    if page.breaks(first):
        return _line_above(page, at)
    if bits[at] & (OPEN | QUOTE):
        found = ["opened" if bits[at] & OPEN else "quoted"]
        if at > 0 and not page.breaks(at):
            return found + _word_before(page, at - 1)
        return found
    return _word_before(page, at)


def _word_before(page: Page, at: int) -> list[str]:
    bits = page.bits
    here = bits[at]
    if here & DOT:
        return _behind_dot(page, at)
    if here & COLON:
        return _field(page, at)
    if here & COMMA:
        return _apposition(page, at - 1)
    if here & HYPHEN and page.glued(at) and page.glued(at + 1):
        return ["hyphen-before"]
    if here & HYPHEN:
        if page.breaks(at):
            return ["signature-mark"]
        return ["dash", *_apposition(page, at - 1)]
    if here & DIGITS:
        return ["number-before"]
    if here & JOINER and not here & WORDLIKE:
        if at > 0 and page.words[at - 1].lower() == "w":
            return ["company"]
        return ["slash-before"]
    if not here & WORDLIKE:
        return ["mark-before"]
    if _is_unit(page, at):
        return ["number-before"]
    if here & KIN and here & page.bits[at + 1] & EPONYM:
        return ["thing-before"]  # "Child Pugh"
    if page.words[at] == "Dr" and _is_street(page, at):
        return ["place-title"]
    found = _doubtful(page, at) or _kind(here)
    if page.gap(at + 1):
        # A column or a tab between: the word is a field name without its colon, if anything.
        return ["column-field", *found] if found else ["column-start"]
    if found:
        return found
    if here & UPPER and len(page.words[at]) < 6:
        return ["abbreviation-before"]
    if here & (CAPITAL | UPPER):
        return ["capital-before"]
    return ["verb-before"] if here & AFTER_NAME else ["word-before"]


def _behind_dot(page: Page, dot: int) -> list[str]:
    """Tell "Dr. X", "P.A. X" and "Patient ........ X" from a new sentence."""
    at = dot - 1
    while at > 0 and page.bits[at] & DOT:
        at -= 1
    if at < 0:
        return ["sentence-start"]
    if dot - at > 2:
        return _field(page, at + 1)
    here = page.bits[at]
    if _is_unit(page, at):
        return ["number-before"]
    if here & _DOTTED and len(page.words[at]) < 5:
        return _kind(here)
    if page.words[at].lower() in _DOSE_FORMS:
        return ["thing-before"]
    post = _DOTTED_POST.search(page.text, max(0, page.ends[dot] - 8), page.ends[dot])
    if post and cues().get(post[0].replace(".", "").lower(), 0) & CREDENTIAL:
        return ["role-staff"]
    return ["sentence-start"]


def _is_unit(page: Page, at: int) -> bool:
    """French, a unit and no title: "15 Fr Blake"."""
    return at > 0 and page.words[at].lower() == "fr" and bool(page.bits[at - 1] & DIGITS)


def _is_street(page: Page, at: int) -> bool:
    """A drive, and no title: "1180 Bayou Oak Dr Lot 22"."""
    back = at - 1
    while back > max(0, at - 4) and page.bits[back] & CAPITAL:
        back -= 1
    return back < at - 1 and bool(page.bits[back] & DIGITS) and not page.breaks(back + 1)


def _doubtful(page: Page, at: int) -> list[str]:
    """Short words that are cues in one letter case only: "MS" is no "Ms", "pa" no "PA"."""
    word, here = page.words[at], page.bits[at]
    if len(word) != 2:
        return []
    if word in {"pt", "Pt", "PT"}:
        therapist = word == "PT" and not page.gap(at + 1) and not page.in_capitals(at)
        return ["role-staff" if therapist else "patient-word"]
    if here & UPPER and word == "MS" and not page.in_capitals(at):
        return ["abbreviation-before"]
    if here & LOWER and here & CREDENTIAL and not page.lower_case and not here & TITLE:
        return ["word-before"] if word in {"do", "pa", "ma", "ot", "od", "na", "ba"} else []
    return []


def _kind(bits: int) -> list[str]:
    return next(([name] for kind, name in _KINDS if bits & kind), [])


def _line_above(page: Page, at: int) -> list[str]:
    """A line of its own under "Sincerely," or under a field that ended its line."""
    here = page.bits[at]
    if here & COLON:
        return ["line-start", *_field(page, at)]
    if here & (COMMA | DOT) and at > 0 and page.bits[at - 1] & CLOSING:
        return ["line-start", "signature-mark"]
    if here & LOWER or here & COMMA:
        return ["line-start", "wrapped"]
    return ["line-start"]


def _field(page: Page, colon: int) -> list[str]:
    """What "Attending:", "Patient Name:" or "Mother's name:" announces."""
    kinds = 0
    at = colon - 1
    if at >= 0 and page.bits[at] & CLOSE:
        at -= 1
    last = page.bits[at] if at >= 0 else 0
    for _ in range(5):
        if at < 0 or not page.bits[at] & (WORDLIKE | POSSESSIVE | HYPHEN | JOINER | DOT):
            break
        kinds |= page.bits[at]
        if page.gap(at):
            break
        at -= 1
    if kinds & PET:
        return ["pet"]
    if last & INITIALS_WORD:
        return ["initials-word"]
    # The last word rules: "Patient's nurse:" is staff, "RN patient:" is not.
    for seen in (last, kinds):
        if seen & FIELD_PATIENT and not seen & (ROLE_STAFF | FIELD_STAFF):
            return ["field-kin" if kinds & KIN else "field-patient"]
        if seen & (ROLE_STAFF | TITLE_STAFF | FIELD_STAFF | CARE_BY | CREDENTIAL):
            return ["field-staff"]
        if seen & KIN:
            return ["field-kin"]
        if seen & (ROLE_CIVIL | TITLE_CIVIL):
            return ["field-civil"]
        if seen & (DIRECTION | SALUTATION):
            return ["field-direction"]
    return ["field-other"]


def _apposition(page: Page, at: int) -> list[str]:
    """A word set off by a comma: "his wife, Rosa", "our social worker, Ann Lee"."""
    if at < 0:
        return []
    here = page.bits[at]
    if here & PET:
        return ["pet"]
    if here & KIN:
        return ["kin-apposition"]
    if here & (ROLE_STAFF | CREDENTIAL):
        return ["role-staff-apposition"]
    if here & ROLE_CIVIL:
        return ["role-civil-apposition"]
    if here & SERVICE:
        return ["service-apposition"]
    return ["comma-before"]
