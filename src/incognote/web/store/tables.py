"""The tables. Times are milliseconds since 1970 (UTC); spans are `[start, end, label]` in code
points. Texts lie in a table of their own, so that lists never load them, and as bytes, because
PostgreSQL's text type takes no NUL.

No column says what a note says, except those of `text`, `remark`, `suggestion` offsets aside, and
`release_document`; they are handled as PHI.
"""

from __future__ import annotations

from typing import Annotated, Any

from sqlalchemy import (
    JSON,
    BigInteger,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# SQLite numbers rows by itself only where the type is INTEGER.
_Number = BigInteger().with_variant(Integer(), "sqlite")

Key = Annotated[int, mapped_column(_Number, primary_key=True)]
Json = Annotated[Any, mapped_column(JSON)]
Bytes = Annotated[bytes, mapped_column(LargeBinary)]
Name = Annotated[str, mapped_column(String(200))]
AccountId = Annotated[int, mapped_column(ForeignKey("account.id"))]
ProjectId = Annotated[int, mapped_column(ForeignKey("project.id", ondelete="CASCADE"))]
DocumentId = Annotated[int, mapped_column(ForeignKey("document.id", ondelete="CASCADE"))]
AssignmentId = Annotated[int, mapped_column(ForeignKey("assignment.id", ondelete="CASCADE"))]
ReleaseId = Annotated[int, mapped_column(ForeignKey("release.id", ondelete="CASCADE"))]


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {int: _Number}  # noqa: RUF012 - SQLAlchemy reads it


class Account(Base):
    """A person. `subject` is how an OIDC provider names them; who has neither that nor a password
    cannot sign in."""

    __tablename__ = "account"

    id: Mapped[Key]
    name: Mapped[str] = mapped_column(String(80), unique=True)
    full_name: Mapped[Name] = mapped_column(default="")
    password: Mapped[str | None] = mapped_column(String(300))
    subject: Mapped[str | None] = mapped_column(String(300), unique=True)
    is_admin: Mapped[bool] = mapped_column(default=False)
    is_active: Mapped[bool] = mapped_column(default=True)
    must_change: Mapped[bool] = mapped_column(default=False)
    settings: Mapped[Json] = mapped_column(default=dict)  # keys and colours of the editor
    created_at: Mapped[int]


class SignIn(Base):
    """A session. Only the hash of its token is here: who reads the table cannot sign in."""

    __tablename__ = "session"

    token: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[AccountId] = mapped_column(index=True)
    created_at: Mapped[int]
    seen_at: Mapped[int]


class Project(Base):
    __tablename__ = "project"

    id: Mapped[Key]
    name: Mapped[str] = mapped_column(String(200), unique=True)
    guidelines: Mapped[str] = mapped_column(default="")
    policy: Mapped[str]  # TOML
    policy_hash: Mapped[str] = mapped_column(String(16))
    annotators: Mapped[int] = mapped_column(default=1)  # of each note: 1 or 2
    suggestions: Mapped[str] = mapped_column(String(20), default="everybody")
    ordering: Mapped[str] = mapped_column(String(20), default="doubt")
    batch: Mapped[int] = mapped_column(default=20)
    key_file: Mapped[Name]  # its name; the key itself stays outside
    draw_key: Mapped[Bytes]
    created_at: Mapped[int]
    closed_at: Mapped[int | None]


class Membership(Base):
    __tablename__ = "membership"

    project_id: Mapped[ProjectId] = mapped_column(primary_key=True)
    account_id: Mapped[AccountId] = mapped_column(primary_key=True, index=True)
    role: Mapped[str] = mapped_column(String(20), primary_key=True)


class Source(Base):
    """A file as it was uploaded; its bytes lie in the data folder, where a release patches them."""

    __tablename__ = "source"

    id: Mapped[Key]
    project_id: Mapped[ProjectId] = mapped_column(index=True)
    account_id: Mapped[AccountId | None]
    name: Mapped[str]
    format: Mapped[str] = mapped_column(String(40), default="")
    sha256: Mapped[str] = mapped_column(String(64))
    size: Mapped[int]
    state: Mapped[str] = mapped_column(String(20), default="uploaded")
    created_at: Mapped[int]


class Document(Base):
    """A note. `ordinal` is its place in the source, `rank` its place in the order of annotation;
    `claimable` says that an annotator is still wanted. `labels` is "|DATE|PATIENT|"."""

    __tablename__ = "document"
    __table_args__ = (
        Index("ix_document_next", "project_id", "claimable", "rank", "id"),
        Index("ix_document_list", "project_id", "state", "id"),
        Index("ix_document_source", "source_id", "ordinal"),
        Index("ix_document_batch", "project_id", "batch"),
    )

    id: Mapped[Key]
    project_id: Mapped[ProjectId]
    source_id: Mapped[int | None] = mapped_column(ForeignKey("source.id", ondelete="CASCADE"))
    ordinal: Mapped[int] = mapped_column(default=0)
    ident: Mapped[str]
    locator: Mapped[str] = mapped_column(default="")
    patient: Mapped[str] = mapped_column(default="")
    note_type: Mapped[Name] = mapped_column(default="")
    length: Mapped[int]
    words: Mapped[int] = mapped_column(default=0)
    state: Mapped[str] = mapped_column(String(20), default="new")
    reason: Mapped[str] = mapped_column(default="")  # of a failure or of skipping; no text
    claimable: Mapped[bool] = mapped_column(default=False)
    rank: Mapped[float] = mapped_column(default=0.0)
    draw: Mapped[float] = mapped_column(default=0.0)
    doubt: Mapped[float] = mapped_column(default=0.0)
    labels: Mapped[str] = mapped_column(default="")
    purpose: Mapped[str] = mapped_column(String(10), default="learn")
    batch: Mapped[int | None]
    annotators: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[int]
    removed_at: Mapped[int | None]


class Text(Base):
    """The words of a note, in UTF-8, and what its record says of it beside them."""

    __tablename__ = "text"

    document_id: Mapped[DocumentId] = mapped_column(primary_key=True)
    body: Mapped[Bytes]
    sha256: Mapped[str] = mapped_column(String(64))
    context: Mapped[Json] = mapped_column(default=dict)


class Run(Base):
    """One pass of the ensemble: with which policy and models."""

    __tablename__ = "run"

    id: Mapped[Key]
    project_id: Mapped[ProjectId] = mapped_column(index=True)
    policy_hash: Mapped[str] = mapped_column(String(16))
    models: Mapped[Json] = mapped_column(default=list)
    version: Mapped[str] = mapped_column(String(40))
    created_at: Mapped[int]


class Suggestion(Base):
    """What a run says of a note: spans `[start, end, label, score, sources, group]` and dropped
    candidates `[start, end, label, score, sources, reason]`."""

    __tablename__ = "suggestion"
    __table_args__ = (UniqueConstraint("document_id", "run_id"),)

    id: Mapped[Key]
    document_id: Mapped[DocumentId]
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), index=True)
    spans: Mapped[Json]
    dropped: Mapped[Json] = mapped_column(default=list)
    doubt: Mapped[float] = mapped_column(default=0.0)


class Assignment(Base):
    """A note given to a person. `assisted`: they start from the suggestions. While `lease_until`
    lies ahead, or once there is an edit, nobody else gets their place."""

    __tablename__ = "assignment"
    __table_args__ = (
        UniqueConstraint("document_id", "account_id", "part"),
        Index("ix_assignment_own", "account_id", "state", "id"),
    )

    id: Mapped[Key]
    project_id: Mapped[ProjectId] = mapped_column(index=True)
    document_id: Mapped[DocumentId]
    account_id: Mapped[AccountId]
    part: Mapped[str] = mapped_column(String(12), default="annotate")
    state: Mapped[str] = mapped_column(String(12), default="open")
    slot: Mapped[int] = mapped_column(default=1)
    assisted: Mapped[bool] = mapped_column(default=True)
    run_id: Mapped[int | None]
    lease_until: Mapped[int]
    created_at: Mapped[int]
    done_at: Mapped[int | None]
    active_ms: Mapped[int] = mapped_column(default=0)
    keystrokes: Mapped[int] = mapped_column(default=0)
    actions: Mapped[int] = mapped_column(default=0)
    words: Mapped[int] = mapped_column(default=0)


class Annotation(Base):
    """The layer of an assignment: `start_spans` before the first edit, `spans` now."""

    __tablename__ = "annotation"

    assignment_id: Mapped[AssignmentId] = mapped_column(primary_key=True)
    revision: Mapped[int] = mapped_column(default=0)
    start_spans: Mapped[Json] = mapped_column(default=list)
    spans: Mapped[Json] = mapped_column(default=list)


class EditRow(Base):
    """One edit, append-only; it holds offsets and labels, no text."""

    __tablename__ = "edit"

    assignment_id: Mapped[AssignmentId] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    operation: Mapped[str] = mapped_column(String(20))
    before: Mapped[Json]
    after: Mapped[Json]
    active_ms: Mapped[int] = mapped_column(default=0)
    keystrokes: Mapped[int] = mapped_column(default=0)
    at: Mapped[int]


class Decision(Base):
    """How an adjudicator settled one disputed place."""

    __tablename__ = "decision"
    __table_args__ = (UniqueConstraint("document_id", "start", "end"),)

    id: Mapped[Key]
    document_id: Mapped[DocumentId]
    account_id: Mapped[AccountId]
    start: Mapped[int]
    end: Mapped[int]
    choice: Mapped[str] = mapped_column(String(10))
    reason: Mapped[str] = mapped_column(default="")
    at: Mapped[int]


class Gold(Base):
    """The final spans of a note. A note that was reopened has several versions; the last counts."""

    __tablename__ = "gold"
    __table_args__ = (UniqueConstraint("document_id", "version"),)

    id: Mapped[Key]
    document_id: Mapped[DocumentId]
    version: Mapped[int]
    spans: Mapped[Json]
    how: Mapped[str] = mapped_column(String(20))
    account_id: Mapped[AccountId | None]
    created_at: Mapped[int]


class Remark(Base):
    """A question about a place; people quote notes in them, so they are handled as PHI."""

    __tablename__ = "remark"

    id: Mapped[Key]
    document_id: Mapped[DocumentId] = mapped_column(index=True)
    account_id: Mapped[AccountId]
    start: Mapped[int | None]
    end: Mapped[int | None]
    body: Mapped[Bytes]
    answer: Mapped[bytes | None] = mapped_column(LargeBinary)
    answered_by: Mapped[AccountId | None]
    created_at: Mapped[int]
    closed_at: Mapped[int | None]


class PersonLink(Base):
    """What somebody said of two mentions of a note, by their starts: one person, or two."""

    __tablename__ = "person_link"

    id: Mapped[Key]
    document_id: Mapped[DocumentId] = mapped_column(index=True)
    account_id: Mapped[AccountId]
    one: Mapped[int]
    other: Mapped[int]
    same: Mapped[bool]
    at: Mapped[int]


class Model(Base):
    """A trained model: `folder` lies in the data folder."""

    __tablename__ = "model"

    id: Mapped[Key]
    project_id: Mapped[ProjectId] = mapped_column(index=True)
    kind: Mapped[str] = mapped_column(String(20))
    folder: Mapped[Name]
    card: Mapped[Json] = mapped_column(default=dict)
    gold_hash: Mapped[str] = mapped_column(String(64))
    notes: Mapped[int] = mapped_column(default=0)
    scores: Mapped[Json] = mapped_column(default=dict)
    state: Mapped[str] = mapped_column(String(12), default="candidate")
    created_at: Mapped[int]
    used_at: Mapped[int | None]


class Proposal(Base):
    """A change of the policy that a correction or a harvest suggests, for a manager to sign. Its
    `content` quotes notes: handled as PHI."""

    __tablename__ = "proposal"

    id: Mapped[Key]
    project_id: Mapped[ProjectId] = mapped_column(index=True)
    account_id: Mapped[AccountId | None]
    kind: Mapped[str] = mapped_column(String(20))
    content: Mapped[Bytes]
    effect: Mapped[Json | None]
    state: Mapped[str] = mapped_column(String(12), default="open")
    created_at: Mapped[int]
    signed_by: Mapped[AccountId | None]
    signed_at: Mapped[int | None]


class Release(Base):
    __tablename__ = "release"

    id: Mapped[Key]
    project_id: Mapped[ProjectId] = mapped_column(index=True)
    name: Mapped[Name]
    state: Mapped[str] = mapped_column(String(12), default="drafted")
    policy: Mapped[str]
    policy_hash: Mapped[str] = mapped_column(String(16))
    key_tag: Mapped[str] = mapped_column(String(16), default="")
    wanted: Mapped[float] = mapped_column(default=0.01)
    sample: Mapped[int] = mapped_column(default=0)
    bound: Mapped[float | None]
    counts: Mapped[Json] = mapped_column(default=dict)
    drafted_by: Mapped[AccountId]
    approved_by: Mapped[AccountId | None]
    created_at: Mapped[int]
    approved_at: Mapped[int | None]


class ReleaseDocument(Base):
    """The output of one note: the new text, and rows of `start, end, label, new start, new end,
    how, group`."""

    __tablename__ = "release_document"
    __table_args__ = (Index("ix_release_document_sample", "release_id", "sampled", "document_id"),)

    release_id: Mapped[ReleaseId] = mapped_column(primary_key=True)
    document_id: Mapped[DocumentId] = mapped_column(primary_key=True)
    replacements: Mapped[Json]
    output: Mapped[Bytes]
    sampled: Mapped[bool] = mapped_column(default=False)
    failure: Mapped[str] = mapped_column(default="")
    verdict: Mapped[str] = mapped_column(String(12), default="")
    reviewed_by: Mapped[AccountId | None]
    reviewed_at: Mapped[int | None]


class Finding(Base):
    """A leak that a reviewer found in the output, in offsets of the original."""

    __tablename__ = "finding"

    id: Mapped[Key]
    release_id: Mapped[ReleaseId] = mapped_column(index=True)
    document_id: Mapped[DocumentId]
    account_id: Mapped[AccountId]
    start: Mapped[int]
    end: Mapped[int]
    label: Mapped[str] = mapped_column(String(40))
    created_at: Mapped[int]


class Job(Base):
    __tablename__ = "job"
    __table_args__ = (Index("ix_job_queue", "state", "id"),)

    id: Mapped[Key]
    project_id: Mapped[int | None] = mapped_column(
        ForeignKey("project.id", ondelete="CASCADE"), index=True
    )
    account_id: Mapped[AccountId | None]
    kind: Mapped[str] = mapped_column(String(20))
    arguments: Mapped[Json] = mapped_column(default=dict)
    state: Mapped[str] = mapped_column(String(12), default="queued")
    worker: Mapped[Name] = mapped_column(default="")
    heartbeat: Mapped[int | None]
    attempts: Mapped[int] = mapped_column(default=0)
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    error_stage: Mapped[Name] = mapped_column(default="")
    error_type: Mapped[Name] = mapped_column(default="")
    result: Mapped[Json] = mapped_column(default=dict)
    created_at: Mapped[int]
    started_at: Mapped[int | None]
    finished_at: Mapped[int | None]


class Audit(Base):
    """Who did what to which object, and how many; chained by HMAC, never changed."""

    __tablename__ = "audit"

    id: Mapped[Key]
    at: Mapped[int]
    account_id: Mapped[int | None]
    project_id: Mapped[int | None] = mapped_column(index=True)
    action: Mapped[str] = mapped_column(String(40))
    object: Mapped[str] = mapped_column(String(80), default="")
    counts: Mapped[Json] = mapped_column(default=dict)
    mac: Mapped[str] = mapped_column(String(64))
