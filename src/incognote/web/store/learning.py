"""What a project learns: models that are candidates, in use or retired; proposals to sign."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from sqlalchemy import case, func, select, update
from sqlalchemy.orm import Session

from incognote.core.errors import UsageError
from incognote.core.labels import SAFE, all_labels
from incognote.core.types import AnnotatedDocument, Result, Span
from incognote.core.types import Document as Note
from incognote.web.flow.draw import LEARN, MEASURE
from incognote.web.flow.edits import Mark
from incognote.web.flow.states import GOLD, Refused
from incognote.web.store.audit import audit
from incognote.web.store.database.connection import now
from incognote.web.store.documents import note_of
from incognote.web.store.policies import parsed_policy
from incognote.web.store.site import Site
from incognote.web.store.tables import Document, Gold, Model, Project, Proposal, Text

CANDIDATE, IN_USE, RETIRED = "candidate", "in use", "retired"
OPEN, SIGNED, REFUSED = "open", "signed", "refused"
KINDS = ("term", "never", "template", "sentence")
FEWEST = 5  # settled notes that a model learns from
CRF, FAST, TRANSFORMER = "crf", "fast", "transformer"
# Kind of a model -> modules that training it needs.
_NEEDS = {
    CRF: ("pycrfsuite",),
    FAST: ("torch", "onnx", "safetensors"),
    TRANSFORMER: ("torch", "onnx", "safetensors"),
}
_CHUNK = 200


def gold_notes(db: Session, project: int, purpose: str = "") -> Iterator[AnnotatedDocument]:
    """Settled notes with their final spans; ids are numbers of ours, which are never doubled."""
    last = 0
    while True:
        query = (
            select(Document, Text)
            .join(Text, Text.document_id == Document.id)
            .where(
                Document.project_id == project,
                Document.state == GOLD,
                Document.removed_at.is_(None),
                Document.id > last,
            )
        )
        if purpose:
            query = query.where(Document.purpose == purpose)
        rows = db.execute(query.order_by(Document.id).limit(_CHUNK)).all()
        if not rows:
            return
        final = final_spans(db, [document.id for document, _ in rows])
        for document, text in rows:
            note = note_of(document, text)
            meta = {**note.meta, "ident": document.ident}
            spans = tuple(Span(*row) for row in final.get(document.id, []))
            yield AnnotatedDocument(
                type(note)(str(document.id), note.text, meta, document.locator), spans
            )
        last = rows[-1][0].id
        db.expunge_all()


def final_spans(db: Session, ids: list[int]) -> dict[int, list[list[Any]]]:
    rows = db.execute(
        select(Gold.document_id, Gold.spans)
        .where(Gold.document_id.in_(ids))
        .order_by(Gold.document_id, Gold.version)
    )
    return {key: spans for key, spans in rows}  # noqa: C416 - the last version wins


class TooLittleGold(UsageError):  # noqa: N818 - reads as what happened
    """There is nothing to learn from yet; the message says what is missing."""


def lacking(db: Session, project: int) -> str:
    """What is missing before a model can be trained, in words; "" where nothing is."""
    settled, marked = db.execute(
        select(
            func.count(), func.coalesce(func.sum(case((Document.labels != "", 1), else_=0)), 0)
        ).where(
            Document.project_id == project,
            Document.state == GOLD,
            Document.purpose == LEARN,
            Document.removed_at.is_(None),
        )
    ).one()
    if settled < FEWEST:
        return (
            f"A model learns from at least {FEWEST} settled notes that are not set aside for "
            f"measuring; so far there are {settled}."
        )
    if marked < 2:
        return "Fewer than two of the settled notes have anything marked: nothing to learn yet."
    return ""


def settled_measuring(db: Session, project: int) -> bool:
    """Whether a figure can be had: some note that never trains is settled."""
    query = select(Document.id).where(
        Document.project_id == project,
        Document.state == GOLD,
        Document.purpose == MEASURE,
        Document.removed_at.is_(None),
    )
    return db.scalar(query.limit(1)) is not None


def trainable() -> list[str]:
    """The kinds of model whose extras are installed here."""
    return [kind for kind, names in _NEEDS.items() if all(map(find_spec, names))]


def last_transformer(db: Session, project: int) -> Model | None:
    """What training on hard examples goes on from."""
    query = select(Model).where(Model.project_id == project, Model.kind == TRANSFORMER)
    return db.scalars(query.order_by(Model.id.desc()).limit(1)).first()


def after_batch(db: Session, project: int) -> list[dict[str, Any]]:
    """What to train when a batch is full: a CRF at once, and then what the project has trained
    before, a transformer on the notes it still errs on."""
    if lacking(db, project):
        return []
    used = set(db.scalars(select(Model.kind).where(Model.project_id == project)))
    wanted: list[dict[str, Any]] = [{"model": CRF}]
    if FAST in used:
        wanted.append({"model": FAST})
    if TRANSFORMER in used:
        wanted.append({"model": TRANSFORMER, "hard": True})
    there = trainable()
    return [one for one in wanted if one["model"] in there]


def use_model(db: Session, model: Model) -> None:
    """Takes a model into use; the one of its kind that was in use is retired."""
    if model.state == IN_USE:
        return
    db.execute(
        update(Model)
        .where(
            Model.project_id == model.project_id,
            Model.kind == model.kind,
            Model.state == IN_USE,
        )
        .values(state=RETIRED)
    )
    model.state, model.used_at = IN_USE, now()
    audit(db, "model in use", f"model {model.id}", model.project_id)


def retire_model(db: Session, model: Model) -> None:
    """Goes back to the ensemble without it."""
    if model.state != IN_USE:
        raise Refused("this model is not in use")
    model.state = RETIRED
    audit(db, "model retired", f"model {model.id}", model.project_id)


def propose(
    db: Session, project: int, account: int | None, kind: str, content: dict[str, Any]
) -> Proposal:
    """A change of the policy, for a manager to sign. The same one is not proposed twice."""
    content = checked(kind, content)
    body = json.dumps(content, sort_keys=True).encode()
    there = db.scalars(
        select(Proposal).where(
            Proposal.project_id == project, Proposal.kind == kind, Proposal.content == body
        )
    ).first()
    if there:
        return there
    proposal = Proposal(
        project_id=project, account_id=account, kind=kind, content=body, created_at=now()
    )
    db.add(proposal)
    db.flush()
    audit(db, "proposed", f"proposal {proposal.id}", project)
    return proposal


def form_at(text: str, spans: Sequence[Mark], start: int) -> dict[str, Any]:
    """The form of the sentence at a place: its words as they are, its spans as groups."""
    from incognote.learn.harvest import sentences_of, templates

    marked = Result(Note("", text), tuple(Span(*mark) for mark in spans))
    for first, last in sentences_of(marked):
        if first <= start < last:
            inside = [m for m in spans if first <= m[0] and m[1] <= last]
            moved = tuple(Span(m[0] - first, m[1] - first, m[2]) for m in inside)
            found = templates([Result(Note("", text[first:last]), moved)], support=1)
            if found:
                one = found[0]
                return {
                    "syntax": one.syntax,
                    "pattern": one.pattern,
                    "labels": list(one.labels),
                    "support": one.support,
                }
    raise UsageError("this sentence has no words of its own beside what is marked: no form")


def checked(kind: str, content: dict[str, Any]) -> dict[str, Any]:
    if kind not in KINDS:
        raise UsageError(f"proposals are of the kinds {', '.join(KINDS)}")
    if kind == "template":
        wanted = {"syntax": str, "pattern": str, "labels": list, "support": int}
    elif kind == "sentence":
        wanted = {"sentence": str}
    else:
        wanted = {"word": str, "label": str}
    if set(content) != set(wanted) or not all(
        isinstance(content[name], type_) for name, type_ in wanted.items()
    ):
        raise UsageError(f"a proposal of this kind has: {', '.join(wanted)}")
    label = content.get("label", "")
    if label and label not in all_labels() and label != SAFE:
        raise UsageError("no such label")
    if kind == "term" and not label:
        raise UsageError("a term needs a label")
    if "word" in content and not content["word"].strip():
        raise UsageError("a proposal needs words")
    return content


def content_of(proposal: Proposal) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(proposal.content)
    return found


def with_proposal(policy: str, kind: str, content: dict[str, Any]) -> str:
    """The policy as it would be with the proposal; files it needs are written at signing."""
    if kind == "never":
        row = f"[[resolve.never]]\nwords = [{_quoted(content['word'])}]\n"
        if content.get("label"):
            row += f"labels = [{_quoted(content['label'])}]\n"
        return _appended(policy, row)
    if kind == "term":
        if "[detectors.terms]" not in policy:
            policy = _appended(
                policy,
                '[detectors.terms]\nuse = "dictionary"\nweight = 50\n'
                'options = { label = "PATIENT", file = "terms.csv" }\n',
            )
        return policy
    if kind == "template":
        if "[detectors.templates]" not in policy:
            policy = _appended(
                policy,
                '[detectors.templates]\nweight = 60\noptions = { file = "templates.toml" }\n',
            )
        return policy
    if "inclusion" not in policy:
        policy = _appended(policy, '[prepare]\ninclusion = "inclusion.csv"\n')
    return policy


def sign(db: Session, site: Site, project: Project, proposal: Proposal, account: int) -> None:
    """Puts a proposal into the policy, and its words into the files the policy names."""
    if proposal.state != OPEN:
        raise Refused("this proposal was decided already")
    folder = site.policies(project.id)
    content = content_of(proposal)
    write_files(folder, proposal.kind, content)
    policy = with_proposal(project.policy, proposal.kind, content)
    project.policy_hash = parsed_policy(policy, folder).hash
    project.policy = policy
    proposal.state, proposal.signed_by, proposal.signed_at = SIGNED, account, now()
    audit(db, "proposal signed", f"proposal {proposal.id}", project.id)


def refuse(db: Session, proposal: Proposal, account: int) -> None:
    if proposal.state != OPEN:
        raise Refused("this proposal was decided already")
    proposal.state, proposal.signed_by, proposal.signed_at = REFUSED, account, now()
    audit(db, "proposal refused", f"proposal {proposal.id}", proposal.project_id)


def write_files(folder: Any, kind: str, content: dict[str, Any]) -> None:
    """Adds an entry to the file of its kind, in one step."""
    from incognote.engine.output.files import AtomicFile

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name, head, row = _entry(kind, content)
    if not name:
        return
    path = folder / name
    there = path.read_text("utf-8") if path.exists() else head
    if row in there:
        return
    with AtomicFile(path) as file:
        file.write((there + row).encode("utf-8"))
        file.commit()


def _entry(kind: str, content: dict[str, Any]) -> tuple[str, str, str]:
    if kind == "term":
        return "terms.csv", "term,label\n", _csv(content["word"], content["label"])
    if kind == "sentence":
        row = _csv("yes", "", "", "", content["sentence"])
        return "inclusion.csv", "keep,kind,count,documents,sentence\n", row
    if kind == "template":
        row = (
            "\n[[template]]\nkeep = true\n"
            f"support = {content['support']}\n"
            f"labels = {json.dumps(content['labels'])}\n"
            f"syntax = {json.dumps(content['syntax'])}\n"
            f"pattern = {json.dumps(content['pattern'])}\n"
        )
        return "templates.toml", "", row
    return "", "", ""


def _csv(*fields: str) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(fields)
    return out.getvalue()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _appended(policy: str, rows: str) -> str:
    return f"{policy.rstrip()}\n\n{rows}"
