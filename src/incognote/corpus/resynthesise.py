"""A corpus that may be shared, made from one that may not.

Every annotated mention gets a surrogate, as in de-identification, but here the annotation is gold,
so nothing depends on a detector, and the result is annotated too. The rules such a corpus must
keep are checked over the whole of it and reported: nothing real survives, patterns and coherence
are kept, dates come from other notes, places do not stand together as they did.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from incognote.core.errors import DocumentError, UsageError
from incognote.core.labels import all_labels
from incognote.core.types import AnnotatedDocument, Document, Result, Span
from incognote.policy import Policy, load_policy
from incognote.transform import Originals, Transformer, new_spans

POLICY = "resynthesis"

# Their values are few and everybody's: a surrogate may well be another patient's value.
SHARED = frozenset({"AGE", "DATE", "TIME", "STATE", "COUNTRY", "PROFESSION", "ROOM", "INITIALS"})
_SHAPED = ("CONTACT", "ID", "DATE", "TIME")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of resynthesis, how many cases it was checked on and how many broke it.

    `where` names some documents that broke it; never what they say.
    """

    name: str
    cases: int
    broken: int
    where: tuple[str, ...] = ()

    @property
    def kept(self) -> float:
        return 1 - self.broken / self.cases if self.cases else 1.0


@dataclass(frozen=True, slots=True)
class Pair:
    """A mention before and after."""

    document: Document
    label: str
    old: str
    new: str


def resynthesise(
    documents: Sequence[AnnotatedDocument], key: bytes, policy: Policy | None = None
) -> tuple[list[AnnotatedDocument], list[Rule]]:
    """The new corpus, in the same order, and the report on its rules.

    A document for which no acceptable surrogates exist is left out, and reported.
    """
    for doc in documents:
        unknown = {span.label for span in doc.spans} - all_labels().keys()
        if unknown:
            raise UsageError(
                f"document {doc.id!r} has the label {min(unknown)!r}, which is none of ours: "
                "harmonise the corpus first"
            )
    originals = Originals.of((doc.document, doc.spans) for doc in documents)
    transformer = Transformer(policy or load_policy(POLICY), key, originals)
    results: list[Result] = []
    left_out: list[str] = []
    for doc in documents:
        try:
            results.append(transformer.apply(doc.document, doc.spans))
        except DocumentError:
            left_out.append(doc.id)
    renamed = _new_ids(documents)
    whole = _rule(
        "every document could be made anew (others are left out)", len(documents), left_out
    )
    return [_made(result, renamed) for result in results], [whole, *check(documents, results)]


def _new_ids(documents: Sequence[AnnotatedDocument]) -> dict[str, str]:
    """Patients are numbered anew: their ids point at records."""
    patients = sorted({doc.document.patient_id for doc in documents if doc.document.patient_id})
    return {patient: f"patient-{number}" for number, patient in enumerate(patients, 1)}


def _made(result: Result, renamed: dict[str, str]) -> AnnotatedDocument:
    old = result.document
    meta = {key: value for key, value in old.meta.items() if key in ("note_type", "language")}
    if old.patient_id:
        meta["patient_id"] = renamed[old.patient_id]
    spans = tuple(Span(span.start, span.end, span.label) for span in new_spans(result))
    return AnnotatedDocument(Document(old.id, result.text or "", meta), spans)


def check(documents: Sequence[AnnotatedDocument], results: Sequence[Result]) -> list[Rule]:
    """Every rule over the whole corpus."""
    pairs = [pair for result in results for pair in _pairs(result)]
    return [
        _no_original_reused(documents, pairs),
        _no_original_left(documents, results),
        _patterns_kept(pairs),
        _coherent(pairs),
        _dates_moved(pairs),
        _places_apart(documents, results),
    ]


def _pairs(result: Result) -> Iterator[Pair]:
    new = {replacement.span: replacement.text for replacement in result.replacements}
    for span in result.spans:
        old = result.document.text[span.start : span.end]
        yield Pair(result.document, span.label, old, new.get(span, old))


def _rule(name: str, cases: int, broken: Sequence[str]) -> Rule:
    return Rule(name, cases, len(broken), tuple(sorted(set(broken))[:5]))


def _no_original_reused(documents: Sequence[AnnotatedDocument], pairs: Sequence[Pair]) -> Rule:
    """No surrogate is anybody's original value of the same label."""
    values: defaultdict[str, set[str]] = defaultdict(set)
    for doc in documents:
        for span in doc.spans:
            values[span.label].add(_folded(doc.text[span.start : span.end]))
    tried = [pair for pair in pairs if pair.label not in SHARED]
    broken = [pair.document.id for pair in tried if _folded(pair.new) in values[pair.label]]
    return _rule("no surrogate is an original of the corpus", len(tried), broken)


def _no_original_left(documents: Sequence[AnnotatedDocument], results: Sequence[Result]) -> Rule:
    """No value that points at somebody (a full name, a number, an address) is in any new text."""
    telling = sorted(
        {
            surface
            for doc in documents
            for span in doc.spans
            if span.label not in SHARED and _telling(surface := doc.text[span.start : span.end])
        },
        key=len,
        reverse=True,
    )
    broken: list[str] = []
    # Looked up by their first word, or a thousand notes would be searched for ten thousand values.
    by_word: defaultdict[str, list[str]] = defaultdict(list)
    for value in telling:
        first = _WORD.search(value)
        if first:
            by_word[first[0]].append(value)
    for result in results:
        text = result.text or ""
        for word in _WORD.finditer(text):
            for value in by_word.get(word[0], ()):
                at = word.start() - value.index(word[0])
                if at >= 0 and text.startswith(value, at) and _whole(text, at, at + len(value)):
                    broken.append(result.document.id)
    return _rule("no telling original is left in any text", len(telling), broken)


_WORD = re.compile(r"\w+")


def _telling(surface: str) -> bool:
    """Two words or five digits: shorter values are also ordinary words and numbers."""
    words = _WORD.findall(surface)
    return (len(words) > 1 and len(surface) > 6) or sum(map(str.isdigit, surface)) > 4


def _whole(text: str, start: int, end: int) -> bool:
    """Not a part of a longer word or number: "555-0168" is not in "(619) 555-0168"."""
    return not (_GOES_ON_BEFORE.search(text[:start][-3:]) or _GOES_ON.match(text, end))


_GOES_ON_BEFORE = re.compile(r"\w$|\d[-.)]? ?$")
_GOES_ON = re.compile(r"\w|[-.]\d")


def _patterns_kept(pairs: Sequence[Pair]) -> Rule:
    """Numbers, contacts and dates keep their shape: digits for digits, letters for letters."""
    labels = all_labels()
    tried = [
        pair
        for pair in pairs
        if labels[pair.label].category in _SHAPED
        and pair.label not in ("EMAIL", "URL", "IPADDR")
        and pair.new != pair.old
    ]
    broken = [pair.document.id for pair in tried if _shape(pair.new) != _shape(pair.old)]
    return _rule("numbers and dates keep their pattern", len(tried), broken)


def _shape(text: str) -> str:
    # How many digits or letters a run has may change with the month: 9/9 and 10/10.
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text))


def _coherent(pairs: Sequence[Pair]) -> Rule:
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
    return _rule("one value of a patient has one surrogate", len(said), broken)


def _dates_moved(pairs: Sequence[Pair]) -> Rule:
    """No date stays as it was. That the new one is written alike is a pattern."""
    tried = [pair for pair in pairs if pair.label == "DATE"]
    broken = [pair.document.id for pair in tried if pair.new == pair.old]
    return _rule("a date is replaced by another", len(tried), broken)


def _places_apart(documents: Sequence[AnnotatedDocument], results: Sequence[Result]) -> Rule:
    """No two neighbouring parts of an address stand together as in any original."""
    before = {together for doc in documents for together in _neighbours(doc.text, doc.spans)}
    now = [
        (result.document.id, together)
        for result in results
        for together in _neighbours(result.text or "", new_spans(result))
    ]
    broken = [key for key, together in now if together in before]
    return _rule("no two places stand together as before", len(now), broken)


_PLACES = frozenset({"STREET", "CITY", "STATE", "ZIP"})


def _neighbours(text: str, spans: Sequence[Span]) -> Iterator[tuple[str, str]]:
    places = sorted(span for span in spans if span.label in _PLACES)
    for i, span in enumerate(places[1:], 1):
        if span.start - places[i - 1].end <= 3:
            one = text[places[i - 1].start : places[i - 1].end]
            yield _folded(one), _folded(text[span.start : span.end])


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
