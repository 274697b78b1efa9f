"""Migrations: what they make is what the code knows, also when several run at once."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from tests.store_drafts import draft, newest_wins
from tiered_memory.errors import SchemaVersionError
from tiered_memory.settings import StorageSettings
from tiered_memory.store import migrate
from tiered_memory.store.schema import VERSION_TABLE, metadata
from tiered_memory.store.store import Store

SETTINGS = StorageSettings(shared=False)
ROOT = Path(__file__).resolve().parents[2]

OPEN = """
import asyncio, sys
from pathlib import Path
from tiered_memory.settings import StorageSettings
from tiered_memory.store.store import Store

async def main():
    print("ready", flush=True)
    sys.stdin.readline()
    store = await Store.open(Path(sys.argv[1]), settings=StorageSettings(shared=False))
    print(await store.revision("a"), flush=True)
    await store.aclose()

asyncio.run(main())
"""


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sa.Connection]:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'm.db'}")

    def plain(driver: sqlite3.Connection, _: object) -> None:
        driver.isolation_level = None

    def begin(conn: sa.Connection) -> None:
        conn.exec_driver_sql("BEGIN IMMEDIATE")

    sa.event.listen(engine, "connect", plain)
    sa.event.listen(engine, "begin", begin)
    with engine.connect() as conn:
        yield conn
    engine.dispose()


def differences(connection: sa.Connection) -> list[object]:
    context = MigrationContext.configure(
        connection,
        opts={
            "compare_type": True,
            "include_name": lambda name, kind, parents: (
                kind != "table" or name != VERSION_TABLE
            ),
        },
    )
    return list(compare_metadata(context, metadata))


def tables(connection: sa.Connection) -> set[str]:
    return set(sa.inspect(connection).get_table_names())


def test_up_down_and_up_again_gives_the_tables_of_the_code(
    connection: sa.Connection,
) -> None:
    for _ in range(2):
        with connection.begin():
            migrate.upgrade(connection)
        with connection.begin():
            assert differences(connection) == []
            assert migrate.at_head(migrate.current(connection), migrate.revisions())
        with connection.begin():
            migrate.downgrade(connection, "base")
        with connection.begin():
            assert tables(connection) == {VERSION_TABLE}


def test_facts_that_ended_before_get_the_time_of_what_ended_them(
    connection: sa.Connection,
) -> None:
    with connection.begin():
        migrate.upgrade(connection, "0001")
        run = connection.exec_driver_sql
        for seq, second in ((1, "00"), (2, "09")):
            run(
                "INSERT INTO tm_message (session_id, seq, revision, turn, role, payload, "
                "tokens, counter, short_tokens, batch, settings_hash, created_at) VALUES "
                f"('s', {seq}, {seq}, {seq}, 'user', '{{}}', 1, 'c', 1, 1, 'h', 't{second}')"
            )
        rows = ((1, "t00", 1, 2), (2, "t09", 2, 3), (3, "t20", 3, "NULL"))
        for fact_id, seen, revision, ended in rows:
            run(
                "INSERT INTO tm_fact (session_id, fact_id, number, type, key, owner, value, "
                "normalized, confidence, source, pattern, cardinality, masked, identifier, "
                "seq, start_at, first_seen, last_seen, last_seq, why, revision, "
                f"ended_revision) VALUES ('s', {fact_id}, 1, 'k', 'k', 'self', 'v', 'v', 1, "
                f"'ner', 'p', 'one', 0, 0, 1, 5, '{seen}', '{seen}', 1, '{{}}', {revision}, "
                f"{ended})"
            )
    with connection.begin():
        migrate.upgrade(connection)
        found = connection.exec_driver_sql(
            "SELECT ended_at, last_start FROM tm_fact ORDER BY fact_id"
        ).fetchall()
        connection.exec_driver_sql(
            "INSERT INTO tm_fact_seen VALUES ('s', 3, 4, 't30', 4, 0, 0.5), "
            "('s', 3, 5, 't40', 5, 0, 0.7)"
        )
    with connection.begin():
        migrate.downgrade(connection, "0001")
        last = connection.exec_driver_sql(
            "SELECT last_seen, last_seq, confidence FROM tm_fact ORDER BY fact_id"
        ).fetchall()

    assert [tuple(row) for row in found] == [("t09", 5), ("t20", 5), (None, 5)]
    assert [tuple(row) for row in last] == [("t00", 1, 1), ("t09", 1, 1), ("t40", 5, 0.7)]


def test_a_column_that_no_migration_made_is_found(connection: sa.Connection) -> None:
    with connection.begin():
        migrate.upgrade(connection)
    with connection.begin():
        connection.exec_driver_sql("ALTER TABLE tm_fact ADD COLUMN extra TEXT")
        assert differences(connection) != []


def test_tables_of_the_host_are_left_alone(connection: sa.Connection) -> None:
    with connection.begin():
        connection.exec_driver_sql("CREATE TABLE orders (id INTEGER)")
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num TEXT)")
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES ('host')")
    with connection.begin():
        migrate.upgrade(connection)
    with connection.begin():
        migrate.downgrade(connection, "base")
    with connection.begin():
        found = connection.exec_driver_sql("SELECT version_num FROM alembic_version")
        assert found.scalar() == "host"
        assert "orders" in tables(connection)


def test_a_migration_that_is_rolled_back_leaves_nothing(connection: sa.Connection) -> None:
    transaction = connection.begin()
    migrate.upgrade(connection)
    transaction.rollback()
    with connection.begin():
        assert tables(connection) == set()


async def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "m.db", settings=SETTINGS)
    await store.aclose()
    with sqlite3.connect(tmp_path / "m.db") as raw:
        raw.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    raw.close()

    with pytest.raises(SchemaVersionError) as caught:
        await Store.open(tmp_path / "m.db", settings=SETTINGS)

    assert caught.value.facts["found"] == "9999"


async def test_an_empty_database_is_refused_where_it_may_not_migrate(
    tmp_path: Path,
) -> None:
    with pytest.raises(SchemaVersionError) as caught:
        await Store.open(
            tmp_path / "m.db", settings=StorageSettings(shared=False, migrate=False)
        )
    assert caught.value.facts["found"] is None


async def test_loggers_of_the_host_stay_as_they_are(tmp_path: Path) -> None:
    logger = logging.getLogger("host.orders")
    level, handlers = logging.root.level, list(logging.root.handlers)
    store = await Store.open(tmp_path / "m.db", settings=SETTINGS)
    await store.append(draft("a", 1, "x"), newest_wins)
    await store.aclose()

    assert not logger.disabled
    assert (logging.root.level, logging.root.handlers) == (level, handlers)


def test_eight_processes_open_a_new_file_at_once(tmp_path: Path) -> None:
    for n in range(2):
        path = tmp_path / f"{n}.db"
        children = [
            subprocess.Popen(
                [sys.executable, "-c", OPEN, str(path)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(8)
        ]
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        said = [child.communicate(timeout=50) for child in children]
        assert [(out, err) for out, err in said if out != "0\n"] == []
