"""Suggestions: the ensemble reads every note that waits for an annotator."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, insert, select

from incognote import __version__
from incognote.core.types import Failure
from incognote.web.flow.states import FAILED, NEW, SUGGESTED, note_after
from incognote.web.store import jobs
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import now
from incognote.web.store.documents import labels_column, move, note_of, texts_of
from incognote.web.store.tables import Document, Project, Run, Suggestion
from incognote.web.work.ensemble import (
    doubt_of,
    dropped_rows,
    ensemble,
    models_in_use,
    pipeline_of,
    span_rows,
)
from incognote.web.work.task import Task

_CHUNK = 32
# What failed is tried again: with another policy it may be read.
WAITING = (NEW, SUGGESTED, FAILED)


def run(task: Task) -> dict[str, Any]:
    """Notes that nobody has opened yet, and that this policy with these models has not read."""
    task.stage = "prepare"
    with task.store.write(task.account) as db:
        project = db.get_one(Project, task.project)
        policy = ensemble(db, task.store.site, project)
        models = sorted(models_in_use(db, task.store.site, project.id))
        made = _run(db, project.id, policy.hash, models)
        total = int(
            db.scalar(select(func.count()).select_from(_waiting(task.project, made.id).subquery()))
            or 0
        )
    pipeline = pipeline_of(policy)
    task.stage = "detect"
    done = failed = last = 0
    task.step(0, total)
    while True:
        with task.store.read() as db:
            query = _waiting(task.project, made.id).where(Document.id > last)
            ids = list(db.scalars(query.limit(_CHUNK)))
            found = texts_of(db, ids)
        if not ids:
            break
        last = ids[-1]
        notes = [note_of(*found[key]) for key in ids]
        outcomes = dict(zip(ids, pipeline.detect(notes), strict=True))
        with task.store.write(task.account) as db:
            for key, outcome in outcomes.items():
                document = db.get_one(Document, key)
                if isinstance(outcome, Failure):
                    failed += 1
                    reason = f"{outcome.stage}: {outcome.error}"
                    if document.state == FAILED:
                        document.reason = reason
                    elif document.state in WAITING:
                        document.claimable = False
                        move(db, document, "fail", reason)
                    continue
                rows = span_rows(outcome.spans)
                doubt = doubt_of(outcome)
                db.execute(
                    insert(Suggestion),
                    {
                        "document_id": key,
                        "run_id": made.id,
                        "spans": rows,
                        "dropped": dropped_rows(outcome),
                        "doubt": doubt,
                    },
                )
                # Somebody may have opened it meanwhile; their layer stays as it began.
                if document.state in WAITING:
                    document.state = note_after(document.state, "suggest")
                    document.reason = ""
                    document.claimable = True
                    document.doubt = doubt
                    document.labels = labels_column(rows)
            # One row for many notes: a project has a hundred thousand.
            audit(db, "suggest", f"run {made.id}", task.project, notes=len(ids))
        done += len(ids)
        task.step(done)
    with task.store.write(task.account) as db:
        jobs.enqueue_once(db, "order", task.project, task.account)
    return {"notes": done, "failed": failed, "run": made.id}


def _run(db: Any, project: int, policy: str, models: list[str]) -> Run:
    """The run of a policy with its models; an unfinished one is gone on with."""
    last: Run | None = db.scalars(
        select(Run).where(Run.project_id == project).order_by(Run.id.desc()).limit(1)
    ).first()
    if last and last.policy_hash == policy and last.version == __version__:
        return last
    made = Run(
        project_id=project,
        policy_hash=policy,
        models=models,
        version=__version__,
        created_at=now(),
    )
    db.add(made)
    db.flush()
    return made


def _waiting(project: int, run: int) -> Any:
    read = select(Suggestion.id).where(
        Suggestion.document_id == Document.id, Suggestion.run_id == run
    )
    return (
        select(Document.id)
        .where(
            Document.project_id == project,
            Document.state.in_(WAITING),
            Document.removed_at.is_(None),
            ~read.exists(),
        )
        .order_by(Document.id)
    )
