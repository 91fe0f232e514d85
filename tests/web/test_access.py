"""Every endpoint, asked by every role and by nobody."""

from __future__ import annotations

import pytest
from fastapi.routing import APIRoute
from tests.web.conftest import Bench, Client, make_bench
from tests.web.test_loop import notes

from incognote.web.http.app import create_app

ROLES = ("annotator", "adjudicator", "reviewer", "manager", "auditor")
MEMBERS = frozenset(ROLES)
MANAGER = frozenset({"manager"})
READERS = frozenset({"manager", "adjudicator"})
ADMIN = frozenset({"administrator"})
EVERYBODY = MEMBERS | ADMIN
AGREEMENT = frozenset({"annotator", "adjudicator", "manager"})
RELEASES = frozenset({"manager", "reviewer"})
AUDIT = frozenset({"manager", "auditor"})
NOBODY = frozenset()

# Who may ask what. Written by hand: what the code says of itself is what is tested.
API = {
    ("POST", "/api/v1/session"): "public",
    ("GET", "/api/v1/session"): EVERYBODY,
    ("DELETE", "/api/v1/session"): EVERYBODY,
    ("PUT", "/api/v1/session/password"): EVERYBODY,
    ("GET", "/api/v1/session/settings"): EVERYBODY,
    ("PUT", "/api/v1/session/settings"): EVERYBODY,
    ("GET", "/api/v1/health"): "public",
    ("GET", "/api/v1/accounts"): ADMIN,
    ("POST", "/api/v1/accounts"): ADMIN,
    ("PATCH", "/api/v1/accounts/{account}"): ADMIN,
    ("GET", "/api/v1/backups"): ADMIN,
    ("POST", "/api/v1/backups"): ADMIN,
    ("GET", "/api/v1/projects/{project}/batches"): MEMBERS,
    ("GET", "/api/v1/projects/{project}/effort"): AGREEMENT,
    ("GET", "/api/v1/projects"): EVERYBODY,
    ("POST", "/api/v1/projects"): ADMIN,
    ("GET", "/api/v1/projects/{project}"): MEMBERS,
    ("PATCH", "/api/v1/projects/{project}"): MANAGER,
    ("GET", "/api/v1/projects/{project}/members"): MANAGER,
    ("POST", "/api/v1/projects/{project}/members"): MANAGER,
    ("PUT", "/api/v1/projects/{project}/members/{account}"): MANAGER,
    ("GET", "/api/v1/projects/{project}/jobs"): AUDIT,
    ("POST", "/api/v1/projects/{project}/jobs"): MANAGER,
    ("GET", "/api/v1/projects/{project}/jobs/{job}"): AUDIT,
    ("DELETE", "/api/v1/projects/{project}/jobs/{job}"): MANAGER,
    ("POST", "/api/v1/projects/{project}/sources"): MANAGER,
    ("GET", "/api/v1/projects/{project}/sources"): MANAGER,
    ("GET", "/api/v1/projects/{project}/documents"): MANAGER,
    ("POST", "/api/v1/projects/{project}/documents/assign"): MANAGER,
    ("POST", "/api/v1/projects/{project}/documents/remove"): MANAGER,
    ("POST", "/api/v1/projects/{project}/documents/put-back"): MANAGER,
    ("GET", "/api/v1/documents/{document}"): READERS,
    ("GET", "/api/v1/documents/{document}/remarks"): READERS,
    ("POST", "/api/v1/documents/{document}/remarks"): READERS,
    ("PUT", "/api/v1/remarks/{remark}"): READERS,
    ("POST", "/api/v1/projects/{project}/next"): frozenset({"annotator"}),
    ("GET", "/api/v1/assignments/{assignment}"): NOBODY,  # but its owner
    ("POST", "/api/v1/assignments/{assignment}/edits"): NOBODY,
    ("POST", "/api/v1/assignments/{assignment}/done"): NOBODY,
    ("POST", "/api/v1/assignments/{assignment}/skip"): NOBODY,
    ("POST", "/api/v1/assignments/{assignment}/reopen"): NOBODY,
    ("GET", "/api/v1/assignments/{assignment}/people"): NOBODY,
    ("POST", "/api/v1/assignments/{assignment}/people"): NOBODY,
    ("POST", "/api/v1/projects/{project}/assignments/{assignment}/take-back"): MANAGER,
    ("GET", "/api/v1/documents/{document}/disputes"): frozenset({"adjudicator"}),
    ("GET", "/api/v1/documents/{document}/decisions"): frozenset({"adjudicator"}),
    ("POST", "/api/v1/documents/{document}/decisions"): frozenset({"adjudicator"}),
    ("GET", "/api/v1/projects/{project}/agreement"): AGREEMENT,
    ("GET", "/api/v1/projects/{project}/models"): READERS,
    ("POST", "/api/v1/projects/{project}/models"): MANAGER,
    ("POST", "/api/v1/models/{model}/use"): MANAGER,
    ("DELETE", "/api/v1/models/{model}/use"): MANAGER,
    ("POST", "/api/v1/projects/{project}/proposals"): READERS,  # and annotators of the note
    ("GET", "/api/v1/projects/{project}/proposals"): READERS,
    ("POST", "/api/v1/proposals/{proposal}/try"): MANAGER,
    ("POST", "/api/v1/proposals/{proposal}/sign"): MANAGER,
    ("POST", "/api/v1/proposals/{proposal}/refuse"): MANAGER,
    ("GET", "/api/v1/projects/{project}/policy"): MANAGER,
    ("POST", "/api/v1/projects/{project}/policy/check"): MANAGER,
    ("PUT", "/api/v1/projects/{project}/policy"): MANAGER,
    ("POST", "/api/v1/projects/{project}/policy/try"): MANAGER,
    ("GET", "/api/v1/projects/{project}/releases"): RELEASES,
    ("POST", "/api/v1/projects/{project}/releases"): MANAGER,
    ("GET", "/api/v1/releases/{release}"): RELEASES,
    ("GET", "/api/v1/releases/{release}/documents/{document}"): RELEASES,
    ("POST", "/api/v1/releases/{release}/documents/{document}"): frozenset({"reviewer"}),
    ("POST", "/api/v1/releases/{release}/approve"): frozenset({"reviewer"}),
    ("POST", "/api/v1/projects/{project}/exports"): MANAGER,
    ("GET", "/api/v1/projects/{project}/exports/{job}"): MANAGER,
    ("GET", "/api/v1/projects/{project}/audit"): AUDIT,
}
PAGES = {
    "/sign-in": "public",
    "/oidc/start": "public",  # 404 here: this workbench has no provider
    "/oidc/callback": "public",
    "/password": EVERYBODY,
    "/": EVERYBODY,
    "/accounts": ADMIN,
    "/projects/{project}": MEMBERS,
    "/projects/{project}/notes": MANAGER,
    "/projects/{project}/files": MANAGER,
    "/projects/{project}/settings": MANAGER,
    "/projects/{project}/agreement": AGREEMENT,
    "/projects/{project}/audit": AUDIT,
    "/projects/{project}/learning": READERS,
    "/projects/{project}/policy": MANAGER,
    "/projects/{project}/releases": RELEASES,
    "/releases/{release}/documents/{document}": RELEASES,
    "/edit/{assignment}": NOBODY,
    "/documents/{document}": READERS,
}
ALL = {**API, **{("GET", path): who for path, who in PAGES.items()}}


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
            "account": bench.ids["auditor"],
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
    if ALL[method, path] == "public":
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
        if who == "public" or role in who:
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
