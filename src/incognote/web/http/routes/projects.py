"""Projects, their settings, members and jobs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from incognote.core.errors import UsageError
from incognote.web.figures import progress
from incognote.web.http.access import Access, Admin, Signed, Stored, allowed, row_in
from incognote.web.store import jobs, projects, removal
from incognote.web.store.accounts import by_name, members, set_roles
from incognote.web.store.assignments import own_open
from incognote.web.store.database.connection import columns
from incognote.web.store.projects import Settings
from incognote.web.store.tables import Job, Project

router = APIRouter(prefix="/api/v1")


class NewProject(BaseModel):
    name: str = Field(max_length=200)
    manager: str = Field(max_length=80)


class ChangedProject(BaseModel):
    name: str | None = Field(None, max_length=200)
    guidelines: str | None = Field(None, max_length=200_000)
    annotators: int | None = None
    suggestions: str | None = None
    ordering: str | None = None
    batch: int | None = None


class Roles(BaseModel):
    roles: list[str] = Field(max_length=10)


class NewMember(BaseModel):
    name: str = Field(max_length=80)
    roles: list[str] = Field(max_length=10)


@router.get("/projects")
def own_projects(person: Signed, store: Stored) -> list[dict[str, Any]]:
    with store.read() as db:
        return [
            {
                "id": project.id,
                "name": project.name,
                "roles": roles,
                "counts": projects.counts(db, project.id),
                "open": own_open(db, project.id, person.id),
            }
            for project, roles in projects.projects_of(db, person.id)
        ]


@router.post("/projects", status_code=201)
def create(given: NewProject, person: Admin, store: Stored) -> dict[str, Any]:
    with store.write(person.id) as db:
        manager = by_name(db, given.manager)
        if manager is None:
            raise UsageError("no account has the manager's name")
        project = projects.create_project(db, store.site, given.name, manager.id)
        return {"id": project.id, "next": "/"}


@router.post("/projects/{project}/close")
def close(project: int, person: Admin, store: Stored) -> dict[str, Any]:
    """Out of everybody's sight, and erased after 30 days."""
    with store.write(person.id) as db:
        removal.close_project(db, _any_project(db, project))
    return {"id": project}


@router.delete("/projects/{project}/close")
def open_again(project: int, person: Admin, store: Stored) -> dict[str, Any]:
    with store.write(person.id) as db:
        removal.open_project(db, _any_project(db, project))
    return {"id": project}


def _any_project(db: Session, key: int) -> Project:
    found = db.get(Project, key)
    if found is None:
        raise HTTPException(404, "no such project")
    return found


@router.get("/projects/{project}")
def show(access: Annotated[Access, allowed("see project")], store: Stored) -> dict[str, Any]:
    project = access.project
    with store.read() as db:
        counts = projects.counts(db, project.id)
    return {
        "id": project.id,
        "name": project.name,
        "guidelines": project.guidelines,
        "annotators": project.annotators,
        "suggestions": project.suggestions,
        "ordering": project.ordering,
        "batch": project.batch,
        "policy_hash": project.policy_hash,
        "counts": counts,
        "roles": sorted(access.roles),
    }


@router.get("/projects/{project}/batches")
def batches(
    access: Annotated[Access, allowed("see project")], store: Stored
) -> list[dict[str, Any]]:
    """Batch by batch: what a note took, and how good the suggestions were."""
    with store.read() as db:
        return [asdict(one) for one in progress.overview(store, db, access.project.id).batches]


@router.get("/projects/{project}/effort")
def effort(
    access: Annotated[Access, allowed("see agreement")], store: Stored
) -> list[dict[str, Any]]:
    """Of everybody for managers, of oneself for others."""
    who = None if access.may("manage") else access.account
    with store.read() as db:
        return [asdict(one) for one in progress.by_person(db, access.project.id, who)]


@router.patch("/projects/{project}")
def change(
    given: ChangedProject, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    with store.write(access.account) as db:
        project = db.get_one(Project, access.project.id)
        before = project.ordering
        projects.change_settings(db, project, Settings(**given.model_dump()))
        if project.ordering != before:
            jobs.enqueue_once(db, "order", project.id, access.account)
    return {"id": access.project.id}


@router.get("/projects/{project}/members")
def list_members(
    access: Annotated[Access, allowed("manage")], store: Stored
) -> list[dict[str, Any]]:
    with store.read() as db:
        return [
            {"id": account.id, "name": account.name, "full_name": account.full_name, "roles": roles}
            for account, roles in members(db, access.project.id)
        ]


@router.post("/projects/{project}/members", status_code=201)
def add_member(
    given: NewMember, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    with store.write(access.account) as db:
        account = by_name(db, given.name)
        if account is None or not account.is_active:
            raise UsageError("there is no such account; the administrator makes accounts")
        set_roles(db, access.project.id, account.id, frozenset(given.roles))
        return {"id": account.id}


@router.put("/projects/{project}/members/{account}")
def change_member(
    account: int, given: Roles, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    if account == access.account and "manager" not in given.roles:
        raise UsageError("a manager cannot give up the project; another manager can do it")
    with store.write(access.account) as db:
        set_roles(db, access.project.id, account, frozenset(given.roles))
    return {"id": account}


@router.get("/projects/{project}/jobs")
def list_jobs(
    access: Annotated[Access, allowed("see jobs")], store: Stored
) -> list[dict[str, Any]]:
    with store.read() as db:
        return job_rows(db, access.project.id, 50)


def job_rows(db: Session, project: int, most: int) -> list[dict[str, Any]]:
    """The newest jobs of a project."""
    newest = select(Job).where(Job.project_id == project).order_by(Job.id.desc()).limit(most)
    return [job_row(job) for job in db.scalars(newest)]


def job_row(job: Job) -> dict[str, Any]:
    return columns(
        job,
        "id kind state done total error_stage error_type created_at started_at finished_at result",
    )


@router.get("/projects/{project}/jobs/{job}")
def show_job(
    job: int, access: Annotated[Access, allowed("see jobs")], store: Stored
) -> dict[str, Any]:
    with store.read() as db:
        return job_row(row_in(db, access, Job, job))


@router.delete("/projects/{project}/jobs/{job}")
def cancel_job(
    job: int, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    with store.write(access.account) as db:
        jobs.cancel(db, row_in(db, access, Job, job))
    return {"id": job}


class Start(BaseModel):
    kind: str = Field(pattern="^(suggest|order|harvest)$")


@router.post("/projects/{project}/jobs", status_code=202)
def start_job(
    given: Start, access: Annotated[Access, allowed("manage")], store: Stored
) -> dict[str, Any]:
    with store.write(access.account) as db:
        return job_row(jobs.enqueue_once(db, given.kind, access.project.id, access.account))
