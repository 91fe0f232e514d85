"""What was surely found in one document of a record is looked for in the others.

A letter names the patient; its title, its comments and the name of its file say "Okonkwo 7741902"
and nothing that says what that is. What one document surely found is looked for in those beside
it, as what the record itself states is.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from incognote.core.labels import MADE_OF_NAMES
from incognote.core.text.phrases import lower
from incognote.core.types import Document, Failure, Result
from incognote.policy import ResolveRules
from incognote.resolve.repeat import LABEL, NAMES, sure_values

_WORD = re.compile(r"[^\W_]+")
# Words within words are looked for in labels, and for few of them: a workbook may name thousands.
_SHORTEST_GLUED = 5
_MOST_GLUED = 200


def known_from_record(
    outcomes: Sequence[Result | Failure], rules: ResolveRules
) -> Iterator[tuple[int, Document]]:
    """The places of those outcomes for which another document of the record holds a value, each
    with its document, in which that value is known."""
    if not rules.repetitions:
        return
    records: defaultdict[str, list[int]] = defaultdict(list)
    for at, outcome in enumerate(outcomes):
        if isinstance(outcome, Result) and outcome.document.record:
            records[outcome.document.record].append(at)
    for places in records.values():
        if len(places) > 1:
            results = [each for at in places if isinstance(each := outcomes[at], Result)]
            for number, document in _known_of_others(results):
                yield places[number], document


def _known_of_others(results: Sequence[Result]) -> Iterator[tuple[int, Document]]:
    own = [sure_values(result.spans, result.document.text) for result in results]
    count = Counter(chain.from_iterable(own))
    # The commonest first: of two labels for one value, the usual one is looked for.
    values = sorted(count, key=lambda value: (-count[value], value))
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for place, (_, value) in enumerate(values):
        for word in _words(value):
            by_word[word].append(place)
    for number, (result, mine) in enumerate(zip(results, own, strict=True)):
        said = {*mine, *result.document.known}
        places = {place for word in _left(result, by_word) for place in by_word[word]}
        if letters := _unexplained(result):  # "Barnaby K.": the name may be in another document
            places |= {at for at, each in enumerate(values) if _begins(each, letters)}
        known = tuple(values[place] for place in sorted(places) if values[place] not in said)
        if known:
            yield number, replace(result.document, known=(*result.document.known, *known))


def _left(result: Result, words: Mapping[str, object]) -> set[str]:
    """Those of the words that appear where nothing was found, or in what is made of names."""
    text, at = result.document.text, 0
    glued = len(text) <= LABEL and len(words) <= _MOST_GLUED
    if not glued and not words.keys() & _words(text):
        return set()
    left: set[str] = set()
    for span in result.spans:
        left |= _words(text[at : span.start])
        if span.label in MADE_OF_NAMES:
            left |= _words(text[span.start : span.end])
        at = span.end
    left |= _words(text[at:])
    if not glued:
        return words.keys() & left
    # In the name of a file: "OkonkwoAdaeze", "aokonkwo", "okonkwo7741902".
    return {
        word
        for word in words
        for each in left
        if each == word or (len(word) >= _SHORTEST_GLUED and word in each)
    }


def _unexplained(result: Result) -> set[str]:
    """The initials of names that a document does not write out."""
    text = result.document.text
    return {lower(text[word.start]) for each in result.people for word in each.unexplained}


def _begins(value: tuple[str, str], letters: set[str]) -> bool:
    """Whether a value is a name of which one of these letters may be an initial."""
    label, text = value
    return label in NAMES and any(word[0] in letters for word in _words(text))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(lower(text)))
