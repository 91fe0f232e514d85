"""Evidence on the right of a run: credentials, ties, verbs, ages, words that make a place of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from incognote.detect.names.facts import (
    AFTER_NAME,
    AFTER_PATIENT,
    BEFORE_THING,
    CAPITAL,
    CLOSE,
    COLON,
    COMMA,
    CREDENTIAL,
    DIGITS,
    DOT,
    FAMILY,
    HYPHEN,
    JOINER,
    KIN,
    LETTER,
    LOWER,
    MAKES_THING,
    NEVER,
    OPEN,
    PLACE,
    POSSESSIVE,
    QUOTE,
    REGION,
    ROLE_CIVIL,
    ROLE_STAFF,
    SUFFIX,
    UPPER,
    WORDLIKE,
    cues,
)  # fmt: skip

if TYPE_CHECKING:
    from incognote.detect.names.page import Page

# A credential with or without comma, dots and hyphens: ", M.D.", " RN", ", PA-C", " (NP)".
_CREDENTIAL = re.compile(
    r"[ \t]*(?:,[ \t]*|\([ \t]*|-[ \t]+)?([A-Za-z][A-Za-z.\-/]{0,12}\d?)(?![A-Za-z])"
)
_AGE = re.compile(
    r"[ \t]*[,(/:;-]?[ \t]*(?:aged?[ \t]*)?(?:\d{1,3})[ \t]*"
    r"(?:\)|,|y\b|/|-?[ \t]?(?:year|month|week|day|yr|mo\b|wk\b|y\.?o|y/o|[mMfF]\b|w[mf]))"
)
_STATE = re.compile(
    r",?[ \t]*(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]"
    r"|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])\b(?![a-z.-])"
)
_POSTCODE = re.compile(r",?[ \t]*\d{5}")
# Credentials that are also words, states or roles when written small or without a comma.
_DOUBTFUL = frozenset("do ma pa ms pt ot rt sw na ba mt od dc na mb".split())
_LOOK_AHEAD = 4


def behind(page: Page, stop: int) -> list[str]:
    """What follows the token before `stop`."""
    end = page.ends[stop - 1]
    state = _STATE.match(page.text, end)
    if state and (_POSTCODE.match(page.text, state.end()) or _in_state(page, stop, state)):
        return ["state-behind"]
    if has_credential(page, stop):
        return ["credential"]
    if stop >= len(page) or page.breaks(stop):
        return ["line-end"]
    here = page.bits[stop]
    if here & POSSESSIVE or (page.words[stop] == "'" and page.glued(stop)):
        return _owned(page, stop + 1)
    if _AGE.match(page.text, end):
        return ["age-behind"]
    if here & COMMA and state:
        return ["state-behind"]
    if here & COMMA and stop + 1 < len(page) and page.bits[stop + 1] & REGION:
        return ["state-behind"]
    if page.words[stop] == ";":
        return ["comma-behind"]
    if here & (COMMA | OPEN) or (here & HYPHEN and not page.glued(stop)):
        return _aside(page, stop + 1) or (["comma-behind"] if here & COMMA else [])
    if here & CLOSE:
        return ["closed"]
    if here & QUOTE:
        return ["quote-behind"]
    if here & DOT:
        return ["dot-behind"]
    if here & COLON:
        return ["colon-behind"]
    if here & AFTER_PATIENT:
        return ["patient-data-behind"]
    if page.gap(stop):
        return ["column-end"]
    if here & JOINER and not here & WORDLIKE:
        return ["slash-behind"]
    if here & (DIGITS | LETTER) or (here & SUFFIX and page.words[stop][0] in "Ii"):
        return ["number-behind"]  # "Braden 12", "Weber A", "Crowe III"
    if page.glued(stop):
        return ["mark-behind"]
    return _word_behind(page, stop)


def _in_state(page: Page, stop: int, state: re.Match[str]) -> bool:
    """A town before its state: "Brockton MA", but not "Reginald Fairbanks, MD"."""
    return bool(page.bits[stop - 1] & PLACE) and not state[0].endswith("MD")


def _word_behind(page: Page, at: int) -> list[str]:
    here = page.bits[at]
    if here & FAMILY:
        return ["family-behind"]
    if here & MAKES_THING and (not here & UPPER or len(page.words[at]) > 3 or page.in_capitals(at)):
        return ["thing-behind" if here & LOWER else "place-behind"]
    if here & KIN:
        return ["kin-word-behind"]
    if here & (ROLE_STAFF | ROLE_CIVIL):
        return ["role-word-behind"]
    if here & AFTER_NAME:
        return ["verb-behind"]
    if here & (CAPITAL | UPPER) and not here & NEVER:
        # "Red River Valley Health": the place word may come later.
        for ahead in range(at + 1, min(at + _LOOK_AHEAD, len(page))):
            bits = page.bits[ahead]
            if page.gap(ahead) or not bits & (CAPITAL | UPPER):
                break
            if bits & MAKES_THING:
                return ["place-behind"]
        return ["capital-behind"]
    return ["word-behind"] if here & LOWER else []


def _owned(page: Page, at: int) -> list[str]:
    if at < len(page) and page.bits[at] & MAKES_THING and not page.bits[at] & KIN:
        return ["thing-behind"]
    return ["possessive"]


def _aside(page: Page, at: int) -> list[str]:
    """A remark in brackets or behind a comma: ", his daughter", " (interpreter)", ", DOB"."""
    if at >= len(page) or page.breaks(at):
        return []
    if page.bits[at] & BEFORE_THING and at + 1 < len(page):
        at += 1
    here = page.bits[at]
    if here & KIN:
        return ["kin-behind"]
    if here & (ROLE_STAFF | CREDENTIAL):
        return ["role-behind"]
    if here & ROLE_CIVIL:
        return ["role-civil-behind"]
    if here & AFTER_PATIENT:
        return ["patient-data-behind"]
    return []


def has_credential(page: Page, stop: int) -> bool:
    """A degree, licence or post of care staff comes right after the token before `stop`."""
    match = _CREDENTIAL.match(page.text, page.ends[stop - 1])
    if match is None:
        return False
    raw = match[1].rstrip("./-")
    word = raw.replace(".", "").replace("-", "").replace("/", "").lower()
    if not cues().get(word, 0) & CREDENTIAL:
        return False
    if raw.isupper() or "." in raw or "-" in raw:
        return True
    if raw.islower():
        follows = page.text[match.end() : match.end() + 1]
        return (
            word not in _DOUBTFUL
            or ("," in match[0] and follows in {"", "\n", ",", "."})
            or follows in {"", "\n"}
        )
    return not raw[1:].islower() or word in {"paramedic", "medic"}
