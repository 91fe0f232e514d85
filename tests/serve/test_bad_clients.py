"""Clients that send too much, too slowly, nonsense, or go away: over a real socket.

After each of them the service answers the next caller, and no log holds what they sent.
"""

from __future__ import annotations

import io
import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
import uvicorn
from tests.serve.conftest import KEY, SMALL

from incognote.core.keys import surrogate_key
from incognote.policy import load_policy
from incognote.serve.app import create_app
from incognote.serve.logs import RequestLog
from incognote.serve.settings import ServeSettings

POLICY = "i2b2-2014+rules"
CANARY = "Brandvold"
MEGABYTE = 1_000_000
_WAIT_SECONDS = 120


@dataclass
class Listening:
    port: int
    log: io.StringIO

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=_WAIT_SECONDS)

    def send(self, head: str, body: bytes = b"") -> int:
        """The status that a request gets."""
        with self.connect() as line:
            line.sendall(head.encode() + b"\r\n\r\n" + body)
            return status_of(line)

    def ask(self) -> int:
        body = json.dumps({"documents": [{"text": f"Seen by Dr. {CANARY}."}]}).encode()
        return self.send(post(len(body)), body)


def post(size: int | None, kind: str = "application/json") -> str:
    length = "Transfer-Encoding: chunked" if size is None else f"Content-Length: {size}"
    return f"POST /v1/deid HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\n{length}"


def status_of(line: socket.socket) -> int:
    with line.makefile("rb") as answer:
        return int(answer.readline().split()[1])


@pytest.fixture(scope="module")
def service() -> Iterator[Listening]:
    log = io.StringIO()
    settings = ServeSettings(
        {POLICY: load_policy(POLICY)},
        surrogate_key(KEY, "key"),
        limits=replace(SMALL, body_seconds=1.0),
    )
    app = create_app(settings, RequestLog(log))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + _WAIT_SECONDS
    while not server.started:
        assert thread.is_alive(), "the service did not start"
        assert time.monotonic() < end, "the service did not start in time"
        time.sleep(0.05)
    yield Listening(server.servers[0].sockets[0].getsockname()[1], log)
    server.should_exit = True
    thread.join(_WAIT_SECONDS)


@pytest.fixture(autouse=True)
def _service_lives_and_tells_nothing(service: Listening) -> Iterator[None]:
    yield
    assert service.ask() == 200
    assert CANARY not in service.log.getvalue()


def test_a_body_of_a_hundred_megabytes_is_refused_unread(service: Listening) -> None:
    assert service.send(post(100 * MEGABYTE)) == 413


def test_a_body_that_does_not_say_its_size_is_cut_off(service: Listening) -> None:
    block = CANARY.encode() * 20_000
    chunk = f"{len(block):x}\r\n".encode() + block + b"\r\n"
    sent = 0
    with service.connect() as line:
        line.sendall(post(None).encode() + b"\r\n\r\n")
        try:
            while sent < 100 * MEGABYTE:
                line.sendall(chunk)
                sent += len(chunk)
        except OSError:
            pass  # the service has hung up
        else:
            assert status_of(line) == 413
    assert '"status": 413' in service.log.getvalue().splitlines()[-1]


def test_a_client_that_drips_is_not_waited_for(service: Listening) -> None:
    with service.connect() as line:
        line.sendall(post(1000).encode() + b"\r\n\r\n")
        line.sendall(b'{"documents": [')  # and no more
        assert status_of(line) == 408


def test_a_stream_that_stops_is_not_waited_for(service: Listening) -> None:
    """What was whole is answered; the last line says why there is no more."""
    head = (
        "POST /v1/stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 9000\r\n\r\n"
    )
    line = json.dumps({"id": "a", "text": f"Seen by Dr. {CANARY}."}).encode() + b"\n"
    with service.connect() as door:
        door.sendall(head.encode() + line + line[:20])  # and no more
        answer = door.makefile("rb").read()
    assert answer.count(b'"failure"') == 1
    assert b"nothing came for 1 seconds" in answer
    assert answer.count(b'"text"') == 1


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (
            b'{"documents": [{"text": "\xff\xfe ' + CANARY.encode() + b'"}]}',
            "application/json",
            400,
        ),
        (b"[" * 20_000 + b"]" * 20_000, "application/json", 400),
        (CANARY.encode(), "application/json", 400),
        (b"{}", "text/plain", 415),
        (b'{"documents": [], "policy": "Brandvold"}', "application/json", 400),
    ],
    ids=["not UTF-8", "deep JSON", "no JSON", "wrong type", "unknown policy"],
)
def test_nonsense_gets_a_clear_status(
    service: Listening, body: bytes, kind: str, status: int
) -> None:
    assert service.send(post(len(body), kind), body) == status


def test_a_client_that_hangs_up_before_it_has_spoken(service: Listening) -> None:
    with service.connect() as line:
        line.sendall(post(1000).encode() + b"\r\n\r\n" + CANARY.encode())


def test_clients_that_hang_up_before_the_answer(service: Listening) -> None:
    """What they asked for does not fill the queue for ever."""
    text = f"Seen by Dr. {CANARY}. " * 100
    body = json.dumps({"documents": [{"text": text}] * 10}).encode()
    for _ in range(12):  # twice what the queue holds
        with service.connect() as line:
            line.sendall(post(len(body)).encode() + b"\r\n\r\n" + body)
    end = time.monotonic() + _WAIT_SECONDS
    while (status := service.ask()) == 503 and time.monotonic() < end:
        time.sleep(0.2)
    assert status == 200


def test_no_http_at_all(service: Listening) -> None:
    with service.connect() as line:
        line.sendall(f"{CANARY} {CANARY}\r\n\r\n".encode())
        assert status_of(line) == 400
