"""Who may ask, how much, and what happens to a worker that dies or hangs."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from tests.serve.conftest import KEY, SMALL, Served, served

from incognote.core.errors import UsageError
from incognote.core.keys import surrogate_key
from incognote.policy import load_policy
from incognote.serve.lane import Lane
from incognote.serve.settings import ServeSettings
from incognote.serve.tokens import Token, Tokens, read_tokens

NOTE = {"documents": [{"id": "1", "text": "Seen by Dr. Brandvold.", "patient_id": "7"}]}


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


TOKENS = Tokens(
    (
        Token("radiology", digest("r-secret"), "hipaa-safe-harbor+rules"),
        Token("research", digest("s-secret"), key=b"another key of research...."),
        Token("old", digest("o-secret"), expires=date(2020, 1, 1)),
    )
)


@pytest.fixture(scope="module")
def guarded():
    yield from served(tokens=TOKENS)


def ask(service: Served, secret: str, **more: object):
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    return service.client.post("/v1/deid", json={**NOTE, **more}, headers=headers)


@pytest.mark.parametrize("secret", ["", "wrong", "o-secret", "r-secret "[:-2]])
def test_no_valid_token_no_answer(guarded: Served, secret: str) -> None:
    answer = ask(guarded, secret)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_every_endpoint_but_the_probes_wants_a_token(guarded: Served) -> None:
    free = set()
    for path, methods in guarded.client.app.openapi()["paths"].items():
        for method in methods:
            answer = guarded.client.request(method, path, params={"name": "a.txt"}, json=NOTE)
            if answer.status_code != 401:
                free.add(path)
    assert free == {"/health", "/ready"}


def test_a_token_has_its_own_policy_and_key(guarded: Served) -> None:
    assert ask(guarded, "r-secret").json()["policy"] == "hipaa-safe-harbor+rules"
    assert ask(guarded, "r-secret", policy="i2b2-2014+rules").status_code == 403
    own = ask(guarded, "s-secret").json()["results"][0]["text"]
    for service in served():
        assert service.client.post("/v1/deid", json=NOTE).json()["results"][0]["text"] != own


def test_the_log_names_the_caller_not_the_secret(guarded: Served) -> None:
    ask(guarded, "r-secret")
    last = guarded.log.getvalue().splitlines()[-1]
    assert '"caller": "radiology"' in last
    assert "r-secret" not in guarded.log.getvalue()


def test_others_may_not_reach_a_service_without_a_guard() -> None:
    policies = {"a": load_policy("i2b2-2014+rules")}
    with pytest.raises(UsageError, match="--tokens"):
        ServeSettings(policies, KEY, host="0.0.0.0")
    assert ServeSettings(policies, KEY, host="0.0.0.0", tokens=TOKENS.__class__((TOKENS.known[1],)))
    with pytest.raises(UsageError, match="no policy named"):
        ServeSettings(policies, KEY, tokens=TOKENS)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "tables"),
        ("[tokens.a]\nsha256 = 'x'", "64 hexadecimal"),
        (f"[tokens.a]\nsha256 = '{'0' * 64}'\npolcy = 'x'", "may hold"),
        (f"[tokens.a]\nsha256 = '{'0' * 64}'\nexpires = 'soon'", "a date"),
        ("[tokens", "TOML"),
    ],
)
def test_mistakes_in_the_file_of_tokens(tmp_path: Path, text: str, wrong: str) -> None:
    path = tmp_path / "tokens.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=wrong):
        read_tokens(path)


def test_tokens_are_read_with_their_keys(tmp_path: Path) -> None:
    (tmp_path / "own.key").write_text("nine copper kettles, one lid\n")
    path = tmp_path / "tokens.toml"
    path.write_text(
        f"[tokens.a]\nsha256 = '{digest('s')}'\nkey_file = 'own.key'\nexpires = 2030-01-31\n"
    )
    tokens = read_tokens(path)
    found = tokens.find("s", date(2030, 1, 31))
    assert found is not None
    assert found.key == surrogate_key(b"nine copper kettles, one lid", "own.key")
    assert tokens.find("s", date(2030, 2, 1)) is None
    assert tokens.find("S") is None


def test_a_full_queue_is_said_and_nothing_is_lost(service: Served) -> None:
    statuses: list[int] = []
    lock = threading.Lock()

    def caller() -> None:
        body = {"documents": [{"text": f"Dr. Brandvold {n}. " * 200} for n in range(10)]}
        answer = service.client.post("/v1/deid", json=body)
        if answer.status_code == 503:
            assert answer.headers["Retry-After"] == "1"
        else:
            rows = answer.json()["results"]
            assert len(rows) == 10
            assert all("text" in row for row in rows)
        with lock:
            statuses.append(answer.status_code)

    threads = [threading.Thread(target=caller) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(statuses) == 20
    assert set(statuses) <= {200, 503}
    assert 503 in statuses
    assert 200 in statuses


@pytest.fixture
def lanes(monkeypatch: pytest.MonkeyPatch) -> list[Lane]:
    """The lanes of services that a test starts."""
    made: list[Lane] = []
    begin = Lane.__init__

    def noted(self, *args):
        begin(self, *args)
        made.append(self)

    monkeypatch.setattr(Lane, "__init__", noted)
    return made


def send(lane: Lane, number: int) -> None:
    (process,) = lane._pool._processes.values()  # noqa: SLF001 - killed as the kernel would
    os.kill(process.pid, number)


def test_a_killed_worker_is_replaced(lanes: list[Lane]) -> None:
    for service in served():
        send(lanes[0], signal.SIGKILL)
        first = service.client.post("/v1/deid", json=NOTE).json()["results"][0]
        again = service.client.post("/v1/deid", json=NOTE).json()["results"][0]
        assert "text" in again
        assert first.get("text", again["text"]) == again["text"]


def test_a_file_is_not_waited_for_longer_than_an_answer(
    lanes: list[Lane], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.serve.conftest.SMALL", replace(SMALL, answer_seconds=1.0))
    for service in served():
        send(lanes[0], signal.SIGSTOP)
        answer = service.client.post("/v1/files?name=a.txt", content=b"Seen by Dr. Brandvold.")
        assert answer.status_code == 504
        row = service.client.post("/v1/deid", json=NOTE)  # the worker was replaced
        assert row.status_code in (200, 504)


def test_a_worker_that_hangs_is_replaced(
    lanes: list[Lane], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.serve.conftest.SMALL", replace(SMALL, seconds=1.0))
    for service in served():
        send(lanes[0], signal.SIGSTOP)
        row = service.client.post("/v1/deid", json=NOTE).json()["results"][0]
        assert row["failure"]["type"] == "Timeout"
        assert service.client.get("/health").status_code == 200
