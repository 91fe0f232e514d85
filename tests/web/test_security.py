"""What an attacker tries: forged requests, guessed passwords, planted sessions, hostile files."""

from __future__ import annotations

import io
import json
import logging
import os
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.web.conftest import HASHER, PASSWORD, Bench, Client

from incognote.core.caches import clear_caches
from incognote.web.http.app import create_app
from incognote.web.http.headers import CONTENT_POLICY
from incognote.web.http.limits import FROM_ALL, FROM_ONE, WINDOW, Throttle
from incognote.web.store import accounts
from incognote.web.store.audit import verify
from incognote.web.store.tables import Audit, Job, SignIn

CANARY = "Zyxomma Quellbrand"


def test_passwords_are_hashed_dearly(monkeypatch: pytest.MonkeyPatch):
    """As argon2's authors advise; other tests hash cheaply."""
    monkeypatch.setattr("argon2.PasswordHasher", HASHER)
    clear_caches("incognote.web.store.accounts")
    try:
        assert accounts.hashed(PASSWORD).startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    finally:
        clear_caches("incognote.web.store.accounts")


def test_changes_need_a_page_of_ours(quick_bench: Bench):
    manager = quick_bench.person("mia", "manager")
    path = f"/api/v1/projects/{quick_bench.project}"
    for headers in (
        {"origin": "https://elsewhere.test"},
        {"origin": None},
        {"origin": None, "sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"x-incognote-token": ""},
        {"x-incognote-token": "0" * 64},
    ):
        answer = manager.patch(path, json={"batch": 7}, headers=headers)
        assert answer.status_code == 403, headers
    assert manager.api("GET", f"projects/{quick_bench.project}")["batch"] == 20
    assert manager.patch(path, json={"batch": 7}).status_code == 200


def test_the_token_of_one_session_is_worth_nothing_in_another(quick_bench: Bench):
    mia = quick_bench.person("mia", "manager")
    other = quick_bench.person("max", "manager")
    answer = mia.patch(
        f"/api/v1/projects/{quick_bench.project}",
        json={"batch": 7},
        headers={"x-incognote-token": other.token},
    )
    assert answer.status_code == 403


def test_a_planted_session_is_not_taken_over(quick_bench: Bench):
    quick_bench.person("mia", "manager")
    client = Client(quick_bench.app)
    client.cookies.set("__Host-incognote", "planted", domain="workbench.test", path="/")
    client.sign_in("mia")
    values = [cookie.value for cookie in client.cookies.jar if cookie.name == "__Host-incognote"]
    assert "planted" not in values[-1]
    again = Client(quick_bench.app)
    again.sign_in("mia")
    assert again.cookies["__Host-incognote"] not in values


def test_the_cookie_is_for_this_host_and_not_for_scripts(quick_bench: Bench):
    quick_bench.person("mia", "manager")
    client = Client(quick_bench.app)
    answer = client.post("/api/v1/session", json={"name": "mia", "password": PASSWORD})
    cookie = answer.headers["set-cookie"]
    for part in ("__Host-incognote=", "HttpOnly", "Secure", "SameSite=strict", "Path=/"):
        assert part in cookie
    assert "Domain" not in cookie


@pytest.mark.parametrize(
    ("wanted", "next_"),
    [
        ("/edit/5", "/edit/5"),
        ("/projects/1/learning", "/projects/1/learning"),
        ("//elsewhere.example", "/"),
        ("/projects//elsewhere.example", "/"),
        ("https://elsewhere.example/projects", "/"),
        ("/edit/5\n", "/"),
        ("/projects/1/notes?patient=Carver", "/"),
        ("/api/v1/session", "/"),
    ],
)
def test_the_sign_in_leads_to_pages_of_ours_alone(quick_bench: Bench, wanted: str, next_: str):
    quick_bench.person("anna")
    given = {"name": "anna", "password": PASSWORD, "next": wanted}
    client = Client(quick_bench.app)
    assert client.api("POST", "session", given)["next"] == next_
    assert client.get("/sign-in", params={"next": wanted}).headers["location"] == next_


def test_who_is_signed_out_is_led_back_without_what_they_looked_for(quick_bench: Bench):
    answer = Client(quick_bench.app).get("/projects/1/notes?patient=Carver")
    assert answer.headers["location"] == "/sign-in?next=/projects/1/notes"


def test_sessions_end(quick_bench: Bench):
    mia = quick_bench.person("mia", "manager")
    path = f"/api/v1/projects/{quick_bench.project}"
    assert mia.get(path).status_code == 200
    for column, age in (("seen_at", accounts.IDLE_MS), ("created_at", accounts.LONGEST_MS)):
        mia.sign_in("mia")
        with quick_bench.store.write() as db:
            for row in db.query(SignIn):
                setattr(row, column, getattr(row, column) - age - 1)
        assert mia.get(path).status_code == 401
    mia.sign_in("mia")
    other = Client(quick_bench.app)
    other.sign_in("mia")
    mia.api("PUT", "session/password", {"old": PASSWORD, "new": "another long password"})
    assert mia.get(path).status_code == 200
    assert other.get(path).status_code == 401
    mia.sign_in("mia", "another long password")
    mia.api("DELETE", "session")
    assert mia.get(path).status_code == 401


def test_a_first_password_must_be_changed(quick_bench: Bench):
    admin = quick_bench.person("root", admin=True)
    made = admin.api("POST", "accounts", {"name": "new"}, 201)
    client = Client(quick_bench.app)
    client.sign_in("new", made["password"])
    assert client.get("/api/v1/projects").status_code == 403
    client.api("PUT", "session/password", {"old": made["password"], "new": PASSWORD})
    assert client.get("/api/v1/projects").status_code == 200


@pytest.mark.parametrize("name", ["mia", "nobody-of-this-name"])
def test_guessing_is_slowed(quick_bench: Bench, name: str):
    quick_bench.person("mia", "manager")
    quick_bench.app.state.throttle = Throttle(lambda: 0.0)
    client = Client(quick_bench.app)
    answers = [
        client.post(
            "/api/v1/session", json={"name": name, "password": f"wrong password {i}"}
        ).status_code
        for i in range(8)
    ]
    assert answers == [401] * 5 + [429] * 3


def test_the_wait_doubles_and_is_forgotten_on_success():
    time = {"now": 0.0}
    throttle = Throttle(lambda: time["now"])
    waits = []
    for _ in range(9):
        time["now"] += 10_000
        assert throttle.begin("x", "10.0.0.1") == 0
        waits.append(throttle.begin("x", "10.0.0.1"))
        if waits[-1] == 0:
            throttle.succeeded("x", "10.0.0.1")
    assert waits == [0] * 9  # who signs in between is never slowed
    assert [throttle.begin("x", "10.0.0.1") for _ in range(4)] == [0] * 4
    waits = []
    for _ in range(12):
        time["now"] += 10_000
        assert throttle.begin("x", "10.0.0.1") == 0
        waits.append(throttle.begin("x", "10.0.0.1"))
    assert waits[1] == 2 * waits[0] > 0
    assert max(waits) <= 900
    throttle.succeeded("x", "10.0.0.1")
    assert throttle.begin("x", "10.0.0.1") == 0


def test_one_password_on_many_accounts_is_slowed_by_address():
    time = {"now": 0.0}
    throttle = Throttle(lambda: time["now"])
    heard = sum(throttle.begin(f"name{n}", "10.0.0.1") == 0 for n in range(200))
    assert heard == FROM_ONE
    assert throttle.begin("another", "10.0.0.2") == 0  # others are not kept out
    # Somebody with an account of their own cannot clear the way.
    throttle.succeeded("name0", "10.0.0.1")
    assert throttle.begin("one-more", "10.0.0.1") == 0
    assert throttle.begin("and-one-more", "10.0.0.1") > 0
    time["now"] = WINDOW + 1
    assert throttle.begin("later", "10.0.0.1") == 0


def test_many_addresses_meet_the_bound_of_all():
    throttle = Throttle(lambda: 0.0)
    heard = sum(throttle.begin(f"name{n}", f"10.0.{n // 250}.{n % 250}") == 0 for n in range(2000))
    assert heard == FROM_ALL
    assert throttle.begin("mia", "192.0.2.1") > 0


def test_the_addresses_of_an_ipv6_network_are_one():
    throttle = Throttle(lambda: 0.0)
    heard = sum(throttle.begin(f"name{n}", f"2001:db8::{n:x}") == 0 for n in range(200))
    assert heard == FROM_ONE


def test_guesses_at_once_count_each():
    throttle = Throttle(lambda: 0.0)
    with ThreadPoolExecutor(16) as pool:
        waits = list(pool.map(lambda _: throttle.begin("mia", "10.0.0.1"), range(64)))
    assert sum(wait == 0 for wait in waits) == 5


def test_spraying_is_refused_by_the_server(quick_bench: Bench):
    quick_bench.person("mia", "manager")
    quick_bench.app.state.throttle = Throttle(lambda: 0.0)
    client = Client(quick_bench.app)

    def guess(name: str, password: str) -> int:
        return client.post("/api/v1/session", json={"name": name, "password": password}).status_code

    answers = [guess(f"name{n}", "Winter 2026") for n in range(FROM_ONE + 5)]
    assert answers == [401] * FROM_ONE + [429] * 5
    assert guess("mia", PASSWORD) == 429  # closed, also for who knows the password


def test_the_old_password_cannot_be_guessed_in_a_session(quick_bench: Bench):
    mia = quick_bench.person("mia", "manager")
    quick_bench.app.state.throttle = Throttle(lambda: 0.0)
    answers = [
        mia.put(
            "/api/v1/session/password", json={"old": f"wrong {n}", "new": "another long one"}
        ).status_code
        for n in range(8)
    ]
    assert answers[:5] == [403] * 5
    assert set(answers[5:]) == {429}


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/passwd",
        "..\\..\\x.txt",
        "/etc/cron.d/x",
        "a/../../b.txt",
        "C:\\x.txt",
        "x\x00.txt",
        "<img src=x>.txt",
    ],
)
def test_names_of_uploads_lead_nowhere(quick_bench: Bench, name: str):
    manager = quick_bench.person("mia", "manager")
    folder = quick_bench.store.site.folder
    before = {path for path in folder.parent.rglob("*") if path.is_file()}
    answer = manager.post(
        f"/api/v1/projects/{quick_bench.project}/sources",
        params={"name": name},
        content=b"John Carver was here.",
    )
    assert answer.status_code == 202
    number = answer.json()["id"]
    new = {path for path in folder.parent.rglob("*") if path.is_file()} - before
    kept = {path for path in new if "sqlite" not in path.name}
    assert kept == {folder / "sources" / str(quick_bench.project) / str(number)}
    (row,) = manager.api("GET", f"projects/{quick_bench.project}/sources")
    assert ".." not in row["name"]


def test_markup_stays_text(quick_bench: Bench):
    evil = "<script>alert(1)</script>"
    manager = quick_bench.person("mia", "manager")
    quick_bench.upload(
        manager,
        f"{evil}.jsonl",
        json.dumps({"id": evil, "patient_id": f'">{evil}', "text": f"{evil} John Carver"}).encode(),
    )
    quick_bench.work()
    manager.api("PATCH", f"projects/{quick_bench.project}", {"name": evil, "guidelines": evil})
    base = f"/projects/{quick_bench.project}"
    for path in (
        "/",
        base,
        f"{base}/notes",
        f"{base}/files",
        f"{base}/settings",
        f"{base}/audit",
        f"{base}/learning",
        f"{base}/notes?patient={evil}",
    ):
        answer = manager.get(path)
        assert answer.status_code == 200
        assert evil not in answer.text
    (note,) = manager.api("GET", f"projects/{quick_bench.project}/documents")["notes"]
    assert evil not in manager.get(f"/documents/{note['id']}").text


@pytest.mark.parametrize(
    "value", ["' OR 1=1 --", '"; DROP TABLE document; --', "%", "_", "\\", "x' UNION SELECT 1 --"]
)
def test_filters_are_values_not_sql(quick_bench: Bench, value: str):
    manager = quick_bench.person("mia", "manager")
    quick_bench.upload(manager, "n.txt", b"John Carver was here.")
    quick_bench.work()
    for field in ("label", "patient", "person", "purpose"):
        answer = manager.get(
            f"/api/v1/projects/{quick_bench.project}/documents", params={field: value}
        )
        assert answer.status_code == 200
        assert answer.json()["notes"] == []
    assert len(manager.api("GET", f"projects/{quick_bench.project}/documents")["notes"]) == 1


def test_large_uploads_are_refused_and_leave_nothing(quick_bench: Bench):
    quick_bench.app = create_app(quick_bench.store, largest_upload=1_000_000)
    manager = quick_bench.person("mia", "manager")
    path = f"/api/v1/projects/{quick_bench.project}/sources?name=large.txt"
    stated = manager.post(path, content=b"x", headers={"content-length": str(1024**3)})
    assert stated.status_code == 413

    def chunks():
        for _ in range(64):
            yield b"x" * 65_536

    assert manager.post(path, content=chunks()).status_code == 413
    assert list((quick_bench.store.site.folder / "sources" / "incoming").iterdir()) == []
    assert manager.api("GET", f"projects/{quick_bench.project}/sources") == []


def test_large_requests_are_refused(quick_bench: Bench):
    manager = quick_bench.person("mia", "manager")
    body = {"guidelines": "x" * 5_000_000}
    answer = manager.patch(f"/api/v1/projects/{quick_bench.project}", json=body)
    assert answer.status_code == 413


def test_a_zip_bomb_fails_as_a_job(quick_bench: Bench):
    data = io.BytesIO()
    with (
        zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("zeros.txt", "w", force_zip64=True) as member,
    ):
        for _ in range(300):
            member.write(b"0" * (1 << 20))
    inner = data.getvalue()
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(20):
            archive.writestr(f"{number}.zip", inner)
    manager = quick_bench.person("mia", "manager")
    quick_bench.upload(manager, "bomb.zip", outer.getvalue())
    quick_bench.work()
    jobs = manager.api("GET", f"projects/{quick_bench.project}/jobs")
    assert jobs[-1]["kind"] == "import"
    assert jobs[-1]["state"] in ("failed", "done")
    assert manager.api("GET", f"projects/{quick_bench.project}/documents")["notes"] == []


def test_headers_of_every_answer(quick_bench: Bench):
    manager = quick_bench.person("mia", "manager")
    for path in (
        "/",
        "/sign-in",
        "/api/v1/projects",
        "/api/v1/nothing",
        "/static/style.css",
        "/nothing",
    ):
        answer = manager.get(path)
        assert answer.headers["content-security-policy"] == CONTENT_POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        kept = "private, max-age=60" if path.startswith("/static/") else "no-store"
        assert answer.headers["cache-control"] == kept


@pytest.mark.parametrize(
    "path", ["/static/../store/tables.py", "/static/%2e%2e/store/tables.py", "/static//etc/passwd"]
)
def test_static_files_are_those_of_the_folder(quick_bench: Bench, path: str):
    assert Client(quick_bench.app).get(path).status_code == 404


def test_what_was_sent_does_not_come_back(quick_bench: Bench):
    manager = quick_bench.person("mia", "manager")
    answer = manager.post(
        f"/api/v1/projects/{quick_bench.project}/documents/assign",
        json={"ids": CANARY, "person": [CANARY]},
    )
    assert answer.status_code == 422
    assert CANARY not in answer.text
    assert {row["field"] for row in answer.json()["fields"]} == {"ids", "person"}


def test_no_clinical_text_in_logs_errors_jobs_audit(quick_bench: Bench, caplog):
    caplog.set_level(logging.DEBUG)
    manager = quick_bench.person("mia", "manager")
    anna = quick_bench.person("anna", "annotator")
    quick_bench.upload(
        manager,
        "notes.jsonl",
        json.dumps({"id": "n1", "text": f"Seen: {CANARY}, 3/4/2020."}).encode(),
    )
    quick_bench.upload(manager, "broken.jsonl", b'{"id": "n2", "text": "' + CANARY.encode())
    quick_bench.upload(manager, "broken.docx", CANARY.encode() * 50)
    quick_bench.work()
    found = anna.api("POST", f"projects/{quick_bench.project}/next")["id"]
    anna.api("GET", f"assignments/{found}")
    for body in ({"edits": [{"number": 1, "after": [[0, 99999, CANARY]]}]}, {"edits": CANARY}):
        assert CANARY not in anna.post(f"/api/v1/assignments/{found}/edits", json=body).text
    anna.api(
        "POST",
        f"documents/{anna.api('GET', f'assignments/{found}')['document']}/remarks",
        {"body": CANARY},
        201,
    )
    anna.api("POST", f"assignments/{found}/done", {"revision": 0})
    with quick_bench.store.read() as db:
        rows = [str(vars(row)) for kind in (Job, Audit) for row in db.query(kind)]
    assert rows
    assert not any(CANARY in row or "Zyxomma" in row for row in rows)
    said = caplog.text.replace("\n", " ")
    assert "Zyxomma" not in said


def test_a_bug_says_where_but_not_what(quick_bench: Bench, caplog, monkeypatch):
    from incognote.web.store import projects

    def broken(*_):
        raise RuntimeError(CANARY)

    monkeypatch.setattr(projects, "counts", broken)
    answer = quick_bench.person("mia", "manager").get(f"/api/v1/projects/{quick_bench.project}")
    assert answer.status_code == 500
    assert CANARY not in answer.text
    assert CANARY not in caplog.text
    assert "RuntimeError" in caplog.text


def test_the_audit_refuses_changes_and_shows_them(store):
    from sqlalchemy import text
    from sqlalchemy.exc import DatabaseError
    from tests.web.conftest import make_bench

    bench = make_bench(store)
    bench.person("mia", "manager")
    for statement in (
        "UPDATE audit SET action = 'x' WHERE id = 2",
        "DELETE FROM audit WHERE id = 2",
    ):
        with pytest.raises(DatabaseError), store.engine.begin() as connection:
            connection.execute(text(statement))
    with store.read() as db:
        assert verify(db, store.site.audit_key)[1] is None
    with store.engine.begin() as connection:  # somebody who owns the database
        if store.is_sqlite:
            connection.execute(text("DROP TRIGGER audit_no_update"))
        else:
            connection.execute(text("ALTER TABLE audit DISABLE TRIGGER ALL"))
        connection.execute(text("UPDATE audit SET action = 'x' WHERE id = 2"))
    with store.read() as db:
        assert verify(db, store.site.audit_key)[1] == 2


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_the_data_folder_is_private(quick_bench: Bench):
    folder = quick_bench.store.site.folder
    assert folder.stat().st_mode & 0o777 == 0o700
    for name in ("audit.key", "workbench.toml", f"keys/project-{quick_bench.project}.key"):
        assert (folder / name).stat().st_mode & 0o777 == 0o600


def test_other_addresses_need_encryption():
    from incognote.core.errors import UsageError
    from incognote.web.http.server import Serving, check

    check(Serving(host="127.0.0.1"))
    check(Serving(host="::1"))
    check(Serving(host="0.0.0.0", behind_proxy=True))
    with pytest.raises(UsageError):
        check(Serving(host="0.0.0.0"))


def test_a_port_that_is_taken_is_said():
    from incognote.core.errors import UsageError
    from incognote.web.http.server import Serving, check, listening

    with listening(Serving(port=0)) as first:
        port = first.getsockname()[1]
        with pytest.raises(UsageError, match=f"127.0.0.1:{port} cannot be opened: .* in use"):
            listening(Serving(port=port))
    with pytest.raises(UsageError, match="no port 70000"):
        check(Serving(port=70_000))
