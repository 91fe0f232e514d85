"""The site: accounts, the audit of a project, whether the server is well."""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from pydantic import BaseModel, Field
from sqlalchemy import select

from incognote.core.errors import UsageError
from incognote.web.http.access import Access, Admin, Stored, allowed
from incognote.web.store import accounts, jobs
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import Store
from incognote.web.store.tables import Account, Audit

router = APIRouter(prefix="/api/v1")
_PAGE = 200


@router.get("/health")
def health(store: Stored) -> dict[str, Any]:
    with store.read() as db:
        db.execute(select(1))
    return {"status": "ok"}


class NewAccount(BaseModel):
    name: str = Field(max_length=80)
    full_name: str = Field("", max_length=200)
    admin: bool = False


@router.get("/accounts")
def list_accounts(person: Admin, store: Stored) -> list[dict[str, Any]]:
    with store.read() as db:
        return [account_row(one) for one in db.scalars(select(Account).order_by(Account.name))]


def account_row(one: Account) -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.name,
        "full_name": one.full_name,
        "admin": one.is_admin,
        "active": one.is_active,
        "subject": one.subject or "",
        "created_at": one.created_at,
    }


@router.post("/accounts", status_code=201)
def create_account(given: NewAccount, person: Admin, store: Stored) -> dict[str, Any]:
    """The first password is in the answer, once; its owner must change it."""
    with store.write(person.id) as db:
        account, password = accounts.create_account(
            db, given.name, given.full_name, admin=given.admin
        )
        return {**account_row(account), "password": password}


class ChangedAccount(BaseModel):
    full_name: str | None = Field(None, max_length=200)
    active: bool | None = None
    reset_password: bool = False
    subject: str | None = Field(None, max_length=accounts.LONGEST_SUBJECT)


@router.patch("/accounts/{account}")
def change_account(
    account: int, given: ChangedAccount, person: Admin, store: Stored
) -> dict[str, Any]:
    password = secrets.token_urlsafe(12) if given.reset_password else ""
    hashed = accounts.hashed(password) if password else ""
    with store.write(person.id) as db:
        found = db.get(Account, account)
        if found is None:
            raise HTTPException(404, "no such account")
        if given.full_name is not None:
            found.full_name = given.full_name
        if given.active is not None:
            if found.id == person.id:
                raise UsageError("nobody can lock themselves out")
            found.is_active = given.active
            accounts.end_sessions(db, found.id)
            audit(db, "account changed", f"account {found.id}", active=str(given.active))
        if given.subject is not None:
            if found.id == person.id:
                raise UsageError("another administrator binds your account: you might lock it")
            accounts.bind(db, found, given.subject)
        if hashed:
            accounts.set_password(db, found, hashed, must_change=True)
        answer = account_row(found)
    return {**answer, "password": password} if password else answer


@router.get("/backups")
def list_backups(person: Admin, store: Stored) -> list[dict[str, Any]]:
    return backup_rows(store)


def backup_rows(store: Store) -> list[dict[str, Any]]:
    """What lies in the folder of backups, the latest first."""
    found = [(path, path.stat()) for path in (store.site.folder / "backups").glob("*.zip")]
    return [
        {"name": path.name, "size": seen.st_size, "at": int(seen.st_mtime * 1000)}
        for path, seen in sorted(found, key=lambda each: -each[1].st_mtime)
    ]


@router.post("/backups", status_code=202)
def make_backup(person: Admin, store: Stored) -> dict[str, Any]:
    """A worker writes it into the data folder. It holds notes, so it is not sent to a browser."""
    with store.write(person.id) as db:
        return {"job": jobs.enqueue_once(db, "backup", None, person.id).id}


@router.get("/projects/{project}/audit")
def show_audit(
    access: Annotated[Access, allowed("see audit")],
    store: Stored,
    before: Annotated[int | None, Query(ge=0)] = None,
) -> list[dict[str, Any]]:
    with store.read() as db:
        return audit_rows(db, access.project.id, before)


def audit_rows(db: Any, project: int | None, before: int | None) -> list[dict[str, Any]]:
    """A page of the audit, the latest first; of the whole site where `project` is None."""
    query = select(Audit, Account.name).outerjoin(Account, Account.id == Audit.account_id)
    if project is not None:
        query = query.where(Audit.project_id == project)
    if before is not None:
        query = query.where(Audit.id < before)
    rows = db.execute(query.order_by(Audit.id.desc()).limit(_PAGE))
    return [
        {
            "id": row.id,
            "at": row.at,
            "by": name or "",
            "action": row.action,
            "object": row.object,
            "counts": row.counts,
        }
        for row, name in rows
    ]
