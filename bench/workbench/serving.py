"""A workbench for the bench: its data folder, its people, a server on loopback."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from incognote.web.store import accounts, projects
from incognote.web.store.database import schema
from incognote.web.store.database.connection import Store
from incognote.web.store.site import Site

PASSWORD = "password of the bench"
RULES = 'extends = ["i2b2-2014", "rules"]\nname = "bench"\n'
DEFAULT = 'extends = "i2b2-2014"\nname = "bench"\n'


@contextmanager
def workbench(
    people: int = 1, policy: str = RULES, database: str = "", **settings: object
) -> Iterator[tuple[Store, int]]:
    """A store and the number of its project; `people` annotators p0, p1, ... and a manager."""
    folder = Path(tempfile.mkdtemp(prefix="incognote-bench-"))
    store = Store(Site.create(folder / "site", database))
    try:
        schema.upgrade(store.engine)
        with store.write() as db:
            project = projects.create_project(db, store.site, "Bench", None)
            project.policy = policy
            projects.change_settings(db, project, projects.Settings(**settings))  # type: ignore[arg-type]
            hashed = accounts.hashed(PASSWORD)
            names = ["manager", *(f"p{number}" for number in range(people))]
            for name in names:
                account = accounts.Account(
                    name=name, full_name=name, password=hashed, created_at=0, settings={}
                )
                db.add(account)
                db.flush()
                role = "manager" if name == "manager" else "annotator"
                accounts.set_roles(db, project.id, account.id, frozenset({role}))
            number = project.id
        yield store, number
    finally:
        store.close()
        shutil.rmtree(folder, ignore_errors=True)


class Address(str):
    """The address of a server, which knows what processor time that has taken."""

    __slots__ = ("pid",)
    pid: int

    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(store: Store) -> Iterator[Address]:
    """The address of a server of this store; it ends with the block."""
    command = [sys.executable, "-m", "incognote", "web", "serve", str(store.site.folder)]
    process = subprocess.Popen(
        [*command, "--port", "0", "--workers", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        # "The workbench is at ADDRESS/ (...)": from here on it listens.
        address = Address(process.stdout.readline().split()[4].rstrip("/"))
        address.pid = process.pid
        yield address
    finally:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(15)
        process.kill()


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL of our own, by a Unix socket; "" where none is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        yield ""
        return
    folder = Path(tempfile.mkdtemp(prefix="incognote-pg-"))
    as_user: list[str] = []
    if os.geteuid() == 0:
        as_user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres", "postgres")
    data = folder / "data"

    def run(program: str, *options: str) -> None:
        command = [*as_user, str(found[-1].with_name(program)), *options]
        subprocess.run(command, check=True, capture_output=True, timeout=120, cwd="/")

    run("initdb", "-D", str(data), "-A", "trust", "-U", "postgres", "-E", "UTF8")
    options = f"-k {folder} -c listen_addresses='' -c max_connections=300"
    run("pg_ctl", "-D", str(data), "-o", options, "-w", "-l", str(folder / "log"), "start")
    try:
        yield f"postgresql+psycopg://postgres@/postgres?host={folder}"
    finally:
        run("pg_ctl", "-D", str(data), "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


class Person:
    """Somebody who speaks to the API as a page does."""

    def __init__(self, address: str, name: str) -> None:
        import httpx

        # A cookie marked Secure goes over HTTPS only; this one is carried by hand.
        self._client = httpx.Client(base_url=f"{address}/api/v1", timeout=120)
        self._headers = {"origin": address}
        given = {"name": name, "password": PASSWORD}
        answer = self._client.post("/session", json=given, headers=self._headers)
        answer.raise_for_status()
        cookie = answer.headers["set-cookie"].partition(";")[0]
        self._headers |= {"cookie": cookie, "x-incognote-token": answer.json()["token"]}
        self._client.cookies.clear()

    def ask(self, method: str, path: str, body: object = None) -> dict[str, object]:
        answer = self._client.request(method, path, json=body, headers=self._headers)
        answer.raise_for_status()
        found: dict[str, object] = answer.json()
        return found

    def close(self) -> None:
        self._client.close()
