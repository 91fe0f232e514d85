"""How much a client may send, and how often it may guess a password."""

from __future__ import annotations

import json
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from incognote.core.caches import BoundedDict

JSON_LIMIT = 4 * 1024 * 1024
_FREE_TRIES = 4
_LONGEST_WAIT = 900.0
_REMEMBERED = 10_000


class TooLarge(Exception):  # noqa: N818 - reads as what happened
    """A body is larger than its limit."""


class BodyLimit:
    """Bodies over the limit are refused: by their stated length, or where they pass it.

    Uploads (`stream_prefixes`) count for themselves: they go to disk, not into memory.
    """

    def __init__(self, app: ASGIApp, limit: int = JSON_LIMIT, streams: str = "/sources") -> None:
        self.app = app
        self._limit = limit
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].endswith(self._streams):
            await self.app(scope, receive, send)
            return
        stated = dict(scope["headers"]).get(b"content-length", b"0")
        if not stated.isdigit() or int(stated) > self._limit:
            await refuse(send, 413, "the request is too large")
            return
        seen = 0

        async def counting() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._limit:
                raise TooLarge
            return message

        await self.app(scope, counting, send)


async def refuse(send: Send, status: int, error: str) -> None:
    body = json.dumps({"error": error}).encode()
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (b"content-type", b"application/json"),
                (b"content-length", str(len(body)).encode()),
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})


class Throttle:
    """Slows down who keeps failing: after a few tries, each failure doubles the wait.

    Names that do not exist count like those that do, so that the wait tells nobody which exist.
    """

    def __init__(self, clock: object = time.monotonic) -> None:
        self._clock = clock
        self._failures: BoundedDict[str, tuple[int, float]] = BoundedDict(
            f"{__name__}.failures", _REMEMBERED
        )

    def _now(self) -> float:
        return float(self._clock())  # type: ignore[operator]

    def wait(self, *keys: str) -> float:
        """Seconds until the next try is heard."""
        waits = [self._failures[key][1] - self._now() for key in keys if key in self._failures]
        return max([0.0, *waits])

    def failed(self, *keys: str) -> None:
        for key in keys:
            count = self._failures.get(key, (0, 0.0))[0] + 1
            wait = min(_LONGEST_WAIT, 2.0 ** (count - _FREE_TRIES)) if count > _FREE_TRIES else 0.0
            self._failures[key] = (count, self._now() + wait)
            self._failures.move_to_end(key)

    def succeeded(self, *keys: str) -> None:
        for key in keys:
            self._failures.pop(key, None)
