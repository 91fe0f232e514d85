"""A corpus that may be shared, made from one that may not.

Every annotated mention gets a surrogate, as in de-identification, but here the annotation is gold,
so nothing depends on a detector, and the result is annotated too. All notes of a patient are made
anew as one record, so that they agree about everybody in them. `rules` checks what came out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from incognote.core.errors import DocumentError, UsageError
from incognote.core.labels import all_labels
from incognote.core.types import AnnotatedDocument, Document, Replacement, Result, Span
from incognote.corpus.classes import ClassCounts, class_counts, class_rules
from incognote.corpus.rules import Rule, broken_rule, check
from incognote.link import people_in
from incognote.policy import Policy, load_policy
from incognote.transform import Originals, Transformer, moved_spans

POLICY = "resynthesis"
_BETWEEN = "\n\n\f\n\n"  # between two notes of a patient: no name or date reaches across


@dataclass(frozen=True, slots=True)
class Report:
    """What the new corpus keeps of the old one."""

    rules: tuple[Rule, ...]
    classes: tuple[ClassCounts, ...]
    left_out: tuple[str, ...] = ()


def resynthesise(
    documents: Sequence[AnnotatedDocument], key: bytes, policy: Policy | None = None
) -> tuple[list[AnnotatedDocument], Report]:
    """The new corpus, in the same order, and the report on its rules.

    Mentions that the annotators overlooked are replaced where they show an original, but not
    annotated: the new annotation is the old one. The report names their documents.

    Documents for which no acceptable surrogates exist are left out, with the others of the same
    patient, and reported.
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
    made: dict[str, Result] = {}
    left_out: list[str] = []
    for notes in _patients(documents):
        try:
            made |= {result.document.id: result for result in _anew(notes, transformer)}
        except DocumentError:
            left_out += [note.id for note in notes]
    results = [made[doc.id] for doc in documents if doc.id in made]
    renamed = _new_ids(documents)
    ids = {doc.id: transformer.identifiers(doc.id) for doc in documents}
    whole = broken_rule(
        "every document could be made anew (others are left out)", len(documents), left_out
    )
    shared = [new for new, count in Counter(ids.values()).items() if count > 1]
    named = broken_rule(
        "every document has an id of its own, made from the old one", len(ids), shared
    )
    gold = {doc.id: frozenset((span.start, span.end) for span in doc.spans) for doc in documents}
    overlooked = [
        result.document.id
        for result in results
        for span in result.spans
        if (span.start, span.end) not in gold[result.document.id]
    ]
    unseen = broken_rule(
        "every original is annotated (overlooked ones are replaced, too)",
        sum(len(doc.spans) for doc in documents) + len(overlooked),
        overlooked,
    )
    made_anew = [_annotated(result, renamed, ids, gold[result.document.id]) for result in results]
    classes = class_counts([doc for doc in documents if doc.id in made], made_anew)
    rules = [whole, named, unseen, *check(documents, results), *class_rules(classes)]
    return made_anew, Report(tuple(rules), tuple(classes), tuple(left_out))


def _patients(documents: Sequence[AnnotatedDocument]) -> list[list[AnnotatedDocument]]:
    notes: defaultdict[str, list[AnnotatedDocument]] = defaultdict(list)
    for doc in documents:
        notes[doc.document.patient_id or f"document {doc.id}"].append(doc)
    return list(notes.values())


def _anew(notes: Sequence[AnnotatedDocument], transformer: Transformer) -> Iterator[Result]:
    """A patient's notes as one text, and apart again."""
    starts: list[int] = []
    spans: list[Span] = []
    at = 0
    for note in notes:
        starts.append(at)
        spans += [replace(span, start=span.start + at, end=span.end + at) for span in note.spans]
        at += len(note.text) + len(_BETWEEN)
    joined = replace(notes[0].document, text=_BETWEEN.join(note.text for note in notes))
    result = transformer.apply(joined, spans, people_in(joined, spans))
    for note, start in zip(notes, starts, strict=True):
        yield _cut(result, note.document, start)


def _cut(result: Result, document: Document, start: int) -> Result:
    """One note of a patient's joined result."""
    end = start + len(document.text)
    grown = [(r.span.start, len(r.text) - (r.span.end - r.span.start)) for r in result.replacements]
    new_start = start + sum(more for at, more in grown if at < start)
    new_end = end + sum(more for at, more in grown if at < end)

    def moved(span: Span) -> Span:
        return replace(span, start=span.start - start, end=span.end - start)

    return Result(
        document,
        tuple(moved(span) for span in result.spans if start <= span.start < end),
        replacements=tuple(
            Replacement(moved(r.span), r.text, r.how)
            for r in result.replacements
            if start <= r.span.start < end
        ),
        text=(result.text or "")[new_start:new_end],
    )


def _new_ids(documents: Sequence[AnnotatedDocument]) -> dict[str, str]:
    """Patients are numbered anew: their ids point at records."""
    patients = sorted({doc.document.patient_id for doc in documents if doc.document.patient_id})
    return {patient: f"patient-{number}" for number, patient in enumerate(patients, 1)}


def _annotated(
    result: Result,
    renamed: dict[str, str],
    ids: dict[str, str],
    gold: frozenset[tuple[int, int]],
) -> AnnotatedDocument:
    """The new note. Its id is mapped as the numbers in it are: "MRN214337-01" is a record's."""
    old = result.document
    meta = {key: value for key, value in old.meta.items() if key in ("note_type", "language")}
    if old.patient_id:
        meta["patient_id"] = renamed[old.patient_id]
    spans = tuple(
        Span(span.start, span.end, span.label)
        for span, source in moved_spans(result)
        if (source.start, source.end) in gold
    )
    return AnnotatedDocument(Document(ids[old.id], result.text or "", meta), spans)
