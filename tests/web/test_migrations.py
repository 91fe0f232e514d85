"""The schema: migrations and models say the same, old data survives, unknown versions are refused."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine, inspect, text

from incognote.core.errors import UsageError
from incognote.web.store.database import schema
from incognote.web.store.database.backup import upgrade
from incognote.web.store.database.connection import Store, connect
from incognote.web.store.site import Site
from incognote.web.store.tables import Base


def test_models_and_migrations_agree(store: Store):
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_an_upgrade_from_the_first_schema_keeps_all_data(tmp_path, database: str):
    """Each table of 0001 gets a row; the rows are there after all migrations."""
    from sqlalchemy import MetaData

    site = Site.create(tmp_path / "site", database)
    engine = connect(site.database)
    schema.upgrade(engine, "0001")
    old = MetaData()
    old.reflect(engine)
    with engine.execution_options(incognote_writes=True).begin() as connection:
        names = [t for t in old.sorted_tables if t.name != "alembic_version"]
        models = {t.name: t for t in Base.metadata.sorted_tables}
        before = {}
        for table in names:
            row = {}
            for column in table.columns:
                modelled = models[table.name].columns[column.name]
                kind = modelled.type.python_type
                value = {
                    int: 1,
                    float: 0.5,
                    str: "x",
                    bytes: b"x\x00",
                    bool: True,
                    object: {"a": [1]},
                }[kind]
                row[column.name] = value
            connection.execute(
                models[table.name]
                .insert()
                .values({models[table.name].columns[k]: v for k, v in row.items()})
            )
            before[table.name] = row
    engine.dispose()
    upgrade(site)
    store = Store(site)
    schema.check(store.engine)
    with store.read() as db:
        for name, row in before.items():
            found = dict(db.execute(models[name].select()).mappings().one())
            assert {key: found[key] for key in row} == row, name
    store.close()


def test_an_unknown_schema_is_refused(store: Store):
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(UsageError, match="does not know"):
        schema.check(store.engine)
    with pytest.raises(UsageError, match="does not know"):
        upgrade(store.site)


def test_a_database_of_somebody_else_is_left_alone(tmp_path):
    path = tmp_path / "other.sqlite"
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE theirs (id INTEGER)"))
    engine.dispose()
    mine = connect(f"sqlite:///{path}")
    with pytest.raises(UsageError, match="not a workbench's"):
        schema.upgrade(mine)
    assert inspect(mine).get_table_names() == ["theirs"]
    mine.dispose()


@pytest.mark.parametrize(
    "url", ["mysql://x/y", "no url at all", "postgresql://u:secret@host:port/x"]
)
def test_other_databases_are_refused_without_naming_the_password(url: str):
    with pytest.raises(UsageError) as caught:
        connect(url)
    assert "secret" not in str(caught.value)
