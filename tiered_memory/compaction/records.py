"""What is kept and told of a fold: its record, and the event made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tiered_memory.compaction.policy import window_tokens
from tiered_memory.compaction.survival import survival
from tiered_memory.compaction.wording import PROMPT_VERSION
from tiered_memory.model import CompactionRecord

if TYPE_CHECKING:
    from datetime import datetime

    from tiered_memory.compaction.brief import Brief
    from tiered_memory.compaction.policy import FoldPlan
    from tiered_memory.compaction.summarizing import Attempts
    from tiered_memory.model import Segment
    from tiered_memory.settings import Settings
    from tiered_memory.state import SessionState

__all__ = ["REDO", "FoldJob", "details", "failed_record", "fold_record"]

REDO = "degraded"
"""Why turns are told again whose digest was made without the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldJob:
    """What one run does.

    Attributes:
        state: the session as it was when the run began.
        fold: the turns that are told.
        reason: why: ``turns``, ``tokens``, ``budget``, ``forced`` or ``degraded``.
        instead: the degraded segment that is written again; else the turns leave
            the window.
    """

    state: SessionState
    fold: FoldPlan
    reason: str
    instead: Segment | None = None


def fold_record(
    job: FoldJob,
    brief: Brief,
    segment: Segment | None,
    attempts: Attempts,
    *,
    settings: Settings,
    method: str,
    duration_s: float,
    now: datetime,
) -> CompactionRecord:
    """Give the record of a fold that is to be installed."""
    before = _before(job, settings)
    gone = 0 if job.instead is not None else job.fold.tokens
    gone += sum(old.tokens for old in brief.merged)
    degraded = segment is not None and segment.degraded
    refused = ", ".join(attempts.refused)
    return CompactionRecord(
        from_seq=job.fold.from_seq,
        to_seq=job.fold.to_seq,
        tokens_before=before,
        tokens_after=before - gone + (0 if segment is None else segment.tokens),
        method="extractive" if degraded else method,
        model=attempts.model,
        prompt_version=PROMPT_VERSION,
        usage=dict(attempts.usage),
        attempts=attempts.calls,
        duration_ms=int(duration_s * 1_000),
        outcome="degraded" if degraded else "compacted",
        error=f"refused: {refused}" if refused else None,
        reason=job.reason,
        dropped=brief.transcript.dropped,
        survival=survival(
            brief.transcript,
            brief.briefing.references,
            job.state.facts,
            "" if segment is None else segment.text,
        ),
        created_at=now,
    )


def failed_record(
    job: FoldJob,
    error: str,
    attempts: Attempts,
    *,
    settings: Settings,
    method: str,
    duration_s: float,
    now: datetime,
) -> CompactionRecord:
    """Give the record of a try that changed nothing."""
    before = _before(job, settings)
    return CompactionRecord(
        from_seq=job.fold.from_seq,
        to_seq=job.fold.to_seq,
        tokens_before=before,
        tokens_after=before,
        method=method,
        model=attempts.model,
        prompt_version=PROMPT_VERSION,
        usage=dict(attempts.usage),
        attempts=attempts.calls,
        duration_ms=int(duration_s * 1_000),
        outcome="failed",
        error=error,
        reason=job.reason,
        created_at=now,
    )


def details(record: CompactionRecord) -> dict[str, Any]:
    """Give an event's details: numbers and codes, no text."""
    return {
        "from_seq": record.from_seq,
        "to_seq": record.to_seq,
        "tokens_before": record.tokens_before,
        "tokens_after": record.tokens_after,
        "method": record.method,
        "outcome": record.outcome,
        "reason": record.reason,
        "attempts": record.attempts,
        "error": record.error,
    }


def _before(job: FoldJob, settings: Settings) -> int:
    summary = sum(old.tokens for old in job.state.segments)
    return window_tokens(job.state, settings) + summary
