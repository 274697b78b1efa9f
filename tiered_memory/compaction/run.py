"""One fold of one session: plan, claim, tell, verify, commit; or nothing happened."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from anyio import to_thread

from tiered_memory.compaction.brief import Brief, language_of
from tiered_memory.compaction.policy import FoldPlan, plan, window_tokens, worth_it
from tiered_memory.compaction.summarizing import Attempts, Summary, Writer
from tiered_memory.compaction.survival import survival
from tiered_memory.compaction.transcript import Reader, References
from tiered_memory.compaction.verify import cost_shown
from tiered_memory.compaction.wording import PROMPT_VERSION
from tiered_memory.errors import StaleCompactionError, SummarizerError
from tiered_memory.model import (
    CompactionRecord,
    CompactionResult,
    CompactionStatus,
    Event,
    FoldCommit,
    Segment,
)

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from tiered_memory.compaction.tools import Tools
    from tiered_memory.compaction.transcript import Transcript
    from tiered_memory.state import SessionState

__all__ = ["FoldRun"]

logger = logging.getLogger(__name__)

T = TypeVar("T")


class FoldRun:
    """One try to fold ``session_id``; call ``fold`` once.

    Between claim and commit nothing is held: no transaction, no connection, no lock.
    """

    def __init__(self, tools: Tools, session_id: str, *, force: bool) -> None:
        self._tools = tools
        self._id = session_id
        self._force = force
        self._attempts = Attempts()
        self._started = asyncio.get_running_loop().time()
        self._count = tools.counter.text

    async def fold(self) -> CompactionResult:
        """Fold what is due.

        Any failure of the summarizer leaves everything as it was, but for the record
        of the try.

        Raises:
            StoreError: the store failed; nothing was installed, or all of it.
        """
        tools = self._tools
        state = await tools.store.load(self._id)
        if state is None:
            return _result(CompactionStatus.NOTHING_TO_DO, "no such session")
        reason = "forced" if self._force else tools.due(state)
        if reason is None:
            return _result(CompactionStatus.NOTHING_TO_DO, "no mark is reached")
        fold = plan(state, tools.settings, press=reason in {"forced", "budget"})
        if fold is None:
            return _result(CompactionStatus.NOTHING_TO_DO, "no turn may leave the window")
        if not self._force and not worth_it(fold, tools.settings, reason=reason):
            return _result(
                CompactionStatus.NOT_WORTH_IT,
                f"{fold.tokens} tokens could go, a segment may cost as many",
            )
        if not await tools.store.claim(
            self._id,
            owner=tools.owner,
            ttl_s=tools.settings.compaction.lease_s,
            boundary_seq=state.boundary_seq,
            generation=state.generation,
        ):
            return _result(CompactionStatus.BUSY, "the session is compacted elsewhere")
        return await self._claimed(state, fold, reason)

    async def _claimed(
        self, state: SessionState, fold: FoldPlan, reason: str
    ) -> CompactionResult:
        """Fold under the lease; it is given back whatever happens."""
        heartbeat = asyncio.get_running_loop().create_task(
            self._renew(), name="tiered-memory lease"
        )
        committed = False
        try:
            result = await self._told(state, fold, reason)
            committed = result.status is CompactionStatus.COMPACTED
            return result
        finally:
            heartbeat.cancel()
            await asyncio.wait({heartbeat})
            if not heartbeat.cancelled() and (error := heartbeat.exception()):
                logger.warning("a lease was not renewed: %s", type(error).__qualname__)
            if not committed:
                await self._tools.store.release(self._id, owner=self._tools.owner)

    async def _renew(self) -> None:
        ttl_s = self._tools.settings.compaction.lease_s
        while True:
            await asyncio.sleep(ttl_s / 3)
            if not await self._tools.store.renew(
                self._id, owner=self._tools.owner, ttl_s=ttl_s
            ):
                logger.warning("the lease of a compaction was lost; its commit decides")
                return

    async def _told(
        self, state: SessionState, fold: FoldPlan, reason: str
    ) -> CompactionResult:
        tools = self._tools
        await tools.entities_reached(self._id, fold.to_seq)
        language = language_of(state, fold, tools.settings)
        reader = Reader(tools.find_identifiers, self._count)
        transcript = await to_thread.run_sync(
            reader.read, fold, state.facts, language, limiter=tools.threads
        )
        references = await self._numbered(state, transcript)
        brief = Brief.of(state, fold, transcript, references, tools.settings, self._count)
        try:
            summary = await self._summary(brief, references)
        except SummarizerError as exc:
            return await self._failed(state, fold, reason, exc)
        return await self._commit(state, fold, reason, brief, summary)

    async def _numbered(self, state: SessionState, transcript: Transcript) -> References:
        """Give references to all that is named; those without a number get one."""
        references = References()
        for ref in state.references.values():
            references.add(ref)
        facts = References.of_facts(state.facts)
        for ref in facts.by_number.values():
            references.add(ref)
        missing = [
            identifier
            for identifier in transcript.identifiers()
            if (identifier.key, identifier.normalized) not in references.by_spot
        ]
        if missing:
            reserved = await self._tools.store.reserve_references(self._id, missing)
            for identifier, ref in zip(missing, reserved, strict=True):
                references.add(ref)
                references.by_spot[identifier.key, identifier.normalized] = ref
        return references

    async def _summary(self, brief: Brief, references: References) -> Summary | None:
        """Give the segment's text; None where all was noise.

        Raises:
            SummarizerError: it failed, and not yet often enough to do without it.
        """
        tools = self._tools
        requests = await to_thread.run_sync(
            brief.briefing.requests, brief.lines, self._count, limiter=tools.threads
        )
        if not requests:
            return None
        writer = Writer(tools.summarizer, tools.find_identifiers, self._count)
        try:
            return await writer.write(requests, references, self._attempts)
        except SummarizerError:
            tries = tools.breaker.failures(self._id) + 1
            if tries < tools.settings.compaction.max_attempts:
                raise
        texts = [await writer.digest(request, references) for request in requests]
        return Summary(text="\n".join(texts), degraded=True)

    async def _commit(
        self,
        state: SessionState,
        fold: FoldPlan,
        reason: str,
        brief: Brief,
        summary: Summary | None,
    ) -> CompactionResult:
        tools = self._tools
        segment = None if summary is None else self._segment(state, fold, brief, summary)
        merged = brief.merged if segment is not None else ()
        record = self._record(state, fold, reason, brief, segment)
        commit = FoldCommit(
            session_id=self._id,
            boundary_seq=state.boundary_seq,
            generation=state.generation,
            to_seq=fold.to_seq,
            pinned_seq=fold.pinned_seq,
            segment=segment,
            merged=tuple(old.segment_id for old in merged),
            mentions=brief.mentions(),
            record=record,
            created_at=tools.clock.now(),
        )
        try:
            await _whole(self._installed(commit))
        except StaleCompactionError:
            return await self._overtaken(record)
        return _result(CompactionStatus.COMPACTED, reason, record)

    async def _installed(self, commit: FoldCommit) -> None:
        """Commit, and tell who holds the session's old state."""
        tools = self._tools
        revision = await tools.store.commit_fold(commit)
        tools.breaker.worked(self._id)
        waiting = tools.folded(self._id, revision)
        if waiting is not None:
            await waiting
        self._tell("folded", commit.record)

    def _segment(
        self, state: SessionState, fold: FoldPlan, brief: Brief, summary: Summary
    ) -> Segment:
        degraded = summary.degraded and self._tools.method != "extractive"
        known = brief.briefing.references.by_number
        text = brief.keeping.joined(summary.text, known, self._count)
        first = brief.merged[0].from_seq if brief.merged else state.boundary_seq + 1
        return Segment(
            segment_id=0,
            level=max((old.level + 1 for old in brief.merged), default=0),
            from_seq=first,
            to_seq=fold.to_seq,
            text=text,
            tokens=cost_shown(text, known, self._count),
            language=brief.briefing.language,
            method="extractive" if degraded else self._tools.method,
            degraded=degraded,
            revision=0,
            counter=self._tools.counter.name,
            model=None if degraded else self._attempts.model,
        )

    async def _failed(
        self, state: SessionState, fold: FoldPlan, reason: str, exc: SummarizerError
    ) -> CompactionResult:
        """Record a try that the summarizer failed."""
        tools = self._tools
        rest = tools.breaker.failed(
            self._id,
            tools.clock.now(),
            retry_after_s=_number(exc.facts.get("retry_after_s")),
        )
        error = str(exc.facts.get("reason") or type(exc).__name__)
        record = self._record(state, fold, reason, None, None, error=error)
        await tools.store.record_compaction(
            self._id, record, failures=rest.failures, retry_at=rest.retry_at
        )
        logger.warning("a summarizer failed (%s); %d in a row", error, rest.failures)
        self._tell("fold_failed", record)
        return _result(CompactionStatus.FAILED, f"the summarizer failed: {error}", record)

    async def _overtaken(self, record: CompactionRecord) -> CompactionResult:
        """Record a fold that came too late; what it cost is not forgotten."""
        tools = self._tools
        stale = replace(record, outcome="stale")
        await tools.store.record_compaction(
            self._id, stale, failures=tools.breaker.failures(self._id), retry_at=None
        )
        return _result(CompactionStatus.BUSY, "another fold or change came first", stale)

    def _record(
        self,
        state: SessionState,
        fold: FoldPlan,
        reason: str,
        brief: Brief | None,
        segment: Segment | None,
        *,
        error: str | None = None,
    ) -> CompactionRecord:
        tools = self._tools
        before = window_tokens(state, tools.settings) + sum(
            old.tokens for old in state.segments
        )
        gone = fold.tokens + sum(old.tokens for old in (brief.merged if brief else ()))
        after = before - gone + (segment.tokens if segment else 0)
        elapsed = asyncio.get_running_loop().time() - self._started
        degraded = segment is not None and segment.degraded
        if error is None and self._attempts.refused:
            error = "refused: " + ", ".join(self._attempts.refused)
        return CompactionRecord(
            from_seq=fold.from_seq,
            to_seq=fold.to_seq,
            tokens_before=before,
            tokens_after=before if brief is None else after,
            method="extractive" if degraded else tools.method,
            model=self._attempts.model,
            prompt_version=PROMPT_VERSION,
            usage=dict(self._attempts.usage),
            attempts=self._attempts.calls,
            duration_ms=int(elapsed * 1_000),
            outcome=_outcome(brief, degraded=degraded),
            error=error,
            reason=reason,
            dropped=brief.transcript.dropped if brief else (),
            survival={}
            if brief is None
            else survival(
                brief.transcript,
                brief.briefing.references,
                state.facts,
                "" if segment is None else segment.text,
            ),
            created_at=tools.clock.now(),
        )

    def _tell(self, kind: str, record: CompactionRecord) -> None:
        self._tools.on_event(
            Event(
                kind=kind,
                session_id=self._id,
                details={
                    "from_seq": record.from_seq,
                    "to_seq": record.to_seq,
                    "tokens_before": record.tokens_before,
                    "tokens_after": record.tokens_after,
                    "method": record.method,
                    "outcome": record.outcome,
                    "reason": record.reason,
                    "attempts": record.attempts,
                    "error": record.error,
                },
            )
        )


def _outcome(brief: Brief | None, *, degraded: bool) -> str:
    if brief is None:
        return "failed"
    return "degraded" if degraded else "compacted"


def _result(
    status: CompactionStatus, reason: str, record: CompactionRecord | None = None
) -> CompactionResult:
    return CompactionResult(status=status, reason=reason, record=record)


async def _whole(step: Coroutine[object, object, T]) -> T:
    """Await ``step`` to its end though this task is cancelled; raise that afterwards."""
    task = asyncio.get_running_loop().create_task(step, name="tiered-memory commit")
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as exc:
            cancelled = exc
    if cancelled is not None:
        if not task.cancelled() and (error := task.exception()):
            logger.warning("a fold's commit failed: %s", type(error).__qualname__)
        raise cancelled
    return task.result()


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
