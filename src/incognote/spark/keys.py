"""Where workers find the key. The key itself is never in the plan, a setting or an event log.

Each worker reads it from a file that its machine has, or from its environment.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

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


Key = KeyFile | KeyEnv


def checked_key(key: object) -> Key:
    if isinstance(key, KeyFile | KeyEnv):
        return key
    raise UsageError("the key must be a KeyFile or a KeyEnv: raw bytes would stand in the plan")
