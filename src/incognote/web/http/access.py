"""Who asks, and may they? Every route names its permission with one of the dependencies here.

A session is a cookie that scripts cannot read. A request that changes something must come from a
page of ours (`Origin` or `Sec-Fetch-Site`) and carry the session's token in a header.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, HTTPException, Request
from sqlalchemy.orm import Session

from incognote.web.flow.roles import may
from incognote.web.http.errors import NotSignedIn
from incognote.web.store import accounts
from incognote.web.store.accounts import Person, roles_of
from incognote.web.store.database.connection import Store
from incognote.web.store.tables import (
    Assignment,
    Document,
    Job,
    Model,
    Project,
    Proposal,
    Release,
    Source,
)

COOKIE = "__Host-incognote"
TOKEN_HEADER = "x-incognote-token"  # noqa: S105 - a name
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# Rows that belong to a project, and what messages call them.
_NOUNS: dict[type, str] = {
    Assignment: "assignment",
    Document: "note",
    Job: "job",
    Model: "model",
    Proposal: "proposal",
    Release: "release",
    Source: "file",
}
Owned = TypeVar("Owned", Assignment, Document, Model, Proposal, Release)
Within = TypeVar("Within", Assignment, Document, Job, Release, Source)


def store_of(request: Request) -> Store:
    found: Store = request.app.state.store
    return found


def form_token(token: str) -> str:
    """What a page sends back with every change; made from the session's token, so it is worth
    nothing in another session and says nothing of the cookie."""
    return hmac.new(token.encode(), b"incognote form token", "sha256").hexdigest()


def check_origin(request: Request) -> None:
    """A change must come from a page of this site."""
    if request.method in _SAFE:
        return
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        raise HTTPException(403, "this request comes from another site")
    if origin is not None and origin != f"{scheme_of(request)}://{request.headers.get('host')}":
        raise HTTPException(403, "this request comes from another site")
    if site is None and origin is None:
        raise HTTPException(403, "the request does not say which page it comes from")


def scheme_of(request: Request) -> str:
    return "https" if request.app.state.https else request.url.scheme


def maybe_person(request: Request) -> Person | None:
    token = request.cookies.get(COOKIE)
    if not token:
        return None
    with store_of(request).read() as db:
        person = accounts.person_of(db, token)
        due = person is not None and accounts.is_due(db, person)
    if person is not None and due:
        with store_of(request).write() as db:
            accounts.keep_alive(db, person)
    return person


def signed_in(request: Request) -> Person:
    """Whoever is signed in; for changes, also that the request is theirs."""
    check_origin(request)
    person = maybe_person(request)
    if person is None:
        raise NotSignedIn
    if request.method not in _SAFE:
        given = request.headers.get(TOKEN_HEADER, "")
        if not hmac.compare_digest(given, form_token(request.cookies[COOKIE])):
            raise HTTPException(403, "the token of the page is missing or old: reload it")
    free = request.url.path.startswith(("/password", "/api/v1/session"))
    if person.must_change and not free:
        raise HTTPException(403, "choose a password of your own first")
    return person


def administrator(person: Annotated[Person, Depends(signed_in)]) -> Person:
    if not person.is_admin:
        raise HTTPException(403, "only an administrator of the site may do this")
    return person


@dataclass(frozen=True, slots=True)
class Access:
    """A person in a project."""

    person: Person
    project: Project
    roles: frozenset[str]

    def may(self, action: str) -> bool:
        return may(action, self.roles)

    @property
    def account(self) -> int:
        return self.person.id


def access_to(db: Session, person: Person, project: int, action: str) -> Access:
    """The person's access to a project for an action. A project one is not in does not exist."""
    found = db.get(Project, project)
    roles = roles_of(db, person.id, project)
    if found is None or found.closed_at is not None or not roles:
        raise HTTPException(404, "no such project")
    if not may(action, roles):
        raise HTTPException(403, "your roles in this project do not allow this")
    return Access(person, found, roles)


def row_for(
    person: Person, db: Session, table: type[Owned], key: int, action: str
) -> tuple[Owned, Access]:
    """A row of any project, if this person may do this in its project."""
    found = db.get(table, key)
    # To a stranger a row of a project that is not theirs does not exist either.
    if found is None or not roles_of(db, person.id, found.project_id):
        raise HTTPException(404, f"no such {_NOUNS[table]}")
    return found, access_to(db, person, found.project_id, action)


def row_in(db: Session, access: Access, table: type[Within], key: int) -> Within:
    """A row of the project that was asked for."""
    found = db.get(table, key)
    if found is None or found.project_id != access.project.id:
        raise HTTPException(404, f"no such {_NOUNS[table]}")
    return found


def allowed(action: str) -> Any:
    """The dependency of routes under /projects/{project}."""

    def check(
        request: Request, project: int, person: Annotated[Person, Depends(signed_in)]
    ) -> Access:
        with store_of(request).read() as db:
            return access_to(db, person, project, action)

    check.permission = action  # type: ignore[attr-defined]
    return Depends(check)


Signed = Annotated[Person, Depends(signed_in)]
Admin = Annotated[Person, Depends(administrator)]
Stored = Annotated[Store, Depends(store_of)]
