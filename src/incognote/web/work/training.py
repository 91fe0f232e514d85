"""Trains a model on the gold of the project, in a process of its own that can be stopped, and
measures it on the notes that never train."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document, Result
from incognote.policy import Policy
from incognote.web.figures.measuring import difference, scores
from incognote.web.flow.draw import LEARN, MEASURE
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import now
from incognote.web.store.learning import gold_notes
from incognote.web.store.policies import with_models
from incognote.web.store.tables import Model, Project
from incognote.web.work.ensemble import ensemble, models_in_use, pipeline_of
from incognote.web.work.task import Cancelled, Task

FEWEST = 5
_POLL_SECONDS = 0.5


def run(task: Task) -> dict[str, Any]:
    """`arguments`: model (crf, fast or transformer; default crf)."""
    kind = str(task.arguments.get("model", "crf"))
    task.stage = "gather"
    with task.store.read() as db:
        notes = list(gold_notes(db, task.project, LEARN))
        held = list(gold_notes(db, task.project, MEASURE))
        project = db.get_one(Project, task.project)
        policy = ensemble(db, task.store.site, project)
        in_use = models_in_use(db, task.store.site, project.id)
    if len(notes) < FEWEST:
        raise UsageError(f"training needs at least {FEWEST} settled notes")
    name = f"{kind}-{task.job}"
    folder = task.store.site.model(task.project, name)
    shutil.rmtree(folder, ignore_errors=True)  # what an earlier try left
    task.stage = "train"
    run_in_child(task, kind, notes, folder)
    task.stage = "measure"
    card = json.loads((folder / "model.json").read_text("utf-8"))["card"]
    measured = compare(task, held, policy, with_models(policy, {**in_use, kind: folder}))
    with task.store.write(task.account) as db:
        model = Model(
            project_id=task.project,
            kind=kind,
            folder=name,
            card=card,
            gold_hash=fingerprint(notes),
            notes=len(notes),
            scores=measured,
            created_at=now(),
        )
        db.add(model)
        db.flush()
        audit(db, "model trained", f"model {model.id}", task.project, notes=len(notes))
        return {"model": model.id, "notes": len(notes)}


def fingerprint(notes: Sequence[AnnotatedDocument]) -> str:
    digest = hashlib.sha256()
    for note in notes:
        marks = [(span.start, span.end, span.label) for span in note.spans]
        digest.update(repr((note.id, note.text, marks)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def compare(
    task: Task, held: Sequence[AnnotatedDocument], before: Policy, after: Policy
) -> dict[str, Any]:
    """Both ensembles on the measuring notes."""
    if not held:
        return {"notes": 0}
    one = predicted(task, held, before)
    other = predicted(task, held, after)
    return {
        "notes": len(held),
        "before": scores(held, one).as_row(),
        "after": scores(held, other).as_row(),
        "p": difference(held, other, one),
    }


def predicted(
    task: Task, notes: Sequence[AnnotatedDocument], policy: Policy
) -> list[AnnotatedDocument]:
    """What an ensemble finds; a note that fails counts as one in which it finds nothing."""
    pipeline = pipeline_of(policy)
    found = []
    for at in range(0, len(notes), 16):
        batch = [note.document for note in notes[at : at + 16]]
        for document, outcome in zip(batch, pipeline.detect(batch), strict=True):
            spans = outcome.spans if isinstance(outcome, Result) else ()
            found.append(AnnotatedDocument(document, spans))
        task.step(at, len(notes))
    return found


def run_in_child(task: Task, kind: str, notes: Sequence[AnnotatedDocument], folder: Path) -> None:
    """Training happens in a process that can be ended at once; its notes go there by a pipe."""
    context = multiprocessing.get_context("spawn")
    plain = [AnnotatedDocument(Document(n.id, n.text), n.spans) for n in notes]
    child = context.Process(target=train, args=(kind, plain, str(folder)), daemon=True)
    child.start()
    try:
        while child.is_alive():
            child.join(_POLL_SECONDS)
            task.step(task.done)
    except Cancelled:
        child.terminate()
        child.join()
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if child.exitcode != 0 or not (folder / "model.json").exists():
        raise UsageError("training ended without a model")


def train(kind: str, notes: Sequence[AnnotatedDocument], out: str) -> None:
    """What the child does. It says nothing: errors of libraries may quote notes."""
    import os
    import sys

    from incognote.learn import crf, fast, recipe

    with Path(os.devnull).open("w") as nowhere:
        sys.stdout = sys.stderr = nowhere
        data = recipe.prepare_data(notes)
        if kind == "crf":
            recipe.train_crf(data, Path(out), crf.CrfTraining(), _silent)
        elif kind == "fast":
            recipe.train_fast(data, Path(out), fast.FastTraining(), _silent)
        else:
            raise UsageError("the workbench trains models of the kinds crf and fast")


def _silent(_: str) -> None:
    pass
