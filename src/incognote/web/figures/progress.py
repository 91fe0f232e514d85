"""How a project goes: effort by batch, the quality of suggestions, the bound on leaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from incognote.core.types import AnnotatedDocument, Span
from incognote.core.types import Document as Note
from incognote.evaluate.confidence import upper_bound
from incognote.web.figures.charts import Series, line_chart
from incognote.web.figures.measuring import Scores, scores
from incognote.web.flow.draw import MEASURE
from incognote.web.flow.effort import mean
from incognote.web.store.database.connection import Store
from incognote.web.store.documents import decoded
from incognote.web.store.learning import final_spans
from incognote.web.store.tables import Account, Assignment, Document, Gold, Model, Suggestion, Text

MOST_NOTES = 2_000


@dataclass(frozen=True, slots=True)
class Settled:
    """A settled note: its gold, what the ensemble had suggested, what it cost."""

    id: int
    batch: int
    purpose: str
    gold: AnnotatedDocument = field(repr=False)
    suggested: AnnotatedDocument = field(repr=False)
    actions: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Batch:
    """`scores` come from the measuring notes of the batch alone: who corrects suggestions overlooks
    what they overlook, and the figure would flatter them."""

    number: int
    notes: int
    actions: float
    seconds: float
    scores: Scores | None


@dataclass(frozen=True, slots=True)
class Overview:
    """Figures of a project: no note is in them."""

    batches: list[Batch]
    bound: Markup


def overview(store: Store, db: Session, project: int) -> Overview:
    """Reckoned again only when another note is settled, opened again or removed: everybody comes by
    this page, and a thousand notes take a second."""
    query = (
        select(func.count(Gold.id), func.max(Gold.id))
        .join(Document)
        .where(
            Document.project_id == project,
            Document.state == "gold",
            Document.removed_at.is_(None),
        )
    )
    key = (project, *db.execute(query).one())
    found: Overview | None = store.figures.get(key)
    if found is None:
        notes = settled(db, project)
        store.figures[key] = found = Overview(by_batch(notes), bound_chart(notes))
    return found


def settled(db: Session, project: int) -> list[Settled]:
    """The latest settled notes of a project, in order."""
    rows = db.execute(
        select(Document, Text.body)
        .join(Text, Text.document_id == Document.id)
        .where(
            Document.project_id == project,
            Document.state == "gold",
            Document.batch.is_not(None),
            Document.removed_at.is_(None),
        )
        .order_by(Document.batch.desc(), Document.id.desc())
        .limit(MOST_NOTES)
    ).all()
    ids = [document.id for document, _ in rows]
    gold: dict[int, list[list[Any]]] = {}
    suggested: dict[int, list[list[Any]]] = {}
    costs: dict[int, list[tuple[int, int]]] = {}
    for at in range(0, len(ids), 500):
        chunk = ids[at : at + 500]
        gold |= final_spans(db, chunk)
        found = db.execute(
            select(Suggestion.document_id, Suggestion.spans)
            .where(Suggestion.document_id.in_(chunk))
            .order_by(Suggestion.id.desc())
        )
        # The first run is what the annotators saw; later ones know more.
        suggested |= {key: spans for key, spans in found}  # noqa: C416
        efforts = db.execute(
            select(Assignment.document_id, Assignment.actions, Assignment.active_ms).where(
                Assignment.document_id.in_(chunk),
                Assignment.part == "annotate",
                Assignment.state == "done",
            )
        )
        for key, actions, active in efforts:
            costs.setdefault(key, []).append((actions, active))
    notes = []
    for document, body in reversed(rows):
        note = Note(str(document.id), decoded(body), {"patient_id": document.patient})
        cost = costs.get(document.id, [])
        notes.append(
            Settled(
                document.id,
                document.batch or 0,
                document.purpose,
                AnnotatedDocument(note, _spans(gold.get(document.id, []))),
                AnnotatedDocument(note, _spans(suggested.get(document.id, []))),
                mean(actions for actions, _ in cost),
                mean(active / 1000 for _, active in cost),
            )
        )
    return notes


def _spans(rows: Sequence[Sequence[Any]]) -> tuple[Span, ...]:
    return tuple(sorted(Span(row[0], row[1], row[2]) for row in rows))


@dataclass(frozen=True, slots=True)
class Effort:
    """What a person has finished, and what it took."""

    name: str
    part: str
    notes: int
    words: int
    actions: int
    keystrokes: int
    active_ms: int


def by_person(db: Session, project: int, account: int | None = None) -> list[Effort]:
    total = [
        func.sum(column)
        for column in (
            Assignment.words,
            Assignment.actions,
            Assignment.keystrokes,
            Assignment.active_ms,
        )
    ]
    query = (
        select(Account.name, Assignment.part, func.count(), *total)
        .join(Account, Account.id == Assignment.account_id)
        .where(Assignment.project_id == project, Assignment.state == "done")
        .group_by(Account.name, Assignment.part)
        .order_by(Account.name, Assignment.part)
    )
    if account is not None:
        query = query.where(Assignment.account_id == account)
    return [
        Effort(name, part, *(int(number) for number in numbers))
        for name, part, *numbers in db.execute(query)
    ]


def by_batch(notes: Sequence[Settled]) -> list[Batch]:
    batches: dict[int, list[Settled]] = {}
    for note in notes:
        batches.setdefault(note.batch, []).append(note)
    rows = []
    for number, members in sorted(batches.items()):
        measured = [note for note in members if note.purpose == MEASURE]
        # Of notes without any PHI, of which nobody claims any, there is no F1.
        known = any(note.gold.spans or note.suggested.spans for note in measured)
        rows.append(
            Batch(
                number,
                len(members),
                mean(note.actions for note in members),
                mean(note.seconds for note in members),
                scores([note.gold for note in measured], [note.suggested for note in measured])
                if known
                else None,
            )
        )
    return rows


def effort_charts(batches: Sequence[Batch]) -> list[Markup]:
    """Seconds and actions do not share an axis: one would flatten the other."""
    seconds = Series("seconds", [(one.number, one.seconds) for one in batches])
    actions = Series("actions", [(one.number, one.actions) for one in batches])
    return [
        line_chart("Time for a note, by batch", "batch", "active seconds", [seconds]),
        line_chart("Corrections of a note, by batch", "batch", "actions", [actions]),
    ]


def suggestion_chart(batches: Sequence[Batch]) -> Markup:
    known = [(float(one.number), one.scores) for one in batches if one.scores]
    points = [(number, found.f1) for number, found in known]
    band = [(found.f1_low, found.f1_high) for _, found in known]
    series = [Series("F1 of suggestions", points, band)] if points else []
    return line_chart("F1 of suggestions by batch, with its interval", "batch", "F1", series)


def model_charts(db: Session, project: int) -> list[Markup]:
    """F1 on the measuring notes against notes, and against the minutes people had worked."""
    query = select(Model).where(Model.project_id == project).order_by(Model.id)
    rows = [row for row in db.scalars(query) if row.scores.get("after")]
    if not rows:
        return []
    minutes = [_minutes(db, project, row.created_at) for row in rows]
    charts = []
    for title, values in (
        ("notes learned from", [float(row.notes) for row in rows]),
        ("minutes of annotation", minutes),
    ):
        series = [
            Series(name, [(x, row.scores[when]["f1"]) for x, row in zip(values, rows, strict=True)])
            for name, when in (("with the model", "after"), ("without", "before"))
        ]
        charts.append(line_chart(f"F1 against {title}", title, "F1 on measuring notes", series))
    return charts


def _minutes(db: Session, project: int, until: int) -> float:
    """Active minutes of all annotators until then."""
    spent = select(func.sum(Assignment.active_ms)).where(
        Assignment.project_id == project,
        Assignment.part == "annotate",
        Assignment.state == "done",
        Assignment.done_at <= until,
    )
    return float(db.scalar(spent) or 0) / 60_000


def bound_chart(notes: Sequence[Settled]) -> Markup:
    """The share of notes that leak is below this, as the measuring set grows."""
    measured = [note for note in notes if note.purpose == MEASURE]
    points, leaking = [], 0
    for number, note in enumerate(measured, 1):
        leaking += scores([note.gold], [note.suggested]).leaking
        points.append((float(number), upper_bound(leaking, number)))
    series = [Series("leak bound", points)] if points else []
    return line_chart(
        "Leak bound as the measuring set grows", "measuring notes", "share of notes", series
    )


def agreement_chart(batches: Sequence[tuple[int, int, float, float]]) -> Markup:
    series = [
        Series("kappa", [(float(number), kappa) for number, _, kappa, _ in batches]),
        Series("span F1", [(float(number), f1) for number, _, _, f1 in batches]),
    ]
    return line_chart("Agreement over time", "batch", "agreement", series if batches else [])
