"""Imports notes that are annotated already: as gold, or as the layer of one annotator."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from incognote.core.errors import UsageError
from incognote.core.labels import SCHEMES
from incognote.core.types import AnnotatedDocument
from incognote.corpus import read_corpus
from incognote.corpus.files import corpus_format
from incognote.corpus.labelmaps import label_map
from incognote.web.flow.edits import Mark, flat
from incognote.web.store import assignments, jobs, settling
from incognote.web.store.accounts import by_name
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import now
from incognote.web.store.documents import Incoming, add_documents, assign_purposes
from incognote.web.store.tables import Annotation, Assignment, Document, Project, Source
from incognote.web.work.task import CHUNK, Task

GOLD_LAYER = ("", "gold")
_LARGEST = 4 * 1024**3  # of a zip archive, unpacked


def run(task: Task) -> dict[str, Any]:
    """`arguments`: source; form; labels (a scheme); layer (an annotator's name, or gold)."""
    key = int(task.arguments["source"])
    layer = str(task.arguments.get("layer") or "").strip().lower()
    task.stage = "read"
    with task.store.read() as db:
        project = db.get_one(Project, task.project)
        source = db.get_one(Source, key)
        there = int(db.scalar(select(func.count()).where(Document.source_id == key)) or 0)
        account = None if layer in GOLD_LAYER else by_name(db, layer)
    if layer not in GOLD_LAYER and account is None:
        raise UsageError("there is no account of the layer's name")
    path = task.store.site.source(project.id, source.id)
    documents = _read(path, source.name, str(task.arguments["form"]))
    if scheme := str(task.arguments.get("labels") or ""):
        if scheme not in SCHEMES:
            raise UsageError("no such label scheme")
        mapping = label_map(scheme)
        documents = [mapping.apply(one) for one in documents]
    task.stage = "write"
    task.step(there, len(documents))
    for at in range(there, len(documents), CHUNK):
        chunk = documents[at : at + CHUNK]
        with task.store.write(task.account) as db:
            rows = [Incoming(at + n + 1, one.document) for n, one in enumerate(chunk)]
            ids = add_documents(db, project, key, rows)
            for number, one in zip(ids, chunk, strict=True):
                document = db.get_one(Document, number)
                spans = flat((s.start, s.end, s.label) for s in one.spans)
                if account is None:
                    settling.import_gold(db, document, spans, task.account)
                else:
                    _give(db, project, document, account.id, spans)
        task.step(at + len(chunk))
    with task.store.write(task.account) as db:
        ids = list(db.scalars(select(Document.id).where(Document.source_id == key)))
        assign_purposes(db, project, ids)
        row = db.get_one(Source, key)
        row.state, row.format = "read", str(task.arguments["form"])
        audit(db, "imported corpus", f"source {key}", task.project, notes=len(documents))
        jobs.enqueue_once(db, "suggest", task.project, task.account)
    return {"notes": len(documents)}


def _give(
    db: Any, project: Project, document: Document, account: int, spans: tuple[Mark, ...]
) -> None:
    """The layer of an annotator, finished."""
    given = assignments.assign(db, project, document, account)
    layer = db.get_one(Annotation, given.id)
    layer.spans = layer.start_spans = [list(mark) for mark in spans]
    found = db.get_one(Assignment, given.id)
    found.state, found.done_at = assignments.DONE, now()
    db.flush()
    settling.annotated(db, project, document, account)


def _read(path: Path, name: str, form: str) -> list[AnnotatedDocument]:
    """A corpus is one file, or a folder that comes as a zip archive."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".corpus-") as scratch:
        folder = Path(scratch)
        if zipfile.is_zipfile(path):
            _unpack(path, folder)
            inner = [each for each in folder.iterdir() if not each.name.startswith((".", "__"))]
            one_inside = len(inner) == 1 and (inner[0].is_dir() or corpus_format(form).suffix)
            return read_corpus(inner[0] if one_inside else folder, form)
        target = folder / (Path(name).name or "corpus")
        shutil.copyfile(path, target)
        return read_corpus(target, form)


def _unpack(path: Path, folder: Path) -> None:
    """Only plain files inside the folder, and not more than a disk can take."""
    with zipfile.ZipFile(path) as archive:
        if sum(info.file_size for info in archive.infolist()) > _LARGEST:
            raise UsageError("the archive is too large when unpacked")
        left = _LARGEST
        for info in archive.infolist():
            target = (folder / info.filename).resolve()
            if info.is_dir() or not target.is_relative_to(folder.resolve()):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(info) as source, target.open("wb") as out:
                while chunk := source.read(1 << 20):
                    left -= len(chunk)
                    if left < 0:
                        raise UsageError("the archive is too large when unpacked")
                    out.write(chunk)
