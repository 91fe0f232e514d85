"""The people of a note: who its names mean, and corrections of that."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from incognote.core.people import Person
from incognote.core.types import Span
from incognote.link import link
from incognote.web.flow.edits import marks
from incognote.web.flow.people import corrected
from incognote.web.flow.states import GOLD
from incognote.web.http.access import Signed, Stored
from incognote.web.http.routes.assignments import own_assignment
from incognote.web.store.assignments import ANNOTATE
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import now
from incognote.web.store.documents import links_of, note_of
from incognote.web.store.tables import Annotation, Assignment, Document, PersonLink, Text

router = APIRouter(prefix="/api/v1")


@router.get("/assignments/{assignment}/people")
def show(assignment: int, person: Signed, store: Stored) -> list[dict[str, Any]]:
    """As the annotator has marked the note now."""
    with store.read() as db:
        found, _ = own_assignment(person, db, assignment)
        return _people(db, found)


class Said(BaseModel):
    """Two mentions by their starts: one person (`same`) or two."""

    one: int = Field(ge=0)
    other: int = Field(ge=0)
    same: bool


@router.post("/assignments/{assignment}/people")
def correct(assignment: int, given: Said, person: Signed, store: Stored) -> list[dict[str, Any]]:
    with store.write(person.id) as db:
        found, access = own_assignment(person, db, assignment)
        db.add(
            PersonLink(
                document_id=found.document_id,
                account_id=person.id,
                one=given.one,
                other=given.other,
                same=given.same,
                at=now(),
            )
        )
        db.flush()
        audit(db, "people corrected", f"note {found.document_id}", access.project.id)
        return _people(db, found)


def _people(db: Session, assignment: Assignment) -> list[dict[str, Any]]:
    document = db.get_one(Document, assignment.document_id)
    note = note_of(document, db.get_one(Text, document.id))
    layer = db.get_one(Annotation, assignment.id)
    spans = tuple(Span(*mark, sources=("annotator",)) for mark in marks(layer.spans))
    there = {span.start for span in spans}
    # Of two annotators none sees the other's corrections before the note is settled.
    apart = assignment.part == ANNOTATE and document.state != GOLD
    by = assignment.account_id if apart else None
    links = links_of(db, [document.id], by).get(document.id, [])
    found = corrected(link(note, spans).people, links)
    return [_row(one, there) for one in found if any(m.start in there for m in one.mentions)]


def _row(person: Person, there: set[int]) -> dict[str, Any]:
    """Offsets and reasons, no names: the page has the text."""
    return {
        "role": person.role,
        "kinship": person.kinship,
        "sex": person.sex.value,
        "mentions": [[m.start, m.end, m.reason] for m in person.mentions if m.start in there],
        "belongings": [[b.kind, b.start, b.end] for b in person.belongings],
    }
