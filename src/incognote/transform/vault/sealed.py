"""The file of a vault: a header, then one sealed line for each entry. It only grows.

    incognote-vault 2 <random id of this vault>
    <base64 of nonce and sealed JSON>

Those of version 0.1 say 1, and are read and added to as they are.

Lines are sealed with AES-256-GCM. Each is bound to the header and to its place, so lines can be
neither moved, exchanged nor taken out unnoticed up to the last one. A last line without its line
end was torn off by a crash or a full disk: it is no entry.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incognote.core.errors import MissingExtra, UsageError
from incognote.core.keys import SHORTEST_KEY, stretched
from incognote.transform.vault.entries import Entry, FileName, from_row, to_row

_MAGIC = "incognote-vault"
_NONCE = 12


@dataclass(frozen=True, slots=True)
class Header:
    version: int
    vault_id: str

    @classmethod
    def new(cls) -> Header:
        return cls(2, secrets.token_hex(16))

    @property
    def line(self) -> str:
        return f"{_MAGIC} {self.version} {self.vault_id}\n"


class Seal:
    """Seals and opens the lines of one vault."""

    def __init__(self, secret: bytes, header: Header) -> None:
        self._header = header
        self._cipher = _cipher(secret, header)

    def sealed(self, entry: Entry | FileName, place: int) -> str:
        nonce = secrets.token_bytes(_NONCE)
        plain = json.dumps(to_row(entry)).encode()
        sealed = self._cipher.encrypt(nonce, plain, self._bound(place))
        return base64.b64encode(nonce + sealed).decode() + "\n"

    def opened(self, line: str, place: int) -> Entry | FileName | None:
        """The entry of a line, or None if it is none: another key, another place, damage."""
        from cryptography.exceptions import InvalidTag

        try:
            sealed = base64.b64decode(line, validate=True)
            plain = self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], self._bound(place))
        except (InvalidTag, ValueError):  # not base64, or too short to be sealed
            return None
        return from_row(json.loads(plain))

    def _bound(self, place: int) -> bytes:
        return f"{self._header.vault_id}:{place}".encode()


@dataclass(frozen=True, slots=True)
class Lines:
    """A vault as it lies on the disk. `torn` are the bytes behind the last line end."""

    header: Header
    lines: tuple[str, ...]
    whole_bytes: int
    torn: int

    @classmethod
    def of(cls, path: Path) -> Lines:
        try:
            data = path.read_bytes()
        except OSError:
            raise UsageError(f"{path}: no vault can be read there") from None
        whole = data.rfind(b"\n") + 1
        # What is damaged may be no ASCII any more; it opens as little as any other noise.
        first, *lines = data[:whole].decode("latin-1").split("\n")[:-1] or [""]
        magic, _, rest = first.partition(" ")
        version, _, vault_id = rest.partition(" ")
        if magic != _MAGIC or not version.isdecimal() or not vault_id:
            raise UsageError(f"{path}: not a vault")
        if version not in ("1", "2"):
            raise UsageError(f"{path}: a vault of a newer version of incognote")
        return cls(Header(int(version), vault_id), tuple(lines), whole, len(data) - whole)

    def entries(self, seal: Seal) -> Iterator[Entry | FileName | None]:
        """Each line opened at its place; None where that fails."""
        for place, line in enumerate(self.lines):
            yield seal.opened(line, place)


def _cipher(secret: bytes, header: Header) -> Any:
    if len(secret) < SHORTEST_KEY:
        raise UsageError(f"a vault key has at least {SHORTEST_KEY} bytes")
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ModuleNotFoundError:
        raise MissingExtra("the vault", "vault") from None
    # AES wants 32 bytes, and never those of another purpose. The id is a salt: who tries words
    # must try them for each vault anew.
    if header.version == 1:
        return AESGCM(hashlib.sha256(b"incognote vault key:" + secret).digest())
    return AESGCM(stretched(secret, b"incognote vault:" + header.vault_id.encode()))
