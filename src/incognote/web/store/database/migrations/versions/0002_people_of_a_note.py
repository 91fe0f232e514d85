"""People of a note: corrections of who is meant."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "person_link",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("document_id", _NUMBER, nullable=False),
        sa.Column("account_id", _NUMBER, nullable=False),
        sa.Column("one", _NUMBER, nullable=False),
        sa.Column("other", _NUMBER, nullable=False),
        sa.Column("same", sa.Boolean(), nullable=False),
        sa.Column("at", _NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_person_link_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["document.id"],
            name=op.f("fk_person_link_document_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person_link")),
    )
    op.create_index("ix_person_link_document_id", "person_link", ["document_id"])
