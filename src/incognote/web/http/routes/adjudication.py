"""Disputes and decisions of adjudicators; agreement."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, Field
from sqlalchemy import select

from incognote.web.figures import agreement
from incognote.web.flow.states import DISPUTED
from incognote.web.http.access import Access, Signed, Stored, allowed, row_for
from incognote.web.http.routes.assignments import place_row
from incognote.web.store.assignments import ADJUDICATE, OPEN
from incognote.web.store.settling import decide, places
from incognote.web.store.tables import Assignment, Decision, Document

router = APIRouter(prefix="/api/v1")


@router.get("/documents/{document}/disputes")
def disputes(
    document: int, request: Request, person: Signed, store: Stored
) -> list[dict[str, Any]]:
    with store.read() as db:
        row_for(request, person, db, Document, document, "adjudicate")
        return [place_row(place) for place in places(db, document)]


class Decided(BaseModel):
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    choice: str = Field(pattern="^(a|b|ensemble|none|edited)$")
    reason: str = Field("", max_length=1000, repr=False)


@router.get("/documents/{document}/decisions")
def decisions(
    document: int, request: Request, person: Signed, store: Stored
) -> list[dict[str, Any]]:
    with store.read() as db:
        row_for(request, person, db, Document, document, "adjudicate")
        rows = db.scalars(select(Decision).where(Decision.document_id == document))
        return [
            {"start": row.start, "end": row.end, "choice": row.choice, "reason": row.reason}
            for row in rows
        ]


@router.post("/documents/{document}/decisions")
def add_decision(
    document: int, given: Decided, request: Request, person: Signed, store: Stored
) -> dict[str, Any]:
    with store.write(person.id) as db:
        row, _ = row_for(request, person, db, Document, document, "adjudicate")
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
        notes = agreement.annotated_twice(db, access.project.id)
    return {
        "pairs": [asdict(pair) for pair in agreement.by_pair(notes)],
        "notes": [asdict(note) for note in agreement.by_note(notes)],
        "batches": agreement.by_batch(notes),
    }
