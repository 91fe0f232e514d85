"""How much a client may send, and how often it may guess a password."""

from __future__ import annotations

import ipaddress
import json
import threading
import time
from collections import deque
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from incognote.core.caches import BoundedDict

JSON_LIMIT = 4 * 1024 * 1024
_FREE_TRIES = 4
_LONGEST_WAIT = 900.0
_REMEMBERED = 10_000
WINDOW = 900.0  # seconds in which failed sign-ins are counted together
FROM_ONE = 50  # of one address: an office behind one address makes mistakes, too
FROM_ALL = 300


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
    """Slows down who guesses passwords.

    An account is locked for a while after a few failures, and for twice as long after each
    further one; names that do not exist count like those that do, so that the wait does not reveal
    which exist. Who tries one password on many accounts meets the bounds of failures from one
    address and of all together. A try counts as failed from its beginning, so that a hundred at
    once are a hundred.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        # More names than the bound of all together lets through are never in it.
        self._accounts: BoundedDict[str, tuple[int, float]] = BoundedDict(
            f"{__name__}.failures", _REMEMBERED
        )
        self._failures: deque[tuple[float, str]] = deque()

    def begin(self, name: str, address: str) -> float:
        """Counts a try; seconds to wait where it is refused."""
        network = _network(address)
        with self._lock:
            now = self._clock()
            while self._failures and self._failures[0][0] <= now - WINDOW:
                self._failures.popleft()
            wait = max(
                self._accounts.get(name, (0, now))[1] - now,
                self._until_free([at for at, who in self._failures if who == network], FROM_ONE),
                self._until_free([at for at, _ in self._failures], FROM_ALL),
            )
            if wait > 0:
                return wait
            count = self._accounts.get(name, (0, 0.0))[0] + 1
            pause = min(_LONGEST_WAIT, 2.0 ** (count - _FREE_TRIES)) if count > _FREE_TRIES else 0.0
            self._accounts[name] = (count, now + pause)
            self._accounts.move_to_end(name)
            self._failures.append((now, network))
            return 0.0

    def _until_free(self, failures: list[float], most: int) -> float:
        return failures[-most] + WINDOW - self._clock() if len(failures) >= most else 0.0

    def succeeded(self, name: str, address: str) -> None:
        """The account starts anew; of its address only this try is taken back, or somebody with an
        account of their own could clear the way for guesses at others."""
        network = _network(address)
        with self._lock:
            self._accounts.pop(name, None)
            for at in range(len(self._failures) - 1, -1, -1):
                if self._failures[at][1] == network:
                    del self._failures[at]
                    break


def _network(address: str) -> str:
    """The address, or the network of an IPv6 one: whoever has one has 2**64."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if found.version == 6:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
