"""Stage 2 in the background: what rules left open goes to the recognizers in batches."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import anyio

from tiered_memory.entity_asks import Asks
from tiered_memory.entity_catch_up import CatchUp, job_of
from tiered_memory.entity_jobs import EntityJob, EntityQueue, in_batches
from tiered_memory.errors import RecognizerError
from tiered_memory.facts.resolve import resolve
from tiered_memory.model import FactDraft

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from tiered_memory.entity_catch_up import Rules
    from tiered_memory.facts.entities import EntityText
    from tiered_memory.facts.entity_reader import EntityReader
    from tiered_memory.model import AppendResult, Candidate, Message
    from tiered_memory.ports import Clock
    from tiered_memory.settings import NerSettings
    from tiered_memory.store.store import Store

__all__ = ["EntityWorker"]

logger = logging.getLogger(__name__)

CLOSE_S = 5.0
"""``aclose`` waits so long for the batch under way; what it was is read at the next open."""
FAILURES = 3
"""After so many messages of a batch failed alone, the rest is not tried one by one."""


class EntityWorker:
    """Reads user messages for entities: one reader, many sessions in a batch.

    ``submit`` never waits. A session's watermark in the store (``entities_seq``) goes no
    further than all before it is read, so what failed, overflowed or was lost with the
    process is found again: once the recognizers are idle, or at the next open.
    """

    def __init__(
        self,
        *,
        reader: EntityReader,
        store: Store,
        clock: Clock,
        settings: NerSettings,
        max_chars: int,
        rules: Rules,
        masked_types: Collection[str],
        changed: Callable[[AppendResult], None],
    ) -> None:
        """Prepare; candidates of ``masked_types`` are never stored."""
        self._reader = reader
        self._store = store
        self._clock = clock
        self._batch = settings.batch
        self._deadline_s = settings.deadline_ms / 1_000
        self._max_chars = max_chars
        self._masked_types = frozenset(masked_types)
        self._changed = changed
        self._queue = EntityQueue(texts=settings.queue_texts, chars=settings.queue_chars)
        self._asks = Asks(reader, batch=settings.batch)
        self._unread = CatchUp(store, rules, max_chars=max_chars)
        self._waiting: dict[str, int] = {}
        self._idle: dict[str, asyncio.Event] = {}
        self._arrived = asyncio.Event()
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        self.batches = 0
        self.errors = 0
        self.dropped = 0

    @property
    def backlog(self) -> int:
        """Texts that wait for the recognizers."""
        return self._queue.texts

    @property
    def restarts(self) -> int:
        """How often the recognizers' process was replaced."""
        return self._reader.restarts

    @property
    def time_outs(self) -> int:
        """Batches that took longer than ``ner.batch_timeout_s``."""
        return self._reader.time_outs

    def mask(self, types: Collection[str]) -> None:
        """Store no candidates of ``types`` from now on."""
        self._masked_types = frozenset(types)

    def start(self) -> None:
        """Start the worker's task; it belongs to the engine, not to a caller's scope."""
        self._task = asyncio.create_task(self._run(), name="tiered-memory entities")

    def submit(
        self, session_id: str, messages: Iterable[Message], taken: Sequence[Candidate]
    ) -> None:
        """Queue the user messages among ``messages``; ``taken`` is what rules found.

        ``index`` of a candidate is the place of its message in ``messages``.
        """
        for index, message in enumerate(messages):
            if message.role != "user":
                continue
            mine = [c for c in taken if c.index == index]
            job = job_of(session_id, message, mine, max_chars=self._max_chars)
            self._waiting[session_id] = self._waiting.get(session_id, 0) + 1
            dropped = self._queue.push(job)
            for old in dropped:
                self._unread.gaps.add(old.session_id)
            self.dropped += len(dropped)
            self._done(dropped)
        self._arrived.set()

    async def reached(self, session_id: str) -> bool:
        """Wait until the session's stored messages are read; bounded by the deadline.

        Returns:
            False when the deadline came first, or would: the recognizers are stuck.
        """
        self._unread.ask_for(session_id)
        if not self._pending(session_id):
            return True
        if self._reader.stuck or self._closing:
            return False
        self._arrived.set()
        event = self._idle.setdefault(session_id, asyncio.Event())
        with anyio.move_on_after(self._deadline_s):
            await event.wait()
        return not self._pending(session_id)

    async def mentions(self, texts: Sequence[EntityText]) -> list[list[Candidate]]:
        """Give all that is named in ``texts``, before other work; for what must be masked.

        Waits for as long as it takes: the caller sets a limit.

        Raises:
            RecognizerError: the recognizers failed, or are stuck.
        """
        if self._closing:
            raise RecognizerError("the engine is closing", reason="closed")
        if self._reader.stuck:
            raise RecognizerError(
                "the recognizers have not come back from an earlier message, and what they "
                "find must be masked: nothing was stored",
                reason="time",
            )
        answer = self._asks.put(texts)
        self._arrived.set()
        try:
            return await answer
        finally:
            answer.cancel()

    async def aclose(self) -> None:
        """Stop, after the batch under way if that ends in ``CLOSE_S``; idempotent."""
        self._closing = True
        self._arrived.set()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=CLOSE_S)
        self._reader.abandon()
        if self._task is not None:
            await asyncio.wait({self._task})
        self._asks.refuse(RecognizerError("the engine is closing", reason="closed"))
        await self._reader.aclose()

    # -- the task -------------------------------------------------------------------

    async def _run(self) -> None:
        while not self._closing:
            self._arrived.clear()
            try:
                busy = await self._step()
            except Exception as exc:  # noqa: BLE001 (a background task's edge)
                self._failed(exc)
                busy = False
            if not busy and not self._closing:
                await self._wait()

    async def _step(self) -> bool:
        """Do what is most pressing; False where there is nothing to do now."""
        if await self._live():
            return True
        session_id = self._unread.gaps.next(self._now())
        if session_id is not None:
            await self._fill(session_id)
            return True
        if not self._unread.scanned:
            await self._unread.scan()
            return True
        return False

    async def _wait(self) -> None:
        """Wait for work to come, or for a session that was put off."""
        due = self._unread.gaps.due()
        with anyio.move_on_after(None if due is None else max(0.0, due - self._now())):
            await self._arrived.wait()

    async def _live(self) -> bool:
        """Answer who waits, then read a batch of what came in; False where nothing did."""
        if self._asks:
            await self._asks.answer()
            return True
        if self._queue:
            batch = self._queue.take(self._batch)
            await self._read(batch)
            self._done(batch)
            return True
        return False

    async def _fill(self, session_id: str) -> None:
        """Read what a session has unread; what comes in meanwhile goes first."""
        complete = True
        try:
            async for jobs in self._unread.jobs(session_id):
                for batch in in_batches(jobs, self._batch):
                    while not self._closing and await self._live():
                        pass
                    if self._closing:
                        return
                    complete &= await self._read(batch)
        except Exception as exc:  # noqa: BLE001 (a background task's edge)
            self._failed(exc)
            self._put_off([session_id])
            complete = False
        if complete:
            self._unread.done(session_id)
        self._tell(session_id)

    async def _read(self, batch: list[EntityJob]) -> bool:
        """Read and store; what fails is tried message by message, and put off."""
        try:
            await self._read_together(batch)
        except Exception as exc:  # noqa: BLE001 (a background task's edge)
            if len(batch) > 1 and not self._closing:
                return await self._read_each(batch)
            self._failed(exc)
            self._put_off(job.session_id for job in batch)
            return False
        return True

    async def _read_each(self, batch: list[EntityJob]) -> bool:
        failures = 0
        for number, job in enumerate(batch):
            failures += not await self._read([job])
            if failures == FAILURES or self._closing:
                self._put_off(job.session_id for job in batch[number + 1 :])
                return False
        return not failures

    async def _read_together(self, batch: list[EntityJob]) -> None:
        texts = [text for job in batch for text in job.texts]
        found = await self._reader.candidates(texts) if texts else []
        self.batches += 1
        position = 0
        entities: dict[str, list[tuple[int, Candidate]]] = {}
        read: dict[str, list[int]] = {}
        for job in batch:
            mine = entities.setdefault(job.session_id, [])
            for candidates in found[position : position + len(job.texts)]:
                mine += [
                    (job.seq, candidate)
                    for candidate in candidates
                    if candidate.type not in self._masked_types
                ]
            position += len(job.texts)
            read.setdefault(job.session_id, []).append(job.seq)
        async with asyncio.TaskGroup() as group:
            for session_id, seqs in read.items():
                group.create_task(self._commit(session_id, seqs, entities[session_id]))

    async def _commit(
        self, session_id: str, read: list[int], candidates: list[tuple[int, Candidate]]
    ) -> None:
        draft = FactDraft(
            session_id=session_id,
            read=tuple(read),
            candidates=tuple(candidates),
            created_at=self._clock.now(),
        )
        self._changed(await self._store.change_facts(draft, resolve))

    # -- bookkeeping ----------------------------------------------------------------

    def _pending(self, session_id: str) -> bool:
        return session_id in self._waiting or session_id in self._unread.gaps

    def _done(self, jobs: Iterable[EntityJob]) -> None:
        for job in jobs:
            left = self._waiting[job.session_id] - 1
            if left:
                self._waiting[job.session_id] = left
            else:
                del self._waiting[job.session_id]
                self._tell(job.session_id)

    def _tell(self, session_id: str) -> None:
        """Wake who waits for the session, unless more of it is to come."""
        if not self._pending(session_id):
            event = self._idle.pop(session_id, None)
            if event is not None:
                event.set()

    def _put_off(self, session_ids: Iterable[str]) -> None:
        for session_id in set(session_ids):
            self._unread.gaps.failed(session_id, self._now())

    def _failed(self, error: BaseException) -> None:
        """Count and log; of an error that is not ours the name alone: it may hold text."""
        if isinstance(error, RecognizerError) and error.reason == "closed":
            return
        self.errors += 1
        what = str(error) if isinstance(error, RecognizerError) else ""
        logger.error("reading for entities failed: %s", what or type(error).__qualname__)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
