"""People, their passwords and sessions, and their roles in projects."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import threading
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from incognote.core.caches import once
from incognote.core.errors import UsageError
from incognote.web.flow.roles import ROLES
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import now
from incognote.web.store.tables import Account, Membership, Project, SignIn

SHORTEST_PASSWORD = 10
LONGEST_SUBJECT = 255
IDLE_MS = 30 * 60 * 1000
LONGEST_MS = 12 * 60 * 60 * 1000
_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,78}")
_SEEN_EVERY_MS = 60_000
# Each takes 64 MB and four threads: when a whole team signs in at nine, a few at once is quickest.
_HASHING = threading.BoundedSemaphore(max(2, (os.cpu_count() or 2) // 2))


@dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in. `token` is the hash of the session's token."""

    id: int
    name: str
    full_name: str
    is_admin: bool
    must_change: bool
    token: str


def create_account(
    db: Session, name: str, full_name: str = "", password: str = "", *, admin: bool = False
) -> tuple[Account, str]:
    """A new account and its first password, which is shown once."""
    name = name.strip().lower()
    if not _NAME.fullmatch(name):
        raise UsageError("a sign-in name has letters a to z, digits, and . _ @ -")
    if db.scalar(select(Account.id).where(Account.name == name)):
        raise UsageError("there is an account of this name already")
    password = password or secrets.token_urlsafe(12)
    account = Account(
        name=name,
        full_name=full_name.strip()[:200],
        password=hashed(password),
        is_admin=admin,
        must_change=True,
        created_at=now(),
    )
    db.add(account)
    db.flush()
    audit(db, "account created", f"account {account.id}")
    return account, password


def hashed(password: str) -> str:
    if len(password) < SHORTEST_PASSWORD:
        raise UsageError(f"a password has at least {SHORTEST_PASSWORD} characters")
    with _HASHING:
        return str(_hasher().hash(password[:1000]))


@once
def _hasher():  # type: ignore[no-untyped-def]  # noqa: ANN202
    from argon2 import PasswordHasher

    return PasswordHasher()


@once
def _nobody() -> str:
    """A hash to check where there is no account: a wrong name takes as long as a wrong password."""
    return hashed(secrets.token_urlsafe(16))


def password_fits(account: Account | None, password: str) -> bool:
    from argon2.exceptions import InvalidHashError, VerificationError

    there = account.password if account and account.is_active else None
    against = there or _nobody()
    try:
        with _HASHING:
            _hasher().verify(against, password[:1000])
    except (VerificationError, InvalidHashError):
        return False
    return there is not None


def by_name(db: Session, name: str) -> Account | None:
    return db.scalars(select(Account).where(Account.name == name.strip().lower())).first()


def by_subject(db: Session, subject: str) -> Account | None:
    return db.scalars(select(Account).where(Account.subject == subject)).first()


def bind(db: Session, account: Account, subject: str) -> None:
    """From now on the organisation's provider says that somebody is this person, and no password
    does; "" takes that back. Every session of the account ends."""
    subject = subject.strip()
    if len(subject) > LONGEST_SUBJECT:
        raise UsageError(f"a subject has at most {LONGEST_SUBJECT} characters")
    other = by_subject(db, subject) if subject else None
    if other is not None and other.id != account.id:
        raise UsageError("another account is bound to this subject")
    account.subject = subject or None
    if subject:
        account.password, account.must_change = None, False
    end_sessions(db, account.id)
    audit(db, "account bound" if subject else "account unbound", f"account {account.id}")


def set_password(db: Session, account: Account, hash_: str, *, must_change: bool) -> None:
    """The hash of a new password; every session of the account ends."""
    if account.subject:
        raise UsageError("this account signs in with the organisation's provider: unbind it first")
    account.password = hash_
    account.must_change = must_change
    end_sessions(db, account.id)
    audit(db, "password changed", f"account {account.id}")


def begin_session(db: Session, account: Account) -> str:
    """A new token, always: one that somebody planted before the sign-in is worth nothing."""
    token = secrets.token_urlsafe(32)
    db.execute(delete(SignIn).where(SignIn.created_at < now() - LONGEST_MS))
    db.add(SignIn(token=token_hash(token), account_id=account.id, created_at=now(), seen_at=now()))
    db.info["account"] = account.id
    audit(db, "signed in", f"account {account.id}")
    return token


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def person_of(db: Session, token: str) -> Person | None:
    """Who a session belongs to, unless it has ended."""
    row = db.execute(
        select(SignIn, Account)
        .join(Account, Account.id == SignIn.account_id)
        .where(SignIn.token == token_hash(token))
    ).first()
    if row is None:
        return None
    session, account = row
    at = now()
    expired = at - session.seen_at > IDLE_MS or at - session.created_at > LONGEST_MS
    if expired or not account.is_active:
        return None
    return Person(
        account.id,
        account.name,
        account.full_name or account.name,
        account.is_admin,
        account.must_change,
        session.token,
    )


def is_due(db: Session, person: Person) -> bool:
    """Whether it is time to note that the session is in use."""
    seen = db.scalar(select(SignIn.seen_at).where(SignIn.token == person.token))
    return seen is not None and now() - seen > _SEEN_EVERY_MS


def keep_alive(db: Session, person: Person) -> None:
    session = db.get(SignIn, person.token)
    if session:
        session.seen_at = now()


def end_session(db: Session, person: Person) -> None:
    db.execute(delete(SignIn).where(SignIn.token == person.token))
    audit(db, "signed out", f"account {person.id}")


def end_sessions(db: Session, account: int) -> None:
    db.execute(delete(SignIn).where(SignIn.account_id == account))


def roles_of(db: Session, account: int, project: int) -> frozenset[str]:
    return frozenset(
        db.scalars(
            select(Membership.role).where(
                Membership.account_id == account, Membership.project_id == project
            )
        )
    )


def set_roles(db: Session, project: int, account: int, roles: frozenset[str]) -> None:
    """The roles of a person in a project; none takes them out of it."""
    if not roles <= set(ROLES):
        raise UsageError(f"roles are {', '.join(ROLES)}")
    found = db.get(Account, account)
    if found is None or db.get(Project, project) is None:
        raise UsageError("no such account or project")
    if found.is_admin and roles:
        raise UsageError("an administrator of the site sees no notes: use another account")
    db.execute(
        delete(Membership).where(Membership.project_id == project, Membership.account_id == account)
    )
    db.add_all(
        Membership(project_id=project, account_id=account, role=role) for role in sorted(roles)
    )
    audit(db, "roles set", f"account {account}", project, roles=", ".join(sorted(roles)))


def members(db: Session, project: int) -> list[tuple[Account, list[str]]]:
    rows = db.execute(
        select(Account, Membership.role)
        .join(Membership, Membership.account_id == Account.id)
        .where(Membership.project_id == project)
        .order_by(Account.name, Membership.role)
    )
    found: dict[int, tuple[Account, list[str]]] = {}
    for account, role in rows:
        found.setdefault(account.id, (account, []))[1].append(role)
    return list(found.values())
