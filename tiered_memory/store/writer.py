"""The one task that writes: it drains what is queued into one transaction."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tiered_memory.errors import ClosedError, StoreBusyError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from tiered_memory.store.database import Database

__all__ = ["Writer"]

MAX_BATCH = 256
"""Operations in one transaction: past it latency grows and throughput does not."""


@dataclass(slots=True)
class _Operation:
    run: Callable[[Connection, Sequence[Any]], list[Any]]
    item: Any
    done: asyncio.Future[Any]


class Writer:
    """Runs operations in the order in which they came, many in one transaction.

    Each caller is answered after the commit. Where a transaction fails its operations
    run again one by one, so that only the one at fault fails; a database that is locked
    beyond the time limit fails all of them at once. A caller that was
    cancelled before its operation was taken up is not written; after that it is.
    """

    def __init__(self, database: Database, *, queue: int) -> None:
        self._database = database
        self._operations: deque[_Operation] = deque()
        self._arrived = asyncio.Event()
        self._room = asyncio.Semaphore(queue)
        self._closing = False
        self._task = asyncio.create_task(self._run(), name="tiered-memory writer")

    async def do(
        self, run: Callable[[Connection, Sequence[Any]], list[Any]], item: Any
    ) -> Any:
        """Write ``item`` by ``run``, together with what else waits; waits for room.

        ``run`` takes the items of neighbours and gives an outcome for each, in order;
        one that is an exception is raised to that item's caller alone.
        """
        async with self._room:
            if self._closing or self._task.done():
                raise ClosedError("the store is closed")
            done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._operations.append(_Operation(run, item, done))
            self._arrived.set()
            return await done

    async def aclose(self) -> None:
        """Write what is queued, then stop."""
        self._closing = True
        self._arrived.set()
        await asyncio.wait({self._task})
        if not self._task.cancelled():
            self._task.result()

    async def _run(self) -> None:
        try:
            await self._drain()
        finally:
            for operation in self._operations:
                operation.done.cancel()

    async def _drain(self) -> None:
        while self._operations or not self._closing:
            if not self._operations:
                self._arrived.clear()
                await self._arrived.wait()
                continue
            batch: list[_Operation] = []
            while self._operations and len(batch) < MAX_BATCH:
                operation = self._operations.popleft()
                if not operation.done.done():
                    batch.append(operation)
            if batch:
                await self._write(batch)

    async def _write(self, batch: list[_Operation]) -> None:
        try:
            outcomes = await self._database.write(lambda conn: _apply(conn, batch))
        except asyncio.CancelledError:
            for operation in batch:
                operation.done.cancel()
            raise
        except Exception as exc:  # noqa: BLE001 (handed to the callers)
            if len(batch) > 1 and not isinstance(exc, StoreBusyError):
                await self._write_each(batch)
                return
            outcomes = [exc] * len(batch)
        for operation, outcome in zip(batch, outcomes, strict=True):
            _settle(operation, outcome)

    async def _write_each(self, batch: Sequence[_Operation]) -> None:
        try:
            for operation in batch:
                await self._write([operation])
        finally:
            for operation in batch:
                operation.done.cancel()  # an answered one stays as it is


def _apply(connection: Connection, batch: Sequence[_Operation]) -> list[Any]:
    """Run neighbours of one kind together; give all outcomes in order."""
    outcomes: list[Any] = []
    start = 0
    while start < len(batch):
        end = start + 1
        while end < len(batch) and batch[end].run is batch[start].run:
            end += 1
        items = [operation.item for operation in batch[start:end]]
        outcomes += batch[start].run(connection, items)
        start = end
    return outcomes


def _settle(operation: _Operation, outcome: Any) -> None:
    if operation.done.done():
        return
    if isinstance(outcome, Exception):
        operation.done.set_exception(outcome)
    else:
        operation.done.set_result(outcome)
