"""Where workers find the key. The key itself is never in the plan, a setting or an event log.

Each worker reads it from a file that its machine has, from its environment, or asks a function for
it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from incognote.core.errors import UsageError
from incognote.core.keys import surrogate_key


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A file that every worker can read, as one that `--files` or a secret mount puts there."""

    path: str

    def read(self) -> bytes:
        try:
            return surrogate_key(Path(self.path).read_bytes(), self.path)
        except OSError:
            raise UsageError(f"{self.path}: the key file cannot be read on a worker") from None


@dataclass(frozen=True, slots=True)
class KeyEnv:
    """A variable in the environment of every worker. Do not set it with `spark.executorEnv`: that
    is a setting, and settings appear in the event log."""

    name: str

    def read(self) -> bytes:
        value = os.environ.get(self.name, "")
        if not value:
            raise UsageError(f"{self.name} is not set in the environment of a worker")
        return surrogate_key(value.encode(), self.name)


@dataclass(frozen=True, slots=True)
class KeyCall:
    """A function that a worker calls once, as one that asks a vault. It travels in the plan with
    all that it refers to: it must not hold the key itself."""

    function: Callable[[], bytes | str] = field(repr=False, compare=False)
    # A function is another object in each task; workers know it by this.
    name: str = field(default_factory=lambda: uuid4().hex)

    def read(self) -> bytes:
        try:
            value = self.function()
        except Exception as error:  # noqa: BLE001 - its words may hold a secret
            name = type(error).__name__
            raise UsageError(f"the function for the key failed on a worker: {name}") from None
        given: object = value.encode() if isinstance(value, str) else value
        if not isinstance(given, bytes) or not given:
            raise UsageError("the function for the key gave neither bytes nor text")
        return surrogate_key(given, "the function for the key")


Key = KeyFile | KeyEnv | KeyCall


def checked_key(key: object) -> Key:
    if isinstance(key, Key):
        return key
    if callable(key):
        return KeyCall(key)
    raise UsageError(
        "the key must be a KeyFile, a KeyEnv or a function: raw bytes would stand in the plan"
    )
