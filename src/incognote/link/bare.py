"""Names that appear without any cue: "Emily gaining", "stable per Cutter", "d/w P. Lane".

Terse notes name people as if everybody knew them. A word is taken for a name here if it is nothing
else (no ordinary or clinical word, no large town, no eponym), or if its place is one where only
people appear: with an initial, behind "per", before what only people do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from incognote.core.caches import cached
from incognote.core.types import Span
from incognote.lexicon import fold, lexicon
from incognote.lexicon.eponyms import is_term
from incognote.lexicon.language import is_spanish, is_spanish_word
from incognote.lexicon.name_words import family_share, is_syllable
from incognote.lexicon.words import UNCUED, Rank, is_among
from incognote.link.context import (
    MONTHS,
    acts_as_human,
    does_work,
    feels,
    is_date_here,
    is_place_here,
    is_state_described,
    is_told,
    starts_sentence,
    tags_of,
)
from incognote.link.cues import cue, is_cue
from incognote.link.labels import SOURCE
from incognote.link.stretches import is_taken, places

# With a role or a credential a word is as sure as one with a title.
SCORE, SURE = 0.6, 0.8
# Each begins with one character of a set, and looks behind only then: such a search runs through
# the text at twice the speed.
_NAME = re.compile(r"(?<![\w'’@./-])[A-ZÀ-Þ][a-zß-ÿ]+(?![\w@/-]|['’][^s\s])")
# "F/u 2/10/15 Charity well."
_DATED = re.compile(r"\d{1,2}/\d{1,2}/\d{2,4} $")
_AS_WELL = re.compile(r" too[.;,]")
_WITH_INITIAL = re.compile(
    r"[A-Z](?<![\w'’@./-].)\. ?((?:O['’]|Mc|Mac)?[A-Z][a-z]+(?:-[A-Z][a-z]+)?)(?![\w@/-])"
)
_PER = re.compile(r"\b(?:per|by|cc|d/w|s/w|attn)[:.]? $", re.IGNORECASE)
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
# "Iris Marsh RN", "D. Wood, PA-C".
_SIGNED = re.compile(
    r"([A-Z](?<![\w'’@./-].)(?:[a-z]+|\.)) ((?:O['’]|Mc|Mac)?[A-Z][a-z]+(?:-[A-Z][a-z]+)?)"
    r"(?=,? (?:RN|LPN|LVN|CNA|MD|DO|NP|FNP|APRN|PA|PA-C|CRNA|CNM|RT|RRT|RD|PT|DPT|OT|OTR|SLP|PharmD"
    r"|LCSW|MSW|PhD|CMA|DDS|DPM)\b(?! [A-Z][a-z]))"
)
# "Osei-Marsh: cascade", "Osei-Marsh called".
_DOUBLE = re.compile(r"([A-Z](?<![\w'’@./-].)[a-z]{2,})-([A-Z][a-z]{2,})(?=:? [a-z])")
# "Surgeon Marsh.", "Trauma Wood,": who holds a role, and nothing else of it. Words that end so are
# fewer than roles may be, so they are looked for first.
_LAST = re.compile(r"[A-Z](?:(?<=[a-z] .)|(?<=[a-z]: .))(?:[a-z]+|[A-Z]{2,})(?=[.;,)]|\s*\n|\s*$)")
_ROLE = re.compile(
    r"\b(?:(?:[Ss]urgeo|[Hh]ospitalis|[Mm]idwif|[Pp]harmacis|[Cc]haplai|[Tt]herapis|[Aa]ttendin)[a-z]"
    r"|[A-Za-z][a-z]+(?:ologis|scopis|nsivis)t|Trauma|Anesthesia|Neurosurg|Cards|Ortho|Renal|Scrub"
    r"|Circulator|Coord|Examiner|Operator):? $"
)
_ROLE_LENGTH = 40
# "F/u Drew Wood 7/20".
_SEEN_BY = re.compile(
    r"[FfSsPpRrcd](?<!\w.)(?:(?<=[Ff])/?[Uu](?: w/| with)?|(?<=[Ss])een by|(?<=[Pp])er"
    r"|(?<=[Rr])ef(?:erred)? (?:to|by)|(?<=c)c:?|(?<=d)/w) "
    r"([A-Z][a-z]+) ([A-Z][a-z]+)(?![\w-])"
)
# Father and son: "Verity & Earnest Sr. visiting".
_GENERATION = re.compile(r",? (?:Sr|Jr)\b\.?")
# "Grace and Pat updated": what the last one does, all of them do.
_FURTHER = re.compile(r" (?:and|&) ([A-Z][a-z]+)(?: (?:Sr|Jr)\b\.?)?")
# A note that begins with the day of the stay goes on with the patient.
_WARD_DAY = re.compile(
    r"(?:^|\n)[ \t]*(?:HD|POD|PPD|DOL|hospital day) ?#?\d{1,2}[:,]? $", re.IGNORECASE
)
_ADJECTIVES = ("ic", "al", "ed", "ous", "ile", "ive", "ese")
# Who was there: "MARSH, HARDY, WOOD, ANN".
_LIST = re.compile(
    r"[A-Z](?<![\w.-].)[A-Za-z'’-]+(?:(?:, ?| ?/ ?| & | and |, and )[A-Z][A-Za-z'’-]+){2,}(?![\w-])"
)
_ITEM = re.compile(r"[A-Z][A-Za-z'’-]+")
# "f/u Bishop 2 wk".
_SEEN_AGAIN = re.compile(
    r"[FfSsR](?<!\w.)(?:(?<=[Ff])/?[Uu]|(?<=[Ss])ee(?:s?|n by)|(?<=R)TC) "
    r"(?:w/ |with )?([A-Z][a-z]+)(?= (?:in )?\d{1,2} ?(?:d|wk|wks|weeks|mo|mos|days|months)\b)"
)
_ABBREVIATION = 4
_SENTENCE = 20
# Family names are borne by things, too ("Coleman sign"); given names hardly.
_MOSTLY_GIVEN = 0.25
_VERY_FREQUENT = 100_000
_SOME, _FEW, _MANY = 1_000, 100, 50_000
# Words that are no rarer in English text than this have a meaning.
_UNHEARD = 40_000
_NO_NAME = ("ology", "ics", "ed", "ing", "ists", "ers")
_SHORTEST = 4
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
    for match in _SIGNED.finditer(text):
        if not is_taken(*match.span(), taken) and _has_credential(match[1], match[2]):
            yield Span(*match.span(), "DOCTOR", SURE, (SOURCE,))
    for match in _DOUBLE.finditer(text):
        if not is_taken(*match.span(), taken) and _is_double(text, match):
            yield Span(*match.span(), "PATIENT", SCORE, (SOURCE,))
    for match in _LAST.finditer(text):
        start, end = match.span()
        if (
            _ROLE.search(text, max(0, start - _ROLE_LENGTH), start)
            and not is_taken(start, end, taken)
            and _is_role_holder(match[0])
        ):
            yield Span(start, end, "DOCTOR", SURE, (SOURCE,))
    for match in _SEEN_AGAIN.finditer(text):
        if not is_taken(*match.span(1), taken) and _is_role_holder(match[1], eponym=True):
            yield Span(*match.span(1), "DOCTOR", SCORE, (SOURCE,))
    for match in _SEEN_BY.finditer(text):
        start, end = match.start(1), match.end(2)
        if not is_taken(start, end, taken) and _is_pair(match[1], match[2]):
            yield Span(start, end, "DOCTOR", SCORE, (SOURCE,))
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
        # "Alta a las 04:15": a given name in English, a discharge in Spanish.
        if is_spanish_word(text[start:end]) and is_spanish(text):
            continue
        kind = _kind(text[start:end])
        if kind == "mere" and _stands_alone(text, start, end):
            found = True
        elif kind in ("few", "constant", "odd"):
            found = _is_clear_subject(text, start, end, kind)
        else:
            found = _is_per(text, start, end) or _is_subject(text, start, end, kind)
        if found:
            yield Span(start, end, "PATIENT", SCORE, (SOURCE,))
            further = _FURTHER.match(text, end)
            if further and _is_listed_name(further[1]) and not is_taken(*further.span(1), taken):
                yield Span(*further.span(1), "PATIENT", SCORE, (SOURCE,))


def find_listed(text: str, taken: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """The others in a list of which at least half are known to be people, if they are names."""
    for match in _LIST.finditer(text):
        items = [item.span() for item in _ITEM.finditer(text, *match.span())]
        free = [item for item in items if not is_taken(*item, taken)]
        if not free or len(free) > len(items) / 2 or len(items) - len(free) < 2:
            continue
        words = [text[slice(*item)] for item in items]
        if sum(lexicon().is_eponym(fold(word)) for word in words) * 2 >= len(items):
            continue  # scales, signs and catheters are listed, too
        if all(map(_is_listed_name, words)):
            yield from (Span(*item, "PATIENT", SCORE, (SOURCE,)) for item in free)


def _is_listed_name(word: str) -> bool:
    folded, lex = fold(word), lexicon()
    bearers = max(lex.first_name_bearers(folded) or 0, lex.surname_bearers(folded) or 0)
    return len(word) > 2 and bearers > _SOME and not is_cue(folded) and not lex.is_clinical(folded)


def _is_subject(text: str, start: int, end: int, kind: str) -> bool:
    """Whether a word that may be a name does what people do, or appears inside a sentence with a
    capital that only a name would have."""
    if _is_on_ward(text, start, end):
        return kind != "eponym"
    if text[max(0, start - 2) : start] == ", " and _AS_WELL.match(text, end):
        return True
    end = _end_of_subject(text, end)
    if _DATED.search(text, max(0, start - 12), start) and kind not in ("month", "eponym"):
        return does_work(text, end) or is_state_described(text, end)
    if starts_sentence(text, start):
        if kind == "month" and is_date_here(text, start, end):
            return False
        if acts_as_human(text, end, surely=kind == "eponym"):
            return True
        # "Foley at bedside": what is named after somebody is somewhere, too.
        if does_work(text, end) or (
            is_state_described(text, end) and kind not in ("month", "eponym")
        ):
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


def _is_clear_subject(text: str, start: int, end: int, kind: str) -> bool:
    """Whether a word that is a name seldom or hardly ever does what only people do, or is what only
    they are. A word without any other meaning needs no more than a verb."""
    if kind == "few" and _is_on_ward(text, start, end):
        return True
    if not starts_sentence(text, start):
        return False
    own, end = end, _end_of_subject(text, end)
    if kind == "odd":
        return feels(text, end)
    if kind == "constant":
        word = fold(text[start:own])
        if (lexicon().surname_bearers(word) or 0) > _MANY and is_told(text, end):
            return True
        usual, everyday = is_among(word, Rank.USUAL), is_among(word, Rank.EVERYDAY)
        return (
            does_work(text, end, surely=True)
            or (not usual and is_state_described(text, end))
            or (not everyday and feels(text, end))
        )
    return (
        acts_as_human(text, end, surely=True)
        or does_work(text, end)
        or is_state_described(text, end)
    )


def _is_on_ward(text: str, start: int, end: int) -> bool:
    """Whether a word is all that is between the day of the stay and the note: "HD3 Marsh."."""
    return text[end : end + 1] in (".", ",", ":") and bool(
        _WARD_DAY.search(text, max(0, start - 20), start)
    )


def _end_of_subject(text: str, end: int) -> int:
    """The end of "Grace" and of "Grace and Pat", who do together what follows."""
    further = _GENERATION.match(text, end) or _FURTHER.match(text, end)
    return further.end() if further else end


@cached(32768)
def _kind(word: str) -> str:
    """What a word is without a cue: "mere" for given names that are nothing else, "given" or
    "family" for frequent names that are words, too, "eponym" for family names that things have,
    "month" for given names that are months or seasons, "few" for names that very few people have,
    "constant" for those that are words in everybody's mouth, "" for all others."""
    folded = fold(word)
    lex = lexicon()
    given, family = lex.first_name_bearers(folded) or 0, lex.surname_bearers(folded) or 0
    if lex.is_drug(folded) or lex.is_abbreviation(word) or is_cue(folded):
        return ""
    if folded in MONTHS:
        return "month" if given >= UNCUED.given else ""
    if given < UNCUED.given and family < UNCUED.family:
        return _seldom(folded, given, family)
    rank = lex.word_rank(folded) or 0
    if lex.is_ordinary(folded) and rank < Rank.EVERYDAY:
        # "He" and "You" are family names of a few thousand people.
        return "constant" if rank > Rank.CONSTANT or family > 10 * UNCUED.family else ""
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


def _seldom(folded: str, given: int, family: int) -> str:
    lex = lexicon()
    bearers = max(given, family)
    if lex.is_ordinary(folded) or lex.is_clinical(folded):
        return "constant" if bearers > _SOME else ""
    if lex.is_eponym(folded) or is_among(folded, _UNHEARD) or len(folded) < _SHORTEST:
        return ""
    if lex.is_abbreviation(folded.upper()) or folded.endswith(_NO_NAME):
        return ""
    return "few" if bearers > _FEW else "odd"


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
    following = re.match(r"(?:['’]s)? ([a-z]+)([.,;])?", text[end : end + 24])
    if following is None or following[1].endswith("ing"):
        return True
    # "Emily afebrile."
    if following[2] and following[1].endswith(_ADJECTIVES) and starts_sentence(text, start):
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


def _is_double(text: str, match: re.Match[str]) -> bool:
    """Whether two family names with a hyphen do what people do. Operations have such names."""
    if not starts_sentence(text, match.start()):
        return False
    lex = lexicon()
    halves = fold(match[1]), fold(match[2])
    borne = [lex.surname_bearers(half) for half in halves]
    if None in borne or max(map(int, filter(None, borne)), default=0) < _SOME:
        return False
    if any(map(lex.is_eponym, halves)):
        return False
    end = match.end()
    return (
        text[end] == ":"
        or does_work(text, end)
        or acts_as_human(text, end)
        or is_state_described(text, end)
    )


def _is_pair(given: str, family: str) -> bool:
    """Whether two words are a given and a family name that many bear: "Drew Wood"."""
    lex = lexicon()
    if is_cue(fold(given)) or is_cue(fold(family)) or lex.is_eponym(fold(family)):
        return False
    return (lex.first_name_bearers(fold(given)) or 0) >= _SOME and (
        lex.surname_bearers(fold(family)) or 0
    ) >= UNCUED.family


def _has_credential(given: str, family: str) -> bool:
    """Whether what comes before a credential is a name: "Iris Marsh", "D. Wood", no "Charge"."""
    if given.endswith("."):
        return (lexicon().surname_bearers(fold(family)) or 0) >= UNCUED.family
    return _is_pair(given, family)


def _is_role_holder(word: str, *, eponym: bool = False) -> bool:
    """Whether a word behind a role is somebody's family name: "Surgeon Wood", no "Trauma Bay"."""
    folded, lex = fold(word), lexicon()
    if lex.is_abbreviation(word) or (lex.is_eponym(folded) and not eponym):
        return False
    if is_cue(folded):  # "f/u Bishop 2 wk", no "f/u Nurse 2 wk"
        return eponym and (lex.surname_bearers(folded) or 0) > _MANY
    return (lex.surname_bearers(folded) or 0) >= 2 * UNCUED.family


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
    """Whether an initial and a word are a person's name, and no species or list item."""
    folded = fold(match[1])
    lex = lexicon()
    if (lex.surname_bearers(folded) or 0) < UNCUED.family or lex.is_clinical(folded):
        return False
    before = text[max(0, match.start() - 6) : match.start()]
    return bool(
        _PER.search(before) or re.search(r"(?:[,/:&|-]|\b(?:and|with|w/|to|from)|\n) ?$", before)
    )
