"""What comes in and how errors go out: size and time of bodies, one shape of error.

An error says what was wrong with the request, never what was in it.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
JSON = "application/json"


class RequestError(Exception):
    """A request that is answered with a status and a sentence."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}


def error_answer(error: RequestError) -> JSONResponse:
    return JSONResponse({"error": str(error)}, error.status, error.headers)


async def body_of(request: Request, most: int, seconds: float) -> bytes:
    """The body, read within a time; 413 as soon as it is too large, 408 where it drips."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > most:
        raise RequestError(413, f"the body is larger than {most} bytes")
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise RequestError(413, f"the body is larger than {most} bytes")
    except TimeoutError:
        raise RequestError(408, f"the body took longer than {seconds:g} seconds") from None
    return bytes(body)


def parsed(body: bytes, depth: int) -> Any:
    """JSON, as deep as is allowed and no deeper."""
    if _deeper_than(body, depth):
        raise RequestError(400, f"the JSON is nested deeper than {depth}")
    try:
        return json.loads(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise RequestError(400, "the body is not UTF-8") from None
    except (ValueError, RecursionError):
        raise RequestError(400, "the body is not JSON") from None


def require_json(request: Request) -> None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise RequestError(415, f"the content type must be {JSON}")


def _deeper_than(body: bytes, depth: int) -> bool:
    """A look at the brackets alone: a parser that recurses would be the first to suffer."""
    level = 0
    for bracket in _BRACKET.finditer(_STRING.sub(b"", body)):
        level += 1 if bracket[0] in b"[{" else -1
        if level > depth:
            return True
    return False
