"""What may serve as a secret key, wherever it comes from: a file, the environment, Python."""

from __future__ import annotations

from incognote.core.errors import UsageError

SHORTEST_KEY = 16


def usable_key(key: bytes, where: str) -> bytes:
    """The key without the white space around it, so that the line end of a key file is no part of
    it. `where` names its source, never its value."""
    key = key.strip()
    if len(key) < SHORTEST_KEY:
        raise UsageError(
            f"{where}: a key has at least {SHORTEST_KEY} bytes; "
            "`head -c 32 /dev/urandom | base64` makes a good one"
        )
    return key
