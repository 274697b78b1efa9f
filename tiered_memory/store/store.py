"""The durable store: each method is one transaction, awaited on by its own tasks only."""

from __future__ import annotations

import asyncio
import os
import time
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa

from tiered_memory.errors import ClosedError, TieredMemoryError
from tiered_memory.store import (
    appending,
    fact_reading,
    facts,
    folding,
    reading,
    rows,
    schema,
)
from tiered_memory.store.database import Database
from tiered_memory.store.model_tasks import ModelTasks
from tiered_memory.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import URL, Connection
    from sqlalchemy.ext.asyncio import AsyncEngine

    from tiered_memory.model import (
        AppendResult,
        CompactionRecord,
        Draft,
        Fact,
        FactDraft,
        FoldCommit,
        Identifier,
        Message,
        Reference,
        SessionInfo,
    )
    from tiered_memory.settings import StorageSettings
    from tiered_memory.state import SessionState
    from tiered_memory.store.changes import Resolve

__all__ = ["Store"]

T = TypeVar("T")


class Store:
    """Messages, facts, segments and claims of many sessions in one database.

    Writes go through one task and are answered after the commit; reads run beside
    them. No caller's cancellation reaches the database: a write that was taken up is
    finished, one that was not is not made. Methods raise ``StoreError`` (a subclass
    where the cause is known) and, once closed, ``ClosedError``.
    """

    def __init__(self, database: Database, *, queue: int) -> None:
        self._database = database
        self._writer = Writer(database, queue=queue)
        self._reads: set[asyncio.Task[Any]] = set()
        self._loop = asyncio.get_running_loop()
        self._process = os.getpid()
        self._closing: asyncio.Task[None] | None = None
        self.model_tasks = ModelTasks(read=self._read, write=self._write)

    @classmethod
    async def open(
        cls, target: str | Path | URL | AsyncEngine, *, settings: StorageSettings
    ) -> Store:
        """Open and migrate the database at ``target``.

        Raises:
            StoreError: no database of ours, or it cannot be opened.
            SchemaVersionError: a schema that the code does not know.
        """
        opening = asyncio.create_task(Database.open(target, settings=settings))
        try:
            await _settled(opening)
        except asyncio.CancelledError:
            if not opening.cancelled() and opening.exception() is None:
                await _settled(asyncio.create_task(opening.result().aclose()))
            raise
        return cls(opening.result(), queue=settings.queue)

    # -- writes -------------------------------------------------------------------

    async def append(self, draft: Draft, resolve: Resolve) -> AppendResult | None:
        """Write a draft; None where its session moved, so that it must be made anew.

        ``resolve`` runs in the transaction and must be pure.
        """
        result: AppendResult | None = await self._batched(
            appending.append, (draft, resolve)
        )
        return result

    async def change_facts(self, draft: FactDraft, resolve: Resolve) -> AppendResult:
        """Bring candidates to the facts as they are then; what is read only grows."""
        result: AppendResult = await self._batched(facts.change_facts, (draft, resolve))
        return result

    async def save_settings(self, digest: str, document: str, now: datetime) -> None:
        """Keep a version of the settings under its digest, once."""

        def work(connection: Connection) -> None:
            table = schema.settings_version
            known = connection.execute(
                sa.select(table.c.hash).where(table.c.hash == digest)
            ).first()
            if known is None:
                connection.execute(
                    sa.insert(table),
                    {"hash": digest, "document": document, "created_at": rows.stamp(now)},
                )

        await self._write(work)

    async def claim(
        self,
        session_id: str,
        *,
        owner: str,
        ttl_s: float,
        boundary_seq: int,
        generation: int,
    ) -> bool:
        """Lease the session's compaction; False where another holds it or it moved."""
        return await self._write(
            partial(
                folding.claim,
                session_id=session_id,
                owner=owner,
                ttl_s=ttl_s,
                boundary_seq=boundary_seq,
                generation=generation,
                now=time.time(),
            )
        )

    async def renew(self, session_id: str, *, owner: str, ttl_s: float) -> bool:
        """Lengthen the lease; False where it was lost."""
        return await self._write(
            partial(
                folding.renew,
                session_id=session_id,
                owner=owner,
                ttl_s=ttl_s,
                now=time.time(),
            )
        )

    async def release(self, session_id: str, *, owner: str) -> None:
        """Give the lease back; nothing happens where it is another's."""
        await self._write(partial(folding.release, session_id=session_id, owner=owner))

    async def reserve_references(
        self, session_id: str, identifiers: Sequence[Identifier]
    ) -> list[Reference]:
        """Give each identifier's reference, in order; new numbers where needed."""
        return await self._write(
            partial(
                folding.reserve_references, session_id=session_id, identifiers=identifiers
            )
        )

    async def commit_fold(self, commit: FoldCommit) -> int:
        """Install a fold and give the new revision.

        Raises:
            StaleCompactionError: its turns changed or another fold came first.
        """
        return await self._write(partial(folding.commit_fold, commit=commit))

    async def record_compaction(
        self,
        session_id: str,
        record: CompactionRecord,
        *,
        failures: int,
        retry_at: float | None,
    ) -> None:
        """Keep the record of a try that changed nothing."""
        await self._write(
            partial(
                folding.record_compaction,
                session_id=session_id,
                record=record,
                failures=failures,
                retry_at=retry_at,
            )
        )

    # -- reads --------------------------------------------------------------------

    async def load(self, session_id: str) -> SessionState | None:
        """Read the session's state in one snapshot; None where it is not stored."""
        return await self._read(partial(reading.state, session_id=session_id))

    async def revision(self, session_id: str) -> int:
        """Give the session's revision, 0 where it is not stored; one indexed read."""
        return await self._read(partial(reading.revision, session_id=session_id))

    async def history(
        self, session_id: str, *, after: int = 0, limit: int = 256
    ) -> list[Message]:
        """Give messages behind seq ``after``, oldest first."""
        return await self._read(
            partial(reading.history, session_id=session_id, after=after, limit=limit)
        )

    async def facts(
        self,
        session_id: str,
        *,
        key: str | None = None,
        owner: str | None = None,
        history: bool = False,
        as_of: datetime | None = None,
    ) -> list[Fact]:
        """Give facts, oldest first; ``None`` for key or owner means any.

        ``as_of`` gives them as they were known then.
        """
        return await self._read(
            partial(
                fact_reading.facts,
                session_id=session_id,
                key=key,
                owner=owner,
                history=history,
                as_of=as_of,
            )
        )

    async def references(self, session_id: str, numbers: Sequence[int]) -> list[Reference]:
        """Give what the numbers stand for, by number; unknown ones are left out."""
        return await self._read(
            partial(reading.references, session_id=session_id, numbers=numbers)
        )

    async def sessions(
        self, *, subject: str | None = None, limit: int = 100, after: str | None = None
    ) -> list[SessionInfo]:
        """Give sessions by id, behind ``after``."""
        return await self._read(
            partial(reading.sessions, subject=subject, limit=limit, after=after)
        )

    async def sessions_with(
        self,
        keys: Sequence[str],
        forms: Sequence[str],
        *,
        limit: int = 100,
        after: str | None = None,
    ) -> list[SessionInfo]:
        """Give sessions by id where a normal form is current under one of the keys."""
        return await self._read(
            partial(reading.sessions_with, keys=keys, forms=forms, limit=limit, after=after)
        )

    async def compactions(self, session_id: str) -> list[CompactionRecord]:
        """Give the records of compaction, oldest first."""
        return await self._read(partial(reading.compactions, session_id=session_id))

    async def unread_entities(
        self, *, after: str = "", limit: int
    ) -> list[tuple[str, int, int]]:
        """Give sessions whose user messages the recognizers have not all read, by id."""
        return await self._read(partial(reading.unread_entities, after=after, limit=limit))

    async def entities_seq(self, session_id: str) -> int:
        """Give the seq that the recognizers have read to, 0 where it is not stored."""
        return await self._read(partial(reading.entities_seq, session_id=session_id))

    # -- the end ------------------------------------------------------------------

    async def aclose(self) -> None:
        """Write what is queued, let reads end, close the database; once.

        It is done when this ends, whatever cancels it; the cancellation then goes on.
        """
        self._check_place()
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        await _settled(self._closing)
        self._closing.result()

    async def _close(self) -> None:
        try:
            await self._writer.aclose()
            while self._reads:
                await asyncio.wait(self._reads)
        finally:
            await self._database.aclose()

    def _check_open(self) -> None:
        self._check_place()
        if self._closing is not None:
            raise ClosedError("the store is closed")

    def _check_place(self) -> None:
        if os.getpid() != self._process:
            raise ClosedError(
                "the store was opened before this process was forked; open one here"
            )
        if asyncio.get_running_loop() is not self._loop:
            raise ClosedError(
                "the store belongs to another event loop; open one in this loop"
            )

    async def _batched(
        self, run: Callable[[Connection, Sequence[Any]], list[Any]], item: Any
    ) -> Any:
        self._check_open()
        return await self._writer.do(run, item)

    async def _write(self, work: Callable[[Connection], T]) -> T:
        result: T = await self._batched(_run_each, work)
        return result

    async def _read(self, work: Callable[[Connection], T]) -> T:
        self._check_open()
        task = asyncio.create_task(self._database.read(work))
        self._reads.add(task)
        task.add_done_callback(self._finished)
        return await asyncio.shield(task)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._reads.discard(task)
        if not task.cancelled():
            task.exception()  # seen here, should the caller have gone


async def _settled(task: asyncio.Task[Any]) -> None:
    """Wait until ``task`` is done, whatever cancels this; then let the cancel go on."""
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as exc:
            cancelled = exc
    if cancelled is not None:
        raise cancelled


def _run_each(
    connection: Connection, works: Sequence[Callable[[Connection], object]]
) -> list[object]:
    """Run single works in a savepoint each, so that what one refuses is its own.

    An error of the database may have ended the transaction: it fails the batch.
    """
    outcomes: list[object] = []
    for work in works:
        try:
            with connection.begin_nested():
                outcomes.append(work(connection))
        except TieredMemoryError as exc:
            outcomes.append(exc)
    return outcomes
