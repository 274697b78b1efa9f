"""A target to an open database: one lane that writes, a few that read."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from tiered_memory.errors import StoreBusyError, StoreError, TieredMemoryError
from tiered_memory.store.lanes import AdapterLane, SqliteLane, TransactingConnection
from tiered_memory.store.migrate import (
    at_head,
    current,
    revisions,
    upgrade,
    version_error,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from sqlalchemy import URL, Connection

    from tiered_memory.settings import StorageSettings
    from tiered_memory.store.lanes import Lane

__all__ = ["Database", "wal_reset_fault"]

logger = logging.getLogger(__name__)

T = TypeVar("T")

READ_LANES = 2
"""Reads beside the writer; more gain nothing, since statements run under one GIL."""
WAL_LIMIT_BYTES = 64 << 20
THREAD_END_S = 5.0
"""aiosqlite answers a close just before its thread ends; this is how long to wait."""
SYNCHRONOUS = {"full": "FULL", "process": "NORMAL"}
"""In WAL mode FULL syncs at each commit (sqlite.org/pragma.html#pragma_synchronous)."""
BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


def wal_reset_fault(version: tuple[int, int, int]) -> bool:
    """Tell whether this SQLite can lose pages when several processes write in WAL mode.

    Source: sqlite.org/wal.html#walresetbug (3.7.0 to 3.51.2, but for two backports).
    """
    if not (3, 7, 0) <= version < (3, 51, 3):
        return False
    return not ((3, 44, 6) <= version < (3, 45, 0) or (3, 50, 7) <= version < (3, 51, 0))


class Database:
    """An open, migrated database; only tasks of the store may await on it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._engines: list[AsyncEngine] = []
        self._lanes: list[Lane] = []
        self._writer: Lane | None = None
        self._readers: asyncio.LifoQueue[Lane] = asyncio.LifoQueue()
        self._alone = asyncio.Lock()
        self._apart = False

    @classmethod
    async def open(
        cls, target: str | Path | URL | AsyncEngine, *, settings: StorageSettings
    ) -> Database:
        """Connect and migrate; what was opened is closed on failure.

        Raises:
            StoreError: the target is no database of ours or cannot be opened.
            SchemaVersionError: its schema is newer, or older and not to be migrated.
        """
        database = cls(_name(target))
        try:
            if isinstance(target, AsyncEngine):
                await database._borrow(target, settings)
            else:
                await database._connect(await asyncio.to_thread(_url, target), settings)
        except BaseException as exc:
            await database.aclose()
            error = database.translated(exc)
            if error is exc:
                raise
            raise error from exc
        return database

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one write transaction; one at a time."""
        if self._writer is None:
            raise StoreError(f"{self.name} is not open", target=self.name)
        async with self._alone:
            return await self._run(self._writer, work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one snapshot, beside writes."""
        if not self._apart:
            return await self.write(work)
        async with self._reader() as lane:
            return await self._run(lane, work)

    async def aclose(self) -> None:
        """Close the lanes and the engines that are ours."""
        lanes, self._lanes = self._lanes, []
        engines, self._engines = self._engines, []
        self._writer = None
        for lane in lanes:
            await lane.aclose()
        for engine in engines:
            await engine.dispose()
        for lane in lanes:
            if isinstance(lane, SqliteLane):
                await asyncio.to_thread(lane.thread.join, THREAD_END_S)

    def translated(self, exc: BaseException) -> BaseException:
        """Give the error of ours for one of the driver's; others come back as they are."""
        if isinstance(exc, TieredMemoryError):
            return exc
        original: object = getattr(exc, "orig", exc)
        if not isinstance(exc, SQLAlchemyError | sqlite3.Error | OSError):
            return exc
        cause = str(original).splitlines()[0] if str(original) else type(exc).__name__
        code = getattr(original, "sqlite_errorcode", None)
        if code is not None and code & 0xFF in BUSY:
            return StoreBusyError(
                f"{self.name} is locked by another process beyond "
                "storage.busy_timeout_ms; raise it, or look for a long transaction there",
                target=self.name,
            )
        return StoreError(f"{self.name}: {cause}", target=self.name)

    async def _run(self, lane: Lane, work: Callable[[Connection], T]) -> T:
        try:
            return await lane.run(work)
        except (SQLAlchemyError, sqlite3.Error) as exc:
            raise self.translated(exc) from exc

    @asynccontextmanager
    async def _reader(self) -> AsyncGenerator[Lane]:
        lane = await self._readers.get()
        try:
            yield lane
        finally:
            self._readers.put_nowait(lane)

    async def _connect(self, url: URL, settings: StorageSettings) -> None:
        memory = _in_memory(url)
        common = [
            f"busy_timeout={settings.busy_timeout_ms}",
            f"synchronous={SYNCHRONOUS[settings.durability]}",
            "secure_delete=ON",
            f"journal_size_limit={WAL_LIMIT_BYTES}",
        ]
        wal = [] if memory else ["journal_mode=WAL"]
        writer = await asyncio.to_thread(_engine, url, 1)
        self._engines.append(writer)
        lane = await SqliteLane.open(
            writer,
            "BEGIN IMMEDIATE",
            pragmas=[*common, *(wal if settings.migrate else ())],
        )
        self._writer = lane
        self._lanes.append(lane)
        await self._migrate(settings)
        if memory:
            return
        await lane.set(wal)  # a file that is not ours was refused before it changed
        _warn_of_fault(settings)
        reader = await asyncio.to_thread(_engine, url, READ_LANES)
        self._engines.append(reader)
        for _ in range(READ_LANES):
            lane = await SqliteLane.open(
                reader, "BEGIN", pragmas=[common[0], "query_only=ON"]
            )
            self._lanes.append(lane)
            self._readers.put_nowait(lane)
        self._apart = True

    async def _borrow(self, engine: AsyncEngine, settings: StorageSettings) -> None:
        if engine.dialect.name != "sqlite":
            raise _unsupported(engine.dialect.name)
        self._writer = await AdapterLane.open(engine, "BEGIN IMMEDIATE")
        self._lanes.append(self._writer)
        await self._migrate(settings)

    async def _migrate(self, settings: StorageSettings) -> None:
        """Bring the schema to the code's, or refuse; a current one costs one read."""
        known = await asyncio.to_thread(revisions)
        found = await self.write(current)
        if at_head(found, known):
            return
        if not settings.migrate:
            raise version_error(found, known)
        await self.write(upgrade)


def _engine(url: URL, size: int) -> AsyncEngine:
    return create_async_engine(
        url,
        connect_args={"factory": TransactingConnection},
        poolclass=AsyncAdaptedQueuePool,
        pool_size=size,
        max_overflow=0,
        pool_timeout=None,
    )


def _name(target: str | Path | URL | AsyncEngine) -> str:
    """Give the target for errors and logs, without a password."""
    if isinstance(target, AsyncEngine):
        target = target.url
    if isinstance(target, sa.URL):
        return target.render_as_string(hide_password=True)
    text = str(target)
    return sa.make_url(text).render_as_string(hide_password=True) if "://" in text else text


def _url(target: str | Path | URL) -> URL:
    if isinstance(target, str) and "://" in target:
        target = sa.make_url(target)
    if isinstance(target, sa.URL):
        if target.get_backend_name() != "sqlite":
            raise _unsupported(target.get_backend_name())
        return target.set(drivername="sqlite+aiosqlite")
    if not str(target) or (isinstance(target, Path) and target == Path()):
        raise StoreError(
            "the target is empty; give a file's path, or ':memory:'", target=""
        )
    if Path(target).is_dir():
        raise StoreError(
            f"{target} is a folder; give the path of a file in it", target=str(target)
        )
    folder = Path(target).parent
    if not str(target).startswith((":memory:", "file:")) and not folder.is_dir():
        raise StoreError(
            f"{target}: there is no folder {folder}; make it first", target=str(target)
        )
    return sa.URL.create("sqlite+aiosqlite", database=str(target))


def _in_memory(url: URL) -> bool:
    name = url.database or ":memory:"
    return ":memory:" in name or url.query.get("mode") == "memory"


def _unsupported(backend: str) -> StoreError:
    return StoreError(
        f"databases of kind {backend!r} are not supported; give a SQLite file",
        target=backend,
    )


def _warn_of_fault(settings: StorageSettings) -> None:
    if settings.shared and wal_reset_fault(sqlite3.sqlite_version_info):
        logger.warning(
            "SQLite %s can lose committed pages when several processes write to one "
            "file (sqlite.org/wal.html#walresetbug); upgrade it, let one process own "
            "the file, or say so by storage.shared = false",
            sqlite3.sqlite_version,
        )
