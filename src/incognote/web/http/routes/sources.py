"""Uploads: a file is streamed to disk and read by the worker, never here."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool

from incognote.core.errors import UsageError
from incognote.web.http.access import Access, Stored, allowed, row_in
from incognote.web.store import jobs, removal
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import Store, now
from incognote.web.store.tables import Source

router = APIRouter(prefix="/api/v1")


@router.post("/projects/{project}/sources", status_code=202)
async def upload(
    request: Request,
    access: Annotated[Access, allowed("manage")],
    store: Stored,
    name: Annotated[str, Query(max_length=1000)],
    form: Annotated[str, Query(max_length=40)] = "",
    layer: Annotated[str, Query(max_length=80)] = "",
    labels: Annotated[str, Query(max_length=40)] = "",
    suggest: bool = True,
) -> dict[str, Any]:
    """The body is the file. With `form`, it is an annotated corpus in that format: its spans become
    gold, or the layer of the annotator named `layer`."""
    name = clean_name(name)
    folder = store.site.folder / "sources" / "incoming"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{os.getpid()}-{os.urandom(8).hex()}"
    try:
        digest, size = await _save(request, path)
        return await run_in_threadpool(
            _register,
            store,
            access,
            name,
            path,
            digest,
            size,
            {"form": form, "layer": layer, "labels": labels, "suggest": suggest},
        )
    finally:
        path.unlink(missing_ok=True)


def clean_name(name: str) -> str:
    """The path of a file below the folder that was uploaded. It only ever names things: files are
    stored under numbers of ours."""
    parts = [
        part
        for part in PurePosixPath(name.replace("\\", "/")).parts
        if part not in ("/", "..", ".")
    ]
    cleaned = "/".join(part.replace("\x00", "") for part in parts).strip("/")
    if not cleaned:
        raise UsageError("a file needs a name")
    return cleaned[:1000]


async def _save(request: Request, path: Path) -> tuple[str, int]:
    limit = request.app.state.largest_upload
    stated = request.headers.get("content-length", "0")
    if not stated.isdigit() or int(stated) > limit:
        raise HTTPException(413, f"a file may have at most {limit // 1024**2} MB")
    digest, size = hashlib.sha256(), 0
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        async for chunk in request.stream():
            size += len(chunk)
            if size > limit:
                raise HTTPException(413, f"a file may have at most {limit // 1024**2} MB")
            digest.update(chunk)
            await run_in_threadpool(out.write, chunk)
    return digest.hexdigest(), size


def _register(
    store: Store,
    access: Access,
    name: str,
    path: Path,
    digest: str,
    size: int,
    options: dict[str, Any],
) -> dict[str, Any]:
    with store.write(access.account) as db:
        again = db.scalar(
            select(Source.state).where(
                Source.project_id == access.project.id,
                Source.sha256 == digest,
                Source.name == name,
            )
        )
        if again == removal.REMOVED:
            raise HTTPException(409, "this file is in the bin: put its notes back")
        if again:
            raise HTTPException(409, "this file is in the project already")
        source = Source(
            project_id=access.project.id,
            account_id=access.account,
            name=name,
            sha256=digest,
            size=size,
            created_at=now(),
        )
        db.add(source)
        db.flush()
        path.replace(store.site.source(access.project.id, source.id))
        audit(db, "uploaded", f"source {source.id}", access.project.id, bytes=size)
        kind = "import corpus" if options["form"] else "import"
        arguments = options if options["form"] else {"suggest": options["suggest"]}
        job = jobs.enqueue(
            db, kind, access.project.id, access.account, source=source.id, **arguments
        )
        return {"id": source.id, "job": job.id}


@router.delete("/projects/{project}/sources/{source}")
def remove(
    source: int, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    """The file and its notes go into the bin."""
    with store.write(access.account) as db:
        return {"notes": removal.remove_source(db, row_in(db, access, Source, source))}


@router.get("/projects/{project}/sources")
def list_sources(
    access: Annotated[Access, allowed("manage")], store: Stored
) -> list[dict[str, Any]]:
    with store.read() as db:
        rows = db.scalars(
            select(Source)
            .where(Source.project_id == access.project.id)
            .order_by(Source.id.desc())
            .limit(200)
        )
        return [
            {
                "id": one.id,
                "name": one.name,
                "format": one.format,
                "size": one.size,
                "state": one.state,
                "created_at": one.created_at,
            }
            for one in rows
        ]
