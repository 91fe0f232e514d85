"""Initials without a name: "K.M.", "seen by LO", "-KN", "L.S., PharmD"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from incognote.core.caches import cached
from incognote.detect.names.behind import has_credential
from incognote.detect.names.facts import (
    CARE_BY,
    CLOSE,
    COLON,
    COMMA,
    CREDENTIAL,
    CUE,
    DIGITS,
    DOT,
    FIELD_PATIENT,
    FIELD_STAFF,
    HYPHEN,
    INITIALS_WORD,
    JOINER,
    KIN,
    LETTER,
    LOWER,
    OPEN,
    POSSESSIVE,
    ROLE_STAFF,
    TITLE,
    UNKNOWN,
    UPPER,
    cues,
)  # fmt: skip
from incognote.detect.names.page import Run

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from incognote.detect.names.page import Page

_LONGEST = 3
_LEADS = (
    TITLE
    | CARE_BY
    | HYPHEN
    | JOINER
    | COLON
    | OPEN
    | KIN
    | ROLE_STAFF
    | FIELD_PATIENT
    | FIELD_STAFF
    | INITIALS_WORD
)
_MAY_START = LETTER | UPPER | UNKNOWN


def find_initials(
    page: Page, known: Collection[str], signed: Collection[int] = ()
) -> Iterator[Run]:
    """Letters that may be a person's initials, from left to right. `known` are the initials of
    people in this note: those may be letters that usually abbreviate something else. `signed` are
    the letters that lines are signed with."""
    done = 0
    for index in page.notable:
        bits = page.bits[index]
        if index < done or not bits & _MAY_START:
            continue
        if bits & LETTER:
            stop = _dotted(page, index) or _titled(page, index)
            if stop and not page.glued(index):
                yield Run(index, stop, [], list(range(index, stop, 2)))
                done = stop
        elif bits & (UPPER | LOWER) and len(page.words[index]) <= _LONGEST:
            word = page.words[index].lower()
            if word in known:
                likely = bits & UPPER and not bits & CREDENTIAL
            else:
                likely = bits & UNKNOWN and not bits & CUE and not _is_abbreviation(word.upper())
            if page.glued(index) and page.bits[index - 1] & DIGITS:
                continue  # "5th MT"
            if (likely and _led(page, index)) or index in signed:
                yield Run(index, index + 1, [], [index])


def signing_off(page: Page) -> frozenset[int]:
    """Letters that end line after line of a chart or a log, and appear nowhere else:
    "| ok | 14 | asleep | lf"."""
    ends: dict[str, list[int]] = {}
    inside: set[str] = set()
    words = page.words
    for index in page.notable:
        word, bits = words[index], page.bits[index]
        if len(word) > _LONGEST or not bits & UNKNOWN or bits & CUE or not bits & (UPPER | LOWER):
            continue
        if page.breaks(index + 1) and _set_off(page, index) and not _is_abbreviation(word.upper()):
            ends.setdefault(word, []).append(index)
        else:
            inside.add(word)
    return frozenset(
        at for word, places in ends.items() if len(places) > 1 and word not in inside
        for at in places
    )  # fmt: skip


def _set_off(page: Page, index: int) -> bool:
    if index == 0 or page.breaks(index):
        return False
    before = page.bits[index - 1]
    return page.gap(index) or bool(before & (COLON | DOT)) or page.words[index - 1] == "/"


def _dotted(page: Page, index: int) -> int:
    """The end of "K.M." or "R.T.B." that starts here, or 0."""
    at = index
    letters = []
    while (
        at + 1 < len(page)
        and page.bits[at] & LETTER
        and page.bits[at + 1] & DOT
        and page.glued(at + 1)
    ):
        letters.append(page.words[at])
        at += 2
        if not page.glued(at) or len(letters) == _LONGEST:
            break
    word = "".join(letters)
    if len(letters) < 2 or (
        page.glued(at) and at < len(page) and page.bits[at] & (LETTER | UPPER | LOWER)
    ):
        return 0
    return 0 if _is_abbreviation(word) else at


def _titled(page: Page, index: int) -> int:
    """The end of the letter in "Dr. T wants it held" or "Mrs K.", or 0."""
    before = index - 1
    if before > 0 and page.bits[before] & DOT:
        before -= 1
    behind = index + 1
    dotted = behind < len(page) and page.bits[behind] & DOT and page.glued(behind)
    if (
        before < 0
        or not page.bits[before] & TITLE
        or len(page.words[before]) > 4
        or page.gap(index)
    ):
        return 0
    if dotted:
        return behind + 1
    return 0 if page.glued(behind) and not page.bits[behind] & POSSESSIVE else behind


def _led(page: Page, index: int) -> bool:
    """Something before or behind makes initials likely: most short capitals are abbreviations."""
    if has_credential(page, index + 1):
        return True
    behind = index + 1
    if index == 0 or not page.bits[index - 1] & _LEADS or page.glued(behind + 1):
        return False  # "CM/dh" is a typist's code
    return page.gap(behind) or bool(page.bits[behind] & (DOT | COMMA | CLOSE | JOINER))


@cached(65536)
def _is_abbreviation(word: str) -> bool:
    from incognote.lexicon import lexicon

    words = lexicon()
    return words.is_abbreviation(word) or words.state(word) is not None or word.lower() in cues()
