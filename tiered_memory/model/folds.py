"""The summary's segments, and what became of a fold."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

__all__ = [
    "CompactionRecord",
    "CompactionResult",
    "CompactionStatus",
    "FoldCommit",
    "Segment",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One piece of the rolling summary, of messages ``from_seq`` … ``to_seq``.

    ``text`` holds references; ``Session.summary()`` gives rendered ones.
    """

    segment_id: int
    level: int
    from_seq: int
    to_seq: int
    text: str
    tokens: int
    language: str
    method: str
    degraded: bool
    revision: int
    counter: str = ""
    model: str | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionRecord:
    """What a try at compaction did, kept for ever. Tokens are before and after."""

    from_seq: int
    to_seq: int
    tokens_before: int
    tokens_after: int
    method: str
    model: str | None
    prompt_version: str
    usage: Mapping[str, int]
    attempts: int
    duration_ms: int
    outcome: str
    error: str | None
    reason: str
    dropped: tuple[Mapping[str, Any], ...] = ()
    survival: Mapping[str, int] = field(default_factory=dict[str, int])
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldCommit:
    """A finished fold, to be installed if nothing moved (compare and swap).

    Attributes:
        boundary_seq, generation: what the session's row must still say.
        to_seq: the new boundary: everything up to it leaves the window.
        pinned_seq: user message of a partly folded newest turn, or None.
        segment: the new segment (``segment_id`` and ``revision`` are given by
            the store); None when only merges are installed.
        merged: ``segment_id`` of segments that end with this commit.
        mentions: number → (seq, role) of identifiers first met in this range.
    """

    session_id: str
    boundary_seq: int
    generation: int
    to_seq: int
    pinned_seq: int | None
    segment: Segment | None
    merged: tuple[int, ...]
    mentions: Mapping[int, tuple[int, str]]
    record: CompactionRecord
    created_at: datetime


class CompactionStatus(StrEnum):
    """How a call of ``compact`` ended."""

    COMPACTED = "compacted"
    NOTHING_TO_DO = "nothing_to_do"
    NOT_WORTH_IT = "not_worth_it"
    BUSY = "busy"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionResult:
    """What ``session.compact()`` gives; ``reason`` is for people."""

    status: CompactionStatus
    reason: str
    record: CompactionRecord | None = None
