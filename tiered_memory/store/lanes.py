"""Lanes: connections on which whole transactions run.

SQLAlchemy's async engine makes and ends aiosqlite's connections. A transaction does not
go through its adapter, which takes a hop between threads for every statement: aiosqlite
runs ``Connection.executescript`` on its own thread, and ``TransactingConnection`` takes
a callable there. The callable gets a synchronous SQLAlchemy ``Connection`` over the same
sqlite3 connection, so that statements stay Core's (compared in ``benchmarks/storage.py``).
"""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.pool import StaticPool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

__all__ = ["AdapterLane", "Lane", "SqliteLane", "TransactingConnection"]

T = TypeVar("T")


def _begin_with(engine: sa.Engine, begin: str) -> None:
    """Let transactions start with ``begin``; the driver must not start its own."""

    def started(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    event.listen(engine, "begin", started)


class Lane(Protocol):
    """A connection that runs one transaction at a time."""

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one transaction and commit; rolled back where it raises."""
        ...

    async def aclose(self) -> None:
        """Give the connection back."""
        ...


class TransactingConnection(sqlite3.Connection):
    """A connection whose ``executescript`` also takes a callable of the connection."""

    def executescript(self, sql_script: Any, /) -> sqlite3.Cursor:
        """Run SQL text, or call ``sql_script`` with this connection."""
        if callable(sql_script):
            sql_script(self)
            return self.cursor()
        return super().executescript(sql_script)


class SqliteLane:
    """An aiosqlite connection with Core on its thread: one hop a transaction."""

    def __init__(
        self, kept: AsyncConnection, driver: Any, core: Connection, thread: threading.Thread
    ) -> None:
        self.thread = thread
        self._kept = kept
        self._driver = driver
        self._core = core

    @classmethod
    async def open(
        cls, engine: AsyncEngine, begin: str, *, pragmas: Sequence[str]
    ) -> SqliteLane:
        """Take a connection of ``engine``; transactions start with ``begin``."""
        kept = await engine.connect()
        try:
            driver: Any = (await kept.get_raw_connection()).driver_connection
            cores: list[tuple[Connection, threading.Thread]] = []

            def attach(raw: sqlite3.Connection) -> None:
                raw.isolation_level = None
                for pragma in pragmas:
                    raw.execute(f"PRAGMA {pragma}").close()
                core = sa.create_engine(
                    "sqlite://", creator=lambda: raw, poolclass=StaticPool
                )
                _begin_with(core, begin)
                cores.append((core.connect(), threading.current_thread()))

            await driver.executescript(attach)
        except BaseException:
            await kept.close()
            raise
        return cls(kept, driver, *cores[0])

    async def set(self, pragmas: Sequence[str]) -> None:
        """Set ``pragmas`` outside a transaction."""

        def apply(raw: sqlite3.Connection) -> None:
            for pragma in pragmas:
                raw.execute(f"PRAGMA {pragma}").close()

        await self._driver.executescript(apply)

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` on the connection's thread, in one transaction."""
        results: list[T] = []

        def transact(_: sqlite3.Connection) -> None:
            with self._core.begin():
                results.append(work(self._core))

        await self._driver.executescript(transact)
        return results[0]

    async def aclose(self) -> None:
        """Give the connection back to the engine, which closes it."""

        def detach(_: sqlite3.Connection) -> None:
            self._core.close()

        await self._driver.executescript(detach)
        await self._kept.close()


class AdapterLane:
    """A connection of an engine that is not ours: SQLAlchemy's adapter runs the work."""

    def __init__(self, kept: AsyncConnection) -> None:
        self._kept = kept

    @classmethod
    async def open(cls, engine: AsyncEngine, begin: str) -> AdapterLane:
        """Take a connection of ``engine``; its other users keep their own ways."""
        own = engine.execution_options()
        _begin_with(own.sync_engine, begin)
        return cls(await own.connect())

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one transaction; a hop between threads for each statement."""
        async with self._kept.begin():
            return await self._kept.run_sync(work)

    async def aclose(self) -> None:
        """Give the connection back to its engine."""
        await self._kept.close()
