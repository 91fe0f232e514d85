"""From layers to gold: one annotator's word, the agreement of two, or an adjudicator's decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from incognote.web.flow.adjudication import EDITED, Place, agreed, disputed, within
from incognote.web.flow.edits import Mark, flat, marks
from incognote.web.flow.states import Refused
from incognote.web.store.database.connection import now
from incognote.web.store.documents import gold_of, labels_column, move, suggestion_of
from incognote.web.store.tables import (
    Annotation,
    Assignment,
    Decision,
    Document,
    Gold,
    Project,
)

ADJUDICATED = "adjudicated"  # how gold came about


@dataclass(frozen=True, slots=True)
class Layer:
    """What one annotator says of a note."""

    account: int
    spans: tuple[Mark, ...]
    assisted: bool = True


def layers(db: Session, document: int) -> list[Layer]:
    """The finished layers of a note, A before B."""
    rows = db.execute(
        select(Assignment, Annotation)
        .join(Annotation, Annotation.assignment_id == Assignment.id)
        .where(
            Assignment.document_id == document,
            Assignment.part == "annotate",
            Assignment.state == "done",
        )
        .order_by(Assignment.slot, Assignment.id)
    )
    return [Layer(a.account_id, marks(layer.spans), a.assisted) for a, layer in rows]


def annotators(db: Session, document: int) -> set[int]:
    """Whoever was ever given a note to annotate, whatever became of it."""
    return set(
        db.scalars(
            select(Assignment.account_id).where(
                Assignment.document_id == document, Assignment.part == "annotate"
            )
        )
    )


def agreed_spans(found: Sequence[Layer]) -> tuple[Mark, ...]:
    if len(found) < 2:
        return found[0].spans if found else ()
    return agreed(found[0].spans, found[1].spans)


def places(db: Session, document: int) -> list[Place]:
    """What an adjudicator has to decide."""
    found = layers(db, document)
    if len(found) < 2:
        return []
    suggestion = suggestion_of(db, document)
    ensemble = flat((s, e, label) for s, e, label, *_ in suggestion.spans) if suggestion else ()
    return disputed(found[0].spans, found[1].spans, ensemble)


def annotated(db: Session, project: Project, document: Document, account: int) -> None:
    """An annotator is done; the note is, too, if it was the last."""
    found = layers(db, document.id)
    if len(found) < document.annotators:
        return
    move(db, document, "annotate")
    document.claimable = False
    if len(found) == 1:
        _settle(db, document, found[0].spans, "one annotator", account)
    elif set(found[0].spans) == set(found[1].spans):
        move(db, document, "agree")
        _settle(db, document, found[0].spans, "agreed", account)
    else:
        # What was decided before was about other layers.
        db.execute(delete(Decision).where(Decision.document_id == document.id))
        move(db, document, "dispute")
    if document.batch is None:
        document.batch = _batch_now(db, project)


def adjudicated(db: Session, document: Document, account: int, spans: Sequence[Mark]) -> None:
    _confirm_decisions(db, document.id, spans)
    _settle(db, document, spans, ADJUDICATED, account)


def _confirm_decisions(db: Session, document: int, spans: Sequence[Mark]) -> None:
    """Every disputed place must be decided: an open one would silently be no PHI. A decision that
    the spans do not show was followed by an edit."""
    made = {(row.start, row.end): row for row in decisions(db, document)}
    undecided = 0
    for place in places(db, document):
        row = made.get((place.start, place.end))
        if row is None:
            undecided += 1
            continue
        chosen = place.of(row.choice)
        if chosen is not None and within(spans, place.start, place.end) != chosen:
            row.choice = EDITED
    if undecided:
        one = undecided == 1
        raise Refused(f"{undecided} disputed place{' is' if one else 's are'} not decided yet")


def decisions(db: Session, document: int) -> list[Decision]:
    return list(db.scalars(select(Decision).where(Decision.document_id == document)))


def decide(
    db: Session, document: int, account: int, start: int, end: int, choice: str, reason: str
) -> None:
    """Notes how a disputed place was settled; the last word counts."""
    row = db.scalars(
        select(Decision).where(
            Decision.document_id == document, Decision.start == start, Decision.end == end
        )
    ).first()
    if row is None:
        row = Decision(document_id=document, start=start, end=end)
        db.add(row)
    row.account_id, row.choice, row.reason, row.at = account, choice, reason[:1000], now()


def was_adjudicated(db: Session, document: int) -> bool:
    gold = gold_of(db, document)
    return gold is not None and gold.how == ADJUDICATED


def import_gold(
    db: Session, document: Document, spans: Sequence[Mark], account: int | None
) -> None:
    move(db, document, "import gold")
    document.claimable = False
    _write(db, document, spans, "imported", account)


def _settle(
    db: Session, document: Document, spans: Sequence[Mark], how: str, account: int | None
) -> None:
    move(db, document, "settle")
    _write(db, document, spans, how, account)


def _write(
    db: Session, document: Document, spans: Sequence[Mark], how: str, account: int | None
) -> None:
    last = db.scalar(select(func.max(Gold.version)).where(Gold.document_id == document.id)) or 0
    db.add(
        Gold(
            document_id=document.id,
            version=last + 1,
            spans=[list(mark) for mark in spans],
            how=how,
            account_id=account,
            created_at=now(),
        )
    )
    document.labels = labels_column(spans)
    db.flush()


def _batch_now(db: Session, project: Project) -> int:
    """The number of the batch under way: it is full after so many notes."""
    finished = db.scalar(
        select(func.count()).where(Document.project_id == project.id, Document.batch.is_not(None))
    )
    return int(finished or 0) // project.batch + 1
