"""Exports: a job makes the file, a manager fetches it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field
from starlette.responses import Response

from incognote.core.errors import UsageError
from incognote.corpus.files import corpus_formats
from incognote.web.flow.states import APPROVED, EXPORTED
from incognote.web.http.access import Access, Stored, allowed, row_in
from incognote.web.store import jobs
from incognote.web.store.audit import audit
from incognote.web.store.tables import Job, Release

router = APIRouter(prefix="/api/v1")


class Wanted(BaseModel):
    what: str = Field(pattern="^(gold|layers|agreement|policy|model|project|release)$")
    form: str = Field("jsonl", max_length=40)
    release: int | None = None


@router.post("/projects/{project}/exports", status_code=202)
def export(
    given: Wanted, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    if given.form not in corpus_formats():
        raise UsageError("no such corpus format")
    with store.write(access.account) as db:
        if given.what == "release":
            release = row_in(db, access, Release, given.release or 0)
            if release.state not in (APPROVED, EXPORTED):
                raise HTTPException(409, "only an approved release can be exported")
        job = jobs.enqueue(
            db,
            "export",
            access.project.id,
            access.account,
            what=given.what,
            form=given.form,
            release=given.release,
        )
        return {"job": job.id}


@router.get("/projects/{project}/exports/{job}")
def fetch(job: int, access: Annotated[Access, allowed("manage")], store: Stored) -> Response:
    with store.write(access.account) as db:
        found = row_in(db, access, Job, job)
        if found.kind != "export":
            raise HTTPException(404, "no such export")
        name = str((found.result or {}).get("file", ""))
        path = store.site.export(job) / name
        if not name or not path.is_file():
            raise HTTPException(404, "no such export")
        audit(db, "export fetched", f"job {job}", access.project.id)
    return FileResponse(path, filename=name, media_type="application/octet-stream")
