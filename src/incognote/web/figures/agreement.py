"""Do the annotators agree? By label, pair, batch and note, with the disputes behind each number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from incognote.core.types import AnnotatedDocument, Span
from incognote.core.types import Document as Note
from incognote.evaluate.agreement import Agreement, agreement
from incognote.web.flow.adjudication import disputed
from incognote.web.flow.edits import Mark, marks
from incognote.web.flow.states import GOLD
from incognote.web.store.documents import decoded
from incognote.web.store.tables import Account, Annotation, Assignment, Document, Gold, Text

MOST_NOTES = 2_000  # the latest so many notes are compared
MOST_DIFFERENCES = 200


@dataclass(frozen=True, slots=True)
class Twice:
    """A note that two people annotated."""

    id: int
    ident: str
    batch: int | None
    text: str = field(repr=False)
    layers: dict[str, tuple[Mark, ...]] = field(repr=False)


@dataclass(frozen=True, slots=True)
class AnnotatorPair:
    """Two annotators: kappa over words (PHI or not, and with labels), strict F1 of spans."""

    one: str
    other: str
    notes: int
    words: int
    kappa: float
    kappa_labels: float
    span_f1: float
    by_label: dict[str, float]


@dataclass(frozen=True, slots=True)
class NoteAgreement:
    id: int
    ident: str
    batch: int | None
    kappa: float
    span_f1: float | None
    disputes: int


def annotated_twice(db: Session, project: int, hidden_from: int | None = None) -> list[Twice]:
    """Notes with two finished layers; without those that `hidden_from` annotated and that are not
    settled yet."""
    query = (
        select(Document, Text.body, Account.name, Annotation.spans)
        .join(Assignment, Assignment.document_id == Document.id)
        .join(Annotation, Annotation.assignment_id == Assignment.id)
        .join(Account, Account.id == Assignment.account_id)
        .join(Text, Text.document_id == Document.id)
        .where(
            Document.project_id == project,
            Document.removed_at.is_(None),
            Document.annotators == 2,
            Assignment.part == "annotate",
            Assignment.state == "done",
        )
        .order_by(Document.id.desc(), Assignment.slot)
        .limit(2 * MOST_NOTES)
    )
    if hidden_from is not None:
        own = select(Assignment.document_id).where(Assignment.account_id == hidden_from)
        query = query.where((Document.state == GOLD) | Document.id.not_in(own))
    found: dict[int, Twice] = {}
    for document, body, name, spans in db.execute(query):
        one = found.setdefault(
            document.id,
            Twice(document.id, document.ident, document.batch, decoded(body), {}),
        )
        one.layers[name] = marks(spans)
    return [one for one in reversed(found.values()) if len(one.layers) == 2]


def by_pair(notes: Sequence[Twice]) -> list[AnnotatorPair]:
    people = sorted({name for note in notes for name in note.layers})
    found = []
    for one, other in combinations(people, 2):
        both = [note for note in notes if one in note.layers and other in note.layers]
        if both:
            found.append(_pair(one, other, both))
    return found


def _pair(one: str, other: str, notes: Sequence[Twice]) -> AnnotatorPair:
    measured = _measured(one, other, notes)
    return AnnotatorPair(
        one,
        other,
        len(notes),
        sum(measured.matrix),
        measured.kappa,
        measured.kappa_labels,
        measured.span_f1,
        dict(measured.kappa_by_label),
    )


def _measured(one: str, other: str, notes: Sequence[Twice]) -> Agreement:
    (found,) = agreement(
        {name: [_annotated(note, note.layers[name]) for note in notes] for name in (one, other)}
    )
    return found


def _annotated(note: Twice, spans: Iterable[Mark]) -> AnnotatedDocument:
    return AnnotatedDocument(Note(str(note.id), note.text), tuple(Span(*mark) for mark in spans))


def by_note(notes: Sequence[Twice]) -> list[NoteAgreement]:
    """Each note, those with most disputes first."""
    found = []
    for note in notes:
        one, other = note.layers
        measured = _measured(one, other, [note])
        places = disputed(note.layers[one], note.layers[other])
        found.append(
            NoteAgreement(
                note.id,
                note.ident,
                note.batch,
                measured.kappa,
                # Where neither marks anything there is nothing to measure.
                measured.span_f1 if any(note.layers.values()) else None,
                len(places),
            )
        )
    return sorted(found, key=lambda each: (-each.disputes, each.id))


@dataclass(frozen=True, slots=True)
class Difference:
    """A disputed place, with the labels that each of the two gives in it."""

    id: int
    ident: str
    batch: int | None
    start: int
    end: int
    said: tuple[tuple[str, tuple[str, ...]], ...]


def differences(
    notes: Sequence[Twice],
    label: str = "",
    batch: int | None = None,
    pair: tuple[str, str] = ("", ""),
) -> list[Difference]:
    """The disputes behind a number: of a label, a batch, a pair, or all; the first of them."""
    found = []
    for note in notes:
        if all(pair) and set(note.layers) != set(pair):
            continue
        if batch is not None and note.batch != batch:
            continue
        one, other = note.layers
        for place in disputed(note.layers[one], note.layers[other]):
            a, b = (tuple(mark[2] for mark in marks) for marks in (place.a, place.b))
            if not label or label in (*a, *b):
                said = ((one, a), (other, b))
                found.append(
                    Difference(note.id, note.ident, note.batch, place.start, place.end, said)
                )
    return found[:MOST_DIFFERENCES]


def by_batch(notes: Sequence[Twice]) -> list[tuple[int, int, float, float]]:
    """(batch, notes, mean kappa over words, strict span F1), in order."""
    batches: dict[int, list[Twice]] = {}
    for note in notes:
        if note.batch is not None:
            batches.setdefault(note.batch, []).append(note)
    rows = []
    for number, members in sorted(batches.items()):
        pairs = by_pair(members)
        words = sum(pair.words for pair in pairs) or 1
        kappa = sum(pair.kappa * pair.words for pair in pairs) / words
        f1 = sum(pair.span_f1 * pair.words for pair in pairs) / words
        rows.append((number, len(members), kappa, f1))
    return rows


def own_differences(db: Session, project: int, account: int) -> list[dict[str, Any]]:
    """Where an annotator differs from the final gold, note by note."""
    rows = db.execute(
        select(Document, Assignment.id, Annotation.spans, Text.body)
        .join(Text, Text.document_id == Document.id)
        .join(Assignment, Assignment.document_id == Document.id)
        .join(Annotation, Annotation.assignment_id == Assignment.id)
        .where(
            Document.project_id == project,
            Document.state == GOLD,
            Document.removed_at.is_(None),
            Assignment.account_id == account,
            Assignment.part == "annotate",
            Assignment.state == "done",
        )
        .order_by(Document.id.desc())
        .limit(200)
    ).all()
    found = []
    for document, assignment, spans, body in rows:
        gold = db.scalars(
            select(Gold)
            .where(Gold.document_id == document.id)
            .order_by(Gold.version.desc())
            .limit(1)
        ).first()
        if gold is None:
            continue
        mine, final = set(marks(spans)), set(marks(gold.spans))
        text = decoded(body) if mine != final else ""
        found.append(
            {
                "note": document.id,
                "assignment": assignment,
                "ident": document.ident,
                "same": len(mine & final),
                "mine": sorted(mine - final),
                "final": sorted(final - mine),
                "words": {
                    f"{start}-{end}": " ".join(text[start:end].split())[:60]
                    for start, end, _ in mine ^ final
                },
                "how": gold.how,
            }
        )
    return found
