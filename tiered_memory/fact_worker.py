"""Stage 3 in the background: a model is asked about messages that rules found nothing in."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from tiered_memory.breaker import Breaker
from tiered_memory.chat.leaves import text_leaves
from tiered_memory.errors import ClosedError
from tiered_memory.facts.model_calls import CallFailed, ModelCaller
from tiered_memory.facts.model_replies import ReplyReader, Verdict, withstood
from tiered_memory.facts.model_stage import fact_request, proposable
from tiered_memory.facts.model_words import PartText
from tiered_memory.facts.resolve import resolve
from tiered_memory.model import Event, ProposalDraft

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from tiered_memory.facts.extraction import Extractor
    from tiered_memory.model import AppendResult, Candidate, Fact, Message
    from tiered_memory.ports import Clock, FactModel
    from tiered_memory.settings import FactModelSettings
    from tiered_memory.store.store import Store

__all__ = ["FactWorker"]

logger = logging.getLogger(__name__)

BACKLOG = 2_000
"""Messages that wait in memory; those beyond stay in the database until there is room."""
PAGE = 256
CLOSING_S = 5.0
"""A call that is cancelled has so long to end."""
SPARE_S = 5.0
"""What a message may take beside its calls."""
START = ("", 0)

Name = tuple[str, int]


class FactWorker:
    """Asks about one message of a session at a time, oldest first; nothing waits for it.

    A failed call is made once again (``max_retries``); then the message counts as read,
    and no call is made for a while that grows with each such failure. What is to be
    read is in the database until it was: a crash loses none of it.
    """

    def __init__(
        self,
        *,
        model: FactModel,
        extractor: Extractor,
        store: Store,
        clock: Clock,
        settings: FactModelSettings,
        entities_reached: Callable[[str], Awaitable[object]],
        changed: Callable[[AppendResult], None],
        tell: Callable[[Event], None],
        sleep: Callable[[float], Awaitable[object]] = anyio.sleep,
    ) -> None:
        self._caller = ModelCaller(model, timeout_s=settings.timeout_s)
        self._reader = ReplyReader(extractor)
        self._extractor = extractor
        self._store = store
        self._clock = clock
        self._settings = settings
        self._entities_reached = entities_reached
        self._changed = changed
        self._tell = tell
        self._sleep = sleep
        self._breaker = Breaker()
        self._queues: dict[str, deque[int]] = {}
        self._known: set[Name] = set()
        self._ready: asyncio.Queue[str] = asyncio.Queue()
        self._idle: dict[str, asyncio.Event] = {}
        self._runners: list[asyncio.Task[None]] = []
        self._closing = False
        self._after: Name | None = START
        self.calls = 0
        self.failures = 0
        self.skipped = 0
        self.refused = 0

    @property
    def backlog(self) -> int:
        """Messages that wait in memory, those that are being read included."""
        return len(self._known)

    def use(self, extractor: Extractor) -> None:
        """Read by other patterns from the next message on."""
        self._reader = self._reader.reading_with(extractor)
        self._extractor = extractor

    def start(self) -> None:
        """Start the tasks; they belong to the engine, not to a caller's scope."""
        self._runners = [
            asyncio.create_task(self._run(), name=f"tiered-memory facts {number}")
            for number in range(self._settings.max_concurrency)
        ]

    def submit(self, session_id: str, seqs: Iterable[int]) -> None:
        """Queue stored messages whose tasks are in the database; never waits."""
        for seq in seqs:
            name = (session_id, seq)
            if name in self._known:
                continue
            if len(self._known) >= BACKLOG:
                self._after = START
                return
            self._known.add(name)
            queue = self._queues.get(session_id)
            if queue is None:
                self._queues[session_id] = deque((seq,))
                self._ready.put_nowait(session_id)
            else:
                queue.append(seq)

    async def catch_up(self) -> None:
        """Queue what was stored but not read, page by page, while there is room."""
        while self._after is not None and len(self._known) < BACKLOG:
            page = await self._store.model_tasks.open(after=self._after, limit=PAGE)
            self._after = page[-1] if len(page) == PAGE else None
            for session_id, seq in page:
                self.submit(session_id, (seq,))

    async def reached(self, session_id: str) -> bool:
        """Wait until the session's queued messages are read.

        At most as long as all tries of one message may take, and not at all while calls
        rest after failures.

        Returns:
            False where something is left to read.
        """
        if session_id not in self._queues:
            return True
        if self._breaker.rests("", self._clock.now()):
            return False
        event = self._idle.setdefault(session_id, asyncio.Event())
        limit = self._settings.timeout_s * (1 + self._settings.max_retries) + SPARE_S
        with anyio.move_on_after(limit):
            await event.wait()
        return session_id not in self._queues

    async def aclose(self) -> None:
        """Cancel the calls in flight and stop; their messages are read at the next open."""
        self._closing = True
        for runner in self._runners:
            runner.cancel()
        if not self._runners:
            return
        _, left = await asyncio.wait(self._runners, timeout=CLOSING_S)
        if left:
            logger.error("a fact model did not end when it was cancelled; left behind")

    async def _run(self) -> None:
        while not self._closing:
            if self._ready.empty() and self._after is not None:
                await self._guarded(self.catch_up())
            session_id = await self._ready.get()
            await self._rested()
            queue = self._queues[session_id]
            seq = queue.popleft()
            await self._guarded(self._read(session_id, seq))
            self._known.discard((session_id, seq))
            if queue:
                self._ready.put_nowait(session_id)
            else:
                del self._queues[session_id]
                self._wake(session_id)

    async def _guarded(self, work: Awaitable[None]) -> None:
        try:
            await work
        except ClosedError:
            return  # its model did not let itself be cancelled; the task is in the database
        except Exception as exc:  # noqa: BLE001 (a background task's edge)
            self._failed_on("store", type(exc).__qualname__, None)

    def _failed_on(self, where: str, reason: str, session_id: str | None) -> None:
        logger.error("stage 3 of extraction failed (%s): %s", where, reason)
        details = {"where": f"fact_model.{where}", "reason": reason}
        self._tell(Event(kind="background_error", session_id=session_id, details=details))

    async def _rested(self) -> None:
        """Wait until calls may be made again."""
        while (left := self._breaker.left("", self._clock.now())) > 0:
            await self._sleep(left)

    def _wake(self, session_id: str) -> None:
        event = self._idle.pop(session_id, None)
        if event is not None:
            event.set()

    async def _read(self, session_id: str, seq: int) -> None:
        """Read one message and end its task."""
        await self._entities_reached(session_id)
        parts = await self._open(session_id, seq)
        verdict = await self._asked(session_id, seq, parts) if parts else Verdict()
        if verdict is None:
            return
        if verdict.stored or verdict.waiting:
            verdict = await self._lasting(session_id, seq, verdict)
        draft = ProposalDraft(
            session_id=session_id,
            seq=seq,
            created_at=self._clock.now(),
            stored=verdict.stored,
            waiting=verdict.waiting,
        )
        result = await self._store.model_tasks.end(draft, resolve, withstood)
        if result is not None:
            self._changed(result)

    async def _open(self, session_id: str, seq: int) -> list[PartText]:
        """Give the message's texts; none where a fact was found in it meanwhile."""
        page = await self._store.history(session_id, after=seq - 1, limit=1)
        if not page or page[0].seq != seq:
            return []
        facts = await self._store.facts(session_id, history=True)
        if any(_found_in(fact, seq) for fact in facts):
            return []
        return _texts(page[0])

    async def _lasting(self, session_id: str, seq: int, verdict: Verdict) -> Verdict:
        """Leave out what the customer has taken back since."""
        page = await self._store.history(session_id, after=seq, limit=PAGE)
        texts = [t.text for m in page if m.role == "user" for t in _texts(m)]
        if not texts:
            return verdict
        denied = await to_thread.run_sync(self._denied, texts)
        return replace(
            verdict,
            stored=tuple(c for c in verdict.stored if _named(c) not in denied),
            waiting=tuple(c for c in verdict.waiting if _named(c) not in denied),
        )

    def _denied(self, texts: Iterable[str]) -> set[tuple[str, str]]:
        return {
            _named(candidate)
            for text in texts
            for candidate in self._extractor.extract(text, role="user").facts
            if candidate.polarity == "negate"
        }

    async def _asked(
        self, session_id: str, seq: int, parts: list[PartText]
    ) -> Verdict | None:
        """Ask the model, at most as often as the settings say; None where it may not be."""
        reader = self._reader
        types = proposable(self._extractor.patterns)
        request = fact_request([part.text for part in parts], types)
        failed: CallFailed | None = None
        for _ in range(1 + self._settings.max_retries):
            grant = await self._store.model_tasks.begin(
                session_id,
                seq,
                day=self._clock.now().date().isoformat(),
                per_day=self._settings.calls_per_day,
                per_session=self._settings.calls_per_session,
            )
            if grant != "granted":
                self.skipped += grant == "spent" and failed is None
                break
            self.calls += 1
            try:
                verdict = await self._caller.call(request, parts, reader)
            except CallFailed as exc:
                self.failures += 1
                failed = exc
                if not exc.retryable:
                    break
                continue
            self._breaker.worked("")
            self.refused += sum(verdict.refused.values())
            return verdict
        if failed is None:
            return None
        self._rest(session_id, failed)
        return Verdict()

    def _rest(self, session_id: str, failed: CallFailed) -> None:
        """Give a message up, and let calls rest; who waits meanwhile waits no more."""
        now = self._clock.now()
        self._breaker.failed("", now, retry_after_s=failed.retry_after_s)
        self._failed_on("call", failed.reason, session_id)
        for waiting in list(self._idle):
            self._wake(waiting)


def _texts(message: Message) -> list[PartText]:
    return [
        PartText(text=leaf.text, part=leaf.part)
        for leaf in text_leaves(message.payload)
        if not leaf.extra
    ]


def _named(candidate: Candidate) -> tuple[str, str]:
    return (candidate.type, candidate.normalized)


def _found_in(fact: Fact, seq: int) -> bool:
    """Tell whether the message stated ``fact``; a place or person it mentions is none."""
    mention = fact.source == "ner" and fact.cardinality == "many"
    return seq in (fact.seq, fact.last_seq) and not mention
