"""What every endpoint needs: the settings, the workers, who is asking, and answers in our shape."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from fastapi import Request

from incognote.core.types import Document, Failure
from incognote.serve.lane import Outcome, Task
from incognote.serve.limits import RequestError
from incognote.serve.logs import RequestLog
from incognote.serve.metrics import Metrics
from incognote.serve.settings import ServeSettings
from incognote.serve.tokens import Token
from incognote.serve.work import BusyError, Workers

_RETRY_SECONDS = "1"


@dataclass(slots=True)
class Service:
    settings: ServeSettings
    workers: Workers
    metrics: Metrics = field(default_factory=Metrics)
    log: RequestLog = field(default_factory=RequestLog)

    def caller(self, request: Request) -> Token | None:
        """Who asks; 401 where tokens are wanted and none fits."""
        if not self.settings.tokens:
            return None
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        token = self.settings.tokens.find(given.strip()) if scheme.lower() == "bearer" else None
        if token is None:
            raise RequestError(
                401, "a valid bearer token is needed", {"WWW-Authenticate": "Bearer"}
            )
        return token

    def task(self, verb: str, policy: str, caller: Token | None) -> Task:
        """What a worker is asked, with the caller's own policy and key where they have one."""
        own = caller.policy if caller else ""
        if own and policy not in ("", own):
            raise RequestError(403, "this token may not use that policy")
        policy = policy or own or self.settings.default_policy
        if policy not in self.settings.policies:
            raise RequestError(400, "no policy of that name is served")
        return Task(verb, policy, caller.key if caller else None)

    async def outcomes(self, task: Task, documents: Sequence[Document]) -> list[Outcome]:
        """What became of each document; 503 where the service has too much to do, 504 where it
        takes too long."""
        limits = self.settings.limits
        if len(documents) > limits.documents:
            raise RequestError(413, f"more than {limits.documents} documents")
        if any(len(document.text) > limits.document_characters for document in documents):
            raise RequestError(413, f"a document of over {limits.document_characters} characters")
        try:
            async with asyncio.timeout(limits.answer_seconds):
                outcomes = await self.workers.run(task, documents)
        except BusyError:
            raise self.busy() from None
        except TimeoutError:
            raise RequestError(504, "the answer took too long") from None
        self.metrics.count(outcomes)
        return outcomes

    async def file(self, task: Task, name: str, data: bytes) -> bytes | Failure:
        try:
            async with asyncio.timeout(self.settings.limits.answer_seconds):
                return await self.workers.run_file(task, name, data)
        except BusyError:
            raise self.busy() from None
        except TimeoutError:
            raise RequestError(504, "the answer took too long") from None

    @staticmethod
    def busy() -> RequestError:
        return RequestError(503, "too much to do; come again", {"Retry-After": _RETRY_SECONDS})
