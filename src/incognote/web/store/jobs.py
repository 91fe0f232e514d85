"""The queue of jobs: one table, claimed by workers, resumed when a worker dies."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from incognote.web.flow.states import Refused
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import now
from incognote.web.store.tables import Job

QUEUED, RUNNING, DONE, FAILED, CANCELLED = "queued", "running", "done", "failed", "cancelled"
HEARTBEAT_MS = 10_000
DEAD_MS = 60_000
ATTEMPTS = 3


def enqueue(
    db: Session, kind: str, project: int | None = None, account: int | None = None, **arguments: Any
) -> Job:
    job = Job(
        kind=kind,
        project_id=project,
        account_id=account,
        arguments=arguments,
        created_at=now(),
    )
    db.add(job)
    db.flush()
    audit(db, f"job {kind}", f"job {job.id}", project)
    return job


def enqueue_once(
    db: Session, kind: str, project: int | None, account: int | None = None, **arguments: Any
) -> Job:
    """A job that waits already does the work of a second one with the same arguments."""
    waiting = db.scalars(
        select(Job).where(Job.kind == kind, Job.project_id == project, Job.state == QUEUED)
    )
    there = next((job for job in waiting if (job.arguments or {}) == arguments), None)
    return there or enqueue(db, kind, project, account, **arguments)


def claim(db: Session, worker: str, *, one_training: bool = True) -> Job | None:
    """The next job, for this worker alone. Jobs whose worker fell silent are queued again."""
    _revive(db)
    query = select(Job.id).where(Job.state == QUEUED)
    if one_training:
        busy = select(Job.id).where(Job.kind == "train", Job.state == RUNNING)
        query = query.where((Job.kind != "train") | ~busy.exists())
    query = query.order_by(Job.id).limit(1).with_for_update(skip_locked=True)
    key = db.scalar(query)
    if key is None:
        return None
    return db.scalars(
        update(Job)
        .where(Job.id == key)
        .values(
            state=RUNNING,
            worker=worker,
            heartbeat=now(),
            started_at=now(),
            attempts=Job.attempts + 1,
        )
        .returning(Job)
    ).one()


def _revive(db: Session) -> None:
    for job in db.scalars(select(Job).where(Job.state == RUNNING, Job.heartbeat < now() - DEAD_MS)):
        if job.attempts >= ATTEMPTS:
            job.state, job.finished_at = FAILED, now()
            job.error_stage, job.error_type = "worker", "WorkerLost"
        else:
            job.state, job.worker = QUEUED, ""
    db.flush()


def beat(db: Session, job: int, worker: str, done: int, total: int) -> bool:
    """A sign of life; False where the job is no longer this worker's."""
    result = db.execute(
        update(Job)
        .where(Job.id == job, Job.worker == worker, Job.state == RUNNING)
        .values(heartbeat=now(), done=done, total=total)
    )
    return bool(result.rowcount)  # type: ignore[attr-defined]


def finish(db: Session, job: int, worker: str, result: dict[str, Any]) -> None:
    db.execute(
        update(Job)
        .where(Job.id == job, Job.worker == worker, Job.state == RUNNING)
        .values(state=DONE, finished_at=now(), result=result)
    )


def fail(db: Session, job: int, worker: str, stage: str, kind: str) -> None:
    """Only the stage and the type of an error are kept: a message might quote a note."""
    db.execute(
        update(Job)
        .where(Job.id == job, Job.worker == worker, Job.state == RUNNING)
        .values(state=FAILED, finished_at=now(), error_stage=stage[:200], error_type=kind[:200])
    )


def cancel(db: Session, job: Job) -> None:
    """The worker sees it at its next sign of life."""
    if job.state not in (QUEUED, RUNNING):
        raise Refused("this job has ended")
    job.state, job.finished_at = CANCELLED, now()
    audit(db, "job cancelled", f"job {job.id}", job.project_id)
