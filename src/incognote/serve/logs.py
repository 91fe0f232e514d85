"""One JSON line a request: when, what was asked, how it ended. No text, no ids."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TextIO


class RequestLog:
    """Writes lines; `stream` is stderr unless a test listens."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    def write(self, endpoint: str, method: str, status: int, seconds: float, caller: str) -> None:
        """`endpoint` is the route's pattern, never the path: a path may hold anything."""
        row = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "endpoint": endpoint,
            "method": method,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "caller": caller,
        }
        print(json.dumps(row), file=self._stream or sys.stderr, flush=True)
