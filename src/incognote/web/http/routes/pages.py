"""Pages for people: tables and forms that the server renders."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from sqlalchemy import select
from starlette.responses import RedirectResponse, Response

from incognote.core.labels import SCHEMES, all_labels
from incognote.policy.dump import dump_policy
from incognote.web.figures import agreement, progress
from incognote.web.flow.ordering import ORDERINGS
from incognote.web.flow.roles import ROLES
from incognote.web.flow.states import NOTE_STATES
from incognote.web.http.access import (
    Access,
    Admin,
    Signed,
    Stored,
    allowed,
    maybe_person,
    row_for,
)
from incognote.web.http.labels import KEYS, labels_of
from incognote.web.http.routes.adjudication import hidden_from
from incognote.web.http.routes.assignments import own_assignment
from incognote.web.http.routes.documents import list_documents
from incognote.web.http.routes.learning import model_rows, proposal_rows
from incognote.web.http.routes.projects import job_rows
from incognote.web.http.routes.releases import list_releases
from incognote.web.http.routes.session import page_of_ours
from incognote.web.http.routes.site import account_row, audit_rows, backup_rows
from incognote.web.http.routes.sources import list_sources
from incognote.web.store import documents, learning, projects, releases
from incognote.web.store.accounts import members
from incognote.web.store.assignments import own_open
from incognote.web.store.policies import parsed_policy
from incognote.web.store.projects import SUGGESTIONS
from incognote.web.store.removal import KEPT_MS
from incognote.web.store.tables import Account, Assignment, Document, Project, Release

router = APIRouter(include_in_schema=False)


def page_of(request: Request) -> Callable[..., Response]:
    """Makes a page of a template and its values."""
    return partial(request.app.state.render, request)


Page = Annotated[Callable[..., Response], Depends(page_of)]


@router.get("/sign-in")
def sign_in(request: Request, page: Page, next: str = "") -> Response:  # noqa: A002
    if maybe_person(request):
        return RedirectResponse(page_of_ours(next), 303)
    return page("sign_in.html", next=page_of_ours(next))


@router.get("/password")
def password(person: Signed, store: Stored, page: Page) -> Response:
    with store.read() as db:
        account = db.get_one(Account, person.id)
    own = account.settings or {}
    return page(
        "password.html",
        bound=account.subject is not None,
        keys=KEYS | own.get("keys", {}),
        letters=own.get("letters", True),
    )


@router.get("/")
def home(person: Signed, store: Stored, page: Page) -> Response:
    if person.must_change:
        return RedirectResponse("/password", 303)
    with store.read() as db:
        own = [
            {
                "project": project,
                "roles": roles,
                "counts": projects.counts(db, project.id),
                "open": own_open(db, project.id, person.id),
            }
            for project, roles in projects.projects_of(db, person.id)
        ]
        everything = list(db.scalars(select(Project).order_by(Project.name)))
        people = list(
            db.scalars(
                select(Account)
                .where(Account.is_admin.is_(False), Account.is_active.is_(True))
                .order_by(Account.name)
            )
        )
    return page(
        "home.html",
        own=own,
        kept=KEPT_MS,
        all_projects=everything if person.is_admin else [],
        people=people if person.is_admin else [],
    )


@router.get("/accounts")
def accounts_page(person: Admin, store: Stored, page: Page) -> Response:
    with store.read() as db:
        rows = [account_row(one) for one in db.scalars(select(Account).order_by(Account.name))]
        audit = audit_rows(db, None, None)[:50]
    return page("accounts.html", accounts=rows, audit=audit, backups=backup_rows(store))


@router.get("/projects/{project}")
def project_page(
    access: Annotated[Access, allowed("see project")], store: Stored, page: Page
) -> Response:
    key = access.project.id
    with store.read() as db:
        counts = projects.counts(db, key)
        jobs = job_rows(db, access.project.id, 8)
        open_ = own_open(db, key, access.account)
        effort = progress.by_person(db, key) if access.may("manage") else []
        figures = progress.overview(store, db, key)
        reads = access.may("read notes")
        questions = documents.open_remarks(db, key) if reads else []
        twice = agreement.annotated_twice(db, key, hidden_from(access)) if reads else []
        recent = db.scalars(
            select(Assignment)
            .where(Assignment.project_id == key, Assignment.account_id == access.account)
            .order_by(Assignment.id.desc())
            .limit(10)
        ).all()
    return page(
        "project.html",
        access=access,
        counts=counts,
        states=NOTE_STATES,
        total=sum(counts.values()),
        jobs=jobs if access.may("see jobs") else [],
        open=open_,
        effort=effort,
        recent=recent,
        questions=questions,
        batches=(batches := figures.batches),
        charts=[
            chart
            for chart in (
                progress.suggestion_chart(batches),
                *progress.effort_charts(batches),
                figures.bound,
                progress.agreement_chart(agreement.by_batch(twice)),
            )
            if chart
        ],
    )


@router.get("/projects/{project}/notes")
def notes_page(
    access: Annotated[Access, allowed("manage")],
    store: Stored,
    page: Page,
    after: Annotated[int, Query(ge=0)] = 0,
    state: str = "",
    label: str = "",
    name: Annotated[str, Query(max_length=200)] = "",
    patient: str = "",
    person: str = "",
    purpose: str = "",
    doubtful: bool = False,
    removed: bool = False,
) -> Response:
    found = list_documents(
        access, store, after, state, label, name, patient, person, purpose, None, doubtful, removed
    )
    with store.read() as db:
        people = members(db, access.project.id)
    return page(
        "notes.html",
        access=access,
        found=found,
        states=NOTE_STATES,
        labels=labels_of(store, access.project),
        people=people,
        query={
            "state": state,
            "label": label,
            "name": name,
            "patient": patient,
            "person": person,
            "purpose": purpose,
            "doubtful": doubtful,
            "removed": removed,
        },
    )


@router.get("/projects/{project}/files")
def files_page(access: Annotated[Access, allowed("manage")], store: Stored, page: Page) -> Response:
    from incognote.corpus.files import corpus_format, corpus_formats

    with store.read() as db:
        jobs = job_rows(db, access.project.id, 20)
    return page(
        "files.html",
        access=access,
        sources=list_sources(access, store),
        jobs=jobs,
        schemes=SCHEMES,
        corpora={name: corpus_format(name) for name in corpus_formats()},
    )


@router.get("/projects/{project}/settings")
def settings_page(
    access: Annotated[Access, allowed("manage")], store: Stored, page: Page
) -> Response:
    with store.read() as db:
        people = members(db, access.project.id)
    return page(
        "settings.html",
        access=access,
        people=people,
        roles=ROLES,
        orderings=ORDERINGS,
        suggestions=SUGGESTIONS,
    )


@router.get("/projects/{project}/agreement")
def agreement_page(
    access: Annotated[Access, allowed("see agreement")],
    store: Stored,
    page: Page,
    label: str = "",
    batch: int | None = None,
    one: str = "",
    other: str = "",
) -> Response:
    key = access.project.id
    with store.read() as db:
        own = agreement.own_differences(db, key, access.account)
        hidden = hidden_from(access)
        twice = agreement.annotated_twice(db, key, hidden) if access.may("read notes") else []
    return page(
        "agreement.html",
        access=access,
        own=own,
        pairs=agreement.by_pair(twice),
        notes=agreement.by_note(twice),
        batches=(batches := agreement.by_batch(twice)),
        chart=progress.agreement_chart(batches),
        differences=agreement.differences(twice, label, batch, (one, other)),
        pair=(one, other),
        label=label,
        batch=batch,
    )


@router.get("/projects/{project}/audit")
def audit_page(
    access: Annotated[Access, allowed("see audit")],
    store: Stored,
    page: Page,
    before: int | None = None,
) -> Response:
    with store.read() as db:
        rows = audit_rows(db, access.project.id, before)
    return page("audit.html", access=access, rows=rows)


@router.get("/edit/{assignment}")
def editor(assignment: int, person: Signed, store: Stored, page: Page) -> Response:
    """The note editor: a program of its own, which asks for the note by the API."""
    with store.read() as db:
        found, access = own_assignment(person, db, assignment)
        settings = db.get_one(Account, person.id).settings or {}
    return page("editor.html", access=access, assignment=found, settings=settings)


@router.get("/documents/{document}")
def reader(document: int, person: Signed, store: Stored, page: Page) -> Response:
    with store.read() as db:
        row, access = row_for(person, db, Document, document, "read notes")
        people = documents.people_of(db, document) if access.may("manage") else []
    return page("reader.html", access=access, document=row, people=people)


@router.get("/projects/{project}/learning")
def learning_page(
    access: Annotated[Access, allowed("see learning")], store: Stored, page: Page
) -> Response:
    with store.read() as db:
        models = model_rows(db, access.project.id)
        proposals = proposal_rows(db, access.project.id)
        jobs = job_rows(db, access.project.id, 8)
        charts = progress.model_charts(db, access.project.id)
        lacking = learning.lacking(db, access.project.id)
        earlier = learning.last_transformer(db, access.project.id) is not None
        measuring = learning.settled_measuring(db, access.project.id)
    return page(
        "learning.html",
        access=access,
        models=models,
        proposals=proposals,
        jobs=jobs,
        charts=charts,
        lacking=lacking,
        trainable=learning.trainable(),
        earlier=earlier,
        measuring=measuring,
    )


@router.get("/projects/{project}/policy")
def policy_page(
    access: Annotated[Access, allowed("manage")], store: Stored, page: Page
) -> Response:
    policy = parsed_policy(access.project.policy, store.site.policies(access.project.id))
    rows = [
        {"name": name, "action": policy.rule(name).action, "description": label.description}
        for name, label in all_labels().items()
    ]
    return page("policy.html", access=access, labels=rows, effective=dump_policy(policy))


@router.get("/projects/{project}/releases")
def releases_page(
    access: Annotated[Access, allowed("see releases")], store: Stored, page: Page
) -> Response:
    with store.read() as db:
        jobs = job_rows(db, access.project.id, 8)
    return page(
        "releases.html",
        access=access,
        releases=list_releases(access, store),
        jobs=jobs,
    )


@router.get("/releases/{release}/documents/{document}")
def review_page(
    release: int,
    document: int,
    person: Signed,
    store: Stored,
    page: Page,
) -> Response:
    with store.read() as db:
        found, access = row_for(person, db, Release, release, "see releases")
        state = releases.progress(db, release)
    return page(
        "review.html",
        access=access,
        release=found,
        document=document,
        state=state,
        own=found.drafted_by == person.id,
    )
