"""Runs folds in the background and on demand: one a session, a few at once."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.breaker import Breaker
from tiered_memory.chat.models import ModelTable
from tiered_memory.compaction.policy import (
    due,
    fixed_part_too_large,
    limit_tokens,
    plan,
    window_tokens,
    worth_it,
)
from tiered_memory.compaction.run import FoldRun
from tiered_memory.compaction.tools import Tools
from tiered_memory.errors import ClosedError, TieredMemoryError
from tiered_memory.model import CompactionResult, CompactionStatus, Event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tiered_memory.chat.tokens import MessageCounter
    from tiered_memory.compaction.tools import CompactionStore
    from tiered_memory.model import Identifier
    from tiered_memory.ports import Clock, Summarizer
    from tiered_memory.settings import Settings
    from tiered_memory.state import SessionState

__all__ = ["Compactor"]

logger = logging.getLogger(__name__)

FACT_CHARS = 3
FACT_TOKENS = 8
"""A fact's line in a prompt, estimated: characters to a token, and tokens around."""


@dataclass(slots=True)
class _Run:
    """A fold under way.

    Attributes:
        waiting: calls of ``compact`` that wait for it.
        background: nobody's call; the session's next message started it.
        again: the session got messages meanwhile.
        ending: it was cancelled and gives back what it holds; nobody joins it.
    """

    task: asyncio.Task[CompactionResult]
    background: bool
    waiting: int = 0
    again: bool = False
    ending: bool = False


class Compactor:
    """Folds sessions: ``nudge`` when one got messages, ``compact`` on demand.

    Its tasks are its own, outside every caller's scope; ``aclose`` ends them. At most
    ``llm.max_concurrency`` folds are under way, first come, first served.
    """

    def __init__(
        self,
        *,
        store: CompactionStore,
        settings: Settings,
        counter: MessageCounter,
        summarizer: Summarizer,
        method: str,
        find_identifiers: Callable[[str], list[Identifier]],
        entities_reached: Callable[[str, int], Awaitable[None]],
        clock: Clock,
        owner: str,
        on_event: Callable[[Event], None],
        folded: Callable[[str, int], Awaitable[None] | None],
    ) -> None:
        """Take what folds need.

        Args:
            store: where sessions live.
            settings: marks, caps, attempts.
            counter: the session's token counter.
            summarizer: writes segments.
            method: its name in records: ``extractive``, ``openai`` or ``custom``.
            find_identifiers: gives the identifiers of any text.
            entities_reached: waits, bounded, until recognizers read up to a seq.
            clock: for records and rests.
            owner: this process's name in leases, at most 64 characters.
            on_event: hears of folds and failures.
            folded: called with session id and new revision after each commit.
        """
        self._tools = Tools(
            store=store,
            settings=settings,
            counter=counter,
            summarizer=summarizer,
            method=method,
            find_identifiers=find_identifiers,
            entities_reached=entities_reached,
            clock=clock,
            owner=owner,
            on_event=on_event,
            folded=folded,
            breaker=Breaker(),
            due=self._due,
        )
        self._settings = settings
        self._places = asyncio.Semaphore(settings.llm.max_concurrency)
        self._runs: dict[str, _Run] = {}
        self._closing = False
        self._warned = False
        window = ModelTable(settings.models).lookup(settings.model).context_window
        self._limit = limit_tokens(settings, window=window)
        self._system_tokens = counter.text(settings.system_prompt)
        self._example_tokens = sum(map(counter.message, settings.examples))

    # -- in the background --------------------------------------------------------

    def nudge(self, state: SessionState) -> None:
        """Start a fold of the session where one is due and pays; never waits.

        Costs a pass over the window. Nothing starts while the session rests after a
        failure.
        """
        if self._closing or not self._settings.compaction.enabled:
            return
        session_id = state.session_id
        run = self._runs.get(session_id)
        if run is not None:
            run.again = True
            return
        breaker = self._tools.breaker
        if session_id in breaker and breaker.rests(session_id, self._tools.clock.now()):
            return
        if self._pays(state):
            self._start(session_id, force=False, background=True)

    def _pays(self, state: SessionState) -> bool:
        reason = self._due(state)
        if reason is None:
            return False
        fold = plan(state, self._settings, press=reason == "budget")
        return fold is not None and worth_it(fold, self._settings, reason=reason)

    def _due(self, state: SessionState) -> str | None:
        tokens = self._prompt_tokens(state)
        reason = due(state, self._settings, prompt_tokens=tokens, limit=self._limit)
        if reason is None and not self._warned:
            self._warn(state, tokens)
        return reason

    def _warn(self, state: SessionState, tokens: int) -> None:
        """Say once that the fixed part of a prompt passes the mark by itself."""
        if not fixed_part_too_large(
            state, self._settings, prompt_tokens=tokens, limit=self._limit
        ):
            return
        self._warned = True
        mark = int(self._settings.compaction.at * self._limit)
        fixed = tokens - window_tokens(state, self._settings)
        logger.warning(
            "system prompt, facts and summary cost %d tokens, compaction.at is %d: no "
            "fold can bring a prompt below it",
            fixed,
            mark,
        )
        self._tools.on_event(
            Event(
                kind="warning",
                session_id=state.session_id,
                details={"code": "fixed_part_too_large", "fixed": fixed, "mark": mark},
            )
        )

    def _prompt_tokens(self, state: SessionState) -> int:
        """Estimate what a prompt of ``state`` costs; no text is tokenised."""
        head = self._system_tokens if state.head is None else state.head.tokens
        facts = [fact for fact in state.facts if fact.ended_revision is None]
        facts = facts[: self._settings.facts.max_facts]
        return (
            head
            + self._example_tokens
            + sum(len(fact.value) // FACT_CHARS + FACT_TOKENS for fact in facts)
            + sum(segment.tokens for segment in state.segments)
            + window_tokens(state, self._settings)
        )

    # -- on demand ----------------------------------------------------------------

    async def compact(self, session_id: str, *, force: bool = False) -> CompactionResult:
        """Fold the session now, and wait for it.

        Where a run is under way this joins it and gives its result. ``force`` does not
        wait for the marks: it folds down to the low ones or, where they leave nothing
        to take, to ``window.min_turns``. A rest after failures binds the background
        alone. When all callers of a run that they started are cancelled, it is too:
        nothing is installed then, or all of it.

        Raises:
            ClosedError: the compactor is closed, or was while this waited.
            asyncio.CancelledError: the caller was cancelled, or the summarizer raised it.
        """
        if self._closing:
            raise ClosedError("the engine is closed; open a new one")
        while (run := self._runs.get(session_id)) is not None and run.ending:
            await asyncio.wait({run.task})
        if self._closing:
            raise ClosedError("the engine was closed while it compacted")
        if run is None:
            run = self._start(session_id, force=force, background=False)
        run.waiting += 1
        try:
            await asyncio.wait({run.task})
        except asyncio.CancelledError:
            if run.waiting == 1 and not run.background:
                run.ending = True
                run.task.cancel()
            raise
        finally:
            run.waiting -= 1
        if run.task.cancelled() and self._closing:
            raise ClosedError("the engine was closed while it compacted")
        return run.task.result()

    async def settled(self, session_id: str) -> None:
        """Wait until no fold of the session is under way."""
        while (run := self._runs.get(session_id)) is not None:
            await asyncio.wait({run.task})

    async def aclose(self) -> None:
        """Cancel what is under way and wait until all of it has ended.

        Returns only then, whatever cancels it meanwhile; the cancellation is raised
        at the end. May be called again.
        """
        self._closing = True
        for run in self._runs.values():
            if not run.ending:
                run.ending = True
                run.task.cancel()
        cancelled: asyncio.CancelledError | None = None
        while self._runs:
            try:
                await asyncio.wait({run.task for run in self._runs.values()})
            except asyncio.CancelledError as exc:
                cancelled = exc
        if cancelled is not None:
            raise cancelled

    # -- runs -----------------------------------------------------------------------

    def _start(self, session_id: str, *, force: bool, background: bool) -> _Run:
        task = asyncio.get_running_loop().create_task(
            self._folds(session_id, force=force), name="tiered-memory fold"
        )
        run = _Run(task=task, background=background)
        self._runs[session_id] = run
        task.add_done_callback(lambda _: self._ended(session_id, run))
        return run

    def _ended(self, session_id: str, run: _Run) -> None:
        if self._runs.get(session_id) is run:
            del self._runs[session_id]

    async def _folds(self, session_id: str, *, force: bool) -> CompactionResult:
        """Fold; then again where messages came meanwhile that make a fold due."""
        async with self._places:
            result = await self._edge(session_id, lambda run: run.fold(force=force))
            if self._works(result):
                await self._edge(session_id, lambda run: run.redo())
            latest = result
            while self._goes_on(session_id, latest):
                latest = await self._edge(session_id, lambda run: run.fold(force=False))
        return result

    def _works(self, result: CompactionResult) -> bool:
        """Tell whether the model has just answered, so that digests can be bettered."""
        record = result.record
        return (
            self._tools.method != "extractive"
            and result.status is CompactionStatus.COMPACTED
            and record is not None
            and record.outcome == "compacted"
            and record.attempts > 0
        )

    def _goes_on(self, session_id: str, latest: CompactionResult) -> bool:
        run = self._runs.get(session_id)
        if run is None or not run.again or not self._settings.compaction.enabled:
            return False
        run.again = False
        return latest.status is CompactionStatus.COMPACTED

    async def _edge(
        self,
        session_id: str,
        step: Callable[[FoldRun], Awaitable[CompactionResult]],
    ) -> CompactionResult:
        """Do one step; this is the task's edge, where failures end."""
        try:
            return await step(FoldRun(self._tools, session_id))
        except Exception as exc:  # noqa: BLE001 - logged, counted and told, never lost
            return self._broken(session_id, exc)

    def _broken(self, session_id: str, exc: Exception) -> CompactionResult:
        """Tell of a failure that no stage expected; texts and values are left out."""
        tools = self._tools
        kind = type(exc).__qualname__
        tools.breaker.failed(session_id, tools.clock.now())
        logger.error("a compaction failed: %s in %s", kind, _place(exc))
        tools.on_event(
            Event(
                kind="background_error",
                session_id=session_id,
                details={"error": kind, "place": _place(exc)},
            )
        )
        told = str(exc) if isinstance(exc, TieredMemoryError) else kind
        return CompactionResult(status=CompactionStatus.FAILED, reason=told)


def _place(exc: Exception) -> str:
    """Give file and line where an exception was raised."""
    trace = exc.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "?"
    name = trace.tb_frame.f_code.co_filename.rpartition("/")[2]
    return f"{name}:{trace.tb_lineno}"
