"""Projects and their settings."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from incognote.core.errors import UsageError
from incognote.web.flow.ordering import ORDERINGS
from incognote.web.flow.roles import MANAGER
from incognote.web.flow.states import FAILED, NEW, SUGGESTED
from incognote.web.store.accounts import set_roles
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import now
from incognote.web.store.policies import default_policy, parsed_policy
from incognote.web.store.site import Site
from incognote.web.store.tables import Document, Membership, Project

EVERYBODY, FIRST, NOBODY = "everybody", "first", "nobody"
SUGGESTIONS = (EVERYBODY, FIRST, NOBODY)
LARGEST_BATCH = 500


@dataclass(frozen=True, slots=True)
class Settings:
    """What a manager decides about a project; None leaves a setting as it is."""

    name: str | None = None
    guidelines: str | None = None
    annotators: int | None = None
    suggestions: str | None = None
    ordering: str | None = None
    batch: int | None = None


def create_project(
    db: Session, site: Site, name: str, manager: int | None, settings: Settings | None = None
) -> Project:
    name = _good_name(db, name)
    policy = default_policy()
    project = Project(
        name=name,
        policy=policy,
        policy_hash="",
        key_file="",
        draw_key=secrets.token_bytes(32),
        created_at=now(),
    )
    db.add(project)
    db.flush()
    project.key_file = f"project-{project.id}.key"
    site.make_key(project.key_file)
    site.policies(project.id).mkdir(mode=0o700, exist_ok=True)
    project.policy_hash = parsed_policy(policy, site.policies(project.id)).hash
    audit(db, "project created", f"project {project.id}", project.id)
    if manager is not None:
        set_roles(db, project.id, manager, frozenset({MANAGER}))
    if settings:
        change_settings(db, project, settings)
    return project


def change_settings(db: Session, project: Project, settings: Settings) -> None:
    if settings.name is not None and settings.name.strip() != project.name:
        project.name = _good_name(db, settings.name)
    if settings.guidelines is not None:
        project.guidelines = settings.guidelines[:200_000]
    if settings.annotators is not None:
        if settings.annotators not in (1, 2):
            raise UsageError("a note has one annotator or two")
        if settings.annotators != project.annotators:
            # Notes that nobody has begun follow; for the others the choice was made.
            waiting = Document.state.in_((NEW, SUGGESTED, FAILED))
            db.execute(
                update(Document)
                .where(Document.project_id == project.id, waiting)
                .values(annotators=settings.annotators)
            )
        project.annotators = settings.annotators
    if settings.suggestions is not None:
        if settings.suggestions not in SUGGESTIONS:
            raise UsageError(f"suggestions are for {', '.join(SUGGESTIONS)}")
        project.suggestions = settings.suggestions
    if settings.ordering is not None:
        if settings.ordering not in ORDERINGS:
            raise UsageError(f"orderings are {', '.join(ORDERINGS)}")
        project.ordering = settings.ordering
    if settings.batch is not None:
        if not 1 <= settings.batch <= LARGEST_BATCH:
            raise UsageError(f"a batch has 1 to {LARGEST_BATCH} notes")
        project.batch = settings.batch
    audit(db, "settings changed", f"project {project.id}", project.id)


def _good_name(db: Session, name: str) -> str:
    name = name.strip()
    if not 0 < len(name) <= 200:
        raise UsageError("a project needs a name of at most 200 characters")
    if db.scalar(select(Project.id).where(Project.name == name)):
        raise UsageError("there is a project of this name already")
    return name


def projects_of(db: Session, account: int) -> list[tuple[Project, list[str]]]:
    """The projects of a person, with their roles."""
    rows = db.execute(
        select(Project, Membership.role)
        .join(Membership, Membership.project_id == Project.id)
        .where(Membership.account_id == account, Project.closed_at.is_(None))
        .order_by(Project.name, Membership.role)
    )
    found: dict[int, tuple[Project, list[str]]] = {}
    for project, role in rows:
        found.setdefault(project.id, (project, []))[1].append(role)
    return list(found.values())


def counts(db: Session, project: int) -> dict[str, int]:
    """Notes by state; those in the bin do not count."""
    rows = db.execute(
        select(Document.state, func.count())
        .where(Document.project_id == project, Document.removed_at.is_(None))
        .group_by(Document.state)
    )
    return {str(state): int(number) for state, number in rows}
