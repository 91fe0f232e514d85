"""Makes the output of every note of a release, for reviewers to read; files are written when the
release is exported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from incognote.core.types import Document as Note
from incognote.core.types import Failure, Result, Span
from incognote.link import link
from incognote.pipeline import Pipeline
from incognote.policy import Policy
from incognote.transform import Originals, needs_originals
from incognote.web.flow.people import Link, corrected
from incognote.web.flow.states import GOLD
from incognote.web.store.documents import links_of, note_of, texts_of
from incognote.web.store.learning import final_spans
from incognote.web.store.policies import parsed_policy
from incognote.web.store.releases import draw_sample, key_of, move
from incognote.web.store.tables import Document, Project, Release, ReleaseDocument
from incognote.web.work.ensemble import models_in_use
from incognote.web.work.task import Task

_CHUNK = 32
Row = list[Any]


def run(task: Task) -> dict[str, Any]:
    """`arguments`: release. Notes that an earlier try of the job has done are passed over."""
    key = int(task.arguments["release"])
    task.stage = "prepare"
    with task.store.read() as db:
        release = db.get_one(Release, key)
        project = db.get_one(Project, task.project)
        policy = release_policy(db, task, release)
        waiting = _waiting(db, task.project, key)
    secret = key_of(task.store.site, project)
    originals = _originals(task, policy, waiting) if needs_originals(policy) else None
    pipeline = Pipeline(policy, secret, originals)
    counts: Counter[str] = Counter()
    failed = 0
    task.step(0, len(waiting))
    for at in range(0, len(waiting), _CHUNK):
        task.stage = "transform"
        chunk = waiting[at : at + _CHUNK]
        outcomes = _results(task, pipeline, chunk)
        with task.store.write(task.account) as db:
            for document, outcome in outcomes.items():
                if isinstance(outcome, Failure):
                    failed += 1
                    row = _failed(key, document, f"{outcome.stage}: {outcome.error}")
                else:
                    counts.update(span.label for span in outcome.spans)
                    row = ReleaseDocument(
                        release_id=key,
                        document_id=document,
                        replacements=replacement_rows(outcome),
                        output=(outcome.text or "").encode("utf-8", "surrogatepass"),
                    )
                db.add(row)
        task.step(at + len(chunk))
    with task.store.write(task.account) as db:
        release = db.get_one(Release, key)
        release.counts = {"labels": dict(counts), "failed": failed, "notes": len(waiting)}
        sample = draw_sample(db, release)
        if release.state == "drafted":
            move(db, release, "ask")
    return {"notes": len(waiting), "failed": failed, "sample": sample}


def release_policy(db: Any, task: Task, release: Release) -> Policy:
    site = task.store.site
    models = models_in_use(db, site, task.project)
    return parsed_policy(release.policy, site.policies(task.project), models)


def _waiting(db: Any, project: int, release: int) -> list[int]:
    done = select(ReleaseDocument.document_id).where(ReleaseDocument.release_id == release)
    return list(
        db.scalars(
            select(Document.id)
            .where(
                Document.project_id == project,
                Document.removed_at.is_(None),
                Document.id.not_in(done),
            )
            .order_by(Document.id)
        )
    )


def _results(task: Task, pipeline: Pipeline, ids: Sequence[int]) -> dict[int, Result | Failure]:
    """The output of each note: with its gold where there is one, otherwise with what the ensemble
    finds now. A note that was skipped or failed has no output: nobody has read it."""
    with task.store.read() as db:
        rows = texts_of(db, ids)
        final = final_spans(db, list(ids))
        links = links_of(db, ids)
    found: dict[int, Result | Failure] = {}
    unread = []
    for key in ids:
        document, text = rows[key]
        note = note_of(document, text)
        if document.state in ("failed", "skipped"):
            found[key] = Failure(note.id, document.state, "NotRead")
        elif document.state == GOLD:
            found[key] = pipeline.transform(marked(note, final[key], links.get(key, ())))
        else:
            unread.append((key, note))
    outcomes = pipeline.detect([note for _, note in unread])
    for (key, note), outcome in zip(unread, outcomes, strict=True):
        if isinstance(outcome, Result):
            rows_ = [[span.start, span.end, span.label, span.group] for span in outcome.spans]
            outcome = pipeline.transform(marked(note, rows_, links.get(key, ())))  # noqa: PLW2901
        found[key] = outcome
    return found


def marked(note: Note, rows: Sequence[Row], links: Sequence[Link] = ()) -> Result:
    """A note with exactly these spans, `[start, end, label, group]`, and the people they name."""
    spans = tuple(
        sorted(
            Span(start, end, label, sources=("workbench",), group=group[0] if group else "")
            for start, end, label, *group in rows
        )
    )
    return Result(note, spans, people=corrected(link(note, spans).people, links))


def _originals(task: Task, policy: Policy, ids: Sequence[int]) -> Originals:
    """What stands in the whole corpus, for surrogates to avoid."""
    pipeline = Pipeline(policy)

    def found() -> Any:
        for at in range(0, len(ids), _CHUNK):
            with task.store.read() as db:
                rows = texts_of(db, ids[at : at + _CHUNK])
            notes = [note_of(*row) for row in rows.values()]
            for outcome in pipeline.detect(notes):
                if isinstance(outcome, Result):
                    yield outcome.document, outcome.spans

    return Originals.of(found())


def replacement_rows(result: Result) -> list[Row]:
    """`[start, end, label, new start, new end, how, group]` of all that was replaced or kept."""
    new = {replacement.span: replacement for replacement in result.replacements}
    rows: list[Row] = []
    shift = 0
    for span in sorted(result.spans):
        there = new.get(span)
        length = span.length if there is None else len(there.text)
        start = span.start + shift
        how = "keep" if there is None else there.how
        rows.append([span.start, span.end, span.label, start, start + length, how, span.group])
        shift += length - span.length
    return rows


def _failed(release: int, document: int, why: str) -> ReleaseDocument:
    return ReleaseDocument(
        release_id=release, document_id=document, replacements=[], output=b"", failure=why[:200]
    )
