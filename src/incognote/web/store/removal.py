"""The bin: notes and files that were removed, and projects that were closed, for 30 days; then they
are gone for good."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from incognote.core.errors import UsageError
from incognote.web.flow.states import Refused
from incognote.web.store import jobs
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import Store, now
from incognote.web.store.tables import Document, Job, Project, Source

KEPT_MS = 30 * 24 * 60 * 60 * 1000
REMOVED = "removed"  # the state of a file in the bin
_MOST = 500  # rows in a transaction


def remove(db: Session, project: int, ids: Sequence[int]) -> int:
    return _set_removed(db, project, ids, now(), "notes removed")


def put_back(db: Session, project: int, ids: Sequence[int]) -> int:
    """Their files come back with them."""
    files = select(Document.source_id).where(Document.id.in_(ids))
    db.execute(
        update(Source)
        .where(Source.project_id == project, Source.state == REMOVED, Source.id.in_(files))
        .values(state="read")
    )
    return _set_removed(db, project, ids, None, "notes put back")


def _set_removed(db: Session, project: int, ids: Sequence[int], at: int | None, action: str) -> int:
    if len(ids) > _MOST:
        raise UsageError(f"at most {_MOST} notes at once")
    result = db.execute(
        update(Document)
        .where(Document.project_id == project, Document.id.in_(ids))
        .values(removed_at=at)
    )
    count = int(result.rowcount)  # type: ignore[attr-defined]
    audit(db, action, f"project {project}", project, notes=count)
    return count


def remove_source(db: Session, source: Source) -> int:
    """A file with all its notes into the bin; how many notes."""
    busy = db.scalars(
        select(Job).where(
            Job.project_id == source.project_id, Job.state.in_((jobs.QUEUED, jobs.RUNNING))
        )
    )
    if any((job.arguments or {}).get("source") == source.id for job in busy):
        raise Refused("this file is being read: cancel its job first")
    source.state = REMOVED
    result = db.execute(
        update(Document)
        .where(Document.source_id == source.id, Document.removed_at.is_(None))
        .values(removed_at=now())
    )
    count = int(result.rowcount)  # type: ignore[attr-defined]
    audit(db, "file removed", f"source {source.id}", source.project_id, notes=count)
    return count


def close_project(db: Session, project: Project) -> None:
    """Nobody reaches it any more; its jobs end."""
    project.closed_at = now()
    open_ = select(Job).where(
        Job.project_id == project.id, Job.state.in_((jobs.QUEUED, jobs.RUNNING))
    )
    for job in db.scalars(open_):
        jobs.cancel(db, job)
    audit(db, "project closed", f"project {project.id}", project.id)


def open_project(db: Session, project: Project) -> None:
    project.closed_at = None
    audit(db, "project opened again", f"project {project.id}", project.id)


def empty(store: Store) -> int:
    """Erases what has been in the bin for 30 days, and exports that are as old; how many notes.

    The bytes of a file go with its last note: as long as one of them is left, a release patches
    them.
    """
    total = 0
    while count := _erase_notes(store):
        total += count
    _erase_files(store)
    _erase_exports(store)
    _erase_projects(store)
    return total


def _erase_notes(store: Store) -> int:
    with store.write() as db:
        old = list(
            db.scalars(
                select(Document.id).where(Document.removed_at < now() - KEPT_MS).limit(_MOST)
            )
        )
        if old:
            db.execute(delete(Document).where(Document.id.in_(old)))
            audit(db, "bin emptied", "", None, notes=len(old))
    return len(old)


def _erase_files(store: Store) -> None:
    with store.write() as db:
        kept = select(Document.id).where(Document.source_id == Source.id)
        empty_ = db.scalars(
            select(Source).where(Source.state.in_((REMOVED, "read")), ~kept.exists())
        )
        # A file in which nothing could be read has no note that waits for its 30 days.
        gone = [(one.project_id, one.id) for one in empty_]
        if gone:
            db.execute(delete(Source).where(Source.id.in_([number for _, number in gone])))
            audit(db, "files erased", "", None, files=len(gone))
    for project, number in gone:
        store.site.source(project, number).unlink(missing_ok=True)


def _erase_projects(store: Store) -> None:
    """With all their rows and files. The audit stays, and so does the key of the surrogates: a
    release that has left may have to be matched with a later one."""
    with store.read() as db:
        old = db.scalars(select(Project.id).where(Project.closed_at < now() - KEPT_MS))
        closed = list(old)
    for project in closed:
        while _erase_notes_of(store, project):
            pass
        with store.write() as db:
            exports = list(db.scalars(select(Job.id).where(Job.project_id == project)))
            db.execute(delete(Project).where(Project.id == project))
            audit(db, "project erased", f"project {project}", project)
        for number in exports:
            shutil.rmtree(store.site.export(number), ignore_errors=True)
        for folder in ("sources", "models", "policies"):
            shutil.rmtree(store.site.folder / folder / str(project), ignore_errors=True)


def _erase_notes_of(store: Store, project: int) -> int:
    """Some of them: a transaction stays short."""
    with store.write() as db:
        some = list(
            db.scalars(select(Document.id).where(Document.project_id == project).limit(_MOST))
        )
        db.execute(delete(Document).where(Document.id.in_(some)))
    return len(some)


def _erase_exports(store: Store) -> None:
    with store.read() as db:
        old = select(Job.id).where(Job.kind == "export", Job.finished_at < now() - KEPT_MS)
        numbers = list(db.scalars(old))
    for number in numbers:
        shutil.rmtree(store.site.export(number), ignore_errors=True)
