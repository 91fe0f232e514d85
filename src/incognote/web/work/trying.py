"""What a change of the policy would do, counted before anybody signs it."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import select

from incognote.core.types import Result
from incognote.policy import Policy
from incognote.web.figures.measuring import scores
from incognote.web.flow.draw import MEASURE
from incognote.web.store.documents import note_of, texts_of
from incognote.web.store.learning import content_of, gold_notes, with_proposal, write_files
from incognote.web.store.policies import parsed_policy
from incognote.web.store.tables import Document, Project, Proposal, Text
from incognote.web.work.ensemble import ensemble, models_in_use, pipeline_of
from incognote.web.work.task import Task
from incognote.web.work.training import predicted

_CHUNK = 16
_SHOWN = 50  # notes that the answer names


def run(task: Task) -> dict[str, Any]:
    """`arguments`: policy (TOML), on the measuring notes; or proposal, on every note it touches."""
    task.stage = "prepare"
    proposal = task.arguments.get("proposal")
    return _try_proposal(task, int(proposal)) if proposal else _try_policy(task)


def _try_policy(task: Task) -> dict[str, Any]:
    site = task.store.site
    with task.store.read() as db:
        project = db.get_one(Project, task.project)
        before = ensemble(db, site, project)
        models = models_in_use(db, site, project.id)
        gold = list(gold_notes(db, task.project, MEASURE))
        ids = [int(note.id) for note in gold] or _some(db, task.project)
    after = parsed_policy(str(task.arguments["policy"]), site.policies(task.project), models)
    task.stage = "detect"
    found = _changes(task, ids, before, after)
    if gold:
        found["before"] = scores(gold, predicted(task, gold, before)).as_row()
        found["after"] = scores(gold, predicted(task, gold, after)).as_row()
    return found


def _some(db: Any, project: int) -> list[int]:
    query = select(Document.id).where(Document.project_id == project, Document.removed_at.is_(None))
    return list(db.scalars(query.order_by(Document.draw).limit(100)))


def _try_proposal(task: Task, key: int) -> dict[str, Any]:
    site = task.store.site
    with task.store.read() as db:
        proposal = db.get_one(Proposal, key)
        content = content_of(proposal)
        project = db.get_one(Project, task.project)
        before = ensemble(db, site, project)
        models = models_in_use(db, site, project.id)
        ids = _touched(db, task.project, content)
    # The files of the proposal are tried in a copy of the project's own.
    with tempfile.TemporaryDirectory(dir=site.policies(task.project)) as scratch:
        folder = Path(scratch)
        for path in site.policies(task.project).glob("[!.]*"):
            if path.is_file():
                (folder / path.name).write_bytes(path.read_bytes())
        write_files(folder, proposal.kind, content)
        policy = with_proposal(project.policy, proposal.kind, content)
        after = parsed_policy(policy, folder, models)
        task.stage = "detect"
        found = _changes(task, ids, before, after)
    with task.store.write(task.account) as db:
        db.get_one(Proposal, key).effect = found
    return found


def _touched(db: Any, project: int, content: dict[str, Any]) -> list[int]:
    """Notes that hold the words of a proposal; all others it cannot change."""
    word = content.get("word") or content.get("sentence")
    ids = []
    rows = db.execute(
        select(Document.id, Text.body)
        .join(Text, Text.document_id == Document.id)
        .where(Document.project_id == project, Document.removed_at.is_(None))
        .execution_options(yield_per=200)
    )
    first = (word or "").split()[:1]
    needle = first[0].casefold() if first else ""
    for key, body in rows:
        if not needle or needle in body.decode("utf-8", "surrogatepass").casefold():
            ids.append(key)
    return ids


def _changes(task: Task, ids: Sequence[int], before: Policy, after: Policy) -> dict[str, Any]:
    """How many spans of each label come and go, how many are written otherwise, in which notes."""
    one, other = pipeline_of(before), pipeline_of(after)
    come: Counter[str] = Counter()
    gone: Counter[str] = Counter()
    otherwise: Counter[str] = Counter()
    changed = []
    task.step(0, len(ids))
    for at in range(0, len(ids), _CHUNK):
        chunk = ids[at : at + _CHUNK]
        with task.store.read() as db:
            rows = texts_of(db, chunk)
        notes = [note_of(*rows[key]) for key in chunk]
        for key, left, right in zip(chunk, one.detect(notes), other.detect(notes), strict=True):
            old, new = _places(left), _places(right)
            come.update(label for _, _, label in new - old)
            gone.update(label for _, _, label in old - new)
            written = [
                label for _, _, label in old & new if before.rule(label) != after.rule(label)
            ]
            otherwise.update(written)
            if old != new or written:
                changed.append(key)
        task.step(at + len(chunk))
    return {
        "notes": len(ids),
        "changed": len(changed),
        "come": dict(come),
        "gone": dict(gone),
        "otherwise": {
            f"{label}: {before.rule(label).action} → {after.rule(label).action}": count
            for label, count in otherwise.items()
        },
        "where": changed[:_SHOWN],
    }


def _places(outcome: object) -> set[tuple[int, int, str]]:
    if not isinstance(outcome, Result):
        return set()
    return {(span.start, span.end, span.label) for span in outcome.spans}
