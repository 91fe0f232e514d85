"""Bearer tokens: who may ask, with which policy and key, and until when.

The file holds hashes, so that whoever reads it cannot ask:

    [tokens.radiology]
    sha256 = "..."            # printf %s "$TOKEN" | sha256sum
    policy = "site"           # optional: the only policy this token may use
    key_file = "radiology.key"  # optional: surrogates of its own
    expires = 2027-01-31      # optional
"""

from __future__ import annotations

import hashlib
import hmac
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from incognote.core.errors import UsageError
from incognote.core.keys import surrogate_key

_HASH = re.compile(r"[0-9a-f]{64}")
_FIELDS = {"sha256", "policy", "key_file", "expires"}


@dataclass(frozen=True, slots=True)
class Token:
    name: str
    sha256: str = field(repr=False)
    policy: str = ""
    key: bytes | None = field(default=None, repr=False)
    expires: date | None = None

    def is_expired(self, today: date) -> bool:
        return self.expires is not None and today > self.expires


@dataclass(frozen=True, slots=True)
class Tokens:
    """All tokens. An empty one lets everybody in; the settings say where that is allowed."""

    known: tuple[Token, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.known)

    def find(self, given: str, today: date | None = None) -> Token | None:
        """The token with this secret, unless it is expired. All are compared, in constant time."""
        digest = hashlib.sha256(given.encode("utf-8", "surrogatepass")).hexdigest()
        found = [token for token in self.known if hmac.compare_digest(token.sha256, digest)]
        today = today or datetime.now(UTC).date()
        return next((token for token in found if not token.is_expired(today)), None)


def read_tokens(path: Path) -> Tokens:
    """The tokens of a file; every mistake in it is an error that names its place."""
    try:
        tree = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise UsageError(f"{path}: is not TOML") from None
    rows = tree.get("tokens")
    if set(tree) != {"tokens"} or not isinstance(rows, dict) or not rows:
        raise UsageError(f"{path}: must hold tables [tokens.NAME] and nothing else")
    return Tokens(tuple(_token(name, row, path) for name, row in rows.items()))


def _token(name: str, row: Any, path: Path) -> Token:
    where = f"{path}: tokens.{name}"
    if not isinstance(row, Mapping) or (set(row) - _FIELDS):
        raise UsageError(f"{where}: may hold {', '.join(sorted(_FIELDS))}")
    sha256, policy, expires = row.get("sha256", ""), row.get("policy", ""), row.get("expires")
    if not isinstance(sha256, str) or not _HASH.fullmatch(sha256):
        raise UsageError(f"{where}.sha256: must be 64 hexadecimal digits")
    if not isinstance(policy, str):
        raise UsageError(f"{where}.policy: must be the name of a policy")
    if expires is not None and type(expires) is not date:
        raise UsageError(f"{where}.expires: must be a date, as 2027-01-31")
    key = None
    if "key_file" in row:
        key_path = path.parent / str(row["key_file"])
        key = surrogate_key(key_path.read_bytes(), str(key_path))
    return Token(name, sha256, policy, key, expires)
