"""Releases: draft, review note by note, approve."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field
from sqlalchemy import select

from incognote.evaluate.confidence import sample_size
from incognote.web.flow.edits import marks
from incognote.web.http.access import Access, Signed, Stored, allowed, row_for
from incognote.web.http.labels import labels_of
from incognote.web.store import releases
from incognote.web.store.audit import audit
from incognote.web.store.documents import decoded
from incognote.web.store.tables import Account, Finding, Project, Release, ReleaseDocument, Text

router = APIRouter(prefix="/api/v1")


@router.get("/projects/{project}/releases")
def list_releases(
    access: Annotated[Access, allowed("see releases")], store: Stored
) -> list[dict[str, Any]]:
    with store.read() as db:
        rows = db.scalars(
            select(Release)
            .where(Release.project_id == access.project.id)
            .order_by(Release.id.desc())
        )
        people = db.execute(select(Account.id, Account.name))
        names: dict[int | None, str] = {key: name for key, name in people}  # noqa: C416
        return [
            {
                **releases.row_of(row),
                **releases.progress(db, row.id),
                "drafter": names.get(row.drafted_by, ""),
                "approver": names.get(row.approved_by, ""),
                "findings": [
                    {"document": one.document_id, "start": one.start, "end": one.end}
                    for one in releases.findings_of(db, row.id)
                ],
            }
            for row in rows
        ]


class NewRelease(BaseModel):
    name: str = Field(max_length=200)
    wanted: float = Field(0.01, gt=0, lt=1)


@router.post("/projects/{project}/releases", status_code=202)
def draft(
    given: NewRelease, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    with store.write(access.account) as db:
        project = db.get_one(Project, access.project.id)
        found = releases.draft(db, store.site, project, access.account, given.name, given.wanted)
        return {"id": found.id, "sample_size": sample_size(given.wanted)}


@router.get("/releases/{release}")
def show(release: int, person: Signed, store: Stored) -> dict[str, Any]:
    with store.read() as db:
        found, _ = row_for(person, db, Release, release, "see releases")
        return {
            **releases.row_of(found),
            **releases.progress(db, release),
            "next": releases.next_to_review(db, release),
        }


@router.get("/releases/{release}/documents/{document}")
def show_document(release: int, document: int, person: Signed, store: Stored) -> dict[str, Any]:
    """The original and the output, with what was replaced."""
    with store.write(person.id) as db:
        found, access = row_for(person, db, Release, release, "see releases")
        row = db.get(ReleaseDocument, (release, document))
        if row is None or row.failure:
            raise HTTPException(404, "no such note in the release")
        text = db.get_one(Text, document)
        findings = db.scalars(
            select(Finding).where(Finding.release_id == release, Finding.document_id == document)
        )
        audit(db, "note opened", f"note {document}", found.project_id)
        return {
            "release": release,
            "document": document,
            "state": found.state,
            "text": decoded(text.body),
            "output": decoded(row.output),
            "replacements": row.replacements,
            "verdict": row.verdict,
            "findings": [[one.start, one.end, one.label] for one in findings],
            "labels": labels_of(store, access.project),
            "next": releases.next_to_review(db, release, document),
        }


class Verdict(BaseModel):
    """Leaks, as spans of the original; none: the note is clean."""

    findings: list[list[Any]] = Field(default_factory=list, max_length=1000)


@router.post("/releases/{release}/documents/{document}")
def judge(
    release: int,
    document: int,
    given: Verdict,
    person: Signed,
    store: Stored,
) -> dict[str, Any]:
    with store.write(person.id) as db:
        found, _ = row_for(person, db, Release, release, "review")
        releases.judge(db, found, document, person.id, list(marks(given.findings)))
        return {"state": found.state, "next": releases.next_to_review(db, release, document)}


@router.post("/releases/{release}/approve")
def approve(release: int, person: Signed, store: Stored) -> dict[str, Any]:
    with store.write(person.id) as db:
        found, _ = row_for(person, db, Release, release, "review")
        releases.approve(db, found, person.id)
        return releases.row_of(found)
