"""Notes: adding them, listing them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from incognote.core.types import Document as Note
from incognote.core.types import Span
from incognote.web.flow import draw as drawing
from incognote.web.flow.people import Link
from incognote.web.flow.states import NEW, note_after
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import now
from incognote.web.store.tables import (
    Account,
    Assignment,
    Document,
    Gold,
    PersonLink,
    Project,
    Remark,
    Suggestion,
    Text,
)

PAGE = 50
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which notes a list shows; `after` is the id of the last one of the page before."""

    state: str = ""
    label: str = ""
    name: str = ""
    patient: str = ""
    person: int | None = None
    purpose: str = ""
    batch: int | None = None
    doubtful: bool = False
    removed: bool = False
    after: int = 0


@dataclass(frozen=True, slots=True)
class Incoming:
    """A note as a file gives it, with its place in the file."""

    ordinal: int
    note: Note = field(repr=False)


def add_documents(
    db: Session, project: Project, source: int | None, incoming: Sequence[Incoming]
) -> list[int]:
    """New notes; at most 500 at once, so that a transaction stays short."""
    at = now()
    rows = [
        {
            "project_id": project.id,
            "source_id": source,
            "ordinal": one.ordinal,
            "ident": one.note.id,
            "locator": one.note.locator,
            "patient": one.note.patient_id or "",
            "note_type": str(one.note.meta.get("note_type", ""))[:200],
            "length": len(one.note.text),
            "words": len(_WORD.findall(one.note.text)),
            "state": NEW,
            "annotators": project.annotators,
            "draw": drawing.draw(project.draw_key, f"note:{one.note.id}:{one.ordinal}:{source}"),
            "created_at": at,
        }
        for one in incoming
    ]
    if not rows:
        return []
    ids = list(
        db.scalars(insert(Document).returning(Document.id, sort_by_parameter_order=True), rows)
    )
    db.execute(
        insert(Text),
        [
            {
                "document_id": key,
                "body": (body := one.note.text.encode("utf-8", "surrogatepass")),
                "sha256": hashlib.sha256(body).hexdigest(),
                "context": _context(one.note),
            }
            for key, one in zip(ids, incoming, strict=True)
        ],
    )
    return ids


def _context(note: Note) -> dict[str, Any]:
    return {
        "meta": dict(note.meta),
        "known": [list(pair) for pair in note.known],
        "given": [[span.start, span.end, span.label] for span in note.given],
        "lead": note.lead,
    }


def note_of(document: Document, text: Text) -> Note:
    """The note as the pipeline reads it."""
    context: Mapping[str, Any] = text.context or {}
    meta = dict(context.get("meta", {}))
    if document.patient:
        meta["patient_id"] = document.patient
    return Note(
        document.ident,
        decoded(text.body),
        meta,
        document.locator,
        tuple(Span(*row) for row in context.get("given", ())),
        True,
        tuple((label, value) for label, value in context.get("known", ())),
        int(context.get("lead", 0)),
    )


def decoded(body: bytes) -> str:
    return body.decode("utf-8", "surrogatepass")


def texts_of(db: Session, ids: Iterable[int]) -> dict[int, tuple[Document, Text]]:
    rows = db.execute(
        select(Document, Text)
        .join(Text, Text.document_id == Document.id)
        .where(Document.id.in_(list(ids)))
    )
    return {document.id: (document, text) for document, text in rows}


def links_of(db: Session, ids: Sequence[int], by: int | None = None) -> dict[int, list[Link]]:
    """What people, or one account, said of who is meant, by note, the oldest first."""
    found: dict[int, list[Link]] = {}
    for at in range(0, len(ids), 500):
        query = select(PersonLink).where(PersonLink.document_id.in_(ids[at : at + 500]))
        if by is not None:
            query = query.where(PersonLink.account_id == by)
        for row in db.scalars(query.order_by(PersonLink.id)):
            found.setdefault(row.document_id, []).append(Link(row.one, row.other, row.same))
    return found


def assign_purposes(db: Session, project: Project, ids: Sequence[int]) -> int:
    """Draws patients of new notes into the measuring set; returns how many notes measure now.

    A note without a patient is drawn by itself. Notes of a patient who measures already follow.
    """
    new = set(ids)
    rows = db.execute(
        select(Document.id, Document.patient, Document.purpose).where(
            Document.project_id == project.id
        )
    ).all()
    already = {patient for _, patient, purpose in rows if patient and purpose == drawing.MEASURE}
    seen = {patient for key, patient, _ in rows if patient and key not in new}
    groups: dict[str, list[int]] = {}
    chosen: list[int] = []
    for key, patient, _ in rows:
        if key not in new:
            continue
        if patient in already:
            chosen.append(key)
        elif not patient or patient not in seen:
            groups.setdefault(patient or f"note {key}", []).append(key)
    measured = sum(purpose == drawing.MEASURE for _, _, purpose in rows) + len(chosen)
    sizes = {name: len(members) for name, members in groups.items()}
    for name in drawing.measuring(sizes, project.draw_key, measured, len(rows)):
        chosen += groups[name]
    for at in range(0, len(chosen), 500):
        db.execute(
            update(Document)
            .where(Document.id.in_(chosen[at : at + 500]))
            .values(purpose=drawing.MEASURE)
        )
    return len(chosen)


def listed(db: Session, project: int, chosen: Filter, page: int = PAGE) -> list[Document]:
    """A page of notes, by key: a page deep in a long list costs as much as the first."""
    query = select(Document).where(Document.project_id == project, Document.id > chosen.after)
    removed = Document.removed_at
    query = query.where(removed.is_not(None) if chosen.removed else removed.is_(None))
    if chosen.state:
        query = query.where(Document.state == chosen.state)
    if chosen.label:
        query = query.where(Document.labels.contains(f"|{chosen.label}|", autoescape=True))
    if chosen.name:
        query = query.where(Document.ident.contains(chosen.name, autoescape=True))
    if chosen.patient:
        query = query.where(Document.patient == chosen.patient)
    if chosen.purpose:
        query = query.where(Document.purpose == chosen.purpose)
    if chosen.batch is not None:
        query = query.where(Document.batch == chosen.batch)
    if chosen.doubtful:
        query = query.where(Document.doubt > 0)
    if chosen.person is not None:
        own = select(Assignment.document_id).where(Assignment.account_id == chosen.person)
        query = query.where(Document.id.in_(own))
    return list(db.scalars(query.order_by(Document.id).limit(page)))


def suggestion_of(db: Session, document: int, run: int | None = None) -> Suggestion | None:
    """What the ensemble says of a note: in one run, or in the last."""
    query = select(Suggestion).where(Suggestion.document_id == document)
    if run is not None:
        query = query.where(Suggestion.run_id == run)
    return db.scalars(query.order_by(Suggestion.id.desc()).limit(1)).first()


def people_of(db: Session, document: int) -> list[tuple[Assignment, str]]:
    """Who was given a note, in order."""
    rows = db.execute(
        select(Assignment, Account.name)
        .join(Account, Account.id == Assignment.account_id)
        .where(Assignment.document_id == document)
        .order_by(Assignment.id)
    )
    return [(one, name) for one, name in rows]


def open_remarks(db: Session, project: int) -> list[tuple[Remark, str, str]]:
    """Questions without an answer, with their notes and who asks; the oldest first."""
    rows = db.execute(
        select(Remark, Document.ident, Account.name)
        .join(Document, Document.id == Remark.document_id)
        .join(Account, Account.id == Remark.account_id)
        .where(
            Document.project_id == project,
            Document.removed_at.is_(None),
            Remark.closed_at.is_(None),
        )
        .order_by(Remark.id)
        .limit(PAGE)
    )
    return [(remark, ident, name) for remark, ident, name in rows]


def gold_of(db: Session, document: int) -> Gold | None:
    query = select(Gold).where(Gold.document_id == document)
    return db.scalars(query.order_by(Gold.version.desc()).limit(1)).first()


def move(db: Session, document: Document, event: str, reason: str = "") -> None:
    """The one place where a note changes its state."""
    document.state = note_after(document.state, event)
    document.reason = reason
    audit(db, event, f"note {document.id}", document.project_id)


def labels_column(spans: Iterable[Sequence[Any]]) -> str:
    """Labels as the column holds them, so that one can be looked for."""
    names = sorted({str(span[2]) for span in spans})
    return f"|{'|'.join(names)}|" if names else ""


def total(db: Session, project: int) -> int:
    query = select(func.count()).where(
        Document.project_id == project, Document.removed_at.is_(None)
    )
    return int(db.scalar(query) or 0)
