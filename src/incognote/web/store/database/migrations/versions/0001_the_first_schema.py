"""The first schema"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _points(
    table: str, column: str, other: str, *, cascade: bool = False
) -> sa.ForeignKeyConstraint:
    """The column holds the id of a row of the other table, and may go with it."""
    return sa.ForeignKeyConstraint(
        [column],
        [f"{other}.id"],
        name=op.f(f"fk_{table}_{column}"),
        ondelete="CASCADE" if cascade else None,
    )


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("full_name", sa.String(length=200), nullable=False),
        sa.Column("password", sa.String(length=300), nullable=True),
        sa.Column("subject", sa.String(length=300), nullable=True),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("must_change", sa.Boolean(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("created_at", _NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("name", name=op.f("uq_account_name")),
        sa.UniqueConstraint("subject", name=op.f("uq_account_subject")),
    )
    op.create_table(
        "audit",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("at", _NUMBER, nullable=False),
        sa.Column("account_id", _NUMBER, nullable=True),
        sa.Column("project_id", _NUMBER, nullable=True),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("object", sa.String(length=80), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("mac", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index("ix_audit_project_id", "audit", ["project_id"])

    op.create_table(
        "project",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("guidelines", sa.String(), nullable=False),
        sa.Column("policy", sa.String(), nullable=False),
        sa.Column("policy_hash", sa.String(length=16), nullable=False),
        sa.Column("annotators", _NUMBER, nullable=False),
        sa.Column("suggestions", sa.String(length=20), nullable=False),
        sa.Column("ordering", sa.String(length=20), nullable=False),
        sa.Column("batch", _NUMBER, nullable=False),
        sa.Column("key_file", sa.String(length=200), nullable=False),
        sa.Column("draw_key", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", _NUMBER, nullable=False),
        sa.Column("closed_at", _NUMBER, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
        sa.UniqueConstraint("name", name=op.f("uq_project_name")),
    )
    op.create_table(
        "job",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("project_id", _NUMBER, nullable=True),
        sa.Column("account_id", _NUMBER, nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("arguments", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("worker", sa.String(length=200), nullable=False),
        sa.Column("heartbeat", _NUMBER, nullable=True),
        sa.Column("attempts", _NUMBER, nullable=False),
        sa.Column("done", _NUMBER, nullable=False),
        sa.Column("total", _NUMBER, nullable=False),
        sa.Column("error_stage", sa.String(length=200), nullable=False),
        sa.Column("error_type", sa.String(length=200), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("created_at", _NUMBER, nullable=False),
        sa.Column("started_at", _NUMBER, nullable=True),
        sa.Column("finished_at", _NUMBER, nullable=True),
        _points("job", "account_id", "account"),
        _points("job", "project_id", "project", cascade=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
    )
    op.create_index("ix_job_project_id", "job", ["project_id"])
    op.create_index("ix_job_queue", "job", ["state", "id"])

    op.create_table(
        "membership",
        sa.Column("project_id", _NUMBER, nullable=False),
        sa.Column("account_id", _NUMBER, nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        _points("membership", "account_id", "account"),
        _points("membership", "project_id", "project", cascade=True),
        sa.PrimaryKeyConstraint("project_id", "account_id", "role", name=op.f("pk_membership")),
    )
    op.create_index("ix_membership_account_id", "membership", ["account_id"])

    op.create_table(
        "model",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("project_id", _NUMBER, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("folder", sa.String(length=200), nullable=False),
        sa.Column("card", sa.JSON(), nullable=False),
        sa.Column("gold_hash", sa.String(length=64), nullable=False),
        sa.Column("notes", _NUMBER, nullable=False),
        sa.Column("scores", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("created_at", _NUMBER, nullable=False),
        sa.Column("used_at", _NUMBER, nullable=True),
        _points("model", "project_id", "project", cascade=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model")),
    )
    op.create_index("ix_model_project_id", "model", ["project_id"])

    op.create_table(
        "proposal",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("project_id", _NUMBER, nullable=False),
        sa.Column("account_id", _NUMBER, nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("effect", sa.JSON(), nullable=True),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("created_at", _NUMBER, nullable=False),
        sa.Column("signed_by", _NUMBER, nullable=True),
        sa.Column("signed_at", _NUMBER, nullable=True),
        _points("proposal", "account_id", "account"),
        _points("proposal", "project_id", "project", cascade=True),
        _points("proposal", "signed_by", "account"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal")),
    )
    op.create_index("ix_proposal_project_id", "proposal", ["project_id"])

    op.create_table(
        "release",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("project_id", _NUMBER, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("policy", sa.String(), nullable=False),
        sa.Column("policy_hash", sa.String(length=16), nullable=False),
        sa.Column("key_tag", sa.String(length=16), nullable=False),
        sa.Column("wanted", sa.Double(), nullable=False),
        sa.Column("sample", _NUMBER, nullable=False),
        sa.Column("bound", sa.Double(), nullable=True),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("drafted_by", _NUMBER, nullable=False),
        sa.Column("approved_by", _NUMBER, nullable=True),
        sa.Column("created_at", _NUMBER, nullable=False),
        sa.Column("approved_at", _NUMBER, nullable=True),
        _points("release", "approved_by", "account"),
        _points("release", "drafted_by", "account"),
        _points("release", "project_id", "project", cascade=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release")),
    )
    op.create_index("ix_release_project_id", "release", ["project_id"])

    op.create_table(
        "run",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("project_id", _NUMBER, nullable=False),
        sa.Column("policy_hash", sa.String(length=16), nullable=False),
        sa.Column("models", sa.JSON(), nullable=False),
        sa.Column("version", sa.String(length=40), nullable=False),
        sa.Column("created_at", _NUMBER, nullable=False),
        _points("run", "project_id", "project", cascade=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
    )
    op.create_index("ix_run_project_id", "run", ["project_id"])

    op.create_table(
        "session",
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("account_id", _NUMBER, nullable=False),
        sa.Column("created_at", _NUMBER, nullable=False),
        sa.Column("seen_at", _NUMBER, nullable=False),
        _points("session", "account_id", "account"),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_session")),
    )
    op.create_index("ix_session_account_id", "session", ["account_id"])

    op.create_table(
        "source",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("project_id", _NUMBER, nullable=False),
        sa.Column("account_id", _NUMBER, nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("format", sa.String(length=40), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size", _NUMBER, nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("created_at", _NUMBER, nullable=False),
        _points("source", "account_id", "account"),
        _points("source", "project_id", "project", cascade=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source")),
    )
    op.create_index("ix_source_project_id", "source", ["project_id"])

    op.create_table(
        "document",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("project_id", _NUMBER, nullable=False),
        sa.Column("source_id", _NUMBER, nullable=True),
        sa.Column("ordinal", _NUMBER, nullable=False),
        sa.Column("ident", sa.String(), nullable=False),
        sa.Column("locator", sa.String(), nullable=False),
        sa.Column("patient", sa.String(), nullable=False),
        sa.Column("note_type", sa.String(length=200), nullable=False),
        sa.Column("length", _NUMBER, nullable=False),
        sa.Column("words", _NUMBER, nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("claimable", sa.Boolean(), nullable=False),
        sa.Column("rank", sa.Double(), nullable=False),
        sa.Column("draw", sa.Double(), nullable=False),
        sa.Column("doubt", sa.Double(), nullable=False),
        sa.Column("labels", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(length=10), nullable=False),
        sa.Column("batch", _NUMBER, nullable=True),
        sa.Column("annotators", _NUMBER, nullable=False),
        sa.Column("created_at", _NUMBER, nullable=False),
        sa.Column("removed_at", _NUMBER, nullable=True),
        _points("document", "project_id", "project", cascade=True),
        _points("document", "source_id", "source", cascade=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document")),
    )
    op.create_index("ix_document_batch", "document", ["project_id", "batch"])
    op.create_index("ix_document_list", "document", ["project_id", "state", "id"])
    op.create_index("ix_document_next", "document", ["project_id", "claimable", "rank", "id"])
    op.create_index("ix_document_source", "document", ["source_id", "ordinal"])

    op.create_table(
        "assignment",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("project_id", _NUMBER, nullable=False),
        sa.Column("document_id", _NUMBER, nullable=False),
        sa.Column("account_id", _NUMBER, nullable=False),
        sa.Column("part", sa.String(length=12), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("slot", _NUMBER, nullable=False),
        sa.Column("assisted", sa.Boolean(), nullable=False),
        sa.Column("run_id", _NUMBER, nullable=True),
        sa.Column("lease_until", _NUMBER, nullable=False),
        sa.Column("created_at", _NUMBER, nullable=False),
        sa.Column("done_at", _NUMBER, nullable=True),
        sa.Column("active_ms", _NUMBER, nullable=False),
        sa.Column("keystrokes", _NUMBER, nullable=False),
        sa.Column("actions", _NUMBER, nullable=False),
        sa.Column("words", _NUMBER, nullable=False),
        _points("assignment", "account_id", "account"),
        _points("assignment", "document_id", "document", cascade=True),
        _points("assignment", "project_id", "project", cascade=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint(
            "document_id",
            "account_id",
            "part",
            name=op.f("uq_assignment_document_id_account_id_part"),
        ),
    )
    op.create_index("ix_assignment_own", "assignment", ["account_id", "state", "id"])
    op.create_index("ix_assignment_project_id", "assignment", ["project_id"])

    op.create_table(
        "decision",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("document_id", _NUMBER, nullable=False),
        sa.Column("account_id", _NUMBER, nullable=False),
        sa.Column("start", _NUMBER, nullable=False),
        sa.Column("end", _NUMBER, nullable=False),
        sa.Column("choice", sa.String(length=10), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("at", _NUMBER, nullable=False),
        _points("decision", "account_id", "account"),
        _points("decision", "document_id", "document", cascade=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision")),
        sa.UniqueConstraint(
            "document_id", "start", "end", name=op.f("uq_decision_document_id_start_end")
        ),
    )
    op.create_table(
        "finding",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("release_id", _NUMBER, nullable=False),
        sa.Column("document_id", _NUMBER, nullable=False),
        sa.Column("account_id", _NUMBER, nullable=False),
        sa.Column("start", _NUMBER, nullable=False),
        sa.Column("end", _NUMBER, nullable=False),
        sa.Column("label", sa.String(length=40), nullable=False),
        sa.Column("created_at", _NUMBER, nullable=False),
        _points("finding", "account_id", "account"),
        _points("finding", "document_id", "document", cascade=True),
        _points("finding", "release_id", "release", cascade=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_finding")),
    )
    op.create_index("ix_finding_release_id", "finding", ["release_id"])

    op.create_table(
        "gold",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("document_id", _NUMBER, nullable=False),
        sa.Column("version", _NUMBER, nullable=False),
        sa.Column("spans", sa.JSON(), nullable=False),
        sa.Column("how", sa.String(length=20), nullable=False),
        sa.Column("account_id", _NUMBER, nullable=True),
        sa.Column("created_at", _NUMBER, nullable=False),
        _points("gold", "account_id", "account"),
        _points("gold", "document_id", "document", cascade=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold")),
        sa.UniqueConstraint("document_id", "version", name=op.f("uq_gold_document_id_version")),
    )
    op.create_table(
        "release_document",
        sa.Column("release_id", _NUMBER, nullable=False),
        sa.Column("document_id", _NUMBER, nullable=False),
        sa.Column("replacements", sa.JSON(), nullable=False),
        sa.Column("output", sa.LargeBinary(), nullable=False),
        sa.Column("sampled", sa.Boolean(), nullable=False),
        sa.Column("failure", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(length=12), nullable=False),
        sa.Column("reviewed_by", _NUMBER, nullable=True),
        sa.Column("reviewed_at", _NUMBER, nullable=True),
        _points("release_document", "document_id", "document", cascade=True),
        _points("release_document", "release_id", "release", cascade=True),
        _points("release_document", "reviewed_by", "account"),
        sa.PrimaryKeyConstraint("release_id", "document_id", name=op.f("pk_release_document")),
    )
    op.create_index(
        "ix_release_document_sample", "release_document", ["release_id", "sampled", "document_id"]
    )

    op.create_table(
        "remark",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("document_id", _NUMBER, nullable=False),
        sa.Column("account_id", _NUMBER, nullable=False),
        sa.Column("start", _NUMBER, nullable=True),
        sa.Column("end", _NUMBER, nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=True),
        sa.Column("answered_by", _NUMBER, nullable=True),
        sa.Column("created_at", _NUMBER, nullable=False),
        sa.Column("closed_at", _NUMBER, nullable=True),
        _points("remark", "account_id", "account"),
        _points("remark", "answered_by", "account"),
        _points("remark", "document_id", "document", cascade=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_remark")),
    )
    op.create_index("ix_remark_document_id", "remark", ["document_id"])

    op.create_table(
        "suggestion",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("document_id", _NUMBER, nullable=False),
        sa.Column("run_id", _NUMBER, nullable=False),
        sa.Column("spans", sa.JSON(), nullable=False),
        sa.Column("dropped", sa.JSON(), nullable=False),
        sa.Column("doubt", sa.Double(), nullable=False),
        _points("suggestion", "document_id", "document", cascade=True),
        _points("suggestion", "run_id", "run", cascade=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_suggestion")),
        sa.UniqueConstraint("document_id", "run_id", name=op.f("uq_suggestion_document_id_run_id")),
    )
    op.create_index("ix_suggestion_run_id", "suggestion", ["run_id"])

    op.create_table(
        "text",
        sa.Column("document_id", _NUMBER, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("context", sa.JSON(), nullable=False),
        _points("text", "document_id", "document", cascade=True),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_text")),
    )
    op.create_table(
        "annotation",
        sa.Column("assignment_id", _NUMBER, nullable=False),
        sa.Column("revision", _NUMBER, nullable=False),
        sa.Column("start_spans", sa.JSON(), nullable=False),
        sa.Column("spans", sa.JSON(), nullable=False),
        _points("annotation", "assignment_id", "assignment", cascade=True),
        sa.PrimaryKeyConstraint("assignment_id", name=op.f("pk_annotation")),
    )
    op.create_table(
        "edit",
        sa.Column("assignment_id", _NUMBER, nullable=False),
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("operation", sa.String(length=20), nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("after", sa.JSON(), nullable=False),
        sa.Column("active_ms", _NUMBER, nullable=False),
        sa.Column("keystrokes", _NUMBER, nullable=False),
        sa.Column("at", _NUMBER, nullable=False),
        _points("edit", "assignment_id", "assignment", cascade=True),
        sa.PrimaryKeyConstraint("assignment_id", "number", name=op.f("pk_edit")),
    )
    _protect()


def _protect() -> None:
    """The audit is never changed; edits are never changed, and go only with their note."""
    rules = (("audit", "UPDATE"), ("audit", "DELETE"), ("edit", "UPDATE"))
    if op.get_bind().dialect.name == "sqlite":
        for table, change in rules:
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} rows are never changed'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION incognote_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% rows are never changed', TG_TABLE_NAME; END $$"
    )
    for table, change in rules:
        op.execute(
            f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION incognote_refuse()"
        )
    op.execute(
        "CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON audit "
        "FOR EACH STATEMENT EXECUTE FUNCTION incognote_refuse()"
    )
