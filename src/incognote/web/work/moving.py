"""A whole project as one archive: every table row of it, its files, models and policy files. It
imports into another workbench, on whatever database, with all layers.

Keys of surrogates are not in it: whoever moves a project carries its key file by hand. Nor are
passwords: accounts are matched by name, and made without one where they are missing.
"""

from __future__ import annotations

import base64
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Table, insert, select
from sqlalchemy.orm import Session

from incognote import __version__
from incognote.core.errors import UsageError
from incognote.web.store import jobs
from incognote.web.store.accounts import by_name
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import Store, now
from incognote.web.store.database.schema import newest
from incognote.web.store.site import Site
from incognote.web.store.tables import (
    Account,
    Annotation,
    Assignment,
    Base,
    Decision,
    Document,
    EditRow,
    Finding,
    Gold,
    Membership,
    Model,
    PersonLink,
    Project,
    Proposal,
    Release,
    ReleaseDocument,
    Remark,
    Run,
    Source,
    Suggestion,
    Text,
)
from incognote.web.work.task import Task

FORMAT = 1
# In an order in which every row comes after those it refers to.
_TABLES: tuple[type[Base], ...] = (
    Project,
    Membership,
    Source,
    Document,
    Text,
    Run,
    Suggestion,
    Assignment,
    Annotation,
    EditRow,
    Decision,
    Gold,
    Remark,
    PersonLink,
    Model,
    Proposal,
    Release,
    ReleaseDocument,
    Finding,
)
_CHUNK = 500
_LARGEST_MEMBER = 8 * 1024**3
# Columns that refer to a table without a constraint.
_LOOSE = {("assignment", "run_id"): "run"}


def write_archive(task: Task, path: Path) -> None:
    site = task.store.site
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, task.store.read() as db:
        head = {"format": FORMAT, "schema": newest(), "incognote": __version__}
        archive.writestr("head.json", json.dumps(head))
        people: set[int] = set()
        for kind in _TABLES:
            task.stage = f"export {kind.__tablename__}"
            with archive.open(f"tables/{kind.__tablename__}.jsonl", "w", force_zip64=True) as out:
                for row in _rows(db, _table(kind), task.project):
                    people.update(_accounts(_table(kind), row))
                    out.write(json.dumps(row).encode("ascii") + b"\n")
                    task.step(task.done + 1)
        accounts = db.execute(
            select(Account.id, Account.name, Account.full_name).where(Account.id.in_(people))
        )
        rows = [{"id": key, "name": name, "full_name": full} for key, name, full in accounts]
        archive.writestr("accounts.json", json.dumps(rows))
        for folder in ("sources", "models", "policies"):
            root = site.folder / folder / str(task.project)
            for file in sorted(root.rglob("*")) if root.is_dir() else ():
                if file.is_file():
                    archive.write(file, f"{folder}/{file.relative_to(root).as_posix()}")


def _table(kind: type[Base]) -> Table:
    return cast("Table", kind.__table__)


def _rows(db: Session, table: Table, project: int) -> Iterator[dict[str, Any]]:
    """The rows of a table that belong to a project."""
    tables = Base.metadata.tables
    query = select(table)
    columns = table.c
    if table.name == "project":
        query = query.where(columns.id == project)
    elif "project_id" in columns:
        query = query.where(columns.project_id == project)
    elif "document_id" in columns:
        ids = select(tables["document"].c.id).where(tables["document"].c.project_id == project)
        query = query.where(columns.document_id.in_(ids))
    else:
        ids = select(tables["assignment"].c.id).where(tables["assignment"].c.project_id == project)
        query = query.where(columns.assignment_id.in_(ids))
    query = query.order_by(*table.primary_key.columns)
    for row in db.execute(query.execution_options(yield_per=_CHUNK)).mappings():
        yield {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return {"base64": base64.b64encode(bytes(value)).decode("ascii")}
    return value


def _restored(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"base64"}:
        return base64.b64decode(value["base64"])
    return value


def _references(table: Table) -> dict[str, str]:
    """Column -> the table it refers to."""
    found = {
        column.name: key.column.table.name
        for column in table.columns
        for key in column.foreign_keys
    }
    return found | {name: to for (of, name), to in _LOOSE.items() if of == table.name}


def _accounts(table: Table, row: dict[str, Any]) -> list[int]:
    return [row[name] for name, to in _references(table).items() if to == "account" and row[name]]


def run(task: Task) -> dict[str, Any]:
    """`arguments`: path, an archive in the data folder."""
    path = Path(str(task.arguments["path"]))
    return {"project": read_archive(task.store, path, task.account)}


def read_archive(store: Store, path: Path, account: int | None = None) -> int:
    """A new project from an archive; its number. All of it comes in, or nothing."""
    try:
        with zipfile.ZipFile(path) as archive:
            head = json.loads(archive.read("head.json"))
            if head.get("format") != FORMAT or head.get("schema") != newest():
                raise UsageError(
                    "the archive is of another version of the workbench: upgrade both sides first"
                )
            with store.write(account) as db:
                project, sources = _insert(db, archive, store.site)
                jobs.enqueue_once(db, "order", project, account)
                _unpack(archive, store.site, project, sources)
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError):
        raise UsageError(f"{path.name}: not an archive of a project") from None
    return project


def _insert(db: Session, archive: zipfile.ZipFile, site: Site) -> tuple[int, dict[int, int]]:
    """The new project's number, and the new numbers of its sources by the old ones."""
    ids: dict[str, dict[int, int]] = {"account": _people(db, archive)}
    project = 0
    for kind in _TABLES:
        table = _table(kind)
        ids[table.name] = {}
        references = _references(table)
        batch: list[tuple[int | None, dict[str, Any]]] = []
        with archive.open(f"tables/{table.name}.jsonl") as lines:
            for line in lines:
                row = {name: _restored(value) for name, value in json.loads(line).items()}
                old = row.pop("id", None)
                for name, to in references.items():
                    if row[name] is not None:
                        row[name] = ids[to][row[name]]
                if table.name == "project":
                    row |= {"name": _free_name(db, row["name"]), "key_file": "", "closed_at": None}
                batch.append((old, row))
                if len(batch) >= _CHUNK:
                    _add(db, table, batch, ids[table.name])
                    batch = []
            _add(db, table, batch, ids[table.name])
        if table.name == "project":
            (project,) = ids["project"].values()
    found = db.get_one(Project, project)
    found.key_file = f"project-{project}.key"
    site.make_key(found.key_file)
    audit(db, "project imported", f"project {project}", project)
    return project, ids["source"]


def _add(
    db: Session,
    table: Table,
    batch: list[tuple[int | None, dict[str, Any]]],
    ids: dict[int, int],
) -> None:
    if not batch:
        return
    rows = [row for _, row in batch]
    if "id" not in table.c:
        db.execute(insert(table), rows)
        return
    made = db.scalars(insert(table).returning(table.c.id, sort_by_parameter_order=True), rows)
    for (old, _), new in zip(batch, made, strict=True):
        assert old is not None
        ids[old] = new


def _people(db: Session, archive: zipfile.ZipFile) -> dict[int, int]:
    found = {}
    for row in json.loads(archive.read("accounts.json")):
        account = by_name(db, row["name"])
        if account is None:
            account = Account(
                name=row["name"],
                full_name=row["full_name"],
                created_at=now(),
                settings={},
                must_change=True,
            )
            db.add(account)
            db.flush()
            audit(db, "account created", f"account {account.id}")
        found[row["id"]] = account.id
    return found


def _free_name(db: Session, name: str) -> str:
    taken = set(db.scalars(select(Project.name)))
    number = 2
    free = name
    while free in taken:
        free = f"{name[:190]} ({number})"
        number += 1
    return free


def _unpack(archive: zipfile.ZipFile, site: Site, project: int, sources: dict[int, int]) -> None:
    """Files go under the new number; a member that would lead elsewhere is refused."""
    for info in archive.infolist():
        folder, _, rest = info.filename.partition("/")
        if folder not in ("sources", "models", "policies") or not rest or info.is_dir():
            continue
        if folder == "sources":
            rest = str(sources[int(rest)]) if rest.isdecimal() and int(rest) in sources else ".."
        root = (site.folder / folder / str(project)).resolve()
        target = (root / rest).resolve()
        if not target.is_relative_to(root) or info.file_size > _LARGEST_MEMBER:
            raise UsageError("the archive holds a file that does not belong there")
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with archive.open(info) as source, target.open("wb") as out:
            shutil.copyfileobj(source, out)
