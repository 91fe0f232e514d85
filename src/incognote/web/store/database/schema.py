"""Creating the tables and bringing old ones up to date, with Alembic."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, inspect

from incognote.core.errors import UsageError

_MIGRATIONS = Path(__file__).parent / "migrations"


def _config(connection: Connection) -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def newest() -> str:
    """The schema this version of incognote works with."""
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    head = ScriptDirectory.from_config(config).get_current_head()
    assert head is not None
    return head


def known() -> frozenset[str]:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    return frozenset(
        script.revision for script in ScriptDirectory.from_config(config).walk_revisions()
    )


def version(engine: Engine) -> str | None:
    """The schema of a database; None where there is none yet."""
    from alembic.runtime.migration import MigrationContext

    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def upgrade(engine: Engine, to: str = "head") -> None:
    """Brings the tables to a schema; a database of a newer incognote is refused."""
    from alembic import command

    there = version(engine)
    if there is None and _is_foreign(engine):
        raise UsageError("the database holds tables that are not a workbench's")
    if there is not None and there not in known():
        raise UsageError(
            f"the database has schema {there}, which this version of incognote does not know"
        )
    writer = engine.execution_options(incognote_writes=True)
    with writer.begin() as connection:
        command.upgrade(_config(connection), to)


def check(engine: Engine) -> None:
    """The schema is the one this version works with, or an error says what to do."""
    there = version(engine)
    if there == newest():
        return
    if there is None:
        raise UsageError("the database has no tables yet: `incognote web upgrade` makes them")
    if there not in known():
        raise UsageError(
            f"the database has schema {there}, which this version of incognote does not know"
        )
    raise UsageError("the database is of an older incognote: run `incognote web upgrade` first")


def _is_foreign(engine: Engine) -> bool:
    return bool(inspect(engine).get_table_names())
