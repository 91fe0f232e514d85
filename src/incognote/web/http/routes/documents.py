"""Lists of notes, assignment in bulk, the bin, remarks, and reading a note without editing it."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, select, true
from sqlalchemy.orm import Session

from incognote.core.errors import IncognoteError, UsageError
from incognote.web.flow.roles import ANNOTATOR, may_see_spans
from incognote.web.flow.states import GOLD, NOTE_STATES
from incognote.web.http.access import Access, Signed, Stored, allowed, row_for, row_in
from incognote.web.http.labels import labels_of
from incognote.web.http.routes.assignments import place_row
from incognote.web.store import assignments, documents, removal
from incognote.web.store.accounts import by_name, roles_of
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import now
from incognote.web.store.documents import Filter
from incognote.web.store.settling import annotators, places
from incognote.web.store.tables import Account, Assignment, Document, Project, Remark, Text

router = APIRouter(prefix="/api/v1")


@router.get("/projects/{project}/documents")
def list_documents(
    access: Annotated[Access, allowed("manage")],
    store: Stored,
    after: Annotated[int, Query(ge=0)] = 0,
    state: str = "",
    label: str = "",
    name: Annotated[str, Query(max_length=200)] = "",
    patient: str = "",
    person: str = "",
    purpose: str = "",
    batch: int | None = None,
    doubtful: bool = False,
    removed: bool = False,
) -> dict[str, Any]:
    if state and state not in NOTE_STATES:
        raise UsageError("no such state")
    with store.read() as db:
        account = by_name(db, person) if person else None
        who = (account.id if account else -1) if person else None
        chosen = Filter(state, label, name, patient, who, purpose, batch, doubtful, removed, after)
        rows = documents.listed(db, access.project.id, chosen)
        names = _people(db, [row.id for row in rows])
    return {
        "notes": [note_row(row, names.get(row.id, [])) for row in rows],
        "after": rows[-1].id if len(rows) == documents.PAGE else None,
    }


def note_row(row: Document, people: list[str]) -> dict[str, Any]:
    return {
        "id": row.id,
        "ident": row.ident,
        "patient": row.patient,
        "type": row.note_type,
        "state": row.state,
        "reason": row.reason,
        "words": row.words,
        "doubt": round(row.doubt, 4),
        "purpose": row.purpose,
        "batch": row.batch,
        "labels": [name for name in row.labels.split("|") if name],
        "people": people,
        "removed_at": row.removed_at,
    }


def _people(db: Session, ids: list[int]) -> dict[int, list[str]]:
    rows = db.execute(
        select(Assignment.document_id, Account.name, Assignment.part, Assignment.state)
        .join(Account, Account.id == Assignment.account_id)
        .where(Assignment.document_id.in_(ids), Assignment.state != "expired")
        .order_by(Assignment.id)
    )
    found: dict[int, list[str]] = {}
    for key, name, part, state in rows:
        found.setdefault(key, []).append(f"{name} ({part}, {state})")
    return found


class Chosen(BaseModel):
    ids: list[int] = Field(max_length=500)


class Assigned(Chosen):
    person: str = Field(max_length=80)


@router.post("/projects/{project}/documents/assign")
def assign(
    given: Assigned, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    """Gives notes to an annotator; those that cannot be given are counted with their reasons."""
    given_to, refused = 0, []
    with store.write(access.account) as db:
        account = by_name(db, given.person)
        if account is None or ANNOTATOR not in roles_of(db, account.id, access.project.id):
            raise UsageError("this person is no annotator of the project")
        project = db.get_one(Project, access.project.id)
        for key in given.ids:
            document = row_in(db, access, Document, key)
            try:
                assignments.assign(db, project, document, account.id)
                given_to += 1
            except IncognoteError as error:
                refused.append(str(error))
    return {"assigned": given_to, "refused": refused, "message": _refusals(given_to, refused)}


def _refusals(given_to: int, refused: list[str]) -> str:
    """What was not done, and why; nothing where all was."""
    if not refused:
        return ""
    reasons = "; ".join(f"{count}: {reason}" for reason, count in Counter(refused).most_common())
    return f"{given_to} given, {len(refused)} not ({reasons})."


@router.post("/projects/{project}/documents/unskip")
def unskip(
    given: Chosen, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    """Skipped notes back to those that wait for annotators."""
    with store.write(access.account) as db:
        for key in given.ids:
            assignments.put_back(db, row_in(db, access, Document, key))
    return {"notes": len(given.ids)}


@router.post("/projects/{project}/documents/remove")
def remove(
    given: Chosen, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    with store.write(access.account) as db:
        return {"notes": removal.remove(db, access.project.id, given.ids)}


@router.post("/projects/{project}/documents/put-back")
def put_back(
    given: Chosen, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    with store.write(access.account) as db:
        return {"notes": removal.put_back(db, access.project.id, given.ids)}


@router.get("/documents/{document}")
def read(document: int, person: Signed, store: Stored) -> dict[str, Any]:
    """A note with its gold or its suggestions, to read; who also annotates reads the text alone
    until the note is settled."""
    with store.write(person.id) as db:
        row, access = row_for(person, db, Document, document, "read notes")
        text = db.get_one(Text, document)
        open_ = may_see_spans(access.roles, settled=row.state == GOLD)
        gold = documents.gold_of(db, document) if open_ else None
        suggestion = documents.suggestion_of(db, document) if open_ else None
        audit(db, "note opened", f"note {document}", access.project.id)
        return {
            "id": row.id,
            "ident": row.ident,
            "state": row.state,
            "text": documents.decoded(text.body),
            "gold": gold.spans if gold else None,
            "suggestions": suggestion.spans if suggestion else [],
            "labels": labels_of(store, access.project),
            "dropped": suggestion.dropped if suggestion else [],
            "disputes": [place_row(one) for one in places(db, document)] if open_ else [],
        }


class NewRemark(BaseModel):
    body: str = Field(max_length=4000, repr=False)
    start: int | None = Field(None, ge=0)
    end: int | None = Field(None, ge=0)


@router.get("/documents/{document}/remarks")
def remarks(document: int, person: Signed, store: Stored) -> list[dict[str, Any]]:
    with store.read() as db:
        _, access = _involved(person, db, document)
        rows = db.execute(
            select(Remark, Account.name)
            .join(Account, Account.id == Remark.account_id)
            .where(Remark.document_id == document, _readable(db, access, document))
            .order_by(Remark.id)
        )
        return [
            {
                "id": remark.id,
                "by": name,
                "start": remark.start,
                "end": remark.end,
                "body": documents.decoded(remark.body),
                "answer": documents.decoded(remark.answer) if remark.answer else None,
                "created_at": remark.created_at,
                "closed_at": remark.closed_at,
            }
            for remark, name in rows
        ]


@router.post("/documents/{document}/remarks", status_code=201)
def add_remark(document: int, given: NewRemark, person: Signed, store: Stored) -> dict[str, Any]:
    if not given.body.strip():
        raise UsageError("a remark needs words")
    with store.write(person.id) as db:
        _, access = _involved(person, db, document)
        remark = Remark(
            document_id=document,
            account_id=person.id,
            start=given.start,
            end=given.end,
            body=given.body.encode("utf-8", "surrogatepass"),
            created_at=now(),
        )
        db.add(remark)
        db.flush()
        audit(db, "remark", f"note {document}", access.project.id)
        return {"id": remark.id}


class Answer(BaseModel):
    answer: str = Field("", max_length=4000, repr=False)


@router.put("/remarks/{remark}")
def close_remark(remark: int, given: Answer, person: Signed, store: Stored) -> dict[str, Any]:
    with store.write(person.id) as db:
        row = db.get(Remark, remark)
        if row is None:
            raise HTTPException(404, "no such remark")
        _, access = _involved(person, db, row.document_id)
        readable = select(Remark.id).where(
            Remark.id == remark, _readable(db, access, row.document_id)
        )
        if db.scalar(readable) is None:
            raise HTTPException(404, "no such remark")
        row.answer = given.answer.encode("utf-8", "surrogatepass") or None
        row.answered_by, row.closed_at = person.id, now()
        audit(db, "remark answered", f"note {row.document_id}", access.project.id)
    return {"id": remark}


def _readable(db: Session, access: Access, document: int) -> ColumnElement[bool]:
    """Two annotators of a note that is not settled do not read each other's remarks."""
    settled = db.get_one(Document, document).state == GOLD
    if may_see_spans(access.roles, settled=settled):
        return true()
    others = annotators(db, document) - {access.account}
    return Remark.account_id.not_in(others)


def _involved(person: Signed, db: Session, document: int) -> tuple[Document, Access]:
    """A note: for those who read notes, and for whom it was given to."""
    row, access = row_for(person, db, Document, document, "see project")
    own = db.scalar(
        select(Assignment.id).where(
            Assignment.document_id == document, Assignment.account_id == person.id
        )
    )
    if not own and not access.may("read notes"):
        raise HTTPException(403, "this note was not given to you")
    return row, access
