"""Puts the notes that wait into the project's order."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, or_, select, update

from incognote.core.types import AnnotatedDocument
from incognote.core.types import Document as Note
from incognote.corpus.duplicates import clusters, duplicates
from incognote.web.flow.draw import MEASURE
from incognote.web.flow.ordering import DOUBT, Waiting, order, woven
from incognote.web.flow.states import NEW, SUGGESTED
from incognote.web.store.documents import decoded
from incognote.web.store.tables import Document, Project, Text
from incognote.web.work.task import Task

_MOST_COMPARED = 5_000  # near-duplicates are looked for among as many notes


def run(task: Task) -> dict[str, Any]:
    task.stage = "order"
    with task.store.read() as db:
        project = db.get_one(Project, task.project)
        rows = db.execute(
            select(
                Document.id, Document.patient, Document.doubt, Document.draw, Document.purpose
            ).where(
                Document.project_id == task.project,
                Document.state.in_((NEW, SUGGESTED)),
                Document.removed_at.is_(None),
            )
        ).all()
        twins = _twins(db, task.project) if project.ordering == DOUBT else {}
    notes = [
        Waiting(key, who, doubt, draw, twins.get(key, "")) for key, who, doubt, draw, _ in rows
    ]
    measure = {key for key, *_, purpose in rows if purpose == MEASURE}
    learning = order([n for n in notes if n.id not in measure], project.ordering, project.batch)
    measuring = order([n for n in notes if n.id in measure], "random")
    ranks = {key: at for at, key in enumerate(woven(learning, measuring))}
    task.step(0, len(ranks))
    pairs = list(ranks.items())
    statement = (
        update(Document)
        .where(
            Document.id == bindparam("key"),
            # Spelled out: a statement for many rows takes no lists.
            or_(Document.state == NEW, Document.state == SUGGESTED),
        )
        .values(rank=bindparam("place"), claimable=True)
    )
    for at in range(0, len(pairs), 500):
        with task.store.write(task.account) as db:
            db.connection().execute(
                statement, [{"key": key, "place": place} for key, place in pairs[at : at + 500]]
            )
        task.step(at)
    task.step(len(ranks))
    return {"notes": len(ranks)}


def _twins(db: Any, project: int) -> dict[int, str]:
    """Near-duplicates among the waiting notes, for the batch to hold only one of them."""
    rows = db.execute(
        select(Document.id, Text.body)
        .join(Text, Text.document_id == Document.id)
        .where(Document.project_id == project, Document.state.in_((NEW, SUGGESTED)))
        .limit(_MOST_COMPARED)
    ).all()
    notes = [AnnotatedDocument(Note(str(key), decoded(body)), ()) for key, body in rows]
    if len(notes) < 2:
        return {}
    pairs = duplicates(notes)
    return (
        {int(key): root for key, root in clusters([n.id for n in notes], pairs).items()}
        if pairs
        else {}
    )
