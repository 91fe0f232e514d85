"""Connections and transactions, on SQLite and on PostgreSQL.

A transaction that writes holds SQLite's one write lock from its beginning (`BEGIN IMMEDIATE`), so
that it never has to be done again; its audit rows are written at its end, in the same transaction.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

from incognote.core.caches import BoundedDict
from incognote.core.errors import MissingExtra, UsageError
from incognote.web.store.audit import append_audit
from incognote.web.store.site import Site

BUSY_SECONDS = 30


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def columns(row: Any, names: str) -> dict[str, Any]:
    """Some columns of a row, as an answer of the API."""
    return {name: getattr(row, name) for name in names.split()}


class Store:
    """The database of a site."""

    def __init__(self, site: Site, pool: int = 20) -> None:
        self.site = site
        self.engine = connect(site.database, pool)
        self._turn = threading.Lock() if self.is_sqlite else nullcontext()
        self._writer = self.engine.execution_options(incognote_writes=True)
        self._audit_key = site.audit_key
        # What was reckoned for pages, by project and state; numbers, no text.
        self.figures: BoundedDict[tuple[Any, ...], Any] = BoundedDict(f"{__name__}.figures", 64)

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def read(self) -> Iterator[Session]:
        with Session(self.engine, expire_on_commit=False) as db:
            yield db

    @contextmanager
    def write(self, account: int | None = None) -> Iterator[Session]:
        """A transaction of this account; all of it happens, audit rows included, or nothing.

        On SQLite the writers of a process take turns before they take a connection: who waits for
        the database's own lock polls it, holds a connection and may never be the one who gets it.
        """
        with self._turn, Session(self._writer, expire_on_commit=False) as db:
            db.info["account"] = account
            with db.begin():
                yield db
                append_audit(db, self._audit_key, now())

    def close(self) -> None:
        self.engine.dispose()


def connect(url: str, pool: int = 20) -> Engine:
    try:
        parsed = make_url(url)
    except Exception:  # noqa: BLE001 - the URL may hold a password: say nothing of it
        raise UsageError("the database URL of the workbench is not one") from None
    # Parameters are what people write and what notes say: errors must not quote them.
    options: dict[str, Any] = {"hide_parameters": True, "pool_pre_ping": True}
    if parsed.get_backend_name() == "sqlite":
        options["connect_args"] = {"timeout": BUSY_SECONDS, "check_same_thread": False}
        # One for each thread of the server, and one for the transaction within.
        options |= {"pool_size": pool, "max_overflow": 4 * pool}
    elif parsed.get_backend_name() == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
        options |= {"pool_size": pool, "max_overflow": pool}
    else:
        raise UsageError("the database of a workbench is SQLite or PostgreSQL")
    try:
        engine = create_engine(parsed, **options)
    except ModuleNotFoundError:
        raise MissingExtra("PostgreSQL", "web-postgres") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say so
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")  # what was confirmed survives a power cut
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("incognote_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
