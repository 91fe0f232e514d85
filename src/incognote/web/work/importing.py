"""Reads an uploaded file and makes notes of it; resumes at the note where an earlier try ended."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from incognote.core.errors import UsageError
from incognote.core.types import Failure
from incognote.engine.events import documents_of
from incognote.engine.settings import Settings
from incognote.engine.sources import Source as File
from incognote.engine.sources import list_inputs
from incognote.formats import HEAD, format_of
from incognote.policy import Policy
from incognote.web.store import jobs
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import Store, now
from incognote.web.store.documents import Incoming, add_documents, assign_purposes
from incognote.web.store.policies import parsed_policy
from incognote.web.store.tables import Document, Project, Source
from incognote.web.work.task import CHUNK, Task


def run(task: Task) -> dict[str, Any]:
    """`arguments`: source; suggest (default yes)."""
    key = int(task.arguments["source"])
    with task.store.read() as db:
        project = db.get_one(Project, task.project)
        source = db.get_one(Source, key)
        there = int(db.scalar(select(func.count()).where(Document.source_id == key)) or 0)
    site = task.store.site
    path = site.source(project.id, source.id)
    policy = parsed_policy(project.policy, site.policies(project.id))
    task.stage = "read"
    failures: list[Failure] = []
    batch: list[Incoming] = []
    count = 0
    for one in incoming(File(source.name, str(path)), policy, failures):
        count += 1
        if count <= there:
            continue  # an earlier try of this job wrote it
        batch.append(one)
        if len(batch) == CHUNK:
            _write(task, project, key, batch)
            batch = []
            task.step(count)
    _write(task, project, key, batch)
    task.step(count, count)
    task.stage = "draw"
    with task.store.write(task.account) as db:
        ids = list(db.scalars(select(Document.id).where(Document.source_id == key)))
        assign_purposes(db, db.get_one(Project, task.project), ids)
        row = db.get_one(Source, key)
        row.format = _format(path, source.name)
        row.state = "read" if count else "unreadable"
        audit(
            db,
            "imported",
            f"source {key}",
            task.project,
            notes=count,
            failures=len(failures),
        )
        if task.arguments.get("suggest", True):
            jobs.enqueue_once(db, "suggest", task.project, task.account)
        else:
            jobs.enqueue_once(db, "order", task.project, task.account)
    if not count and failures:
        raise UsageError("nothing in the file could be read")
    return {
        "notes": count,
        "failures": [{"stage": one.stage, "error": one.error} for one in failures[:100]],
        "failed": len(failures),
    }


def incoming(file: File, policy: Policy, failures: list[Failure]) -> Iterator[Incoming]:
    """The free texts of a file, each with its number among all documents of the file."""
    ordinal = 0
    for note in documents_of([file], Settings(policy)):
        if isinstance(note, Failure):
            failures.append(note)
            continue
        ordinal += 1
        if note.free_text and note.text.strip():
            yield Incoming(ordinal, note)


def add_files(
    store: Store, db: Session, project: int, paths: Iterable[Path], *, suggest: bool = True
) -> int:
    """Copies files and folders into the data folder and queues their import; how many."""
    count = 0
    for root in paths:
        for file in list_inputs(str(root)).sources:
            if file.path is None or not file.path.is_file():
                continue
            source = Source(
                project_id=project,
                name=file.name,
                sha256=_sha256(file.path),
                size=file.size,
                created_at=now(),
            )
            db.add(source)
            db.flush()
            shutil.copyfile(file.path, store.site.source(project, source.id))
            jobs.enqueue(db, "import", project, None, source=source.id, suggest=suggest)
            count += 1
    return count


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _write(task: Task, project: Project, source: int, batch: list[Incoming]) -> None:
    if batch:
        with task.store.write(task.account) as db:
            add_documents(db, project, source, batch)


def _format(path: Path, name: str) -> str:
    try:
        with path.open("rb") as stream:
            return format_of(name, stream.read(HEAD)).name
    except Exception:  # noqa: BLE001 - a file that cannot be read has failures already
        return ""
