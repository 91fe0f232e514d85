"""`incognote web`: the workbench for annotators, adjudicators, reviewers and managers."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.cli import DONE, WRONG
from incognote.core.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from incognote.web.store.database.connection import Store
    from incognote.web.store.site import Site

_FOLDER_HELP = "the data folder of the workbench"


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, dest="action")
    init = _action(actions, "init", "make a data folder and its first account")
    init.add_argument(
        "--database",
        metavar="URL",
        default="",
        help="postgresql://user@host/name for teams (default: SQLite in the folder)",
    )
    init.add_argument(
        "--admin", metavar="NAME", default="admin", help="the first account (default: %(default)s)"
    )

    serve = _action(actions, "serve", "start the server and a worker")
    serve.add_argument(
        "--host", metavar="H", default="127.0.0.1", help="address to listen on (default: loopback)"
    )
    serve.add_argument(
        "--port",
        metavar="N",
        type=int,
        default=8422,
        help="port, 0 for any that is free (default: %(default)s)",
    )
    serve.add_argument("--certificate", metavar="PEM", type=Path, help="certificate for HTTPS")
    serve.add_argument("--private-key", metavar="PEM", type=Path, help="its private key")
    serve.add_argument(
        "--behind-proxy",
        action="store_true",
        help="a proxy on this machine speaks HTTPS with the browsers",
    )
    serve.add_argument(
        "--workers",
        metavar="N",
        type=int,
        default=1,
        help="worker processes for jobs, 0 for none (default: %(default)s)",
    )
    serve.add_argument(
        "--largest-upload",
        metavar="MB",
        type=int,
        default=2048,
        help="largest file that may be uploaded (default: %(default)s)",
    )

    work = _action(actions, "work", "do jobs: one more worker process, here or elsewhere")
    work.add_argument("--once", action="store_true", help="do what waits, then leave")
    work.add_argument("--with-parent", action="store_true", help=argparse.SUPPRESS)

    user = _action(actions, "user", "make an account, or give one a new password")
    user.add_argument("name", metavar="NAME", help="sign-in name")
    user.add_argument("--full-name", metavar="NAME", default="", help="as colleagues know them")
    user.add_argument("--admin", action="store_true", help="an administrator of the site")
    user.add_argument(
        "--role",
        metavar="PROJECT:ROLE",
        action="append",
        default=[],
        help="a role in a project, by its name or number; may be repeated",
    )
    user.add_argument(
        "--subject",
        metavar="ID",
        help='who the OpenID provider says they are; from then on no password ("" undoes it)',
    )
    user.add_argument(
        "--ask-password", action="store_true", help="type a password instead of getting one"
    )

    into = _action(actions, "import", "add files to a project, or a whole project")
    into.add_argument("input", metavar="IN", nargs="+", type=Path, help="files or folders")
    into.add_argument(
        "--project",
        metavar="P",
        default="",
        help="the project, by name or number; without it, IN is an exported project",
    )
    into.add_argument(
        "--no-suggestions", action="store_true", help="do not let the ensemble label them"
    )

    export = _action(actions, "export", "write annotations, a report, or a whole project")
    export.add_argument("project", metavar="PROJECT", help="its name or number")
    export.add_argument("-o", "--output", metavar="OUT", type=Path, required=True, help="the file")
    export.add_argument(
        "--what",
        metavar="W",
        default="project",
        choices=("gold", "layers", "agreement", "policy", "model", "project"),
        help="gold, layers, agreement, policy, model or project (default: %(default)s)",
    )
    export.add_argument(
        "--corpus-format",
        metavar="NAME",
        default="jsonl",
        help="format of annotations (default: %(default)s)",
    )

    saved = _action(actions, "backup", "write database and files into one archive")
    saved.add_argument("-o", "--output", metavar="ZIP", type=Path, required=True, help="the file")
    saved.add_argument(
        "--with-keys", action="store_true", help="also the keys of surrogates (keep it safe)"
    )
    back = _action(actions, "restore", "make a workbench from a backup, in a new folder")
    back.add_argument("backup", metavar="ZIP", type=Path, help="what `backup` wrote")
    back.add_argument(
        "--database",
        metavar="URL",
        default="",
        help="an empty PostgreSQL database, for a backup of one",
    )
    _action(actions, "upgrade", "bring the database to this version, after a backup")
    _action(actions, "verify-audit", "check the chain of the audit")


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str
) -> argparse.ArgumentParser:
    parser = actions.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=_FOLDER_HELP)
    return parser


def run(args: argparse.Namespace) -> int:
    try:
        import alembic  # noqa: F401
        import argon2  # noqa: F401
        import fastapi  # noqa: F401
        import jinja2  # noqa: F401
        import sqlalchemy  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError:
        raise MissingExtra("the workbench", "web") from None
    return _ACTIONS[args.action](args)


def _init(args: argparse.Namespace) -> int:
    from incognote.web.store.accounts import create_account
    from incognote.web.store.database import schema
    from incognote.web.store.database.connection import Store
    from incognote.web.store.site import Site

    site = Site.create(args.folder, args.database)
    store = Store(site)
    schema.upgrade(store.engine)
    with store.write() as db:
        account, password = create_account(db, args.admin, "Administrator", admin=True)
        name = account.name
    store.close()
    print(f"The workbench is in {args.folder}.")
    print(f"First account: {name}   password: {password}   (shown once; you will change it)")
    print(f"Start it:      incognote web serve {args.folder}")
    return DONE


def _serve(args: argparse.Namespace) -> int:
    from incognote.web.http.server import Serving, serve

    serving = Serving(
        args.host,
        args.port,
        args.certificate,
        args.private_key,
        args.behind_proxy,
        args.workers,
        args.largest_upload * 1024**2,
    )
    serve(
        _site(args),
        serving,
        lambda address: print(f"The workbench is at {address} (Ctrl-C ends it)", flush=True),
    )
    return DONE


def _work(args: argparse.Namespace) -> int:
    import logging

    from incognote.web.work.worker import Worker

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    worker = Worker(_store(args))
    if args.once:
        print(f"{worker.run_all()} jobs done")
        return DONE
    if args.with_parent:
        # The server's end of the pipe closes with it, however it ends.
        threading.Thread(target=_until_closed, args=(worker.stop,), daemon=True).start()
    worker.run_forever()
    return DONE


def _until_closed(stop: object) -> None:
    # Not sys.stdin: a thread inside its lock would trouble the end of the interpreter.
    while os.read(0, 4096):
        pass
    stop()  # type: ignore[operator]


def _user(args: argparse.Namespace) -> int:
    from incognote.web.store.accounts import (
        bind,
        by_name,
        create_account,
        hashed,
        set_password,
        set_roles,
    )

    password = getpass.getpass("Password: ") if args.ask_password else ""
    with _store(args).write() as db:
        account = by_name(db, args.name)
        if account is None:
            account, password = create_account(
                db, args.name, args.full_name, password, admin=args.admin
            )
            print(f"account {account.name}   password: {password}   (shown once)")
        elif not args.role and args.subject is None:
            import secrets

            password = password or secrets.token_urlsafe(12)
            set_password(db, account, hashed(password), must_change=True)
            print(f"account {account.name}   new password: {password}   (shown once)")
        if args.subject is not None:
            bind(db, account, args.subject)
            print(f"account {account.name}   {'bound' if account.subject else 'not bound'}")
        roles: dict[int, set[str]] = {}
        for given in args.role:
            name, colon, role = given.rpartition(":")
            if not colon:
                raise UsageError("--role is written as PROJECT:ROLE")
            roles.setdefault(_project(db, name), set()).add(role)
        for project, wanted in roles.items():
            set_roles(db, project, account.id, frozenset(wanted))
    return DONE


def _project(db: object, name: str) -> int:
    from sqlalchemy import select

    from incognote.web.store.tables import Project

    query = select(Project.id).where(Project.name == name)
    found = db.scalar(query)  # type: ignore[attr-defined]
    if found is None and name.isdecimal():
        found = db.scalar(select(Project.id).where(Project.id == int(name)))  # type: ignore[attr-defined]
    if found is None:
        raise UsageError(f"no project {name!r}")
    return int(found)


def _import(args: argparse.Namespace) -> int:
    from incognote.web.work.importing import add_files
    from incognote.web.work.moving import read_archive
    from incognote.web.work.worker import Worker

    store = _store(args)
    if not args.project:
        for path in args.input:
            print(f"{path}: project {read_archive(store, path)}")
        return DONE
    with store.write() as db:
        project = _project(db, args.project)
        count = add_files(store, db, project, args.input, suggest=not args.no_suggestions)
    Worker(store).run_all()
    print(f"{count} files imported")
    return DONE


def _export(args: argparse.Namespace) -> int:
    import shutil

    from incognote.web.store import jobs
    from incognote.web.store.tables import Job
    from incognote.web.work.worker import Worker

    if args.output.exists():
        raise UsageError(f"{args.output}: exists already")
    store = _store(args)
    with store.write() as db:
        project = _project(db, args.project)
        options = {"what": args.what, "form": args.corpus_format}
        job = jobs.enqueue(db, "export", project, None, **options).id
    Worker(store).run_all()
    with store.read() as db:
        done = db.get_one(Job, job)
        if done.state != jobs.DONE:
            raise UsageError(f"the export ended: {done.error_type} ({done.error_stage})")
        shutil.copyfile(store.site.export(job) / done.result["file"], args.output)
    print(f"{args.output} holds clinical text: keep it safe")
    return DONE


def _backup(args: argparse.Namespace) -> int:
    from incognote.web.store.audit import audit
    from incognote.web.store.database.backup import backup

    store = _store(args)
    backup(store, args.output, keys=args.with_keys)
    with store.write() as db:
        audit(db, "backup", "site")
    if not args.with_keys:
        print(f"the keys in {store.site.folder / 'keys'} are not in the backup: keep them apart")
    return DONE


def _restore(args: argparse.Namespace) -> int:
    from incognote.web.store.database.backup import restore

    restore(args.backup, args.folder, args.database)
    print(f"The workbench is in {args.folder}; put its keys into {args.folder / 'keys'}.")
    return DONE


def _upgrade(args: argparse.Namespace) -> int:
    from incognote.web.store.database.backup import upgrade

    saved = upgrade(_site(args))
    print(f"upgraded; the backup before it is {saved}" if saved else "the database is up to date")
    return DONE


def _verify_audit(args: argparse.Namespace) -> int:
    from incognote.web.store.audit import verify

    store = _store(args)
    with store.read() as db:
        rows, broken = verify(db, store.site.audit_key)
    if broken is not None:
        print(f"row {broken} of the audit does not fit the row before it", file=sys.stderr)
        return WRONG
    print(f"{rows} rows, unbroken")
    return DONE


def _site(args: argparse.Namespace) -> Site:
    from incognote.web.store.site import Site

    return Site.open(args.folder)


def _store(args: argparse.Namespace) -> Store:
    from incognote.web.store.database import schema
    from incognote.web.store.database.connection import Store

    store = Store(_site(args))
    schema.check(store.engine)
    return store


_ACTIONS = {
    "init": _init,
    "serve": _serve,
    "work": _work,
    "user": _user,
    "import": _import,
    "export": _export,
    "backup": _backup,
    "restore": _restore,
    "upgrade": _upgrade,
    "verify-audit": _verify_audit,
}
