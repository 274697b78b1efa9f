"""Stage 2 in the background: what rules left open goes to the recognizers in batches."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from tiered_memory.chat.leaves import text_leaves
from tiered_memory.facts.entities import EntityText
from tiered_memory.facts.resolve import resolve
from tiered_memory.model import FactDraft

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tiered_memory.facts.entities import EntityStage
    from tiered_memory.model import AppendResult, Candidate, Message
    from tiered_memory.ports import Clock
    from tiered_memory.store.store import Store

__all__ = ["EntityWorker"]

logger = logging.getLogger(__name__)

BACKLOG = 2_000
"""Texts that may wait; the oldest go first past it and are read again at the next open."""
PAGE = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    session_id: str
    seq: int
    texts: tuple[EntityText, ...]


class EntityWorker:
    """Reads user messages for entities: one thread, many sessions in a batch.

    ``submit`` never waits. Where a batch failed or the backlog overflowed, the
    session's watermark stays where it was, so that the next open reads it again.
    """

    def __init__(
        self,
        *,
        stage: EntityStage,
        store: Store,
        clock: Clock,
        batch: int,
        deadline_ms: int,
        max_chars: int,
        changed: Callable[[AppendResult], None],
    ) -> None:
        self._stage = stage
        self._store = store
        self._clock = clock
        self._batch = batch
        self._deadline_s = deadline_ms / 1_000
        self._changed = changed
        self._max_chars = max_chars
        self._jobs: deque[_Job] = deque()
        self._waiting: dict[str, int] = {}
        self._idle: dict[str, asyncio.Event] = {}
        self._gaps: set[str] = set()
        self._arrived = asyncio.Event()
        self._thread = anyio.CapacityLimiter(1)
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        self.batches = 0
        self.errors = 0
        self.dropped = 0

    @property
    def backlog(self) -> int:
        """Texts that wait for the recognizers."""
        return len(self._jobs)

    def start(self) -> None:
        """Start the worker's task; it belongs to the engine, not to a caller's scope."""
        self._task = asyncio.create_task(self._run(), name="tiered-memory entities")

    def submit(
        self, session_id: str, messages: Iterable[Message], taken: Sequence[Candidate]
    ) -> None:
        """Queue the user messages among ``messages``; ``taken`` is what rules found.

        Of a long text the beginning is read, as far as rules read it.
        ``index`` of a candidate is the place of its message in ``messages``.
        """
        for index, message in enumerate(messages):
            if message.role != "user":
                continue
            texts = tuple(
                EntityText(
                    text=leaf.text[: self._max_chars],
                    part=leaf.part,
                    taken=tuple(
                        (c.start, c.end)
                        for c in taken
                        if c.index == index and c.part == leaf.part
                    ),
                )
                for leaf in text_leaves(message.payload)
                if not leaf.extra
            )
            self._push(_Job(session_id=session_id, seq=message.seq, texts=texts))

    async def catch_up(self) -> None:
        """Queue what an earlier process stored but did not read; one query, then pages."""
        for session_id, entities_seq, _ in await self._store.unread_entities(limit=PAGE):
            after = entities_seq
            while True:
                page = await self._store.history(session_id, after=after, limit=PAGE)
                self.submit(session_id, page, ())
                if len(page) < PAGE:
                    break
                after = page[-1].seq

    async def reached(self, session_id: str) -> bool:
        """Wait until the session's queued messages are read; bounded by the deadline.

        Returns:
            False when the deadline came first.
        """
        if not self._waiting.get(session_id):
            return True
        event = self._idle.setdefault(session_id, asyncio.Event())
        with anyio.move_on_after(self._deadline_s):
            await event.wait()
        return not self._waiting.get(session_id)

    async def aclose(self) -> None:
        """Finish the batch in flight and stop; what waits is read at the next open."""
        self._closing = True
        self._arrived.set()
        if self._task is not None:
            await asyncio.shield(self._task)

    def _push(self, job: _Job) -> None:
        if len(self._jobs) >= BACKLOG:
            oldest = self._jobs.popleft()
            self._gaps.add(oldest.session_id)
            self._done([oldest])
            self.dropped += 1
        self._jobs.append(job)
        self._waiting[job.session_id] = self._waiting.get(job.session_id, 0) + 1
        self._arrived.set()

    def _done(self, jobs: Iterable[_Job]) -> None:
        for job in jobs:
            left = self._waiting[job.session_id] - 1
            if left:
                self._waiting[job.session_id] = left
                continue
            del self._waiting[job.session_id]
            event = self._idle.pop(job.session_id, None)
            if event is not None:
                event.set()

    async def _run(self) -> None:
        while not self._closing:
            await self._arrived.wait()
            self._arrived.clear()
            while self._jobs and not self._closing:
                batch = [
                    self._jobs.popleft() for _ in range(min(self._batch, len(self._jobs)))
                ]
                try:
                    await self._read(batch)
                except Exception as exc:  # noqa: BLE001 (a background task's edge)
                    self.errors += 1
                    self._gaps.update(job.session_id for job in batch)
                    logger.error(
                        "the entity recognizers failed on a batch: %s",
                        type(exc).__qualname__,
                    )
                finally:
                    self._done(batch)

    async def _read(self, batch: list[_Job]) -> None:
        texts = [text for job in batch for text in job.texts]
        found = await to_thread.run_sync(
            self._stage.candidates, texts, limiter=self._thread
        )
        self.batches += 1
        position = 0
        by_session: dict[str, list[tuple[int, Candidate]]] = {}
        read_to: dict[str, int] = {}
        for job in batch:
            mine = by_session.setdefault(job.session_id, [])
            for candidates in found[position : position + len(job.texts)]:
                mine += [(job.seq, candidate) for candidate in candidates]
            position += len(job.texts)
            read_to[job.session_id] = max(read_to.get(job.session_id, 0), job.seq)
        async with asyncio.TaskGroup() as group:
            for session_id, entities in by_session.items():
                group.create_task(self._commit(session_id, read_to[session_id], entities))

    async def _commit(
        self, session_id: str, entities_seq: int, candidates: list[tuple[int, Candidate]]
    ) -> None:
        draft = FactDraft(
            session_id=session_id,
            entities_seq=None if session_id in self._gaps else entities_seq,
            candidates=tuple(candidates),
            created_at=self._clock.now(),
        )
        self._changed(await self._store.change_facts(draft, resolve))
