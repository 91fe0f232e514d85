"""Around every request: counted, timed, logged, and never a traceback to the caller.

Plain ASGI, because an answer may stream while its request is still being read.
"""

from __future__ import annotations

import time

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from incognote.serve.limits import RequestError, error_answer
from incognote.serve.service import Service

_UNKNOWN = "unknown"
_ANYBODY = "anybody"


class Watch:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, service: Service, paths: frozenset[str]) -> None:
        self._app = app
        self._service = service
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["Cache-Control"] = "no-store"
                headers["X-Content-Type-Options"] = "nosniff"
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception:  # noqa: BLE001 - a traceback may quote a note; the log says that it happened
            if not status:
                fault = error_answer(RequestError(500, "a fault of the service"))
                await fault(scope, receive, sending)
        self._note(scope, status, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        endpoint = self._endpoint(scope["path"])
        self._service.metrics.requests.labels(endpoint, str(status)).inc()
        self._service.metrics.seconds.labels(endpoint).observe(seconds)
        self._service.log.write(endpoint, scope["method"], status, seconds, self._caller(scope))

    def _endpoint(self, path: str) -> str:
        """The endpoint, or that there is none: an unknown path may hold anything."""
        return path if path in self._paths else _UNKNOWN

    def _caller(self, scope: Scope) -> str:
        try:
            token = self._service.caller(Request(scope))
        except RequestError:
            return _UNKNOWN
        return token.name if token else _ANYBODY
