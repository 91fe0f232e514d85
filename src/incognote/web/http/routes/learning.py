"""Models and proposals: train, take into use, go back, sign."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from incognote.web.flow.edits import marks
from incognote.web.http.access import Access, Signed, Stored, allowed, row_for, row_in
from incognote.web.store import jobs, learning
from incognote.web.store.documents import decoded
from incognote.web.store.tables import (
    Account,
    Annotation,
    Assignment,
    Document,
    Model,
    Project,
    Proposal,
    Text,
)

router = APIRouter(prefix="/api/v1")


@router.get("/projects/{project}/models")
def models(
    access: Annotated[Access, allowed("see learning")], store: Stored
) -> list[dict[str, Any]]:
    with store.read() as db:
        return model_rows(db, access.project.id)


def model_rows(db: Session, project: int) -> list[dict[str, Any]]:
    rows = db.scalars(select(Model).where(Model.project_id == project).order_by(Model.id.desc()))
    return [
        {
            "id": row.id,
            "kind": row.kind,
            "state": row.state,
            "notes": row.notes,
            "scores": row.scores,
            "card": row.card,
            "gold_hash": row.gold_hash,
            "created_at": row.created_at,
        }
        for row in rows
    ]


class Training(BaseModel):
    """`hard`: go on from the last transformer, on the notes that it still gets wrong."""

    model: str = Field("crf", pattern="^(crf|fast|transformer)$")
    hard: bool = False
    minutes: float | None = Field(None, ge=1, le=24 * 60)


@router.post("/projects/{project}/models", status_code=202)
def train(
    given: Training, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    project = access.project.id
    with store.write(access.account) as db:
        if missing := learning.lacking(db, project):
            raise HTTPException(409, missing)
        if given.model not in learning.trainable():
            raise HTTPException(409, "the extra that trains models of this kind is not installed")
        if given.hard and given.model != learning.TRANSFORMER:
            raise HTTPException(409, "only a transformer goes on from an earlier one")
        if given.hard and learning.last_transformer(db, project) is None:
            raise HTTPException(409, "there is no transformer yet to go on from")
        arguments = given.model_dump(exclude_none=True, exclude_defaults=True)
        job = jobs.enqueue_once(
            db, "train", project, access.account, **{"model": given.model, **arguments}
        )
        return {"job": job.id}


@router.post("/models/{model}/use")
def use(model: int, person: Signed, store: Stored) -> dict[str, Any]:
    with store.write(person.id) as db:
        found, access = row_for(person, db, Model, model, "manage")
        learning.use_model(db, found)
        jobs.enqueue_once(db, "suggest", access.project.id, person.id)
    return {"id": model}


@router.delete("/models/{model}/use")
def retire(model: int, person: Signed, store: Stored) -> dict[str, Any]:
    with store.write(person.id) as db:
        found, access = row_for(person, db, Model, model, "manage")
        learning.retire_model(db, found)
        jobs.enqueue_once(db, "suggest", access.project.id, person.id)
    return {"id": model}


class Proposed(BaseModel):
    """A correction as a rule. `document` is the note it was seen in; a template is made of the
    sentence at `start`, as whoever proposes it has marked it."""

    kind: str = Field(pattern="^(term|never|template)$")
    word: str = Field(max_length=200, repr=False)
    label: str = Field("", max_length=40)
    document: int
    start: int = Field(0, ge=0)


@router.post("/projects/{project}/proposals", status_code=201)
def propose(
    given: Proposed, access: Annotated[Access, allowed("see agreement")], store: Stored
) -> dict[str, Any]:
    """Annotators propose from notes that were given to them; what it would change is counted."""
    with store.write(access.account) as db:
        document = row_in(db, access, Document, given.document)
        own = db.scalar(
            select(Assignment.id).where(
                Assignment.document_id == document.id, Assignment.account_id == access.account
            )
        )
        if own is None and not access.may("read notes"):
            raise HTTPException(403, "this note was not given to you")
        content: dict[str, Any] = {"word": " ".join(given.word.split()), "label": given.label}
        if given.kind == "template":
            if own is None:
                raise HTTPException(403, "a form is proposed by somebody who marks the note")
            spans = marks(db.get_one(Annotation, own).spans)
            text = decoded(db.get_one(Text, document.id).body)
            content = learning.form_at(text, spans, given.start)
        found = learning.propose(db, access.project.id, access.account, given.kind, content)
        if found.effect is None:
            jobs.enqueue(db, "try policy", access.project.id, access.account, proposal=found.id)
        return {"id": found.id, "state": found.state}


@router.get("/projects/{project}/proposals")
def proposals(
    access: Annotated[Access, allowed("see learning")], store: Stored
) -> list[dict[str, Any]]:
    with store.read() as db:
        return proposal_rows(db, access.project.id)


def proposal_rows(db: Session, project: int) -> list[dict[str, Any]]:
    rows = db.execute(
        select(Proposal, Account.name)
        .outerjoin(Account, Account.id == Proposal.account_id)
        .where(Proposal.project_id == project)
        .order_by(Proposal.state != learning.OPEN, Proposal.id.desc())
        .limit(200)
    )
    return [
        {
            "id": row.id,
            "kind": row.kind,
            "by": name or "harvest",
            "content": learning.content_of(row),
            "effect": row.effect,
            "state": row.state,
            "created_at": row.created_at,
        }
        for row, name in rows
    ]


@router.post("/proposals/{proposal}/try", status_code=202)
def try_proposal(proposal: int, person: Signed, store: Stored) -> dict[str, Any]:
    with store.write(person.id) as db:
        found, access = row_for(person, db, Proposal, proposal, "manage")
        job = jobs.enqueue(db, "try policy", access.project.id, person.id, proposal=found.id)
        return {"job": job.id}


@router.post("/proposals/{proposal}/sign")
def sign(proposal: int, person: Signed, store: Stored) -> dict[str, Any]:
    """Only what was counted can be signed: whoever signs has seen what it changes."""
    with store.write(person.id) as db:
        found, access = row_for(person, db, Proposal, proposal, "manage")
        if found.effect is None:
            raise HTTPException(409, "first count what it would change")
        project = db.get_one(Project, access.project.id)
        learning.sign(db, store.site, project, found, person.id)
        jobs.enqueue_once(db, "suggest", project.id, person.id)
    return {"id": proposal}


@router.post("/proposals/{proposal}/refuse")
def refuse(proposal: int, person: Signed, store: Stored) -> dict[str, Any]:
    with store.write(person.id) as db:
        found, _ = row_for(person, db, Proposal, proposal, "manage")
        learning.refuse(db, found, person.id)
    return {"id": proposal}
