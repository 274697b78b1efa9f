"""Rows of the tables to values, and values to rows; no statement in here."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tiered_memory.model import (
    CompactionRecord,
    Head,
    Message,
    Reference,
    Segment,
)
from tiered_memory.store import schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.model import Payload

__all__ = [
    "MESSAGE",
    "RECORD",
    "REFERENCE",
    "SEGMENT",
    "dumps",
    "head_of",
    "message_of",
    "record_of",
    "reference_of",
    "segment_of",
    "stamp",
    "when",
]

Row = Any

_m, _s = schema.message.c, schema.segment.c
_r, _c = schema.reference.c, schema.compaction.c


MESSAGE = (
    _m.seq,
    _m.turn,
    _m.role,
    _m.payload,
    _m.tokens,
    _m.revision,
    _m.short,
    _m.short_tokens,
    _m.created_at,
    _m.message_id,
    _m.counter,
)
SEGMENT = (
    _s.segment_id,
    _s.level,
    _s.from_seq,
    _s.to_seq,
    _s.text,
    _s.tokens,
    _s.language,
    _s.method,
    _s.degraded,
    _s.revision,
    _s.model,
    _s.created_at,
    _s.counter,
)
REFERENCE = (_r.number, _r.owner, _r.key, _r.normalized, _r.value, _r.type)
RECORD = (
    _c.from_seq,
    _c.to_seq,
    _c.tokens_before,
    _c.tokens_after,
    _c.method,
    _c.model,
    _c.prompt_version,
    _c.usage,
    _c.attempts,
    _c.duration_ms,
    _c.outcome,
    _c.error,
    _c.reason,
    _c.dropped,
    _c.survival,
    _c.created_at,
)


def dumps(value: object) -> str:
    """Give compact JSON in insertion order, text as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def stamp(moment: datetime) -> str:
    """Give a time as text of fixed width that sorts: ISO 8601, UTC, microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def when(text: str) -> datetime:
    """Give the time that ``stamp`` wrote."""
    return datetime.fromisoformat(text)


def message_of(row: Row) -> Message:
    """Give the message of a ``MESSAGE`` row."""
    return Message(
        seq=row[0],
        turn=row[1],
        role=row[2],
        payload=json.loads(row[3]),
        tokens=row[4],
        revision=row[5],
        short=None if row[6] is None else json.loads(row[6]),
        short_tokens=row[7],
        created_at=when(row[8]),
        message_id=row[9],
        counter=row[10],
    )


def segment_of(row: Row) -> Segment:
    """Give the segment of a ``SEGMENT`` row."""
    return Segment(
        segment_id=row[0],
        level=row[1],
        from_seq=row[2],
        to_seq=row[3],
        text=row[4],
        tokens=row[5],
        language=row[6],
        method=row[7],
        degraded=bool(row[8]),
        revision=row[9],
        model=row[10],
        created_at=when(row[11]),
        counter=row[12],
    )


def reference_of(row: Row) -> Reference:
    """Give the reference of a ``REFERENCE`` row."""
    return Reference(
        number=row[0],
        owner=row[1],
        key=row[2],
        normalized=row[3],
        value=row[4],
        type=row[5],
    )


def record_of(row: Row) -> CompactionRecord:
    """Give the compaction's record of a ``RECORD`` row."""
    return CompactionRecord(
        from_seq=row[0],
        to_seq=row[1],
        tokens_before=row[2],
        tokens_after=row[3],
        method=row[4],
        model=row[5],
        prompt_version=row[6],
        usage=row[7],
        attempts=row[8],
        duration_ms=row[9],
        outcome=row[10],
        error=row[11],
        reason=row[12],
        dropped=tuple(row[13]),
        survival=row[14],
        created_at=when(row[15]),
    )


def head_of(payloads: str, tokens: int, revision: int, counter: str) -> Head:
    """Give the head of a row of its table."""
    loaded: Sequence[Payload] = json.loads(payloads)
    return Head(payloads=tuple(loaded), tokens=tokens, revision=revision, counter=counter)
