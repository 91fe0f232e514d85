"""Backups of a whole workbench, and putting one back.

A backup is one zip file: the database (SQLite's own copy, or pg_dump's) and the files of the data
folder. Keys of surrogates are left out unless asked for: a backup that lies somewhere must not be
able to undo a release.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import zipfile
from pathlib import Path

from sqlalchemy.engine import make_url

from incognote import __version__
from incognote.core.errors import UsageError
from incognote.web.store.database import schema
from incognote.web.store.database.connection import Store, connect
from incognote.web.store.site import SQLITE, Site

FORMAT = 1
_FOLDERS = ("sources", "models", "policies", "exports")
_DATABASE = "database"


def backup(store: Store, target: Path, *, keys: bool = False) -> None:
    """Writes a backup; the workbench may be in use meanwhile."""
    if target.exists():
        raise UsageError(f"{target}: exists already")
    site = store.site
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=site.folder / "backups") as scratch:
        dump = Path(scratch) / _DATABASE
        _dump(store, dump)
        partial = Path(scratch) / "backup.zip"
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            head = {
                "format": FORMAT,
                "incognote": __version__,
                "database": store.engine.dialect.name,
                "schema": schema.version(store.engine),
            }
            archive.writestr("head.json", json.dumps(head))
            archive.write(dump, _DATABASE)
            archive.write(site.folder / "audit.key", "audit.key")
            for folder in (*_FOLDERS, *(["keys"] if keys else [])):
                root = site.folder / folder
                for path in sorted(root.rglob("*")) if root.is_dir() else ():
                    if path.is_file():
                        archive.write(path, path.relative_to(site.folder).as_posix())
        partial.chmod(0o600)
        shutil.move(partial, target)


def _dump(store: Store, path: Path) -> None:
    if store.is_sqlite:
        with sqlite3.connect(make_url(store.site.database).database or "") as connection:
            connection.execute("VACUUM INTO ?", (str(path),))
        return
    _postgres("pg_dump", store.site.database, "--format=custom", f"--file={path}")


def restore(archive_path: Path, folder: Path, database: str = "") -> Site:
    """A workbench from a backup, in a new folder; one of PostgreSQL needs an empty database."""
    try:
        archive = zipfile.ZipFile(archive_path)
        head = json.loads(archive.read("head.json"))
    except (OSError, zipfile.BadZipFile, KeyError, json.JSONDecodeError):
        raise UsageError(f"{archive_path}: not a backup of a workbench") from None
    with archive:
        if head.get("format") != FORMAT or head.get("schema") not in schema.known():
            raise UsageError("the backup is of a version of incognote that this one does not know")
        is_sqlite = head["database"] == "sqlite"
        if is_sqlite and database:
            raise UsageError("this backup is of SQLite; `export` and `import` move projects")
        if not is_sqlite and not database:
            raise UsageError("this backup is of PostgreSQL: name an empty database")
        site = Site.create(folder, database)
        for info in archive.infolist():
            top = info.filename.partition("/")[0]
            target = (site.folder / info.filename).resolve()
            if not target.is_relative_to(site.folder) or info.is_dir():
                continue
            if top in (*_FOLDERS, "keys") or info.filename == "audit.key":
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with archive.open(info) as source, target.open("wb") as out:
                    shutil.copyfileobj(source, out)
                target.chmod(0o600)
        dump = site.folder / SQLITE if is_sqlite else site.folder / "backups" / _DATABASE
        with archive.open(_DATABASE) as source, dump.open("wb") as out:
            shutil.copyfileobj(source, out)
        dump.chmod(0o600)
        if not is_sqlite:
            _postgres("pg_restore", database, "--no-owner", "--exit-on-error", str(dump))
            dump.unlink()
    return Site.open(folder)


def upgrade(site: Site) -> Path | None:
    """Brings the tables to this version, after a backup; where that lies, if one was needed."""
    engine = connect(site.database)
    try:
        there = schema.version(engine)
        saved = None
        if there is not None and there != schema.newest():
            if there not in schema.known():
                raise UsageError(
                    f"the database has schema {there}, which this version does not know"
                )
            saved = site.folder / "backups" / f"before-{schema.newest()}.zip"
            saved.unlink(missing_ok=True)
            store = Store(site)
            backup(store, saved, keys=False)
            store.close()
        schema.upgrade(engine)
    finally:
        engine.dispose()
    return saved


def _postgres(program: str, url: str, *options: str) -> None:
    """PostgreSQL's own tools. The password goes by the environment, not by the command line."""
    found = shutil.which(program) or _newest(program)
    if not found:
        raise UsageError(f"{program} is not installed")
    parsed = make_url(url)
    plain = parsed.set(drivername="postgresql", password=None)
    environment = dict(os.environ)
    if parsed.password:
        environment["PGPASSWORD"] = str(parsed.password)
    where = [f"--dbname={plain.render_as_string()}"]
    done = subprocess.run(  # noqa: S603 - the path was found above
        [found, *where, *options], env=environment, capture_output=True, check=False
    )
    if done.returncode:
        raise UsageError(f"{program} failed with exit code {done.returncode}")


def _newest(program: str) -> str:
    """Debian keeps the tools of each version apart."""
    paths = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
    return str(paths[-1]) if paths else ""
