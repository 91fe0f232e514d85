"""The data folder of a workbench: where its database, files, models and keys lie.

workbench.toml   the database; the provider people sign in with, if any
workbench.sqlite the database itself, unless it is PostgreSQL
audit.key        the key of the audit chain; without it no row can be forged
keys/            keys of the surrogates; never in the database, never in a backup
sources/ models/ exports/ backups/
"""

from __future__ import annotations

import os
import secrets
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from incognote.core.errors import UsageError

CONFIG = "workbench.toml"
SQLITE = "workbench.sqlite"
_FOLDERS = ("keys", "sources", "models", "exports", "backups", "policies")


@dataclass(frozen=True, slots=True)
class Oidc:
    """The table [oidc] of workbench.toml: the organisation's provider. `url` is where browsers
    reach the workbench, if their requests do not show it."""

    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    url: str = ""


@dataclass(frozen=True, slots=True)
class Site:
    folder: Path
    database: str = field(repr=False)  # a URL, which may hold a password
    oidc: Oidc | None = None

    @classmethod
    def create(cls, folder: Path, database: str = "") -> Site:
        if (folder / CONFIG).exists():
            raise UsageError(f"{folder}: there is a workbench already")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        for name in _FOLDERS:
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        _write_private(folder / "audit.key", secrets.token_bytes(32))
        quoted = database.replace("\\", "\\\\").replace('"', '\\"')
        text = f'# An incognote workbench. Empty: SQLite in this folder.\ndatabase = "{quoted}"\n'
        _write_private(folder / CONFIG, text.encode())
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> Site:
        try:
            tree = tomllib.loads((folder / CONFIG).read_text("utf-8"))
        except FileNotFoundError:
            raise UsageError(
                f"{folder}: no workbench here; `incognote web init {folder}` makes one"
            ) from None
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"{folder / CONFIG}: {error}") from None
        database = str(tree.get("database", ""))
        url = database or f"sqlite:///{folder.resolve() / SQLITE}"
        return cls(folder.resolve(), url, _oidc(tree.get("oidc"), folder))

    @property
    def audit_key(self) -> bytes:
        try:
            return (self.folder / "audit.key").read_bytes()
        except OSError as error:
            raise UsageError(f"{self.folder / 'audit.key'}: {error.strerror}") from None

    def source(self, project: int, source: int) -> Path:
        return self._in("sources", str(project), str(source))

    def model(self, project: int, name: str) -> Path:
        return self._in("models", str(project), name)

    def export(self, job: int) -> Path:
        return self._in("exports", str(job))

    def policies(self, project: int) -> Path:
        """Where the files lie that a project's policy names: dictionaries, templates, lists."""
        return self._in("policies", str(project))

    def key(self, name: str) -> Path:
        return self._in("keys", name)

    def make_key(self, name: str) -> None:
        path = self.key(name)
        if not path.exists():
            _write_private(path, secrets.token_hex(32).encode() + b"\n")

    def _in(self, *parts: str) -> Path:
        """A path of ours: no part may lead out of the folder."""
        if any(part in ("", ".", "..") or "/" in part or "\\" in part for part in parts):
            raise UsageError("not a name of a file in the data folder")
        path = self.folder.joinpath(*parts)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path


def _oidc(table: object, folder: Path) -> Oidc | None:
    if table is None:
        return None
    known = {"issuer", "client_id", "client_secret_file", "url"}
    if (
        not isinstance(table, dict)
        or not {"issuer", "client_id"} <= set(table) <= known
        or not all(isinstance(value, str) and value for value in table.values())
    ):
        raise UsageError(
            f"{folder / CONFIG}: [oidc] has issuer and client_id, and may have client_secret_file "
            "and url"
        )
    secret = ""
    if name := table.get("client_secret_file"):
        try:
            secret = (folder / name).read_text("utf-8").strip()
        except OSError as error:
            raise UsageError(f"{folder / name}: {error.strerror}") from None
    return Oidc(table["issuer"], table["client_id"], secret, table.get("url", ""))


def _write_private(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(data)
