"""Disputes and decisions of adjudicators; agreement."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from incognote.core.errors import UsageError
from incognote.web.figures import agreement
from incognote.web.flow.roles import may_adjudicate, may_see_spans
from incognote.web.flow.states import DISPUTED, GOLD
from incognote.web.http.access import Access, Signed, Stored, allowed, row_for
from incognote.web.http.routes.assignments import place_row
from incognote.web.store.assignments import ADJUDICATE, OPEN
from incognote.web.store.settling import annotators, decide, places
from incognote.web.store.settling import decisions as settled_so_far
from incognote.web.store.tables import Assignment, Document

router = APIRouter(prefix="/api/v1")


@router.get("/documents/{document}/disputes")
def disputes(document: int, person: Signed, store: Stored) -> list[dict[str, Any]]:
    with store.read() as db:
        _judged_by(person, db, document)
        return [place_row(place) for place in places(db, document)]


def _judged_by(person: Signed, db: Session, document: int) -> Document:
    """A note for its adjudicators: before it is settled, none of its annotators is one."""
    row, _ = row_for(person, db, Document, document, "adjudicate")
    if row.state != GOLD and not may_adjudicate(person.id, annotators(db, document)):
        raise HTTPException(403, "nobody adjudicates a note that they annotated")
    return row


class Decided(BaseModel):
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    choice: str = Field(pattern="^(a|b|ensemble|none|edited)$")
    reason: str = Field("", max_length=1000, repr=False)


@router.get("/documents/{document}/decisions")
def decisions(document: int, person: Signed, store: Stored) -> list[dict[str, Any]]:
    with store.read() as db:
        _judged_by(person, db, document)
        return [
            {"start": row.start, "end": row.end, "choice": row.choice, "reason": row.reason}
            for row in settled_so_far(db, document)
        ]


@router.post("/documents/{document}/decisions")
def add_decision(document: int, given: Decided, person: Signed, store: Stored) -> dict[str, Any]:
    with store.write(person.id) as db:
        row = _judged_by(person, db, document)
        own = db.scalar(
            select(Assignment.id).where(
                Assignment.document_id == document,
                Assignment.account_id == person.id,
                Assignment.part == ADJUDICATE,
                Assignment.state == OPEN,
            )
        )
        if own is None or row.state != DISPUTED:
            raise HTTPException(409, "this note is not yours to adjudicate")
        if (given.start, given.end) not in {(p.start, p.end) for p in places(db, document)}:
            raise UsageError("nothing is disputed there")
        decide(db, document, person.id, given.start, given.end, given.choice, given.reason)
    return {"id": document}


@router.get("/projects/{project}/agreement")
def show_agreement(
    access: Annotated[Access, allowed("see agreement")], store: Stored
) -> dict[str, Any]:
    """Annotators see their own differences from the gold; others see the numbers of all pairs."""
    with store.read() as db:
        if not access.may("read notes"):
            return {"own": agreement.own_differences(db, access.project.id, access.account)}
        notes = agreement.annotated_twice(db, access.project.id, hidden_from(access))
    return {
        "pairs": [asdict(pair) for pair in agreement.by_pair(notes)],
        "notes": [asdict(note) for note in agreement.by_note(notes)],
        "batches": agreement.by_batch(notes),
    }


def hidden_from(access: Access) -> int | None:
    """Whose own notes do not count among the disputed ones that a page names."""
    return None if may_see_spans(access.roles, settled=False) else access.account
