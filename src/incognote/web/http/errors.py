"""Errors as answers: what is wrong, never what was sent or what a note says."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from incognote.core.errors import IncognoteError, UsageError, wording
from incognote.web.flow.edits import BadEdit, Stale
from incognote.web.flow.states import Refused
from incognote.web.http.limits import TooLarge, refuse

log = logging.getLogger("incognote.web")

_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (Stale, 409),
    (Refused, 409),
    (BadEdit, 422),
    (UsageError, 400),
    (IncognoteError, 400),
)


class NotSignedIn(Exception):  # noqa: N818 - reads as what happened
    """Nobody is signed in: a page leads to the sign-in, the API says 401."""


def install(app: FastAPI, pages: Any) -> None:
    """`pages(request, status, message)` renders an error for people."""

    def answer(request: Request, status: int, message: str) -> Response:
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": message}, status)
        rendered: Response = pages(request, status, message)
        return rendered

    @app.exception_handler(NotSignedIn)
    async def _(request: Request, _error: NotSignedIn) -> Response:
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": "sign in first"}, 401)
        # The path alone: what somebody looked for is in the query, and stays out of addresses.
        back = "" if request.url.path == "/" else f"?next={quote(request.url.path)}"
        return RedirectResponse(f"/sign-in{back}", 303)

    @app.exception_handler(IncognoteError)
    async def _(request: Request, error: IncognoteError) -> Response:
        status = next(code for kind, code in _STATUS if isinstance(error, kind))
        return answer(request, status, str(error))

    @app.exception_handler(HTTPException)
    async def _(request: Request, error: HTTPException) -> Response:
        return answer(request, error.status_code, str(error.detail))

    @app.exception_handler(RequestValidationError)
    async def _(_request: Request, error: RequestValidationError) -> Response:
        # FastAPI's own answer repeats the input, which may be a note.
        fields = [
            {"field": ".".join(str(part) for part in one["loc"][1:]), "reason": one["type"]}
            for one in error.errors()
        ]
        return JSONResponse({"error": "the request does not fit", "fields": fields}, 422)


class NoTraceback:
    """The last line of defence: an uncaught error becomes a line in the log with its type and
    its place in the code. Its message stays out of the log; it might quote a note."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, sending)
        except TooLarge:
            if not started:
                await refuse(send, 413, "the request is too large")
        except Exception as error:  # noqa: BLE001
            log.error("a bug, please report it: %s", wording(error))  # noqa: TRY400
            if not started and scope["type"] == "http":
                await refuse(send, 500, "something went wrong here; the log says where")
