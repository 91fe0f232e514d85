"""What was missed: the names of people who were found are looked for in the whole document.

In any letter case, with initials before or behind, as initials ("J.S."), as a user name, misspelt,
and in the plural ("the Smiths"). No vote and no word list can veto a name that was surely
found: only the context of each place can (see context.py).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from incognote.core.caches import cached, once
from incognote.core.text.phrases import Misspellings, lower
from incognote.core.types import Span
from incognote.lexicon import fold, lexicon
from incognote.lexicon.eponyms import is_term
from incognote.lexicon.name_words import name_pool
from incognote.lexicon.words import Rank, has_meaning, is_among, is_word, may_be_no_name
from incognote.link.context import (
    MONTHS,
    acts,
    acts_as_human,
    does_work,
    harmless_use,
    is_agent,
    is_date_here,
    is_place_here,
    is_spoken_to,
    is_titled,
    starts_sentence,
    tags_of,
)
from incognote.link.cues import cue, is_cue
from incognote.link.labels import PEOPLE, SOURCE, is_stated
from incognote.link.reading import initial_orders, read
from incognote.link.stretches import is_covered, is_taken, places

# An uncertain span is not searched for in the rest of the document.
_SURE = 0.8
SCORE = 0.8
_SHORTEST = 3
_SHORTEST_WITH_ERROR = 5
_FREQUENT = 1_000
# A login has an initial and so many letters of the family name, or a few more.
_LOGIN_CUT = 4
_BY_FORM = ("names/title", "names/field", "names/first-last", "given")

_LONG = re.compile(r"(?<![^\W_])[A-ZÀ-Þ][^\W\d_]{4,}(?![\w-])")
# "Mo" as it is written, no "MO" and no "mo."
_SHORT = re.compile(r"(?<![\w.'’-])[A-ZÀ-Þ][^\W\d_](?![\w.'’-])")
_VOWELS = frozenset("aeiouy")
# Both begin with one character of a set: such a search runs through the text at full speed.
_INITIALS = re.compile(r"[A-Z]\.(?<![\w.]..) ?[A-Z]\.(?: ?[A-Z]\.)?")
_BARE_INITIALS = re.compile(r"[A-Z]{2}(?<![\w./&'’-]..)[A-Z]?(?![\w./&-])")
_INITIAL_BEFORE = re.compile(r"(?<![\w.])([A-Z])\.? $")
_INITIAL_BEHIND = re.compile(r",? ([A-Z])(?:\.|\b(?!['’.\w]))")
_NAME_OF = re.compile(r"([A-Z][a-z]+) (?:[A-Z]\.? )?([A-Z][\w'’-]+)(?: ?/ ?| ?\(| - )$")
_NEXT = re.compile(r"(?:['’]s)? ([a-z]+)")
_GLUE = ("@", "_")
_NAME_BEFORE = re.compile(r"(?<![\w-])([A-Z][a-z]+) $")
_NAME_BEHIND = re.compile(r" ([A-Z][a-z]+)(?![\w-])")
_GIVEN_BEHIND = re.compile(r", ?([A-Z]{3,})(?![\w-])")
# What is said of tests: "ANA positive", "ANA, ESR".
_TESTED = re.compile(
    r"(?:,| and)? (?:\d|[A-Z]{2,}|pos|neg|tit|sent|pending|screen|level|ordered|added|drawn)|[:=/]"
)
_JOINT = re.compile(r" |, |-")


@dataclass(slots=True)
class KnownNames:
    """The names to look for: words, with the label and the initials beside them; initials; user
    names. Short ones are looked for as parts of others only."""

    words: dict[str, str] = field(default_factory=dict)
    short: dict[str, str] = field(default_factory=dict)
    beside: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    initials: dict[str, str] = field(default_factory=dict)
    users: set[str] = field(default_factory=set)
    logins: set[str] = field(default_factory=set)
    near: Misspellings[str] | None = None
    odd: list[str] = field(default_factory=list)


def find_missed(
    known: KnownNames,
    spans: Sequence[Span],
    text: str,
    capitals: Iterable[str],
    closed: Iterable[tuple[int, int]] = (),
    doubted: Sequence[tuple[int, int]] = (),
) -> list[Span]:
    """New spans, disjoint from the others and from `closed`, where nothing may be looked for. Where
    a model sees no name (`doubted`, sorted and disjoint), only a cue makes one of a word that is
    more than a name. `capitals` are the words of the text with a capital: those that no list knows
    may be misspelt."""
    if not known.words:
        return []
    known.odd = [
        word
        for word in capitals
        if len(word) >= _SHORTEST_WITH_ERROR and not _is_known(word.lower())
    ]
    taken = sorted([*((span.start, span.end) for span in spans), *closed])
    again = [
        span
        for span in _words_again(known, text, taken)
        if not (doubted and _is_doubtful(text, span, doubted))
    ]
    return merged([*again, *_initials_again(known, text, taken)], text)


def _is_doubtful(text: str, span: Span, doubted: Sequence[tuple[int, int]]) -> bool:
    """Whether a word is also an ordinary one, a model sees no name in it here, and the context
    suggests none: "Hickman oozing" beside Mr. Hickman."""
    start, end = span.start, span.end
    word = text[start:end].lower()
    if not (word.isalpha() and _is_term(word) and is_covered(start, end, doubted)):
        return False
    if is_titled(text, start) or is_spoken_to(text, start) or is_agent(text, start):
        return False
    # A device does what people do, too: "Foley removed"; "Good returned" is said of people only.
    thing = lexicon().is_eponym(word)
    return not (acts_as_human(text, end, surely=True) if thing else acts(text, start, end))


def name_users(spans: Sequence[Span], text: str, known: KnownNames) -> list[Span]:
    """Spans that are user names of a person of this document, as such: "jsmith" of John Smith."""
    return [
        replace(span, label="USERNAME")
        if span.label in PEOPLE
        and text[span.start : span.end] in known.users
        and not is_stated(span)
        else span
        for span in spans
    ]


def grow_names(spans: Sequence[Span], text: str) -> list[Span]:
    """A family name takes in the given name before it, a given name the family name behind it."""
    grown: list[Span] = []
    for at, span in enumerate(spans):
        if span.label not in PEOPLE or is_stated(span):
            grown.append(span)
            continue
        reading = read(text[span.start : span.end])
        start, end = span.start, span.end
        if len(reading.whole) == 1 and not reading.initials and reading.words[0].form == "whole":
            floor = spans[at - 1].end if at else 0
            stop = spans[at + 1].start if at + 1 < len(spans) else len(text)
            before = _NAME_BEFORE.search(text, max(floor, start - 24), start)
            if before and _is_odd_name(text, before, end):
                start = before.start(1)
            elif name_pool(reading.whole[0]) == "family":
                if before and (_is_mere_name(before[1]) or _is_word_name(text, before)):
                    start = before.start(1)
                elif text[start:end].isupper():
                    end = _with_given_behind(text, end, stop)
            else:
                behind = _NAME_BEHIND.match(text, end, min(stop, end + 24))
                end = behind.end(1) if behind and _is_mere_name(behind[1], "family") else end
        grown.append(span if (start, end) == (span.start, span.end) else span.moved(start, end))
    return grown


def _with_given_behind(text: str, end: int, stop: int) -> int:
    """The end of a family name in capitals with the given name behind its comma that is an
    abbreviation, too: "GARCIA, ANA left", but "GARCIA, ANA 1:640"."""
    behind = _GIVEN_BEHIND.match(text, end, min(stop, end + 24))
    lex = lexicon()
    if behind is None or not lex.is_abbreviation(behind[1]) or _TESTED.match(text, behind.end()):
        return end
    bearers = lex.first_name_bearers(behind[1]) or 0
    return behind.end() if bearers > 20 * _FREQUENT else end


def _is_mere_name(word: str, pool: str = "") -> bool:
    """Whether a word is a name, of a kind if one is asked for, and nothing else."""
    folded = fold(word)
    lex = lexicon()
    bearers = max(lex.first_name_bearers(folded) or 0, lex.surname_bearers(folded) or 0)
    return (
        bearers > _FREQUENT
        and (not pool or name_pool(folded) == pool)
        and not is_word(folded)
        and not lex.is_abbreviation(word)
        and not lex.is_eponym(folded)
        and not (pool and lex.city(word))
    )


def _is_odd_name(text: str, before: re.Match[str], end: int) -> bool:
    """Whether a word that is hardly one begins a sentence, a name follows it, and somebody
    does something then: "Woodly Charles interpreted"."""
    start = before.start(1)
    folded = fold(before[1])
    lex = lexicon()
    if not starts_sentence(text, start) or is_cue(folded) or lex.word_rank(folded) is not None:
        return False
    if (
        is_word(folded)
        or lex.is_eponym(folded)
        or lex.is_abbreviation(before[1].upper())
        or lex.city(before[1])
    ):
        return False
    return acts_as_human(text, end) or does_work(text, end) or tags_of(text, start, end)[1] == "VBD"


def _is_word_name(text: str, before: re.Match[str]) -> bool:
    """Whether a given name that is a word, too, or that very few people have begins a full name:
    "Blessing Eze", "Walker Hale", "Bah Tsosie"."""
    start, end = before.span(1)
    folded = fold(before[1])
    bearers = lexicon().first_name_bearers(folded) or 0
    tag = tags_of(text, start, end)[0]
    if tag == "NNP" and not may_be_no_name(folded):
        return _is_strange(folded) or bearers > 2 * _FREQUENT
    return (tag == "NNP" and bearers > 2 * _FREQUENT) or (tag == "NN" and bearers > 20 * _FREQUENT)


def _is_strange(word: str) -> bool:
    """Whether a word is hardly a word of the language, and so a name where a name may appear."""
    lex = lexicon()
    return not is_among(word, Rank.UNUSUAL) and not lex.is_eponym(word) and not is_cue(word)


def known_people(
    spans: Sequence[Span],
    text: str,
    stated: Iterable[tuple[str, str]] = (),
    backed: frozenset[int] = frozenset(),
) -> KnownNames:
    """The names that were surely found, and those that the record states elsewhere. `backed` are
    the starts of names that two detectors saw, whatever each of them calls them."""
    known = KnownNames()
    found = (
        (span.label, text[span.start : span.end])
        for span in spans
        if span.label in PEOPLE and (span.score >= _SURE or _is_backed(span, backed))
    )
    for label, name in (*found, *stated):
        reading = read(name)
        whole = reading.whole
        for word in whole:
            table = known.words if len(word) >= _SHORTEST else known.short
            table.setdefault(word, label)
            known.beside[word].update(letter for letter in reading.letters if letter != word[0])
        letters = reading.letters
        if len(letters) > 1:
            for order in initial_orders(reading):
                known.initials.setdefault(order, label)
        if len(whole) > 1:
            one, other = whole[0], whole[-1]
            for given, family in ((one, other), (other, one)):
                known.users.update((given[0] + family, given + family, family + given[0]))
                cuts = range(_LOGIN_CUT, min(len(family), _LOGIN_CUT + 4))
                known.logins.update(given[0] + family[:cut] for cut in cuts)
    return known


def _is_backed(span: Span, backed: frozenset[int]) -> bool:
    """Whether a name is sure though its score is low: seen by two, or behind a title or in a field
    for names."""
    return (
        span.start in backed
        or len({source.partition("/")[0] for source in span.sources}) > 1
        or any(source.startswith(_BY_FORM) for source in span.sources)
    )


def _words_again(known: KnownNames, text: str, taken: Sequence[tuple[int, int]]) -> Iterator[Span]:
    both_cases = text != text.upper() and text != text.lower()
    folded = lower(text)
    if not text.isascii():
        folded = folded.translate(_accents())
    found = {*_places(known, folded), *places(known.odd, text, _LONG)}
    if known.short:
        short = (word for word in known.short if not _VOWELS.isdisjoint(word))  # no "Hb"
        found.update(places(map(str.capitalize, short), text, _SHORT))
    found.update(_logins(known, text))
    for start, end in sorted(found):
        if is_taken(start, end, taken):
            continue
        word = folded[start:end]
        label = known.words.get(word) or known.short.get(word)
        if label is None and (word in known.users or word in known.logins):
            yield Span(start, end, "USERNAME", SCORE, (SOURCE,))
            continue
        right = word if label else _variant(word, text, end, known)
        label = label or known.words.get(right) or known.short.get(right)
        if label is None or _is_glued(text, start, end):
            continue
        if "-" in word or not _excused(
            text, start, end, word, known.beside[right], both_cases=both_cases
        ):
            begin, stop = _with_initials(text, start, end, known.beside[right])
            if is_taken(begin, stop, taken):
                begin, stop = start, end
            yield Span(begin, stop, label, SCORE, (SOURCE,))


def _places(known: KnownNames, folded: str) -> Iterator[tuple[int, int]]:
    """Where known words appear, whole or in a user name. Searching a text for a dozen words is far
    faster than looking at each of its words."""
    for word in known.words:
        at = folded.find(word)
        while at >= 0:
            end = at + len(word)
            token = _token(folded, at, end)
            whole = folded[slice(*token)]
            if whole == word or "-" in whole or whole in known.users:
                yield token
            at = folded.find(word, end)


def _logins(known: KnownNames, text: str) -> Iterator[tuple[int, int]]:
    """Where logins appear that are cut off, as old systems do: "qbrand" of Quillon Brandvold."""
    for login in known.logins:
        if len(login) > _LOGIN_CUT + 1:  # it begins as a shorter one
            continue
        at = text.find(login)
        while at >= 0:
            start, end = _token(text, at, at + len(login))
            token = text[start:end]
            if start == at and token in known.logins and not _is_known(token):
                yield start, end
            at = text.find(login, end)


def _token(text: str, start: int, end: int) -> tuple[int, int]:
    """The letters around a stretch; a hyphen between letters joins two names."""
    while start > 0 and (text[start - 1].isalpha() or _is_joint(text, start - 1)):
        start -= 1
    while end < len(text) and (text[end].isalpha() or _is_joint(text, end)):
        end += 1
    return start, end


def _is_joint(text: str, at: int) -> bool:
    return text[at] == "-" and text[at - 1 : at].isalpha() and text[at + 1 : at + 2].isalpha()


@once
def _accents() -> dict[int, str]:
    """Letters without their accents, one for one, so that offsets stay."""
    letters = map(chr, range(0xC0, 0x250))
    return {ord(char): fold(char) for char in letters if len(fold(char)) == 1}


def _variant(folded: str, text: str, end: int, known: KnownNames) -> str:
    """The known word that a word is another form of: two names with a hyphen, the plural, a
    spelling with an error; "" where it is none."""
    if "-" in folded:
        halves = folded.split("-")
        ours = [half for half in halves if half in known.words or half in known.short]
        # "Garcia-Lopez" of a person called Garcia; "Rives-Stoppa" is an operation.
        doubtful = any(map(_is_term, halves)) or _before_term(text, end)
        return ours[0] if ours and (len(ours) == len(halves) or not doubtful) else ""
    if _is_known(folded):
        return ""
    if folded[-1] == "s" and folded[:-1] in known.words:
        return folded[:-1]
    if len(folded) < _SHORTEST_WITH_ERROR or _before_term(text, end):
        return ""
    if known.near is None:
        known.near = Misspellings(
            (word, word) for word in known.words if len(word) >= _SHORTEST_WITH_ERROR
        )
    return known.near.intended(folded) or ""


def _is_term(word: str) -> bool:
    return may_be_no_name(word) or lexicon().is_eponym(word)


def _is_glued(text: str, start: int, end: int) -> bool:
    """Whether a word is a part of an address, an id or a longer name."""
    before, behind = text[start - 1 : start], text[end : end + 1]
    return before in _GLUE or behind in _GLUE or before.isdigit() or behind.isdigit()


def _excused(
    text: str, start: int, end: int, folded: str, letters: set[str], *, both_cases: bool
) -> str:
    # "Young J": the person's own initial is beside.
    if is_titled(text, start) or _with_initials(text, start, end, letters) != (start, end):
        return ""
    if folded in MONTHS and is_date_here(text, start, end):
        return "date"
    if is_place_here(text, start, end) and lexicon().city(folded):
        return "place"
    return harmless_use(text, start, end, both_cases=both_cases)


def _with_initials(text: str, start: int, end: int, letters: set[str]) -> tuple[int, int]:
    """The place with an initial of the same person before or behind it: "J. Smith", "Smith J"."""
    before = _INITIAL_BEFORE.search(text, max(0, start - 4), start)
    if before and before[1].lower() in letters:
        return before.start(), end
    behind = _INITIAL_BEHIND.match(text, end)
    if behind and behind[1].lower() in letters:
        return start, behind.end()
    return start, end


def _initials_again(
    known: KnownNames, text: str, taken: Sequence[tuple[int, int]]
) -> Iterator[Span]:
    for match in _INITIALS.finditer(text):
        letters = "".join(filter(str.isalpha, match[0])).lower()
        label = known.initials.get(letters)
        if label and not is_taken(*match.span(), taken):
            meant = cue(text, *match.span()).patient or acts_as_human(
                text, match.end(), surely=True
            )
            if lexicon().is_abbreviation(letters.upper()) and not meant:
                continue
            yield Span(*match.span(), label, SCORE, (SOURCE,))
    for match in _BARE_INITIALS.finditer(text) if known.initials else ():
        label = known.initials.get(match[0].lower())
        if label and not is_taken(*match.span(), taken) and _mean_nothing_else(text, match):
            yield Span(*match.span(), label, SCORE, (SOURCE,))


def _mean_nothing_else(text: str, letters: re.Match[str]) -> bool:
    """Whether capitals without stops are nothing but initials: no abbreviation, no word, and not
    in a line of capitals. In the corpus 27 of 30 such letters are those of a person of the note."""
    if _stand_behind_name(text, letters):
        return True
    lex = lexicon()
    if lex.is_abbreviation(letters[0]) or lex.is_ordinary(letters[0]) or lex.state(letters[0]):
        return False
    if is_cue(letters[0].lower()):  # "RN", "DR"
        return False
    start, end = text.rfind("\n", 0, letters.start()) + 1, text.find("\n", letters.end())
    line = text[start : end if end >= 0 else len(text)]
    return not line.isupper()


def _stand_behind_name(text: str, letters: re.Match[str]) -> bool:
    """Whether initials come right after the name that they are of: "Holly Marsh / HM"."""
    name = _NAME_OF.search(text, max(0, letters.start() - 48), letters.start())
    return name is not None and name[1][0] + name[2][0] == letters[0]


@cached(32768)
def _is_known(word: str) -> bool:
    """Whether a word has a meaning of its own, so that it is no misspelling of another."""
    lex = lexicon()
    return (
        has_meaning(word) or bool(lex.first_name_bearers(word)) or bool(lex.surname_bearers(word))
    )


def _before_term(text: str, end: int) -> bool:
    """Whether a clinical word follows, as behind an eponym that no list knows: "Lembert stitch"."""
    following = _NEXT.match(text, end)
    return following is not None and is_term(following[1])


def merged(found: Sequence[Span], text: str) -> list[Span]:
    """Neighbouring words of one label as one name; where two overlap, the first."""
    merged: list[Span] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        last = merged[-1] if merged else None
        if last is None or span.start >= last.end:
            gap = text[last.end : span.start] if last else ""
            if last and last.label == span.label and _JOINT.fullmatch(gap):
                merged[-1] = last.moved(last.start, span.end)
            else:
                merged.append(span)
    return merged
