"""Names that stand without any cue: "Emily gaining", "stable per Cutter", "d/w P. Lane".

Terse notes name people as if everybody knew them. A word is taken for a name here if it is nothing
else (no ordinary or clinical word, no large town, no eponym), or if its place is one where only
people stand: with an initial, behind "per", before what only people do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from incognote.core.caches import cached
from incognote.core.types import Span
from incognote.lexicon import fold, lexicon
from incognote.lexicon.name_words import family_share, is_syllable
from incognote.lexicon.words import UNCUED, Rank
from incognote.link.context import (
    MONTHS,
    acts_as_human,
    is_date_here,
    is_place_here,
    is_term,
    starts_sentence,
    tags_of,
)
from incognote.link.cues import cue, is_cue
from incognote.link.labels import SOURCE
from incognote.link.stretches import is_taken, places

SCORE = 0.6
_NAME = re.compile(r"(?<![\w'’@./-])[A-Z][a-z]+(?![\w@/-]|['’][^s\s])")
_WITH_INITIAL = re.compile(
    r"(?<![\w'’@./-])[A-Z]\. ?((?:O['’]|Mc|Mac)?[A-Z][a-z]+(?:-[A-Z][a-z]+)?)(?![\w@/-])"
)
_PER = re.compile(r"\b(?:per|by|cc|d/w|s/w|attn)[:.]? $", re.IGNORECASE)
_LISTED = re.compile(r"(?:[,/:&|-]|\b(?:and|with|w/|to|from)|\n) ?$")
_CAPITAL_BEHIND = re.compile(r" ([A-Z][A-Za-z]+)")
_SMALL_BEFORE = re.compile(r"(?<![A-Za-z.])[a-z]{2,} $")
_SMALL_BEHIND = re.compile(
    r"['’]s |[.,;)] | (?:and|is|was|has|had|will|while|to|for|who|at|in|with) "
)
_CAPITAL_BEFORE = re.compile(r"[A-Z][\w'’-]* $")
_IN_ROLE = re.compile(r"(?::[ \t]{1,2}|\()([A-Z][a-z]+)(?=\s{2,}|\s*\n|\s*$|[.;|] |\))")
_SPECIALTY = re.compile(
    r"\b(?:\w+ology|surgery|surg|onc|cards|ortho|neuro|psych|renal|gi|id|ent|ob|pulm|icu|micu|anesthesia"
    r"|medicine|nursing|pharmacy|hospitalist|attending|fellow|resident|rn|np|pa) \($",
    re.IGNORECASE,
)
_FULL_IN_FIELD = re.compile(
    r"(?<=: )([A-Z][A-Za-z'’-]+), ?([A-Z][A-Za-z'’-]+)(?: [A-Z]\b\.?)?(?=\s{2,}|\s*\n|\s*$|[.;])"
)
_ABBREVIATION = 4
_SENTENCE = 20
# Family names are borne by things, too ("Coleman sign"); given names hardly.
_MOSTLY_GIVEN = 0.25
_VERY_FREQUENT = 100_000
_CALLED = frozenset({"mama", "papa", "mom", "nana"})


def find_bare(
    text: str, capitals: Iterable[str], taken: Sequence[tuple[int, int]]
) -> Iterator[Span]:
    """New spans for names that nothing but the word itself or its place shows."""
    # A cell or a code is no sentence: there, a word alone says nothing.
    if len(text) < _SENTENCE or text == text.upper() or text == text.lower():
        return
    for match in _WITH_INITIAL.finditer(text):
        if not is_taken(*match.span(), taken) and _is_signed(text, match):
            yield Span(*match.span(), "DOCTOR", SCORE, (SOURCE,))
    for match in _FULL_IN_FIELD.finditer(text):
        if not is_taken(*match.span(), taken) and _is_full(match[1], match[2]):
            label = "DOCTOR" if not cue(text, *match.span()).patient else "PATIENT"
            yield Span(*match.span(), label, SCORE, (SOURCE,))
    for match in _IN_ROLE.finditer(text):
        start, end = match.span(1)
        if not is_taken(start, end, taken) and _is_staff(text, start, end):
            yield Span(start, end, "DOCTOR", SCORE, (SOURCE,))
    for start, end in places(filter(_kind, capitals), text, _NAME):
        if is_taken(start, end, taken):
            continue
        kind = _kind(text[start:end])
        if kind == "mere":
            found = _stands_alone(text, start, end)
        else:
            found = _is_per(text, start, end) or _is_subject(text, start, end, kind)
        if found:
            yield Span(start, end, "PATIENT", SCORE, (SOURCE,))


def _is_subject(text: str, start: int, end: int, kind: str) -> bool:
    """Whether a word that may be a name does what people do, or stands inside a sentence with a
    capital that only a name would have."""
    if starts_sentence(text, start):
        if kind == "month" and is_date_here(text, start, end):
            return False
        if acts_as_human(text, end, surely=kind == "eponym"):
            return True
        if kind in ("eponym", "month"):
            return False
        own, after = tags_of(text, start, end) if kind == "given" else ("", "")
        return own == "NNP" and after in ("VBD", "VBZ", "MD", "TO", "VBN")
    if kind != "given" or is_place_here(text, start, end):
        return False
    # "Misty holds Charity while", not "Comfort Care measures".
    return bool(_SMALL_BEFORE.search(text, max(0, start - 16), start)) and bool(
        _SMALL_BEHIND.match(text, end)
    )


@cached(32768)
def _kind(word: str) -> str:
    """What a word is without a cue: "mere" for given names that are nothing else, "given" or
    "family" for frequent names that are words, too, "eponym" for family names that things have,
    "month" for given names that are months or seasons, "" for all others."""
    folded = fold(word)
    lex = lexicon()
    given, family = lex.first_name_bearers(folded) or 0, lex.surname_bearers(folded) or 0
    if given < UNCUED.given and family < UNCUED.family:
        return ""
    if folded in MONTHS:
        return "month" if given >= UNCUED.given else ""
    if lex.is_drug(folded) or lex.is_abbreviation(word) or is_cue(folded):
        return ""
    if lex.is_ordinary(folded) and (lex.word_rank(folded) or 0) < Rank.EVERYDAY:
        return ""
    if family_share(folded) > _MOSTLY_GIVEN or folded in _CALLED:
        if family < UNCUED.family:
            return ""
        # "Foley d/c'd": a device or a disease does what people do.
        return "eponym" if lex.is_eponym(folded) else "family"
    if lex.is_eponym(folded) and given < _VERY_FREQUENT:
        return ""
    word_too = lex.is_ordinary(folded) or lex.is_clinical(folded) or _is_large_town(word, given)
    if not word_too and lex.is_eponym(folded):
        return "eponym"
    return "given" if word_too else "mere"


def _is_large_town(word: str, bearers: int) -> bool:
    lex = lexicon()
    if lex.state(word) or fold(word) in lex.countries:
        return True
    return any(city.population > min(bearers, 50_000) for city in lex.city(word))


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a name is no part of a longer term: "Emily gaining", not "Emily Program"."""
    if text[max(0, start - 4) : start].endswith(("St. ", "St ")):
        return False
    behind = _CAPITAL_BEHIND.match(text, end)
    if behind and not (behind[1].isupper() and len(behind[1]) <= _ABBREVIATION):
        return False
    if re.match(r" ?[:\d]", text[end : end + 2]):  # "Loc: 6N", "Braden 14"
        return False
    if is_place_here(text, start, end, inside=True):
        return False
    if _CAPITAL_BEFORE.search(text, max(0, start - 24), start) and not starts_sentence(text, start):
        return False
    following = re.match(r"(?:['’]s)? ([a-z]+)", text[end : end + 24])
    if following is None or following[1].endswith("ing"):
        return True
    return not is_term(following[1]) and tags_of(text, start, end)[1] != "NN"


def _is_full(family: str, given: str) -> bool:
    """Whether two words are a family and a given name that many bear: "WELLS, CHARITY"."""
    lex = lexicon()
    if (lex.surname_bearers(fold(family)) or 0) < UNCUED.family:
        return False
    halves = fold(given).split("-")
    return (lex.first_name_bearers(fold(given)) or 0) >= UNCUED.family or (
        len(halves) == 2 and all(map(is_syllable, halves))
    )


def _is_staff(text: str, start: int, end: int) -> bool:
    """Whether a word is who holds a role: all that a field for staff holds ("ANESTHESIA: Read", no
    "General"), or in brackets behind a specialty ("Surgery (Hope): wedge", no "(Whipple)")."""
    lex, folded = lexicon(), fold(text[start:end])
    if (lex.surname_bearers(folded) or 0) < UNCUED.family or lex.is_clinical(folded):
        return False
    if text[start - 1] == "(":
        specialty = _SPECIALTY.search(text, max(0, start - 24), start)
        return specialty is not None and not lex.is_eponym(folded)
    return cue(text, start, end).staff


def _is_per(text: str, start: int, end: int) -> bool:
    if not _PER.search(text, max(0, start - 8), start) or _CAPITAL_BEHIND.match(text, end):
        return False
    word = fold(text[start:end])
    if lexicon().is_eponym(word):
        return False
    following = re.match(r" ([a-z]+)", text[end : end + 24])
    noun = following is not None and is_term(following[1])
    return not lexicon().is_clinical(word) and not noun


def _is_signed(text: str, match: re.Match[str]) -> bool:
    """Whether an initial and a word are somebody's name, and no species or list item."""
    folded = fold(match[1])
    lex = lexicon()
    if (lex.surname_bearers(folded) or 0) < UNCUED.family or lex.is_clinical(folded):
        return False
    before = text[max(0, match.start() - 6) : match.start()]
    return bool(
        _PER.search(before) or re.search(r"(?:[,/:&|-]|\b(?:and|with|w/|to|from)|\n) ?$", before)
    )
