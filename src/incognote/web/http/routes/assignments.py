"""One's own notes: the next one, its text and spans, edits, done, skip, reopen."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session
from starlette.responses import Response

from incognote.resolve.reasons import in_words
from incognote.web.flow.edits import Edit, Stale, marks
from incognote.web.http.access import Access, Signed, Stored, access_to, allowed, row_in
from incognote.web.http.labels import labels_of, weights_of
from incognote.web.store import assignments, jobs, learning
from incognote.web.store.assignments import ADJUDICATE, ANNOTATE, Effort
from incognote.web.store.audit import audit
from incognote.web.store.documents import decoded, suggestion_of
from incognote.web.store.settling import decisions, layers, places
from incognote.web.store.tables import Annotation, Assignment, Document, Project, Text

router = APIRouter(prefix="/api/v1")
# A longer text is cut into parts that are read, not edited: two megabytes are not annotated.
LONGEST_EDITED = 2_000_000


@router.post("/projects/{project}/next")
def next_note(
    access: Annotated[Access, allowed("see project")],
    store: Stored,
    part: Annotated[str, Query(pattern="^(annotate|adjudicate)$")] = ANNOTATE,
) -> dict[str, Any]:
    """Claims the next note; `id` is None where nothing is left."""
    if not access.may(part):
        raise HTTPException(403, "your roles in this project do not allow this")
    with store.write(access.account) as db:
        project = db.get_one(Project, access.project.id)
        found = assignments.next_for(db, project, access.account, part)
        return {"id": found.id if found else None}


def own_assignment(person: Signed, db: Session, key: int) -> tuple[Assignment, Access]:
    """An assignment of this person, whose role still allows its work."""
    found = db.get(Assignment, key)
    if found is None or found.account_id != person.id:
        raise HTTPException(404, "no such assignment")
    return found, access_to(db, person, found.project_id, found.part)


@router.get("/assignments/{assignment}")
def show(assignment: int, person: Signed, store: Stored) -> dict[str, Any]:
    with store.write(person.id) as db:
        found, access = own_assignment(person, db, assignment)
        document = db.get_one(Document, found.document_id)
        text = db.get_one(Text, found.document_id)
        layer = db.get_one(Annotation, found.id)
        audit(db, "note opened", f"note {document.id}", document.project_id)
        answer: dict[str, Any] = {
            "id": found.id,
            "document": document.id,
            "ident": document.ident,
            "type": document.note_type,
            "part": found.part,
            "state": found.state,
            "note_state": document.state,
            "text": decoded(text.body),
            "hash": text.sha256,
            "revision": layer.revision,
            "spans": layer.spans,
            "assisted": found.assisted,
            "editable": found.state == assignments.OPEN and document.length <= LONGEST_EDITED,
        }
        if found.assisted:
            suggestion = suggestion_of(db, document.id, found.run_id)
            answer["suggestions"] = suggestion.spans if suggestion else []
            answer["dropped"] = _with_reasons(suggestion.dropped) if suggestion else []
            claims = [*suggestion.spans, *suggestion.dropped] if suggestion else []
            answer["weights"] = weights_of(store, access.project, claims)
        if found.part == ADJUDICATE:
            made = {(row.start, row.end): row for row in decisions(db, document.id)}
            answer["disputes"] = [
                place_row(place)
                | {
                    "choice": row.choice if (row := made.get((place.start, place.end))) else None,
                    "reason": row.reason if row else "",
                }
                for place in places(db, document.id)
            ]
            a, b = (*layers(db, document.id), None, None)[:2]
            answer["layers"] = {"a": a.spans if a else [], "b": b.spans if b else []}
        answer["labels"] = labels_of(store, access.project)
    return answer


def place_row(place: Any) -> dict[str, Any]:
    return {
        "start": place.start,
        "end": place.end,
        "a": place.a,
        "b": place.b,
        "ensemble": place.ensemble,
    }


def _with_reasons(dropped: list[list[Any]]) -> list[list[Any]]:
    return [[*row[:5], in_words(row[5])] for row in dropped]


class SentEdit(BaseModel):
    number: int = Field(ge=1)
    operation: str = Field("edit", max_length=20)
    before: list[list[Any]] = Field(default_factory=list, max_length=20_000)
    after: list[list[Any]] = Field(default_factory=list, max_length=20_000)
    active_ms: int = Field(0, ge=0)
    keystrokes: int = Field(0, ge=0)


class SentEdits(BaseModel):
    edits: list[SentEdit] = Field(max_length=500)
    hash: str = Field("", max_length=64)


@router.post("/assignments/{assignment}/edits")
def edit(assignment: int, given: SentEdits, person: Signed, store: Stored) -> Response:
    sent = [
        (
            Edit(one.number, one.operation, marks(one.before), marks(one.after)),
            Effort(one.active_ms, one.keystrokes),
        )
        for one in given.edits
    ]
    try:
        with store.write(person.id) as db:
            found, access = own_assignment(person, db, assignment)
            allowed_labels = {row["name"] for row in labels_of(store, access.project)}
            revision = assignments.apply_edits(db, found, sent, allowed_labels)
    except Stale as error:
        with store.read() as db:
            layer = db.get_one(Annotation, assignment)
            there = {"revision": layer.revision, "spans": layer.spans}
        return JSONResponse({"error": str(error), **there}, 409)
    return JSONResponse({"revision": revision})


class Finished(BaseModel):
    revision: int = Field(ge=0)
    active_ms: int = Field(0, ge=0)
    keystrokes: int = Field(0, ge=0)


@router.post("/assignments/{assignment}/done")
def done(assignment: int, given: Finished, person: Signed, store: Stored) -> dict[str, Any]:
    with store.write(person.id) as db:
        found, access = own_assignment(person, db, assignment)
        project = db.get_one(Project, access.project.id)
        effort = Effort(given.active_ms, given.keystrokes)
        assignments.finish(db, project, found, given.revision, effort)
        if assignments.batch_is_full(db, project, found):
            for wanted in learning.after_batch(db, project.id):
                jobs.enqueue_once(db, "train", project.id, None, **wanted)
    return {"id": assignment}


class Reason(BaseModel):
    reason: str = Field(max_length=200)


@router.post("/assignments/{assignment}/skip")
def skip(assignment: int, given: Reason, person: Signed, store: Stored) -> dict[str, Any]:
    with store.write(person.id) as db:
        found, _ = own_assignment(person, db, assignment)
        assignments.skip(db, found, given.reason)
    return {"id": assignment}


@router.post("/assignments/{assignment}/reopen")
def reopen(assignment: int, person: Signed, store: Stored) -> dict[str, Any]:
    with store.write(person.id) as db:
        found, _ = own_assignment(person, db, assignment)
        assignments.reopen(db, found)
    return {"id": assignment}


@router.post("/projects/{project}/assignments/{assignment}/take-back")
def take_back(
    assignment: int, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    with store.write(access.account) as db:
        assignments.take_back(db, row_in(db, access, Assignment, assignment))
    return {"id": assignment}
