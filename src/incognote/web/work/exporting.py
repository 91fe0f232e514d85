"""Exports: annotations in every corpus format, reports, the policy, a model, a release, or the
whole project. Each is one file in the data folder, for a manager to fetch."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import select

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Failure, Result, Span
from incognote.core.types import Document as Note
from incognote.corpus import write_corpus
from incognote.corpus.files import corpus_format
from incognote.engine.events import rewritten
from incognote.engine.output.ledger import Ledger, Manifest, Quarantine
from incognote.engine.settings import Settings, ignore
from incognote.engine.sources import Source as File
from incognote.pipeline import Pipeline
from incognote.web.figures.agreement import annotated_twice, by_batch, by_note, by_pair
from incognote.web.flow.people import Link
from incognote.web.store.audit import audit
from incognote.web.store.database.backup import backup
from incognote.web.store.documents import decoded, links_of, note_of
from incognote.web.store.learning import gold_notes
from incognote.web.store.releases import key_of, move
from incognote.web.store.removal import REMOVED
from incognote.web.store.tables import (
    Account,
    Annotation,
    Assignment,
    Document,
    Project,
    Release,
    ReleaseDocument,
    Source,
    Text,
)
from incognote.web.work.ensemble import models_in_use
from incognote.web.work.moving import write_archive
from incognote.web.work.releasing import marked, release_policy
from incognote.web.work.task import Task


def run(task: Task) -> dict[str, Any]:
    """`arguments`: what; form (corpus format); release."""
    what = str(task.arguments["what"])
    task.stage = what
    with tempfile.TemporaryDirectory(dir=task.store.site.folder / "exports") as scratch:
        made = _MAKERS[what](task, Path(scratch))
        target = task.store.site.export(task.job)
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(mode=0o700)
        file = target / made.name
        if made.is_dir():
            file = target / f"{made.name}.zip"
            _zip(made, file)
        else:
            made.replace(file)
    with task.store.write(task.account) as db:
        audit(db, f"exported {what}", f"job {task.job}", task.project, bytes=file.stat().st_size)
    return {"file": file.name, "what": what}


def _zip(folder: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder).as_posix())


def _named(documents: Iterator[AnnotatedDocument]) -> Iterator[AnnotatedDocument]:
    """Notes under the ids their files gave them; one that comes again gets our number, too."""
    seen: set[str] = set()
    for one in documents:
        ident = one.document.meta.get("ident", one.id)
        name = ident if ident not in seen else f"{ident}#{one.id}"
        seen.add(ident)
        meta = {k: v for k, v in one.document.meta.items() if k != "ident"}
        yield replace(one, document=replace(one.document, id=name, meta=meta))


def _corpus(task: Task, documents: Iterator[AnnotatedDocument], path: Path) -> Path:
    form = str(task.arguments.get("form") or "jsonl")
    path = path.with_name(path.name + corpus_format(form).suffix)
    found = list(_named(documents))
    if not found:
        raise UsageError("there is nothing to export yet")
    write_corpus(found, path, form)
    return path


def _gold(task: Task, folder: Path) -> Path:
    with task.store.read() as db:
        return _corpus(task, gold_notes(db, task.project), folder / "gold")


def _layers(task: Task, folder: Path) -> Path:
    """One corpus for each annotator."""
    out = folder / "layers"
    out.mkdir()
    with task.store.read() as db:
        rows = db.execute(
            select(Account.name, Document, Text, Annotation.spans)
            .join(Assignment, Assignment.account_id == Account.id)
            .join(Document, Document.id == Assignment.document_id)
            .join(Text, Text.document_id == Document.id)
            .join(Annotation, Annotation.assignment_id == Assignment.id)
            .where(
                Assignment.project_id == task.project,
                Assignment.state == "done",
                Assignment.part == "annotate",
                Document.removed_at.is_(None),
            )
            .order_by(Account.name, Document.id)
        ).all()
    people: dict[str, list[AnnotatedDocument]] = {}
    for name, document, text, spans in rows:
        note = note_of(document, text)
        note = Note(str(document.id), note.text, {**note.meta, "ident": document.ident})
        own = tuple(Span(*row) for row in spans)
        people.setdefault(name, []).append(AnnotatedDocument(note, own))
    if not people:
        raise UsageError("there is nothing to export yet")
    for name, documents in people.items():
        _corpus(task, iter(documents), out / name)
    return out


def _agreement(task: Task, folder: Path) -> Path:
    with task.store.read() as db:
        notes = annotated_twice(db, task.project)
    report = {
        "pairs": [asdict(pair) for pair in by_pair(notes)],
        "batches": by_batch(notes),
        "notes": [asdict(note) for note in by_note(notes)],
    }
    path = folder / "agreement.json"
    path.write_text(json.dumps(report, indent=1), "utf-8")
    return path


def _policy(task: Task, folder: Path) -> Path:
    out = folder / "policy"
    out.mkdir()
    with task.store.read() as db:
        (out / "policy.toml").write_text(db.get_one(Project, task.project).policy, "utf-8")
    for path in task.store.site.policies(task.project).glob("[!.]*"):
        if path.is_file():
            shutil.copyfile(path, out / path.name)
    return out


def _model(task: Task, folder: Path) -> Path:
    with task.store.read() as db:
        models = models_in_use(db, task.store.site, task.project)
    if not models:
        raise UsageError("no model of the project is in use")
    out = folder / "models"
    for kind, path in models.items():
        # Without what later training goes on from.
        shutil.copytree(path, out / kind, ignore=shutil.ignore_patterns("training", "version-*"))
    return out


def _project(task: Task, folder: Path) -> Path:
    path = folder / "project.zip"
    write_archive(task, path)
    return path


def _release(task: Task, folder: Path) -> Path:
    """The files of an approved release: the outputs that were reviewed, in their own formats, with
    manifest and quarantine. Names of files are numbers: they may hold PHI."""
    key = int(task.arguments["release"])
    with task.store.write(task.account) as db:
        release = db.get_one(Release, key)
        if release.project_id != task.project:
            raise UsageError("no such release")
        move(db, release, "export")
        policy = release_policy(db, task, release)
        project = db.get_one(Project, task.project)
        sources = list(
            db.scalars(
                select(Source)
                .where(Source.project_id == task.project, Source.state != REMOVED)
                .order_by(Source.id)
            )
        )
        reviewed = _reviewed(db, key)
        numbers = [row.document_id for rows in reviewed.values() for row in rows.values()]
        links = links_of(db, numbers)
    out = folder / f"release-{key}"
    out.mkdir()
    secret = key_of(task.store.site, project)
    pipeline = Pipeline(policy, secret)
    manifest, quarantine = Manifest(out, policy, secret), Quarantine(out, keep_raw=False)
    with Ledger(manifest, quarantine, ignore) as ledger:
        for number, source in enumerate(sources):
            task.step(number, len(sources))
            alias = f"{source.id:06d}{Path(source.name).suffix.lower()[:12]}"
            place = task.store.site.source(task.project, source.id)
            file = File(source.name, str(place), alias)
            rows = reviewed.get(source.id, {})
            data = _file(file, pipeline, ledger, rows, links)
            if data is not None:
                (out / alias).write_bytes(data)
            ledger.checkpoint()
    stamp = {
        "release": release.name,
        "policy": release.policy_hash,
        "key": release.key_tag,
        "sample": release.sample,
        "leak_bound": release.bound,
        "approved_at": release.approved_at,
    }
    (out / "release.json").write_text(json.dumps(stamp, indent=1), "utf-8")
    return out


def _reviewed(db: Any, release: int) -> dict[int, dict[int, ReleaseDocument]]:
    """The outputs of a release by source and by place in it."""
    rows = db.execute(
        select(Document.source_id, Document.ordinal, ReleaseDocument)
        .join(ReleaseDocument, ReleaseDocument.document_id == Document.id)
        .where(ReleaseDocument.release_id == release)
    )
    found: dict[int, dict[int, ReleaseDocument]] = {}
    for source, ordinal, row in rows:
        found.setdefault(source, {})[ordinal] = row
    return found


def _file(
    file: File,
    pipeline: Pipeline,
    ledger: Ledger,
    reviewed: dict[int, ReleaseDocument],
    links: Mapping[int, Sequence[Link]],
) -> bytes | None:
    parts: list[bytes] = []
    ordinals = count(1)

    def outcome(note: Note) -> Result | Failure:
        row = reviewed.get(next(ordinals))
        known = links.get(row.document_id, ()) if row else ()
        return _outcome(note, row, pipeline, known)

    for event in rewritten(file, Settings(pipeline.policy), outcome):
        if event.failure is None and event.data is not None:
            ledger.done(event.source, event.results)
            parts.append(event.data)
        elif event.failure:
            ledger.refused(event.source, event.failure, None, event.documents)
            if event.required or event.is_lost:
                return None
    return b"".join(parts) if parts else None


def _outcome(
    note: Note, row: ReleaseDocument | None, pipeline: Pipeline, links: Sequence[Link]
) -> Result | Failure:
    if row is None:
        if note.free_text and note.text.strip():
            return Failure(note.id, "release", "NotReviewed")  # a note that is in the bin
        (outcome,) = pipeline.deid([note])
        return outcome
    if row.failure:
        return Failure(note.id, "release", "NotRead")
    again = pipeline.transform(marked(note, [[*r[:3], r[6]] for r in row.replacements], links))
    if isinstance(again, Result) and again.text != decoded(row.output):
        # Nothing leaves that differs from what was reviewed.
        return Failure(note.id, "release", "OutputChanged")
    return again


_MAKERS: dict[str, Callable[[Task, Path], Path]] = {
    "gold": _gold,
    "layers": _layers,
    "agreement": _agreement,
    "policy": _policy,
    "model": _model,
    "project": _project,
    "release": _release,
}


def back_up(task: Task) -> dict[str, Any]:
    """The whole site into its folder of backups, without the keys."""
    task.stage = "backup"
    path = task.store.site.folder / "backups" / f"backup-{task.job}.zip"
    path.unlink(missing_ok=True)  # of an earlier try
    task.step(0, 1)
    backup(task.store, path)
    with task.store.write(task.account) as db:
        audit(db, "backup", "site")
    task.step(1)
    return {"name": path.name}
