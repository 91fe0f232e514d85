"""What is in a corpus: counts, unique values, density by note type, and how two corpora differ."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from incognote.core.types import AnnotatedDocument

_WORD = re.compile(r"\w+")
NO_TYPE = "(not given)"


@dataclass(frozen=True, slots=True)
class LabelFacts:
    """How often one label occurs: in all, as different values, in how many documents."""

    mentions: int
    unique: int
    documents: int
    per_1000_words: float


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """How much PHI the notes of one type hold."""

    documents: int
    words: int
    mentions: int
    per_1000_words: float


@dataclass(frozen=True, slots=True)
class Description:
    """Counts only, no text: safe to publish beside a corpus."""

    documents: int
    patients: int
    characters: int
    words: int
    vocabulary: int
    mentions: int
    documents_without_phi: int
    labels: Mapping[str, LabelFacts]
    note_types: Mapping[str, TypeFacts]


def describe(documents: Sequence[AnnotatedDocument]) -> Description:
    words_of = [_WORD.findall(doc.text) for doc in documents]
    total = sum(map(len, words_of))
    values: defaultdict[str, set[str]] = defaultdict(set)
    mentions: Counter[str] = Counter()
    holders: Counter[str] = Counter()
    for doc in documents:
        for span in doc.spans:
            mentions[span.label] += 1
            values[span.label].add(" ".join(doc.text[span.start : span.end].lower().split()))
        holders.update({span.label for span in doc.spans})
    return Description(
        documents=len(documents),
        patients=len({doc.document.patient_id or f"\0{doc.id}" for doc in documents}),
        characters=sum(len(doc.text) for doc in documents),
        words=total,
        vocabulary=len({word.lower() for words in words_of for word in words}),
        mentions=sum(mentions.values()),
        documents_without_phi=sum(not doc.spans for doc in documents),
        labels={
            label: LabelFacts(count, len(values[label]), holders[label], _density(count, total))
            for label, count in mentions.most_common()
        },
        note_types=_note_types(documents, words_of),
    )


def _note_types(
    documents: Sequence[AnnotatedDocument], words_of: Sequence[Sequence[str]]
) -> dict[str, TypeFacts]:
    notes: Counter[str] = Counter()
    words: Counter[str] = Counter()
    mentions: Counter[str] = Counter()
    for doc, own in zip(documents, words_of, strict=True):
        kind = doc.document.meta.get("note_type", NO_TYPE)
        notes[kind] += 1
        words[kind] += len(own)
        mentions[kind] += len(doc.spans)
    return {
        kind: TypeFacts(count, words[kind], mentions[kind], _density(mentions[kind], words[kind]))
        for kind, count in notes.most_common()
    }


def sum_types(rows: Sequence[TypeFacts]) -> TypeFacts:
    """Several note types as one."""
    words, mentions = sum(row.words for row in rows), sum(row.mentions for row in rows)
    return TypeFacts(sum(row.documents for row in rows), words, mentions, _density(mentions, words))


def _density(count: int, words: int) -> float:
    return 1000 * count / words if words else 0.0


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """Are PHI mentions spread over the labels alike in two corpora?"""

    statistic: float
    degrees: int
    p: float
    residuals: Mapping[str, float]


def chi_square(one: Mapping[str, int], other: Mapping[str, int]) -> ChiSquare:
    """Pearson's test on counts by label. `residuals` show which labels differ: positive where the
    first corpus has more, adjusted, so that beyond 2 either way is more than chance."""
    labels = sorted(
        label for label in one.keys() | other.keys() if one.get(label, 0) + other.get(label, 0)
    )
    totals = sum(one.values()), sum(other.values())
    whole = sum(totals)
    statistic = 0.0
    residuals = {}
    for label in labels:
        observed = one.get(label, 0), other.get(label, 0)
        for count, total in zip(observed, totals, strict=True):
            expected = sum(observed) * total / whole
            statistic += (count - expected) ** 2 / expected
        expected = sum(observed) * totals[0] / whole
        spread = expected * (1 - totals[0] / whole) * (1 - sum(observed) / whole)
        residuals[label] = (observed[0] - expected) / math.sqrt(spread) if spread else 0.0
    degrees = max(0, len(labels) - 1)
    return ChiSquare(statistic, degrees, chi_square_tail(statistic, degrees), residuals)


def chi_square_tail(statistic: float, degrees: int) -> float:
    """P(X >= statistic): a finite sum, as the degrees of freedom are a whole number."""
    if degrees < 1 or statistic <= 0:
        return 1.0
    half = statistic / 2
    if degrees % 2 == 0:
        terms = [-half + k * math.log(half) - math.lgamma(k + 1) for k in range(degrees // 2)]
        return min(1.0, math.fsum(map(math.exp, terms)))
    terms = [-half + (k + 0.5) * math.log(half) - math.lgamma(k + 1.5) for k in range(degrees // 2)]
    return min(1.0, math.erfc(math.sqrt(half)) + math.fsum(map(math.exp, terms)))


@dataclass(frozen=True, slots=True)
class Finding:
    """Something an annotator should look at again. `detail` holds no clinical text."""

    document_id: str
    start: int
    end: int
    problem: str
    detail: str


def check(documents: Sequence[AnnotatedDocument]) -> list[Finding]:
    """Spans that cannot be right: out of range, overlapping, with blanks at an edge, cutting a
    word; and documents with the same id."""
    findings = []
    seen: set[str] = set()
    for doc in documents:
        if doc.id in seen:
            findings.append(Finding(doc.id, 0, 0, "doubled id", ""))
        seen.add(doc.id)
        text, spans = doc.text, sorted(doc.spans)
        for span in spans:
            problem = _problem(text, span.start, span.end)
            if problem:
                findings.append(Finding(doc.id, span.start, span.end, problem, span.label))
        findings += [
            Finding(doc.id, b.start, min(a.end, b.end), "overlap", f"{a.label} {b.label}")
            for a, b in pairwise(spans)
            if a.overlaps(b)
        ]
    return findings


def _problem(text: str, start: int, end: int) -> str:
    if end > len(text):
        return "out of range"
    if text[start].isspace() or text[end - 1].isspace():
        return "blank at an edge"
    if _joined(text, start) or _joined(text, end):
        return "cuts a word"
    return ""


def _joined(text: str, at: int) -> bool:
    """Letters on both sides; digits may end inside a word, as in "67yo"."""
    return 0 < at < len(text) and text[at - 1].isalpha() and text[at].isalpha()


_PEOPLE = frozenset({"PATIENT", "DOCTOR"})
_EVERYWHERE = frozenset({"AGE", "TIME"})  # a number that is an age here is a dose there
_LONG = re.compile(r"[^\W\d_]{4,}")


def repetitions(documents: Sequence[AnnotatedDocument]) -> list[Finding]:
    """Words that are marked in one place of a document and not in another. Mostly oversights, but
    also eponyms (Dr. Parkinson and Parkinson's disease): somebody must look."""
    findings = []
    for doc in documents:
        marked = bytearray(len(doc.text))
        labels: dict[str, str] = {}
        for span in doc.spans:
            marked[span.start : span.end] = b"\1" * (span.end - span.start)
            surface = doc.text[span.start : span.end]
            for part in {surface, *(_LONG.findall(surface) if span.label in _PEOPLE else ())}:
                if span.label not in _EVERYWHERE and len(part) > 2:
                    labels.setdefault(part, span.label)
        found = {
            (place.start(), place.end(), label)
            for surface, label in labels.items()
            for place in re.finditer(rf"(?<!\w){re.escape(surface)}(?!\w)", doc.text)
            if not any(marked[place.start() : place.end()])
        }
        findings += [Finding(doc.id, a, b, "marked elsewhere", x) for a, b, x in sorted(found)]
    return findings
