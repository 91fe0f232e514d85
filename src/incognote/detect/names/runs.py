"""Runs: where a name may start in the text.

A run is a stretch of words that could be one person's name:
Robert J. Kessinger, NGUYEN, THANH-MAI T, R. de los Santos, Buford "Buck" Stallcup, Kim-Ly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from incognote.detect.names.behind import has_credential
from incognote.detect.names.facts import (
    AFTER_NAME,
    AFTER_PATIENT,
    ANNOUNCING,
    CANDIDATE,
    CAPITAL,
    COLON,
    COMMA,
    CREDENTIAL,
    CUE,
    DIGITS,
    DOT,
    FIELD_PATIENT,
    FIRST,
    HYPHEN,
    KIN,
    KNOWN,
    LAST,
    LETTER,
    LOWER,
    MEDICAL,
    NAMEABLE,
    NEVER,
    OPEN,
    ORDINARY,
    PARTICLE,
    QUOTE,
    ROLE_CIVIL,
    SMALL_LETTER,
    STRONG,
    TITLE,
    UNKNOWN,
    UPPER,
    cues,
)
from incognote.detect.names.growth import SHORT, grow, is_any_word
from incognote.detect.names.page import Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from incognote.detect.names.page import Page

_FIRM = TITLE | KIN  # cues after which even an unknown word in small letters may be a name
_BETWEEN = DOT | COLON | OPEN | COMMA | SMALL_LETTER | LETTER
_POST_PART = 2  # letters: "Ph", "Au"
_STARTS = CANDIDATE | ANNOUNCING | LAST
# What is a surname on the lists, but not for this purpose.
_NO_SURNAME = NEVER | CUE | MEDICAL | LOWER


def find_runs(page: Page) -> Iterator[Run]:
    """Every run of a page from left to right, never overlapping."""
    done = 0
    for index in page.notable:
        bits = page.bits[index]
        if index < done or not bits & _STARTS:
            continue
        if bits & CANDIDATE:
            start = index
        elif bits & ANNOUNCING:
            start = _announced_name(page, index)
        elif (
            not bits & _NO_SURNAME or is_any_word(bits) or _is_in_patient_field(page, index)
        ) and _is_surname_here(page, index):
            start = index
        else:
            continue
        if start < done or (page.bits[start] & CANDIDATE and _unlikely(page, start)):
            continue
        run = _run_from(page, start, done)
        done = run.stop
        yield run


def _is_in_patient_field(page: Page, at: int) -> bool:
    """Whether a field for the patient begins here: "Patient: Pain, Robert" names nobody's pain."""
    bits = page.bits
    return at > 1 and bool(bits[at - 1] & COLON and bits[at - 2] & FIELD_PATIENT)


def _is_surname_here(page: Page, at: int) -> bool:
    """Whether an ordinary word is a surname: "Bright, Ann" at a field's start, "C. Love, MD"."""
    bits = page.bits
    behind = at + 1
    initial = at > 1 and bits[at - 1] & DOT and bits[at - 2] & LETTER and page.glued(at - 1)
    if initial:
        return has_credential(page, behind)
    given = at + 2
    if given >= len(page) or page.words[behind] != "," or page.breaks(given):
        return False
    kind = bits[at] & (CAPITAL | UPPER)
    fits = bits[given] & FIRST and bits[given] & (STRONG | KNOWN) and bits[given] & kind
    # "Still, Rosa denies pain" is a sentence: a word of all texts needs the field before it.
    opens = (page.gap(at) and not is_any_word(bits[at])) or (
        at > 0 and bits[at - 1] & (COLON | FIELD_PATIENT)
    )
    return bool(fits and opens and not bits[given] & (CUE | NEVER))


def _announced_name(page: Page, cue: int) -> int:
    """Index of the capitalised word behind a title, role or field, though no list calls it a name;
    -1 if there is none."""
    at = cue + 1
    for _ in range(2):
        if at < len(page) and page.bits[at] & (DOT | COLON | OPEN | QUOTE):
            at += 1
    if at >= len(page) or page.breaks(at):
        return -1
    bits = page.bits[at]
    title = page.bits[cue] & TITLE and len(page.words[cue]) < 5
    if title and is_any_word(bits) and not (bits & UPPER and bits & AFTER_NAME):
        # "Mr. Still denies", but not "DR. WILL SEE HIM".
        return at if bits & CAPITAL or page.bits[cue] & UPPER else -1
    if bits & (NEVER | CUE | CANDIDATE) or not bits & ORDINARY:
        return -1
    # "Dr. Old" may be anybody; "nurse Triage" is no name unless a list has it.
    if bits & CAPITAL and (title or (bits & (FIRST | LAST) and not bits & MEDICAL)):
        return at
    return at if bits & UPPER and title and page.bits[cue] & UPPER else -1


def _unlikely(page: Page, at: int) -> bool:
    """What is not worth a closer look: most small words, and most abbreviations in capitals."""
    bits = page.bits[at]
    if page.glued(at) and page.bits[at - 1] & DIGITS:
        return True  # "5th MT"
    if _dotted_post(page, at):
        return True
    if bits & LOWER:
        if bits & PARTICLE and at + 1 < len(page) and page.bits[at + 1] & (PARTICLE | CAPITAL):
            return True  # the name proper takes it in
        if bits & (STRONG | KNOWN) and (page.lower_case or _signed(page, at)):
            return False
        return not _cued(page, at, _FIRM if bits & UNKNOWN and not page.lower_case else ANNOUNCING)
    if not bits & UPPER or bits & STRONG or len(page.words[at]) > SHORT:
        return False
    if bits & UNKNOWN and len(page.words[at]) < 4:
        return True
    if bits & UNKNOWN and not page.in_capitals(at) and not _cued(page, at, _FIRM):
        return True
    # "STNA Keesha": capitals in front of a word in ordinary case.
    return at + 1 < len(page) and bool(page.bits[at + 1] & CAPITAL)


def _dotted_post(page: Page, at: int) -> bool:
    """Part of a degree with full stops inside: "R.Ph.", "Au.D."."""
    words = page.words
    if len(words[at]) != _POST_PART:
        return False
    if at > 1 and words[at - 1] == "." and page.glued(at) and len(words[at - 2]) == 1:
        return bool(cues().get((words[at - 2] + words[at]).lower(), 0) & CREDENTIAL)
    if at + 2 < len(words) and words[at + 1] == "." and page.glued(at + 2):
        return bool(cues().get((words[at] + words[at + 2]).lower(), 0) & CREDENTIAL)
    return False


def _signed(page: Page, at: int) -> bool:
    """A signature in small letters: a line that starts with names and goes on with a credential."""
    if not page.breaks(at):
        return False
    for ahead in range(at + 1, min(at + 6, len(page))):
        bits = page.bits[ahead]
        if bits & CREDENTIAL:
            return True
        if page.breaks(ahead) or not bits & (NAMEABLE | HYPHEN | COMMA | DOT | SMALL_LETTER):
            return False
    return False


def _cued(page: Page, at: int, cues_before: int) -> bool:
    """A cue comes right before, or a credential right behind."""
    bits = page.bits
    before = at - 1
    while before > 0 and at - before < 4 and bits[before] & _BETWEEN:
        before -= 1
    if before >= 0 and bits[before] & cues_before:
        return True
    behind = at + 1
    return (
        behind < len(page)
        and bits[behind] & (CREDENTIAL | COMMA) != 0
        and has_credential(page, behind)
    )


def _run_from(page: Page, index: int, floor: int) -> Run:
    first = index
    names = [index]
    first = _particles_before(page, first, floor)
    # "Dimple Chatterjee": a first name that is an ordinary word, in front of a surname.
    before = first - 1
    if (
        before >= floor
        and not page.gap(first)
        and not page.glued(first)
        and _given_word(page, before)
    ):
        names.insert(0, before)
        first = before
    first, initials = _initials_before(page, first, floor, small=bool(page.bits[index] & LOWER))
    run = Run(first, index + 1, names, initials)
    grow(page, run)
    return run


def _given_word(page: Page, at: int) -> bool:
    """A first name that is an ordinary word, unless the word starts a sentence."""
    bits = page.bits[at]
    if (
        not bits & CAPITAL
        or not bits & ORDINARY
        or not bits & FIRST
        or bits & (NEVER | CUE | MEDICAL)
    ):
        return False
    return page.breaks(at) or not page.bits[at - 1] & DOT


def _particles_before(page: Page, first: int, floor: int) -> int:
    """The start of "de la Fontaine" and "VAN DER BERG" is the particle."""
    at = first
    while at - 1 >= floor and first - at < 3 and page.bits[at - 1] & PARTICLE and not page.gap(at):
        # "Al-Rashid" is glued by its hyphen; other particles are separate words.
        at -= 1
    while at < first and page.words[at].lower() in {"e", "y", "do", "st", "san", "santa"}:
        at += 1
    return at


def _initials_before(page: Page, index: int, floor: int, *, small: bool) -> tuple[int, list[int]]:
    """The start of "T. A. Abernathy", "J.D. Fowler" or "J Quinn", and its initials."""
    initials: list[int] = []
    bits = page.bits
    letters = SMALL_LETTER if small else LETTER
    at = index
    while len(initials) < 3 and not page.gap(at):
        if at - 2 >= floor and bits[at - 1] & DOT and bits[at - 2] & letters and page.glued(at - 1):
            letter = at - 2
        elif at - 1 >= floor and bits[at - 1] & letters and _bare_initial(page, at - 1):
            letter = at - 1
        else:
            break
        if page.glued(letter) and not _may_start(page, letter):
            break
        if (
            page.words[letter] in "MF"
            and letter > 0
            and bits[letter - 1] & (AFTER_PATIENT | DIGITS)
        ):
            break  # "68 yo M. Established patient"
        initials.insert(0, letter)
        at = letter
    if len(initials) > 1 and initials[1] - initials[0] == 2 and page.glued(initials[1]):
        # "P.A. Lofgren": what looks like initials is a post.
        post = "".join(page.words[i] for i in initials).lower()
        if cues().get(post, 0) & (CREDENTIAL | ROLE_CIVIL):
            return index, []
    return at, initials


def _may_start(page: Page, at: int) -> bool:
    """What a glued initial may follow: "(J. Quinn", "by:J. Quinn", "--J. Quinn"."""
    before = page.bits[at - 1]
    if before & HYPHEN:
        return at < 2 or not page.glued(at - 1) or bool(page.bits[at - 2] & HYPHEN)
    return bool(before & (DOT | OPEN | COMMA | COLON))


def _bare_initial(page: Page, at: int) -> bool:
    """A letter without a full stop is an initial in "J Quinn" and in "dr s faleolo"."""
    if page.bits[at] & SMALL_LETTER:
        return at > 0 and bool(page.bits[at - 1] & TITLE) and page.words[at] not in "ai"
    return page.words[at] not in "AI" or (at > 0 and bool(page.bits[at - 1] & TITLE))
