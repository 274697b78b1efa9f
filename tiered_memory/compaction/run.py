"""One fold of one session: plan, claim, tell, verify, commit; or nothing happened."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from anyio import to_thread

from tiered_memory.compaction.brief import Brief, language_of
from tiered_memory.compaction.policy import FoldPlan, plan, worth_it
from tiered_memory.compaction.records import (
    REDO,
    FoldJob,
    details,
    failed_record,
    fold_record,
)
from tiered_memory.compaction.summarizing import (
    Attempts,
    Summary,
    Writer,
    summarizer_seconds,
)
from tiered_memory.compaction.transcript import Reader, References
from tiered_memory.compaction.verify import cost_shown
from tiered_memory.errors import StaleCompactionError, StoreError, SummarizerError
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

__all__ = ["FoldRun"]

logger = logging.getLogger(__name__)

T = TypeVar("T")

REDO_MESSAGES = 256
"""A degraded segment of more messages is not told again: the next merge rewrites it."""

HOPELESS = 10_000
"""Segments remembered that the model could not better."""


class FoldRun:
    """One try on ``session_id``; call ``fold`` or ``redo``, once.

    Between claim and commit nothing is held: no transaction, no connection, no lock.
    """

    def __init__(self, tools: Tools, session_id: str) -> None:
        self._tools = tools
        self._id = session_id
        self._attempts = Attempts()
        self._started = asyncio.get_running_loop().time()
        self._count = tools.counter.text

    async def fold(self, *, force: bool) -> CompactionResult:
        """Fold what is due; with ``force``, what may leave the window.

        Any failure of the summarizer leaves everything as it was, but for the record
        of the try.

        Raises:
            StoreError: the store failed; nothing was installed, or all of it.
        """
        tools = self._tools
        state = await tools.store.load(self._id)
        if state is None:
            return _result(CompactionStatus.NOTHING_TO_DO, "no such session")
        reason = "forced" if force else tools.due(state)
        if reason is None:
            return _result(CompactionStatus.NOTHING_TO_DO, "no mark is reached")
        fold = plan(state, tools.settings, press=reason in {"forced", "budget"})
        if fold is None:
            return _result(CompactionStatus.NOTHING_TO_DO, "no turn may leave the window")
        if not force and not worth_it(fold, tools.settings, reason=reason):
            return _result(
                CompactionStatus.NOT_WORTH_IT,
                f"{fold.tokens} tokens could go, a segment may cost as many",
            )
        return await self._claimed(FoldJob(state=state, fold=fold, reason=reason))

    async def redo(self) -> CompactionResult:
        """Write the oldest degraded segment again from its messages, if there is one.

        Raises:
            StoreError: as ``fold``.
        """
        nothing = _result(CompactionStatus.NOTHING_TO_DO, "no segment is degraded")
        state = await self._tools.store.load(self._id)
        if state is None:
            return nothing
        for old in state.segments:
            count = old.to_seq - old.from_seq + 1
            known = (self._id, old.segment_id) in self._tools.hopeless
            if not old.degraded or known or count > REDO_MESSAGES:
                continue
            messages = await self._tools.store.history(
                self._id, after=old.from_seq - 1, limit=count
            )
            if not messages:
                continue
            fold = FoldPlan(
                messages=tuple(messages),
                context=None,
                pinned_seq=state.pinned_seq,
                tokens=sum(message.tokens for message in messages),
                turns=sum(message.role == "user" for message in messages),
            )
            job = FoldJob(state=state, fold=fold, reason=REDO, instead=old)
            return await self._claimed(job)
        return nothing

    async def _claimed(self, job: FoldJob) -> CompactionResult:
        """Do ``job`` under the session's lease; it is given back whatever happens."""
        tools = self._tools
        heartbeat: asyncio.Task[None] | None = None
        held = True
        try:
            held = await _whole(self._claim(job))
            if not held:
                return _result(CompactionStatus.BUSY, "the session is compacted elsewhere")
            heartbeat = asyncio.get_running_loop().create_task(
                self._renew(), name="tiered-memory lease"
            )
            result = await self._told(job)
            held = result.status is not CompactionStatus.COMPACTED
            return result
        finally:
            if heartbeat is not None:
                heartbeat.cancel()
            if held:
                await _whole(tools.store.release(self._id, owner=tools.owner))

    async def _claim(self, job: FoldJob) -> bool:
        tools = self._tools
        return await tools.store.claim(
            self._id,
            owner=tools.owner,
            ttl_s=tools.settings.compaction.lease_s,
            boundary_seq=job.state.boundary_seq,
            generation=job.state.generation,
        )

    async def _renew(self) -> None:
        ttl_s = self._tools.settings.compaction.lease_s
        while True:
            await asyncio.sleep(ttl_s / 3)
            try:
                mine = await self._tools.store.renew(
                    self._id, owner=self._tools.owner, ttl_s=ttl_s
                )
            except StoreError as exc:  # the commit decides
                logger.warning("a lease was not renewed: %s", type(exc).__qualname__)
                continue
            if not mine:
                logger.warning("the lease of a compaction was lost; its commit decides")
                return

    async def _told(self, job: FoldJob) -> CompactionResult:
        tools = self._tools
        await tools.entities_reached(self._id, job.fold.to_seq)
        language = language_of(job.state, job.fold, tools.settings)
        reader = Reader(tools.find_identifiers, self._count)
        transcript = await to_thread.run_sync(
            reader.read, job.fold, job.state.facts, language, limiter=tools.threads
        )
        references = await self._numbered(job, transcript)
        brief = Brief.of(job, transcript, references, tools.settings, self._count)
        try:
            summary = await self._summary(job, brief, references)
        except SummarizerError as exc:
            return await self._failed(job, exc)
        if job.instead is not None and (summary is None or summary.degraded):
            self._give_up(job.instead)
            return _result(
                CompactionStatus.NOT_WORTH_IT, "the digest could not be bettered"
            )
        return await self._commit(job, brief, summary)

    def _give_up(self, segment: Segment) -> None:
        hopeless = self._tools.hopeless
        hopeless[self._id, segment.segment_id] = None
        if len(hopeless) > HOPELESS:
            del hopeless[next(iter(hopeless))]

    async def _numbered(self, job: FoldJob, transcript: Transcript) -> References:
        """Give references to all that is named; those without a number get one."""
        references = References()
        for ref in job.state.references.values():
            references.add(ref)
        facts = References.of_facts(job.state.facts)
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

    async def _summary(
        self, job: FoldJob, brief: Brief, references: References
    ) -> Summary | None:
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
        writer = Writer(
            tools.summarizer,
            tools.find_identifiers,
            self._count,
            limit_s=summarizer_seconds(tools.settings.llm),
        )
        try:
            return await writer.write(requests, references, self._attempts)
        except SummarizerError:
            tries = tools.breaker.failures(self._id) + 1
            if tries < tools.settings.compaction.max_attempts or job.instead is not None:
                raise
        texts = [await writer.digest(request, references) for request in requests]
        return Summary(text="\n".join(texts), degraded=True)

    async def _commit(
        self, job: FoldJob, brief: Brief, summary: Summary | None
    ) -> CompactionResult:
        tools, state = self._tools, job.state
        segment = None if summary is None else self._segment(job, brief, summary)
        record = fold_record(
            job,
            brief,
            segment,
            self._attempts,
            settings=tools.settings,
            method=tools.method,
            duration_s=self._elapsed(),
            now=tools.clock.now(),
        )
        commit = FoldCommit(
            session_id=self._id,
            boundary_seq=state.boundary_seq,
            generation=state.generation,
            to_seq=state.boundary_seq if job.instead else job.fold.to_seq,
            pinned_seq=job.fold.pinned_seq,
            segment=segment,
            merged=tuple(old.segment_id for old in brief.merged),
            mentions=brief.mentions(),
            record=record,
            created_at=tools.clock.now(),
        )
        try:
            await _whole(self._installed(commit))
        except StaleCompactionError:
            return await self._overtaken(record)
        return _result(CompactionStatus.COMPACTED, job.reason, record)

    async def _installed(self, commit: FoldCommit) -> None:
        """Commit, and tell who holds the session's old state."""
        tools = self._tools
        revision = await tools.store.commit_fold(commit)
        tools.breaker.worked(self._id)
        waiting = tools.folded(self._id, revision)
        if waiting is not None:
            await waiting
        self._tell("folded", commit.record)

    def _segment(self, job: FoldJob, brief: Brief, summary: Summary) -> Segment:
        degraded = summary.degraded and self._tools.method != "extractive"
        known = brief.briefing.references.by_number
        text = brief.keeping.joined(summary.text, known, self._count)
        level = max((old.level + 1 for old in brief.merged), default=0)
        return Segment(
            segment_id=0,
            level=level if job.instead is None else job.instead.level,
            from_seq=brief.merged[0].from_seq if brief.merged else job.fold.from_seq,
            to_seq=job.fold.to_seq if job.instead is None else job.instead.to_seq,
            text=text,
            tokens=cost_shown(text, known, self._count),
            language=brief.briefing.language,
            method="extractive" if degraded else self._tools.method,
            degraded=degraded,
            revision=0,
            counter=self._tools.counter.name,
            model=None if degraded else self._attempts.model,
        )

    async def _failed(self, job: FoldJob, exc: SummarizerError) -> CompactionResult:
        """Record a try that the summarizer failed."""
        tools = self._tools
        now = tools.clock.now()
        after_s = _number(exc.facts.get("retry_after_s"))
        rest = tools.breaker.failed(self._id, now, retry_after_s=after_s)
        error = str(exc.facts.get("reason") or type(exc).__name__)
        record = failed_record(
            job,
            error,
            self._attempts,
            settings=tools.settings,
            method=tools.method,
            duration_s=self._elapsed(),
            now=now,
        )
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

    def _elapsed(self) -> float:
        return asyncio.get_running_loop().time() - self._started

    def _tell(self, kind: str, record: CompactionRecord) -> None:
        self._tools.on_event(Event(kind=kind, session_id=self._id, details=details(record)))


def _result(
    status: CompactionStatus, reason: str, record: CompactionRecord | None = None
) -> CompactionResult:
    return CompactionResult(status=status, reason=reason, record=record)


async def _whole(step: Coroutine[object, object, T]) -> T:
    """Await ``step`` to its end though this task is cancelled; raise that afterwards."""
    task = asyncio.get_running_loop().create_task(step, name="tiered-memory fold step")
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as exc:
            cancelled = exc
    if cancelled is not None:
        if not task.cancelled() and (error := task.exception()):
            logger.warning("a fold's step failed: %s", type(error).__qualname__)
        raise cancelled
    return task.result()


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
