"""The stage in its thread, with a limit on every call."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from anyio import CancelScope, to_thread

from tiered_memory.errors import RecognizerError
from tiered_memory.facts.reader_thread import ReaderThread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tiered_memory.facts.entities import EntityStage, EntityText
    from tiered_memory.facts.entity_process import RecognizerProcess
    from tiered_memory.model import Candidate

    Found = list[list[Candidate]]

__all__ = ["EntityReader"]

logger = logging.getLogger(__name__)

LAST_CALL_S = 1.0
"""How long a thread may take to end; one that takes longer is left behind."""


class EntityReader:
    """Runs an ``EntityStage`` off the loop, one call at a time.

    A call beyond ``limit_s``: a child process is killed, and the call fails. A thread
    cannot be stopped: nothing else is read until it comes back, and ``stuck`` is true.
    """

    def __init__(
        self, stage: EntityStage, process: RecognizerProcess | None, *, limit_s: float
    ) -> None:
        self._stage = stage
        self._process = process
        self._limit_s = limit_s
        self._thread = ReaderThread("tiered-memory recognizers")
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.stuck = False
        self.time_outs = 0

    @property
    def restarts(self) -> int:
        """How often the child process was replaced."""
        return 0 if self._process is None else self._process.restarts

    async def candidates(self, texts: Sequence[EntityText]) -> Found:
        """Give the candidates of each text; one call at a time.

        Raises:
            RecognizerError: it took too long, the child died again and again, or
                ``abandon`` was called.
            ValueError: a recognizer's answer makes no sense.
        """
        return await self._limited(lambda: self._stage.candidates(texts))

    async def mentions(self, texts: Sequence[EntityText]) -> Found:
        """Give every place where something is named; raises as ``candidates`` does."""
        return await self._limited(lambda: self._stage.mentions(texts))

    def abandon(self) -> None:
        """Let the call under way fail, now; for the end."""
        if not self._closed.done():
            self._closed.set_result(None)

    async def aclose(self) -> None:
        """Kill the child, end the thread; done in a second, whatever cancels it."""
        self.abandon()
        with CancelScope(shield=True):
            if self._process is not None:
                await to_thread.run_sync(self._process.close)
            if not await self._thread.aclose(LAST_CALL_S):
                logger.warning(
                    "a recognizer has not come back; its thread cannot be stopped and is "
                    "left to itself (ner.mode = 'process' can)"
                )

    async def _limited(self, work: Callable[[], Found]) -> Found:
        call = self._thread.call(work)
        ends: set[asyncio.Future[Any]] = {call, self._closed}
        while not await self._ended(ends, self._limit_s):
            if self._process is not None and self._process.starting:
                continue  # which has a limit of its own
            self.time_outs += 1
            logger.error("the recognizers took more than %g s on a batch", self._limit_s)
            await self._stop(ends)
            break
        if call.done():
            return call.result()
        call.add_done_callback(_looked_at)
        raise RecognizerError("the engine is closing", reason="closed")

    async def _stop(self, ends: set[asyncio.Future[Any]]) -> None:
        """End a call that takes too long, or wait for a thread's, which nothing ends."""
        if self._process is not None:
            self._process.interrupt()
        self.stuck = self._process is None
        try:
            await self._ended(ends, None)
        finally:
            self.stuck = False

    @staticmethod
    async def _ended(ends: set[asyncio.Future[Any]], limit_s: float | None) -> bool:
        first = asyncio.FIRST_COMPLETED
        done, _ = await asyncio.wait(ends, timeout=limit_s, return_when=first)
        return bool(done)


def _looked_at(call: asyncio.Future[Found]) -> None:
    """Take note of an error that came after nobody waited any more."""
    if not call.cancelled():
        call.exception()
