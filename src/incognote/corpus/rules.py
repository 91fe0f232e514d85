"""What a resynthesised corpus must keep, checked over the whole of it.

Nothing real survives, patterns and coherence are kept, dates come from other notes, places do not
appear together as they did. The report names documents, never what they say.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from incognote.core.labels import all_labels
from incognote.core.types import AnnotatedDocument, Document, Result, Span
from incognote.transform import new_spans
from incognote.transform.masks.shuffle import format_class, loose_class
from incognote.transform.places.organisations import known_group

_PEOPLE = frozenset({"PATIENT", "DOCTOR"})
# Their values are few and everybody's: a surrogate may well be another patient's value.
_SHARED = frozenset({"AGE", "DATE", "TIME", "STATE", "COUNTRY", "PROFESSION", "ROOM", "INITIALS"})
_SHAPED = ("CONTACT", "ID", "DATE", "TIME")
_PLACES = frozenset({"STREET", "CITY", "STATE", "ZIP"})

_WORD = re.compile(r"[^\W_]+")
# Numbers and addresses that are reserved for films and manuals.
_FICTION = re.compile(r"\b555[-. ]?01\d\d\b|\b(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d+\b")
_GOES_ON_BEFORE = re.compile(r"\w$|\d[-./)]? ?$")
_GOES_ON = re.compile(r"\w|[-.]\d")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, how many cases it was checked on and how many broke it, and in which documents
    (some of them)."""

    name: str
    cases: int
    broken: int
    where: tuple[str, ...] = ()

    @property
    def kept(self) -> float:
        return 1 - self.broken / self.cases if self.cases else 1.0


@dataclass(frozen=True, slots=True)
class ReplacedMention:
    """A mention before and after."""

    document: Document
    label: str
    old: str
    new: str


def broken_rule(name: str, cases: int, broken: Sequence[str]) -> Rule:
    """From the ids of the documents that broke it, once for each case."""
    return Rule(name, cases, len(broken), tuple(sorted(set(broken))[:5]))


def check(documents: Sequence[AnnotatedDocument], results: Sequence[Result]) -> list[Rule]:
    """Every rule over the whole corpus."""
    pairs = [pair for result in results for pair in _pairs(result)]
    return [
        _no_original_reused(documents, pairs),
        _no_original_left(documents, results),
        _patterns_kept(pairs),
        _coherent(pairs),
        _dates_from_elsewhere(documents, pairs),
        _date_words_kept(pairs),
        _places_apart(documents, results),
    ]


def _pairs(result: Result) -> Iterator[ReplacedMention]:
    new = {replacement.span: replacement.text for replacement in result.replacements}
    for span in result.spans:
        old = result.document.text[span.start : span.end]
        yield ReplacedMention(result.document, span.label, old, new.get(span, old))


def _no_original_reused(
    documents: Sequence[AnnotatedDocument], pairs: Sequence[ReplacedMention]
) -> Rule:
    """No surrogate is anybody's original value of the same label."""
    values: defaultdict[str, set[str]] = defaultdict(set)
    for doc in documents:
        for span in doc.spans:
            values[span.label].add(_folded(doc.text[span.start : span.end]))
    tried = [pair for pair in pairs if _telling(pair.label, pair.new)]
    broken = [pair.document.id for pair in tried if _folded(pair.new) in values[pair.label]]
    return broken_rule("no surrogate is an original of the corpus", len(tried), broken)


def _no_original_left(documents: Sequence[AnnotatedDocument], results: Sequence[Result]) -> Rule:
    """No value that points at somebody (a full name, a number, an address) is in any new text,
    whether annotated there or overlooked."""
    telling = {
        surface
        for doc in documents
        for span in doc.spans
        if _telling(span.label, surface := doc.text[span.start : span.end])
        and len(_WORD.findall(surface)) + sum(map(str.isdigit, surface)) > 1
    }
    broken: list[str] = []
    # Looked up by their first word, or a thousand notes would be searched for ten thousand values.
    by_word: defaultdict[str, list[str]] = defaultdict(list)
    for value in telling:
        first = _WORD.search(value)
        if first:
            by_word[first[0]].append(value)
    for result in results:
        text, spans = result.text or "", new_spans(result)
        for word in _WORD.finditer(text):
            for value in by_word.get(word[0], ()):
                at = word.start() - value.index(word[0])
                end = at + len(value)
                if at < 0 or not text.startswith(value, at) or not _whole(text, at, end):
                    continue
                if not any(_another(span, at, end) for span in spans):
                    broken.append(result.document.id)
    return broken_rule("no telling original is left in any text", len(telling), broken)


def _another(span: Span, start: int, end: int) -> bool:
    """Whether what appears there is another value: a part of a longer name ("Ashford State Police"
    has the words of somebody's "State Police"), or a public place that an institution is named
    after. Towns that come back as towns are found by the rule above."""
    if span.end <= start or end <= span.start:
        return False
    return span.label in _SHARED | {"CITY"} or span.end - span.start > end - start


def _telling(label: str, value: str) -> bool:
    """Whether a value by itself points at somebody. Initials, short numbers, roads, the U.S. Army
    are anybody's; telephone numbers of films are nobody's."""
    if label in _SHARED or _FICTION.search(value) or known_group(value, whole=True):
        return False
    words = _WORD.findall(value)
    if label in _PEOPLE:
        return any(len(word) > 3 for word in words)
    if sum(map(str.isdigit, value)) > 5:
        return True
    return len(words) > 1 and len(value) > 6


def _whole(text: str, start: int, end: int) -> bool:
    """Not a part of a longer word or number: "555-0168" is not in "(619) 555-0168"."""
    return not (_GOES_ON_BEFORE.search(text[:start][-3:]) or _GOES_ON.match(text, end))


def _patterns_kept(pairs: Sequence[ReplacedMention]) -> Rule:
    """Numbers, contacts and dates keep their shape: digits for digits, letters for letters. A date
    in words becomes another in words."""
    labels = all_labels()
    tried = [
        pair
        for pair in pairs
        if labels[pair.label].category in _SHAPED
        and pair.label not in ("EMAIL", "URL", "IPADDR")
        and pair.new != pair.old
    ]
    broken = [
        pair.document.id for pair in tried if _shape(pair, pair.new) != _shape(pair, pair.old)
    ]
    return broken_rule("numbers and dates keep their pattern", len(tried), broken)


def _shape(pair: ReplacedMention, text: str) -> str:
    if pair.label != "DATE":
        return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text))
    return loose_class(text) if any(map(str.isdigit, text)) else "words"


def _coherent(pairs: Sequence[ReplacedMention]) -> Rule:
    """One value of a patient has one surrogate."""
    said: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    where: dict[tuple[str, str, str], str] = {}
    for pair in pairs:
        if pair.label not in ("DATE", "TIME", "AGE"):
            scope = pair.document.patient_id or f"document {pair.document.id}"
            key = scope, pair.label, _folded(pair.old)
            said[key].add(_folded(pair.new))
            where[key] = pair.document.id
    broken = [where[key] for key, surrogates in said.items() if len(surrogates) > 1]
    return broken_rule("one value of a patient has one surrogate", len(said), broken)


def _dates_from_elsewhere(
    documents: Sequence[AnnotatedDocument], pairs: Sequence[ReplacedMention]
) -> Rule:
    """No date stays as it was, nor changes places with another of its note. That the new one is
    written alike is a pattern."""
    own = {
        doc.id: {doc.text[span.start : span.end] for span in doc.spans if span.label == "DATE"}
        for doc in documents
    }
    tried = [pair for pair in pairs if pair.label == "DATE"]
    broken = [pair.document.id for pair in tried if pair.new in own[pair.document.id]]
    return broken_rule("a date is replaced by one from elsewhere", len(tried), broken)


def _date_words_kept(pairs: Sequence[ReplacedMention]) -> Rule:
    """A weekday becomes a weekday, a month a month, a feast a feast, a season a season."""
    tried = [pair for pair in pairs if pair.label == "DATE" and _date_words(pair.old)]
    broken = [pair.document.id for pair in tried if _date_words(pair.new) != _date_words(pair.old)]
    return broken_rule("weekdays, months and feasts stay such words", len(tried), broken)


def _date_words(text: str) -> list[str]:
    return sorted(re.findall(r"<(\w+)", format_class(text)))


def _places_apart(documents: Sequence[AnnotatedDocument], results: Sequence[Result]) -> Rule:
    """No two neighbouring parts of an address appear together as in any original."""
    before = {together for doc in documents for together in _neighbours(doc.text, doc.spans)}
    now = [
        (result.document.id, together)
        for result in results
        for together in _neighbours(result.text or "", new_spans(result))
    ]
    broken = [key for key, together in now if together in before]
    return broken_rule("no two places stand together as before", len(now), broken)


def _neighbours(text: str, spans: Sequence[Span]) -> Iterator[tuple[str, str]]:
    places = sorted(span for span in spans if span.label in _PLACES)
    for i, span in enumerate(places[1:], 1):
        if span.start - places[i - 1].end <= 3:
            one = text[places[i - 1].start : places[i - 1].end]
            yield _folded(one), _folded(text[span.start : span.end])


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
