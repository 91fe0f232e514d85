"""Trains a model on the gold of the project, in a process of its own that can be stopped, and
measures it on the notes that never train."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document, Result
from incognote.policy import Policy
from incognote.web.figures.measuring import difference, scores
from incognote.web.flow.draw import LEARN, MEASURE
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import now
from incognote.web.store.learning import (
    CRF,
    FAST,
    TRANSFORMER,
    TooLittleGold,
    gold_notes,
    lacking,
    last_transformer,
)
from incognote.web.store.policies import with_models
from incognote.web.store.tables import Model, Project
from incognote.web.work.ensemble import ensemble, models_in_use, pipeline_of
from incognote.web.work.task import Cancelled, Task

if TYPE_CHECKING:
    from incognote.learn.recipe import TrainingData

BASE = "accurate"  # what a transformer of the project starts from
_POLL_SECONDS = 0.5
_NOTHING_HARD = 17  # how the child ends where there is nothing to go on from
_EPOCHS, _EPOCHS_HARD = 10, 3


def run(task: Task) -> dict[str, Any]:
    """`arguments`: model (crf, fast or transformer), hard (go on from the last transformer, on the
    notes it gets wrong), minutes (the most that training a network takes)."""
    kind = str(task.arguments.get("model", CRF))
    hard = bool(task.arguments.get("hard"))
    task.stage = "gather"
    with task.store.read() as db:
        if missing := lacking(db, task.project):
            raise TooLittleGold(missing)
        last = last_transformer(db, task.project) if hard else None
        notes = list(gold_notes(db, task.project, LEARN))
        held = list(gold_notes(db, task.project, MEASURE))
        project = db.get_one(Project, task.project)
        policy = ensemble(db, task.store.site, project)
        in_use = models_in_use(db, task.store.site, project.id)
    name = f"{kind}-{task.job}"
    folder = task.store.site.model(task.project, name)
    shutil.rmtree(folder, ignore_errors=True)  # what an earlier try left
    if last:
        shutil.copytree(task.store.site.model(task.project, last.folder), folder)
    task.stage = "train"
    lesson = Lesson(kind, str(folder), BASE, bool(last), task.arguments.get("minutes"))
    run_in_child(task, lesson, notes)
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
        task.step(len(found), len(notes))
    return found


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a child trains: into which folder, from which encoder, whether on hard examples."""

    kind: str
    folder: str
    base: str = BASE
    hard: bool = False
    minutes: float | None = None


def run_in_child(task: Task, lesson: Lesson, notes: Sequence[AnnotatedDocument]) -> None:
    """Training happens in a process that can be ended at once; its notes go there by a pipe."""
    folder = Path(lesson.folder)
    before = _manifest(folder)
    context = multiprocessing.get_context("spawn")
    plain = [AnnotatedDocument(Document(n.id, n.text), n.spans) for n in notes]
    child = context.Process(target=train, args=(lesson, plain), daemon=True)
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
    if child.exitcode == _NOTHING_HARD:
        raise NothingHard("the last transformer makes no error on the settled notes")
    if child.exitcode != 0 or _manifest(folder) in (b"", before):
        raise UsageError("training ended without a model")


class NothingHard(UsageError):  # noqa: N818 - reads as what happened
    """Training on hard examples found none."""


def _manifest(folder: Path) -> bytes:
    path = folder / "model.json"
    return path.read_bytes() if path.exists() else b""


def train(lesson: Lesson, notes: Sequence[AnnotatedDocument]) -> None:
    """What the child does. It says nothing: errors of libraries may quote notes."""
    import os
    import sys

    from incognote.learn import crf, fast, recipe

    with Path(os.devnull).open("w") as nowhere:
        sys.stdout = sys.stderr = nowhere
        data, out = recipe.prepare_data(notes), Path(lesson.folder)
        if lesson.kind == CRF:
            recipe.train_crf(data, out, crf.CrfTraining(), _silent)
        elif lesson.kind == FAST:
            recipe.train_fast(data, out, fast.FastTraining(minutes=lesson.minutes), _silent)
        else:
            _train_transformer(lesson, data, out)


def _train_transformer(lesson: Lesson, data: TrainingData, out: Path) -> None:
    import os
    import sys

    from incognote.detect.learned.model_folder import open_model
    from incognote.learn import recipe, transformer
    from incognote.learn.data import labels_of
    from incognote.learn.network.base import find_base, open_base

    hard = lesson.hard
    if hard:
        last = open_model(str(out), TRANSFORMER)
        if last.labels != labels_of(data.notes):  # it cannot go on with other labels
            hard = False
            shutil.rmtree(out)
        elif not recipe.erring(last, data.notes):
            sys.exit(_NOTHING_HARD)
    options = transformer.Training(
        epochs=_EPOCHS_HARD if hard else _EPOCHS,
        minutes=lesson.minutes,
        workers=os.cpu_count() or 1,
    )
    base = open_base(find_base(lesson.base))
    recipe.train_transformer(data, base, out, options, _silent, hard_examples=hard)


def _silent(_: str) -> None:
    pass
