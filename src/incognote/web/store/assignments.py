"""Notes in people's hands: claiming the next one, numbered edits, done, skipped, opened again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from incognote.core.errors import UsageError
from incognote.web.flow.draw import LEARN, MEASURE
from incognote.web.flow.edits import Edit, Mark, Stale, applied, flat, marks
from incognote.web.flow.effort import active
from incognote.web.flow.roles import may_adjudicate
from incognote.web.flow.states import ASSIGNED, DISPUTED, GOLD, Refused
from incognote.web.store import settling
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import now
from incognote.web.store.documents import move, suggestion_of
from incognote.web.store.projects import EVERYBODY, FIRST
from incognote.web.store.tables import (
    Annotation,
    Assignment,
    Document,
    EditRow,
    Project,
)

ANNOTATE, ADJUDICATE = "annotate", "adjudicate"
OPEN, DONE, SKIPPED, EXPIRED = "open", "done", "skipped", "expired"
LEASE_MS = 30 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Effort:
    """Since the last edit that was sent: milliseconds at work, and keys pressed."""

    active_ms: int = 0
    keystrokes: int = 0


def next_for(db: Session, project: Project, account: int, part: str) -> Assignment | None:
    """The note a person goes on with: one they have open, or a new one, claimed for them."""
    own = db.scalars(
        select(Assignment)
        .join(Document, Document.id == Assignment.document_id)
        .where(
            Assignment.account_id == account,
            Assignment.project_id == project.id,
            Assignment.part == part,
            Assignment.state == OPEN,
            Document.removed_at.is_(None),
        )
        .order_by(Assignment.id)
        .limit(1)
    ).first()
    if own:
        own.lease_until = now() + LEASE_MS
        return own
    release_expired(db, project.id)
    if part == ADJUDICATE:
        return _claim_dispute(db, project, account)
    mine = select(Assignment.id).where(
        Assignment.document_id == Document.id,
        Assignment.account_id == account,
        Assignment.state != EXPIRED,
    )
    query = (
        select(Document)
        .where(
            Document.project_id == project.id,
            Document.claimable.is_(True),
            Document.removed_at.is_(None),
            ~mine.exists(),
        )
        .order_by(Document.rank, Document.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    document = db.scalars(query).first()
    return assign(db, project, document, account) if document else None


def _claim_dispute(db: Session, project: Project, account: int) -> Assignment | None:
    taken = select(Assignment.id).where(
        Assignment.document_id == Document.id,
        (Assignment.account_id == account) & (Assignment.part == ANNOTATE)
        | (Assignment.part == ADJUDICATE) & (Assignment.state == OPEN),
    )
    query = (
        select(Document)
        .where(
            Document.project_id == project.id,
            Document.state == DISPUTED,
            Document.removed_at.is_(None),
            ~taken.exists(),
        )
        .order_by(Document.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    document = db.scalars(query).first()
    return adjudicate(db, project, document, account) if document else None


def adjudicate(db: Session, project: Project, document: Document, account: int) -> Assignment:
    """Gives a disputed note to an adjudicator, who starts from what both annotators agree on."""
    if not may_adjudicate(account, settling.annotators(db, document.id)):
        raise Refused("nobody adjudicates a note that they annotated")
    if document.state != DISPUTED:
        raise Refused("this note is not disputed")
    agreed = settling.agreed_spans(settling.layers(db, document.id))
    return _open(db, project, document, account, ADJUDICATE, agreed, assisted=True, slot=1)


def assign(db: Session, project: Project, document: Document, account: int) -> Assignment:
    """Gives a note to an annotator."""
    if _there(db, document.id, account, ADJUDICATE):
        raise Refused("who adjudicated a note has read both annotations of it")
    taken = _slots(db, document.id)
    if len(taken) >= document.annotators:
        raise Refused("this note has all its annotators")
    slot = next(number for number in (1, 2) if number not in taken)
    assisted = is_assisted(project, document, slot)
    suggestion = suggestion_of(db, document.id)
    start: tuple[Mark, ...] = ()
    if assisted and suggestion:
        start = flat((s, e, label) for s, e, label, *_ in suggestion.spans)
    run = suggestion.run_id if suggestion else None
    found = _open(db, project, document, account, ANNOTATE, start, assisted, slot, run)
    move(db, document, "assign")
    document.claimable = len(taken) + 1 < document.annotators
    return found


def is_assisted(project: Project, document: Document, slot: int) -> bool:
    """Whether an annotator starts from suggestions. Of two who measure, one must not: who reads
    suggestions overlooks what they overlook."""
    if document.purpose == MEASURE:
        return document.annotators > 1 and slot == 1 and project.suggestions != "nobody"
    return project.suggestions == EVERYBODY or (project.suggestions == FIRST and slot == 1)


def _slots(db: Session, document: int) -> set[int]:
    return set(
        db.scalars(
            select(Assignment.slot).where(
                Assignment.document_id == document,
                Assignment.part == ANNOTATE,
                Assignment.state.in_((OPEN, DONE)),
            )
        )
    )


def _there(db: Session, document: int, account: int, part: str) -> Assignment | None:
    return db.scalars(
        select(Assignment).where(
            Assignment.document_id == document,
            Assignment.account_id == account,
            Assignment.part == part,
        )
    ).first()


def _open(
    db: Session,
    project: Project,
    document: Document,
    account: int,
    part: str,
    start: Sequence[Mark],
    assisted: bool,
    slot: int,
    run: int | None = None,
) -> Assignment:
    there = _there(db, document.id, account, part)
    if there and there.state not in (EXPIRED, SKIPPED):
        if part == ADJUDICATE and there.state == DONE:
            there.state, there.done_at = OPEN, None
            there.lease_until = now() + LEASE_MS
            return there
        raise Refused("this person has this note already")
    if there:
        there.state, there.slot, there.assisted, there.run_id = OPEN, slot, assisted, run
        there.lease_until = now() + LEASE_MS
        layer = db.get(Annotation, there.id)
        assert layer is not None
        if layer.revision == 0:
            layer.start_spans = layer.spans = [list(mark) for mark in start]
        return there
    found = Assignment(
        project_id=project.id,
        document_id=document.id,
        account_id=account,
        part=part,
        slot=slot,
        assisted=assisted,
        run_id=run,
        lease_until=now() + LEASE_MS,
        created_at=now(),
        words=document.words,
    )
    db.add(found)
    db.flush()
    rows = [list(mark) for mark in start]
    db.add(Annotation(assignment_id=found.id, start_spans=rows, spans=rows))
    audit(db, f"{part} begun", f"note {document.id}", project.id)
    return found


def release_expired(db: Session, project: int) -> None:
    """Who opened a note and did nothing for half an hour loses it. Work is never taken away."""
    query = (
        select(Assignment)
        .join(Annotation, Annotation.assignment_id == Assignment.id)
        .where(
            Assignment.project_id == project,
            Assignment.state == OPEN,
            Assignment.lease_until < now(),
            Annotation.revision == 0,
        )
        .limit(100)
    )
    for assignment in db.scalars(query):
        assignment.state = EXPIRED
        if assignment.part == ANNOTATE:
            document = db.get(Document, assignment.document_id)
            if document and document.state == ASSIGNED:
                document.claimable = True
                if not _slots(db, document.id):
                    move(db, document, "release")


def apply_edits(
    db: Session,
    assignment: Assignment,
    edits: Sequence[tuple[Edit, Effort]],
    labels: Collection[str],
) -> int:
    """Applies the edits that are new, confirms those that are not; returns the revision.

    An edit that was made on another revision, as in a second tab, is refused as stale.
    """
    layer = db.scalars(
        select(Annotation).where(Annotation.assignment_id == assignment.id).with_for_update()
    ).one()
    length = db.scalar(select(Document.length).where(Document.id == assignment.document_id))
    spans = marks(layer.spans)
    for edit, effort in edits:
        if edit.number <= layer.revision:
            _confirm(db, assignment.id, edit)
            continue
        if assignment.state != OPEN:
            raise Refused("this note is not open for editing")
        if edit.number != layer.revision + 1:
            raise Stale("an edit before this one is missing")
        spans = applied(spans, edit, int(length or 0), labels)
        layer.revision = edit.number
        db.add(
            EditRow(
                assignment_id=assignment.id,
                number=edit.number,
                operation=edit.operation[:20],
                before=[list(mark) for mark in edit.before],
                after=[list(mark) for mark in edit.after],
                active_ms=active(effort.active_ms),
                keystrokes=max(0, min(effort.keystrokes, 10_000)),
                at=now(),
            )
        )
        assignment.active_ms += active(effort.active_ms)
        assignment.keystrokes += max(0, min(effort.keystrokes, 10_000))
        assignment.actions += 1
    layer.spans = [list(mark) for mark in spans]
    assignment.lease_until = now() + LEASE_MS
    return layer.revision


def _confirm(db: Session, assignment: int, edit: Edit) -> None:
    """An edit that is here already: the same one again, or another of the same number."""
    there = db.get(EditRow, (assignment, edit.number))
    same = there is not None and (
        marks(there.before) == edit.before and marks(there.after) == edit.after
    )
    if not same:
        raise Stale("another edit has this number")


def finish(
    db: Session, project: Project, assignment: Assignment, revision: int, effort: Effort
) -> None:
    """Done: the annotator's layer counts. Saying so twice is the same as once."""
    layer = db.get(Annotation, assignment.id)
    assert layer is not None
    if layer.revision != revision:
        raise Stale("there are edits that this page has not seen")
    if assignment.state == DONE:
        return
    if assignment.state != OPEN:
        raise Refused("this note is not open")
    assignment.state, assignment.done_at = DONE, now()
    assignment.active_ms += active(effort.active_ms)
    assignment.keystrokes += max(0, min(effort.keystrokes, 10_000))
    document = db.get(Document, assignment.document_id)
    assert document is not None
    db.flush()
    if assignment.part == ADJUDICATE:
        settling.adjudicated(db, document, assignment.account_id, marks(layer.spans))
    else:
        settling.annotated(db, project, document, assignment.account_id)


def skip(db: Session, assignment: Assignment, reason: str) -> None:
    """A note that should not be annotated: not a note, another language, damaged."""
    if assignment.state != OPEN:
        raise Refused("this note is not open")
    if not reason.strip():
        raise UsageError("skipping a note needs a reason")
    assignment.state = SKIPPED
    document = db.get(Document, assignment.document_id)
    assert document is not None
    document.claimable = False
    move(db, document, "skip", reason.strip()[:200])


def put_back(db: Session, document: Document) -> None:
    """A skipped note waits for annotators again; work that is done on it stays."""
    move(db, document, "put back")
    taken = _slots(db, document.id)
    if taken:
        move(db, document, "assign")
    document.claimable = len(taken) < document.annotators


def reopen(db: Session, assignment: Assignment) -> None:
    """An annotator takes their own note back, to correct it."""
    document = db.get(Document, assignment.document_id)
    assert document is not None
    if assignment.state == OPEN:
        return
    if assignment.state not in (DONE, SKIPPED):
        raise Refused("this note was given to somebody else")
    if assignment.part == ADJUDICATE:
        move(db, document, "readjudicate")
    elif document.state == GOLD and settling.was_adjudicated(db, document.id):
        # Who has seen what an adjudicator decided would agree with it now.
        raise Refused("this note was adjudicated: its adjudicator can open it again")
    elif document.state != ASSIGNED:
        move(db, document, "reopen")
    assignment.state, assignment.done_at = OPEN, None
    assignment.lease_until = now() + LEASE_MS
    document.claimable = len(_slots(db, document.id)) < document.annotators


def take_back(db: Session, assignment: Assignment) -> None:
    """A manager frees the place of somebody who will not go on."""
    if assignment.state != OPEN:
        raise Refused("this note is not open")
    assignment.state = EXPIRED
    document = db.get(Document, assignment.document_id)
    assert document is not None
    db.flush()
    if assignment.part == ANNOTATE:
        document.claimable = True
        if not _slots(db, document.id) and document.state == ASSIGNED:
            move(db, document, "release")
    audit(db, "assignment taken back", f"note {document.id}", document.project_id)


def own_open(db: Session, project: int, account: int) -> int:
    return int(
        db.scalar(
            select(func.count()).where(
                Assignment.project_id == project,
                Assignment.account_id == account,
                Assignment.state == OPEN,
            )
        )
        or 0
    )


def batch_is_full(db: Session, project: Project, assignment: Assignment) -> bool:
    """Whether this note was the last of a batch to learn from."""
    document = db.get_one(Document, assignment.document_id)
    if document.state != GOLD or document.purpose != LEARN:
        return False
    settled = db.scalar(
        select(func.count()).where(
            Document.project_id == project.id,
            Document.state == GOLD,
            Document.purpose == LEARN,
            Document.removed_at.is_(None),
        )
    )
    return int(settled or 0) % project.batch == 0
