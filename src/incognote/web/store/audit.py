"""The audit: who did what, when, to which object, and how many. It never holds clinical text.

Each row carries an HMAC over itself and the row before it, so that a row that was changed, added or
taken away shows. Triggers refuse updates and deletes; the chain shows what was done around them.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from incognote.web.store.tables import Audit

_LOCK = 0x696E636F  # of PostgreSQL: one chain, one writer at a time
_FIRST = "0" * 64
_CHUNK = 1000


@dataclass(frozen=True, slots=True)
class _Event:
    action: str
    object: str
    project: int | None
    counts: dict[str, int | str]
    account: int | None


def audit(
    db: Session,
    action: str,
    object_: str = "",
    project: int | None = None,
    **counts: int | str,
) -> None:
    """Notes an event; the row is written at the end of the transaction."""
    events = db.info.setdefault("audit", [])
    events.append(_Event(action, object_, project, counts, db.info.get("account")))


def append_audit(db: Session, key: bytes, at: int) -> None:
    events: list[_Event] = db.info.pop("audit", [])
    if not events:
        return
    db.flush()
    if db.get_bind().dialect.name == "postgresql":
        db.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    last = db.scalars(select(Audit).order_by(Audit.id.desc()).limit(1)).first()
    number, before = (last.id, last.mac) if last else (0, _FIRST)
    for event in events:
        number += 1
        row = Audit(
            id=number,
            at=at,
            account_id=event.account,
            project_id=event.project,
            action=event.action,
            object=event.object,
            counts=event.counts,
        )
        row.mac = before = _mac(key, row, before)
        db.add(row)
    db.flush()


def _mac(key: bytes, row: Audit, before: str) -> str:
    fields = [
        row.id,
        row.at,
        row.account_id,
        row.project_id,
        row.action,
        row.object,
        row.counts,
        before,
    ]
    return hmac.new(key, json.dumps(fields, sort_keys=True).encode(), "sha256").hexdigest()


def verify(db: Session, key: bytes) -> tuple[int, int | None]:
    """How many rows the chain has, and the number of the first that does not fit, if any."""
    before, count = _FIRST, 0
    for row in _rows(db):
        count += 1
        if row.id != count or not hmac.compare_digest(row.mac, _mac(key, row, before)):
            return count, row.id
        before = row.mac
    return count, None


def _rows(db: Session) -> Iterator[Audit]:
    last = 0
    while rows := db.scalars(
        select(Audit).where(Audit.id > last).order_by(Audit.id).limit(_CHUNK)
    ).all():
        yield from rows
        last = rows[-1].id
        db.expunge_all()
