"""A service in this process, asked through its ASGI door, with real worker processes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from fastapi.testclient import TestClient

from incognote.core.keys import surrogate_key
from incognote.policy import load_policy
from incognote.serve.app import create_app
from incognote.serve.logs import RequestLog
from incognote.serve.settings import Limits, ServeSettings

KEY = b"three herons on a cold jetty"
SMALL = Limits(
    document_characters=20_000,
    body_bytes=60_000,
    documents=40,
    file_bytes=200_000,
    waiting_documents=60,
    stream_line_bytes=30_000,
)


@dataclass
class Served:
    client: TestClient
    log: io.StringIO
    settings: ServeSettings


def served(**changes: object) -> Iterator[Served]:
    policies = {name: load_policy(name) for name in ("i2b2-2014+rules", "hipaa-safe-harbor+rules")}
    settings = ServeSettings(
        policies=policies, key=surrogate_key(KEY, "key"), limits=SMALL, **changes
    )  # type: ignore[arg-type]
    log = io.StringIO()
    with TestClient(create_app(settings, RequestLog(log)), raise_server_exceptions=False) as client:
        yield Served(client, log, settings)


@pytest.fixture(scope="session")
def service() -> Iterator[Served]:
    yield from served()
