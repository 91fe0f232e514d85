"""What a corpus repeats: harmless sentences, forms, and what its patients' notes say of them.

All come from the ensemble's own results. Sentences and forms are proposals: a person reads them and
signs each one before anything uses it. Until then they may hold PHI that the ensemble missed. What
was found of a patient is PHI by nature; a second pass then finds it in all of the patient's notes.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from incognote.core.labels import SAFE, all_labels
from incognote.core.types import Result, Span
from incognote.detect.templates import TOKEN, Template, syntax_of, token_class
from incognote.lexicon import lexicon
from incognote.policy import PrepareRules
from incognote.policy.patterns import compile_pattern
from incognote.prepare import prepare
from incognote.prepare.inclusion import COLUMNS, normal

_FEWEST_WORDS = 3
_SHORTEST_LITERAL = 3
AGREEMENT = 0.9
_LONG_NUMBER = re.compile(r"\d{3}")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Listed:
    """A frequent sentence to sign. `clinical`: it holds a disease or a drug; `heading`: it is no
    sentence but a line of its own; `claims`: labels that detectors saw in it, wrongly or not."""

    sentence: str = field(repr=False)
    count: int
    documents: int
    clinical: bool
    heading: bool = False
    claims: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        if self.claims:
            return "claimed"
        return "clinical" if self.clinical else "heading" if self.heading else "plain"


def frequent_sentences(
    results: Iterable[Result], documents: int = 5, most: int = 2000, *, claimed: bool = False
) -> list[Listed]:
    """Sentences and headings that appear in at least so many documents, the most frequent first.

    With `claimed`, also those in which a detector claimed something: if it errs there, it errs in
    every note, and signing the sentence cures it. Without a signature nothing counts. What holds a
    long number is always out.
    """
    count: Counter[str] = Counter()
    seen_in: Counter[str] = Counter()
    claims: defaultdict[str, set[str]] = defaultdict(set)
    for result in results:
        said = [*result.spans, *(drop.span for drop in result.dropped)]
        here = set()
        for start, end in sentences_of(result):
            sentence = normal(result.document.text[start:end])
            if not _is_listable(sentence):
                continue
            labels = {s.label for s in said if s.start < end and start < s.end} - {SAFE}
            if labels:
                claims[sentence] |= labels
            count[sentence] += 1
            here.add(sentence)
        seen_in.update(here)
    chosen = [s for s in count if seen_in[s] >= documents and (claimed or s not in claims)]
    chosen.sort(key=lambda s: (-count[s], s))
    return [
        Listed(
            sentence,
            count[sentence],
            seen_in[sentence],
            _is_clinical(sentence),
            not _is_prose(sentence),
            tuple(sorted(claims[sentence])) if sentence in claims else (),
        )
        for sentence in chosen[:most]
    ]


def sentences_of(result: Result) -> Iterator[tuple[int, int]]:
    """Sentences in the coordinates of the document."""
    for view in prepare(result.document, PrepareRules()):
        for start, end in view.sentences:
            yield view.offsets.to_source(start, end)


def _is_listable(sentence: str) -> bool:
    return bool(_WORD.search(sentence)) and not _LONG_NUMBER.search(sentence)


def _is_prose(sentence: str) -> bool:
    return sentence.endswith((".", "!", "?")) and len(_WORD.findall(sentence)) >= _FEWEST_WORDS


def _is_clinical(sentence: str) -> bool:
    lex = lexicon()
    words = _WORD.findall(sentence)
    return any(lex.is_drug(w) or (lex.is_clinical(w) and not lex.is_ordinary(w)) for w in words)


def review_file(sentences: Sequence[Listed]) -> str:
    """The list as CSV for the person who signs it: plain sentences first, then those with diseases
    or drugs, and at the end those that may hold PHI."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    for one in sorted(sentences, key=lambda one: _KINDS.index(one.kind)):
        claims = " ".join(one.claims)
        rows.writerow(("", one.kind, one.count, one.documents, claims, one.sentence))
    return out.getvalue()


_KINDS = ("plain", "heading", "clinical", "claimed")


@dataclass(frozen=True, slots=True)
class _Tagged:
    """A sentence, its tokens, and an IOB2 tag for each."""

    text: str = field(repr=False)
    places: tuple[tuple[int, int], ...] = field(repr=False)
    tags: tuple[str, ...]

    def word(self, i: int) -> str:
        start, end = self.places[i]
        return self.text[start:end]


def templates(
    results: Iterable[Result], support: int = 5, agreement: float = AGREEMENT
) -> list[Template]:
    """Forms that the ensemble nearly always tags the same way, the best supported first.

    Sentences are grouped by their shape. Those of one shape and one tagging become a regular
    expression; words outside PHI that never change appear in it literally. It is proposed if it
    has such a word, at least `support` sentences follow it, and of the sentences that it
    fits at least the share `agreement` is tagged so. What the ensemble missed in the others, as an
    initial here and there, the form then finds.
    """
    shapes: defaultdict[str, list[_Tagged]] = defaultdict(list)
    for result in results:
        for tagged in _tagged_sentences(result):
            shapes[syntax_of(tagged.text)].append(tagged)
    found = [
        template
        for syntax, sentences in shapes.items()
        for template in _of_one_shape(syntax, sentences, support, agreement)
    ]
    return sorted(found, key=lambda one: (-one.support, one.pattern))


def _tagged_sentences(result: Result) -> Iterator[_Tagged]:
    text = result.document.text
    for start, end in sentences_of(result):
        spans = [s for s in result.spans if s.start < end and start < s.end]
        places = tuple(token.span() for token in TOKEN.finditer(text[start:end]))
        tags = [_tag(start + first, start + last, spans) for first, last in places]
        if None not in tags:
            yield _Tagged(text[start:end], places, tuple(map(str, tags)))


def _tag(start: int, end: int, spans: Sequence[Span]) -> str | None:
    """The IOB2 tag of a token; None if a span ends inside it."""
    for span in spans:
        if span.start <= start and end <= span.end:
            return f"{'B' if span.start == start else 'I'}-{span.label}"
        if span.start < end and start < span.end:
            return None
    return "O"


def _of_one_shape(
    syntax: str, sentences: Sequence[_Tagged], support: int, agreement: float
) -> Iterator[Template]:
    taggings: defaultdict[tuple[str, ...], list[_Tagged]] = defaultdict(list)
    for sentence in sentences:
        taggings[sentence.tags].append(sentence)
    for tags, alike in taggings.items():
        if len(alike) < support or all(tag == "O" for tag in tags):
            continue
        if not any(_is_literal(i, tags, alike) for i in range(len(tags))):
            continue
        pattern = _pattern(tags, alike)
        fits = compile_pattern(pattern, "harvested template").fullmatch
        fitting = [sentence for sentence in sentences if fits(sentence.text)]
        share = sum(sentence.tags == tags for sentence in fitting) / max(1, len(fitting))
        if share >= agreement:
            labels = tuple(tag[2:] for tag in tags if tag.startswith("B-"))
            yield Template(syntax, pattern, labels, len(alike), agreement=round(share, 3))


def _is_literal(i: int, tags: tuple[str, ...], alike: Sequence[_Tagged]) -> bool:
    """Whether a word of the form itself appears here: without any, a shape is no form."""
    words = {sentence.word(i) for sentence in alike}
    return tags[i] == "O" and len(words) == 1 and len(min(words)) >= _SHORTEST_LITERAL


_CLASS = {"W": r"\pL+", "N": r"\d+", "A": r"[\pL\d]+"}


def _pattern(tags: tuple[str, ...], alike: Sequence[_Tagged]) -> str:
    parts: list[str] = []
    inside = False
    for i, tag in enumerate(tags):
        if inside and not tag.startswith("I-"):
            parts.append(")")
        if i:
            parts.append(_gap(i, alike))
        if tag.startswith("B-"):
            parts.append("(")
        inside = tag != "O"
        words = {sentence.word(i) for sentence in alike}
        word = next(iter(words))
        # A single capital may be somebody's initial, however often it is the same.
        same = len(words) == 1 and tag == "O" and not (len(word) == 1 and word.isupper())
        parts.append(re.escape(word) if same else _CLASS.get(token_class(word), re.escape(word)))
    return "".join(parts) + (")" if inside else "")


def _gap(i: int, alike: Sequence[_Tagged]) -> str:
    gaps = {sentence.places[i - 1][1] < sentence.places[i][0] for sentence in alike}
    return r"\s*" if len(gaps) > 1 else r"\s+" if gaps == {True} else ""


def template_file(found: Sequence[Template]) -> str:
    """The templates as TOML for the person who signs them."""
    head = (
        "# Read each form and set keep = true for those that always are what they say.\n"
        "# Only these are used, by the detector `templates`."
    )
    rows = [
        "[[template]]\n"
        "keep = false\n"
        f"support = {one.support}\n"
        f"agreement = {one.agreement}\n"
        f"labels = {json.dumps(one.labels)}\n"
        f"syntax = {json.dumps(one.syntax)}\n"
        f"pattern = {json.dumps(one.pattern)}"
        for one in found
    ]
    return "\n\n".join((head, *rows)) + "\n"


# What identifies a patient in every note; dates and ages appear in too many roles.
_LASTING = ("NAME", "CONTACT", "ID", "LOCATION")
_SURE = 0.8


def patient_table(results: Iterable[Result]) -> str:
    """What was surely found of each patient, as a CSV table for the detector `known_patient`."""
    labels = [name for name, row in all_labels().items() if row.category in _LASTING]
    known: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for result in results:
        patient = result.document.patient_id
        for span in result.spans:
            value = normal(result.document.text[span.start : span.end])
            if patient and span.label in labels and span.score >= _SURE and ";" not in value:
                known[patient][span.label].add(value)
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("patient_id", *labels))
    for patient, facts in sorted(known.items()):
        rows.writerow((patient, *("; ".join(sorted(facts[label])) for label in labels)))
    return out.getvalue()
