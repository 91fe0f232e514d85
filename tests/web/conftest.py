"""A workbench for tests, on SQLite and on a throw-away PostgreSQL; a client for each account.

On a laptop without PostgreSQL or Chromium their tests are skipped with a reason. With CI=true a
skip is a failure: whoever builds must have looked.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `web` is not installed")

import argon2
from fastapi.testclient import TestClient
from sqlalchemy.engine import make_url

from incognote.core.caches import clear_caches
from incognote.web.http.app import create_app
from incognote.web.store import accounts, projects
from incognote.web.store.database import schema
from incognote.web.store.database.connection import Store, connect
from incognote.web.store.site import SQLITE, Site
from incognote.web.work.worker import Worker

PASSWORD = "a long enough password"
HASHER = argon2.PasswordHasher
ORIGIN = "https://workbench.test"
# Which notes measure, what comes next and what a reviewer reads are drawn with a project's key. A test
# sees one draw, and holds for every other: INCOGNOTE_DRAW=2 tries another one.
DRAW = os.environ.get("INCOGNOTE_DRAW", "1")
PATIENCE = 180.0  # seconds; what waits for less fails where the machine has other work
_numbers = itertools.count(1)
NOTE = "Seen by Dr. Mary Holt on 3/4/2020 for follow-up. John Carver, MRN 4471822, is 61 years old."


def missing(what: str) -> None:
    """Skips a test, or fails it where nothing may be skipped."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI may not skip: {what}")
    pytest.skip(what)


def eventually(holds: Callable[[], object], what: str) -> None:
    """Waits until it holds. How long that takes is no matter of the test."""
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until, f"waited in vain: {what}"
        time.sleep(0.05)


@pytest.fixture(scope="session", autouse=True)
def _cheap_passwords() -> Iterator[None]:
    """Nobody attacks the passwords of tests; to hash them well would take most of the time."""
    cheap = partial(HASHER.from_parameters, argon2.profiles.CHEAPEST)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argon2, "PasswordHasher", cheap)
        clear_caches("incognote.web.store.accounts")
        yield
    clear_caches("incognote.web.store.accounts")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A PostgreSQL server of our own, reached by a Unix socket; it ends with the session."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        missing("PostgreSQL is not installed")
    programs = found[-1].parent
    # Not pytest's own folder: sessions that run beside this one clear it.
    folder = Path(tempfile.mkdtemp(prefix="incognote-pg-"))
    as_user: list[str] = []
    if os.geteuid() == 0:
        as_user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres", "postgres")
    data = folder / "data"
    run = lambda *command: subprocess.run(  # noqa: E731
        [*as_user, *command], check=True, capture_output=True, timeout=120, cwd="/"
    )
    run(
        str(programs / "initdb"),
        "-D",
        str(data),
        "-A",
        "trust",
        "-U",
        "postgres",
        "--no-sync",
        "-E",
        "UTF8",
    )
    options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=300"
    run(
        str(programs / "pg_ctl"),
        "-D",
        str(data),
        "-o",
        options,
        "-w",
        "-l",
        str(folder / "log"),
        "start",
    )
    try:
        yield f"postgresql+psycopg://postgres@/postgres?host={folder}"
    finally:
        run(str(programs / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def new_database(server: str, template: str = "") -> str:
    """The URL of a new database of this server, empty or a copy of another one."""
    from sqlalchemy import create_engine, text

    name = f"test_{os.getpid()}_{next(_numbers)}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        copied = f" TEMPLATE {make_url(template).database}" if template else ""
        connection.execute(text(f"CREATE DATABASE {name}{copied}"))
    engine.dispose()
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database; "" is SQLite in the data folder."""
    if request.param == "sqlite":
        return ""
    return new_database(request.getfixturevalue("postgres"))


@pytest.fixture(scope="session")
def postgres_tables(postgres: str) -> str:
    """A database with the tables and no rows. To copy one is quicker than to migrate one."""
    url = new_database(postgres)
    migrate(url)
    return url


@cache
def sqlite_tables() -> bytes:
    """The file of an SQLite database with the tables and no rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / SQLITE
        migrate(f"sqlite:///{path}")
        return path.read_bytes()


def migrate(url: str) -> None:
    engine = connect(url)
    schema.upgrade(engine)
    engine.dispose()


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[Store]:
    yield from sqlite_in(tmp_path)


def sqlite_in(folder: Path) -> Iterator[Store]:
    site = Site.create(folder / "site")
    (site.folder / SQLITE).write_bytes(sqlite_tables())
    found = Store(site)
    yield found
    found.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "sqlite":
        yield from sqlite_in(tmp_path)
        return
    server = request.getfixturevalue("postgres")
    copy = new_database(server, request.getfixturevalue("postgres_tables"))
    found = Store(Site.create(tmp_path / "site", copy))
    yield found
    found.close()


class Client(TestClient):
    """A browser with an account: it sends what pages send."""

    def __init__(self, app: object) -> None:
        super().__init__(app, base_url=ORIGIN, follow_redirects=False)  # type: ignore[arg-type]
        self.token = ""

    def sign_in(self, name: str, password: str = PASSWORD) -> None:
        answer = self.post("/api/v1/session", json={"name": name, "password": password})
        assert answer.status_code == 200, answer.text
        self.token = answer.json()["token"]

    def request(self, method, url, **options):  # type: ignore[no-untyped-def]
        headers = {
            "origin": ORIGIN,
            "x-incognote-token": self.token,
            **(options.pop("headers", None) or {}),
        }
        headers = {name: value for name, value in headers.items() if value is not None}
        return super().request(method, url, headers=headers, **options)

    def api(self, method: str, path: str, body: object = None, status: int = 200) -> object:
        answer = (
            self.request(method, f"/api/v1/{path}", json=body)
            if body is not None
            else self.request(method, f"/api/v1/{path}")
        )
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()


@dataclass
class Bench:
    """A workbench with people: clients by name, and a worker that does what waits."""

    store: Store
    app: object
    project: int = 0
    ids: dict[str, int] = field(default_factory=dict)
    clients: dict[str, Client] = field(default_factory=dict)
    suffix: str = ""  # of account names, where several tests share a workbench

    def account(self, name: str) -> str:
        return f"{name}{self.suffix}"

    def person(self, name: str, *roles: str, admin: bool = False) -> Client:
        if name not in self.ids:
            with self.store.write() as db:
                account, _ = accounts.create_account(
                    db, self.account(name), name.title(), PASSWORD, admin=admin
                )
                account.must_change = False
                db.flush()
                self.ids[name] = account.id
                if roles:
                    accounts.set_roles(db, self.project, account.id, frozenset(roles))
        if name not in self.clients:
            client = Client(self.app)
            client.sign_in(self.account(name))
            self.clients[name] = client
        return self.clients[name]

    def work(self) -> int:
        return Worker(self.store).run_all()

    def upload(self, client: Client, name: str, data: bytes, **query: str) -> dict:
        options = "&".join(f"{key}={value}" for key, value in {"name": name, **query}.items())
        answer = client.post(f"/api/v1/projects/{self.project}/sources?{options}", content=data)
        assert answer.status_code == 202, answer.text
        return answer.json()


def make_bench(store: Store, suffix: str = "", **settings: object) -> Bench:
    bench = Bench(store, create_app(store), suffix=suffix)
    with store.write() as db:
        policy = 'extends = ["i2b2-2014", "rules"]\nname = "project"\n'
        project = projects.create_project(db, store.site, f"Study{suffix}", None)
        project.policy = policy  # the rules alone: quick
        # No test depends on chance: not on what is drawn, nor on a surrogate that is, for once, the
        # name itself.
        project.draw_key = hashlib.sha256(f"draw {DRAW}".encode()).digest()
        store.site.key(project.key_file).write_bytes(hashlib.sha256(b"the tests' key").digest())
        if settings:
            projects.change_settings(db, project, projects.Settings(**settings))
        bench.project = project.id
    return bench


@pytest.fixture
def bench(store: Store) -> Bench:
    return make_bench(store)


@pytest.fixture
def quick_bench(sqlite_store: Store) -> Bench:
    """On SQLite alone, for what does not depend on the database."""
    return make_bench(sqlite_store)
