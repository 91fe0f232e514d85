"""Missed repetitions: what was found once is looked for in the whole document.

A name is looked for whole and in its parts, in any letter case, with an initial before it, and
with one wrong letter if it is long; a place or an id only whole, an institution also by the
abbreviation that appears in brackets behind it. Words that are also ordinary or
clinical are only taken where they look like a name: capitals as in the first find, inside a
sentence of a text that has both cases.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from incognote.core.caches import cached
from incognote.core.labels import label as label_named
from incognote.core.text.phrases import Misspellings, lower
from incognote.core.types import Span, span_order
from incognote.lexicon import lexicon
from incognote.lexicon.eponyms import names_thing
from incognote.lexicon.words import has_meaning, may_be_no_name
from incognote.resolve.claims import STATED, Claim, rank

SOURCE = "repetition"
# A repetition is weaker evidence than any detector's find: it never wins a conflict. Only a name
# that the record states elsewhere is no opinion, and no opinion counts against it.
WEIGHT = 0
SCORE = 0.5

NAMES = frozenset({"PATIENT", "DOCTOR"})
_WHOLE = frozenset({"HOSPITAL", "ORGANIZATION", "STREET", "CITY", "LOCATION-OTHER", "USERNAME"})
# An uncertain span is not searched for in the rest of the document.
_SURE = 0.8
_SHORTEST_PART = 3
_LONGEST_NAME = 12
_SHORTEST_PLACE = 4
_SHORTEST_ID = 5
_SHORTEST_WITH_ERROR = 6
# Up to so many characters a text is no more than a label: a title, the name of a file.
LABEL = 200
_PAST_ANY_END = 1 << 62
_FEW = 50

_WORD = re.compile(r"[^\W\d_]+")
# Letters and digits in a row, or one mark: whole words start where an atom does.
_ATOM = re.compile(r"[^\W_]+|\S")
# A scanner takes letters for digits: "Quil1feather".
_LONG_CAPITALISED = re.compile(
    rf"[A-ZÀ-Þ](?<!\w[A-ZÀ-Þ])[^\W_]{{{_SHORTEST_WITH_ERROR - 1},}}(?!\w)"
)
_INITIAL_BEFORE = re.compile(r"\b([A-Z])\.? $")
# Letters or digits, or a word with its capital: "Okonkwo|Adaeze|7741902".
_PART = re.compile(r"\d+|[A-ZÀ-Þ]?[^\W\d_A-ZÀ-Þ]+|[A-ZÀ-Þ]+(?![^\W\d_A-ZÀ-Þ])")
_SENTENCE_START = re.compile(
    r"(?:^|[:;!?\n•*>#-]|(?<!Mr)(?<!Mrs)(?<!Ms)(?<!Dr)(?<!St)\.)[\s\"'(]*$"
)
# "Harrow Valley Hospital (HVH)".
_IN_BRACKETS = re.compile(r"\s*\((?:the )?[\"“]?([A-Z][A-Z&]{1,6})[\"”]?\)")
_INSTITUTIONS = frozenset({"HOSPITAL", "ORGANIZATION"})
_SMALL_WORDS = frozenset({"of", "the", "and", "at", "for", "in"})


_Stretches = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Form:
    """One way in which a find may be written again."""

    text: str
    label: str
    guarded: bool
    initial: str = ""
    weight: int = WEIGHT


def repetitions(
    claims: Sequence[Claim], text: str, known: Sequence[tuple[str, str]] = ()
) -> list[Claim]:
    """New claims for the places where the finds appear again, outside of the finds themselves.

    `claims` are disjoint; `known` are values, with their labels, found outside of this text.
    """
    found = sure_values((claim.span for claim in sorted(claims, key=rank)), text)
    forms: dict[str, _Form] = {}
    for form in [*_forms(found), *map(_stated, _forms(known))]:
        # A form that several finds share belongs to the strongest of them.
        first = forms.setdefault(lower(form.text), form)
        if form.weight > first.weight:
            forms[lower(form.text)] = replace(first, weight=form.weight)
    if not forms:
        return []
    taken = sorted((claim.span.start, claim.span.end) for claim in claims)
    again = {
        *_written_again(forms.values(), text, taken),
        *_misspelt(forms.values(), text, taken),
    }
    if known and len(text) <= LABEL:
        again.update(_glued(forms, text, taken))
    in_order = sorted(again, key=lambda claim: span_order(claim.span))
    return [*in_order, *_abbreviated(claims, text, taken)]


def _stated(form: _Form) -> _Form:
    """A form of what the record states. Numbers may be measurements here, and words just words."""
    stated = form.label in NAMES and not form.guarded
    return replace(form, weight=STATED) if stated else form


def _abbreviated(claims: Sequence[Claim], text: str, taken: _Stretches) -> Iterator[Claim]:
    """The abbreviations that appear in brackets behind institutions, wherever they appear. The note
    itself states what they mean. A clinical abbreviation has a meaning of its own, and is left
    alone."""
    for claim in claims:
        span = claim.span
        bracket = _IN_BRACKETS.match(text, span.end) if span.label in _INSTITUTIONS else None
        if bracket is None or lexicon().is_abbreviation(bracket[1]):
            continue
        words = _WORD.findall(re.sub(r"['’]s\b", "", text[span.start : span.end]))
        telling = [word for word in words if word.lower() not in _SMALL_WORDS]
        if bracket[1].replace("&", "") not in (_initials(words), _initials(telling)):
            continue
        for match in re.finditer(rf"(?<!\w){re.escape(bracket[1])}(?!\w)", text):
            if not _inside(*match.span(), taken):
                again = Span(*match.span(), span.label, span.score, (SOURCE,))
                yield Claim(again, STATED)


def _initials(words: Sequence[str]) -> str:
    return "".join(word[0].upper() for word in words)


def sure_values(spans: Iterable[Span], text: str) -> list[tuple[str, str]]:
    """What is certain enough to be looked for elsewhere: labels and the words that carry them."""
    return [
        (span.label, text[span.start : span.end])
        for span in spans
        if span.score >= _SURE and _may_repeat(span.label)
    ]


@cached(256)
def _may_repeat(label: str) -> bool:
    in_numbers = label_named(label).category in ("ID", "CONTACT")
    return label in NAMES or label in _WHOLE or in_numbers


def _inside(start: int, end: int, taken: _Stretches) -> bool:
    """Whether a stretch lies within one of others, which are sorted and disjoint."""
    before = bisect_right(taken, (start, _PAST_ANY_END)) - 1
    return before >= 0 and end <= taken[before][1]


def _forms(values: Iterable[tuple[str, str]]) -> Iterator[_Form]:
    for label, found in dict.fromkeys(values):
        if label in NAMES:
            yield from name_forms(found, label)
        elif label in _WHOLE:
            if len(found) >= _SHORTEST_PLACE:
                several = len(_WORD.findall(found)) > 1
                yield _Form(found, label, guarded=not several and may_be_no_name(found))
        elif _may_repeat(label) and _is_long_number(found):
            yield _Form(found, label, guarded=False)


def name_forms(name: str, label: str) -> Iterator[_Form]:
    words = [word[0] for word in _WORD.finditer(name)]
    parts = [word for word in words if len(word) >= _SHORTEST_PART]
    # Longer than any name are lists without commas; comparing them whole takes time squared.
    if 1 < len(words) <= _LONGEST_NAME:
        yield _Form(name, label, guarded=False)
        initials = "".join(word[0] for word in words).upper()
        if not lexicon().is_abbreviation(initials):
            yield _Form("".join(f"{letter}." for letter in initials), label, guarded=True)
    for part in dict.fromkeys(parts):
        initial = words[0][0] if len(words) > 1 and part != words[0] else ""
        yield _Form(part, label, guarded=may_be_no_name(part), initial=initial.upper())


def _is_long_number(found: str) -> bool:
    telling = [char for char in found if char.isalnum()]
    return len(telling) >= _SHORTEST_ID and any(char.isdigit() for char in telling)


def _is_known(word: str) -> bool:
    """Whether a word has a meaning of its own, so that it is no misspelling of another."""
    return may_be_no_name(word) or has_meaning(word)


def _written_again(forms: Iterable[_Form], text: str, taken: _Stretches) -> Iterator[Claim]:
    both_cases = text != text.upper() and text != text.lower()
    for form, start, end in _places(forms, lower(text)):
        before = form.initial and _INITIAL_BEFORE.search(text, max(0, start - 4), start)
        begin = before.start() if before and before[1] == form.initial else start
        # Most places are the finds themselves: they are dismissed first.
        if _inside(begin, end, taken):
            continue
        if form.guarded and not (both_cases and _looks_like_name(text, start, form.text)):
            continue
        if not names_thing(text, start, end):
            yield Claim(Span(begin, end, form.label, SCORE, (SOURCE,)), form.weight)


def _places(forms: Iterable[_Form], text: str) -> Iterator[tuple[_Form, int, int]]:
    """Where forms appear as whole words in a text in lower case, with any blanks between.

    One pass over the text for all of them: a long document holds thousands.
    """
    starting: dict[str, list[tuple[_Form, list[str]]]] = {}
    for form in forms:
        words = lower(form.text).split()
        first = _ATOM.findall(words[0])[0]
        # Most forms are one word, and an atom that equals it is all there is to find.
        starting.setdefault(first, []).append((form, [] if words == [first] else words))
    for atom, start in _atoms(starting, text):
        for form, words in starting[atom]:
            end = _end_of(words, text, start) if words else start + len(atom)
            if end:
                yield form, start, end


def _atoms(wanted: Collection[str], text: str) -> Iterator[tuple[str, int]]:
    """Where atoms appear. Searching a text for a few is faster than cutting it into all of its
    atoms; for thousands, one pass is."""
    if len(wanted) > _FEW:
        # Most are not wanted: a comprehension dismisses them in half the time of a loop.
        for found in [found for found in _ATOM.finditer(text) if found[0] in wanted]:
            yield found[0], found.start()
        return
    for atom in wanted:
        at = text.find(atom)
        while at >= 0:
            end = at + len(atom)
            is_word = atom[0].isalnum()
            if not is_word or not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
                yield atom, at
            at = text.find(atom, end)


def _end_of(words: Sequence[str], text: str, start: int) -> int | None:
    """Where a phrase that starts here as whole words ends; None if it does not appear here."""
    if not text.startswith(words[0], start) or text[start - 1 : start].isalnum():
        return None
    end = start + len(words[0])
    for word in words[1:]:
        after = _after_blanks(word, text, end)
        if after is None:
            return None
        end = after
    return None if text[end : end + 1].isalnum() else end


def _after_blanks(word: str, text: str, at: int) -> int | None:
    start = at
    while text[start : start + 1].isspace():
        start += 1
    return start + len(word) if start > at and text.startswith(word, start) else None


def _looks_like_name(text: str, start: int, form: str) -> bool:
    written = text[start : start + len(form)]
    return (
        written == form
        and written != written.lower()
        and not _SENTENCE_START.search(text, max(0, start - 8), start)
    )


def _glued(forms: Mapping[str, _Form], text: str, taken: _Stretches) -> Iterator[Claim]:
    """Known values that appear together without a mark, as in names of files: "okonkwo7741902"."""
    for atom in _ATOM.finditer(text):
        parts = list(_PART.finditer(text, *atom.span()))
        for part in parts if len(parts) > 1 else ():
            form = forms.get(lower(part[0]))
            if form and not form.guarded and not _inside(*part.span(), taken):
                yield Claim(Span(*part.span(), form.label, SCORE, (SOURCE,)), form.weight)


def _misspelt(forms: Iterable[_Form], text: str, taken: _Stretches) -> Iterator[Claim]:
    """Long parts of names with one letter wrong, missing, added or swapped with the next, or with
    "rn" for "m" or "m" for "rn", as scanners write."""
    long = {
        form.text.lower(): form
        for form in forms
        if form.label in NAMES
        and not form.guarded
        and len(form.text) >= _SHORTEST_WITH_ERROR
        and form.text.isalpha()
    }
    if not long:
        return
    names = Misspellings(long.items())
    scanned = {_scanned(name): form for name, form in long.items()}
    for found in _LONG_CAPITALISED.finditer(text):
        written = found[0].lower()
        form = names.intended(written)
        if form is None and written not in long:
            form = scanned.get(_scanned(written))
        if form and not _inside(*found.span(), taken) and not _is_known(found[0]):
            yield Claim(Span(*found.span(), form.label, SCORE, (SOURCE,)), WEIGHT)


def _scanned(word: str) -> str:
    """What words that a scanner cannot distinguish have in common."""
    return word.replace("rn", "m")
