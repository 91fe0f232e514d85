"""How Alembic reaches the database: over the connection that `store.schema` hands it."""

from __future__ import annotations

from alembic import context

from incognote.web.store.tables import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=connection.dialect.name == "sqlite",
)
with context.begin_transaction():
    context.run_migrations()
