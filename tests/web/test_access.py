"""Every endpoint, asked by every role and by nobody."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from tests.web.conftest import Bench, Client, make_bench
from tests.web.test_loop import notes

from incognote.web.http.app import create_app

ROLES = ("annotator", "adjudicator", "reviewer", "manager", "auditor")
TABLE = tomllib.loads(Path(__file__).with_name("access.toml").read_text("utf-8"))
# (method, path) -> the roles that may ask it
ALL = {
    tuple(route.split(" ")): frozenset(TABLE["groups"].get(who, [who]))
    for section in ("api", "pages")
    for route, who in TABLE[section].items()
}
PUBLIC = frozenset({"public"})


@pytest.fixture(scope="module")
def people(tmp_path_factory) -> tuple[Bench, dict[str, int]]:
    """One of each role, and one of everything to ask for."""
    from tests.web.conftest import sqlite_in

    from incognote.web.store.database.connection import now
    from incognote.web.store.tables import Model, Proposal, Remark

    store = next(sqlite_in(tmp_path_factory.mktemp("access")))
    bench = make_bench(store)
    for role in ROLES:
        bench.person(role, role)
    bench.person("administrator", admin=True)
    bench.upload(bench.person("manager"), "notes.jsonl", notes(3))
    source = bench.upload(bench.person("manager"), "empty.txt", b"")["id"]
    bench.work()
    owner = bench.person("owner", "annotator")
    assignment = owner.api("POST", f"projects/{bench.project}/next")["id"]
    document = owner.api("GET", f"assignments/{assignment}")["document"]
    manager = bench.person("manager")
    release = manager.api(
        "POST", f"projects/{bench.project}/releases", {"name": "r", "wanted": 0.5}, 202
    )["id"]
    bench.work()
    job = manager.api("POST", f"projects/{bench.project}/exports", {"what": "policy"}, 202)["job"]
    bench.work()
    with store.write() as db:
        model = Model(
            project_id=bench.project,
            kind="crf",
            folder="x",
            gold_hash="",
            created_at=now(),
            state="retired",
        )
        remark = Remark(
            document_id=document, account_id=bench.ids["owner"], body=b"?", created_at=now()
        )
        proposal = Proposal(
            project_id=bench.project,
            kind="never",
            content=b'{"word": "x", "label": ""}',
            created_at=now(),
        )
        db.add_all([model, remark, proposal])
        db.flush()
        ids = {
            "project": bench.project, "document": document, "assignment": assignment, "job": job,
            "model": model.id, "remark": remark.id, "proposal": proposal.id, "release": release,
            "account": bench.ids["auditor"], "source": source,
        }  # fmt: skip
    return bench, ids


# What is asked must be sound where the answer to nonsense would come before that to "may I?".
BODIES = {
    "/remarks": {"body": "?"},
    "/edits": {"edits": []},
    "/done": {"revision": 0},
    "/skip": {"reason": "x"},
    "/people": {"one": 0, "other": 1, "same": True},
    "/decisions": {"start": 0, "end": 1, "choice": "a"},
}


def ask(client: Client, method: str, path: str, ids: dict[str, int]) -> int:
    url = path.format(**ids)
    if path.endswith("/sources"):
        url += "?name=x.txt"
    if path.endswith("/next"):
        url += "?part=annotate"
    body = BODIES.get(f"/{path.rpartition('/')[2]}", {})
    if path.endswith("/proposals"):
        body = {"kind": "never", "word": "x", "label": "", "document": ids["document"]}
    sends = method in ("POST", "PUT", "PATCH")
    return client.request(method, url, json=body if sends else None).status_code


def test_the_table_names_every_route(sqlite_store):
    app = create_app(sqlite_store)
    there = {
        (method, route.path)
        for route in _routes(app)
        for method in route.methods
        if method != "HEAD"
    }
    assert there == set(ALL)


def _routes(app) -> list[APIRoute]:
    found: list[APIRoute] = []

    def walk(routes) -> None:
        for route in routes:
            if isinstance(route, APIRoute):
                found.append(route)
            inner = getattr(route, "routes", None) or getattr(
                getattr(route, "original_router", None), "routes", None
            )
            if inner:
                walk(inner)

    walk(app.routes)
    return found


@pytest.mark.parametrize(("method", "path"), sorted(ALL))
def test_nobody_gets_in(people, method: str, path: str):
    bench, ids = people
    status = ask(Client(bench.app), method, path, ids)
    if ALL[method, path] == PUBLIC:
        assert status not in (401, 303)
    else:
        assert status == (401 if path.startswith("/api/") else 303)


@pytest.mark.parametrize("role", [*ROLES, "administrator"])
def test_each_role_gets_what_is_its_own(people, role: str):
    bench, ids = people
    wrong = []
    for (method, path), who in ALL.items():
        if path.endswith("session") and method == "DELETE":
            continue  # it would end the session of this test
        status = ask(bench.person(role), method, path, ids)
        if who == PUBLIC or role in who:
            good = status not in (401, 403, 404, 500)
            # What is missing is not hidden: a model that is not in use cannot be retired.
            good = good or (status == 404 and (method != "GET" or path.startswith("/oidc/")))
        else:
            good = status in (403, 404)
        if not good:
            wrong.append(f"{role}: {method} {path}: {status}")
    assert wrong == []


def test_a_stranger_cannot_tell_a_project_from_none(people):
    bench, _ = people
    stranger = bench.person("stranger")
    assert stranger.get(f"/api/v1/projects/{bench.project}").status_code == 404
    assert stranger.get("/api/v1/projects/999999").status_code == 404


def test_an_administrator_cannot_join_a_project(people):
    bench, _ = people
    manager = bench.person("manager")
    body = {"name": "administrator", "roles": ["annotator"]}
    manager.api("POST", f"projects/{bench.project}/members", body, 400)
