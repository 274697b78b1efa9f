"""Claims, reference numbers and the commit of a fold: compare and swap, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from tiered_memory.errors import StaleCompactionError, StoreError
from tiered_memory.model import Reference
from tiered_memory.store import reading, rows, schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from tiered_memory.model import CompactionRecord, FoldCommit, Identifier

__all__ = [
    "claim",
    "commit_fold",
    "record_compaction",
    "release",
    "renew",
    "reserve_references",
]

_session, _segment, _mention = schema.session, schema.segment, schema.mention
_message, _reference, _compaction = schema.message, schema.reference, schema.compaction
_fact = schema.fact

_OF = _session.c.session_id == sa.bindparam("of")
_MINE = _session.c.lease_owner == sa.bindparam("owner")

_CLAIM = (
    sa.update(_session)
    .where(
        _OF,
        _session.c.boundary_seq == sa.bindparam("boundary"),
        _session.c.generation == sa.bindparam("at_generation"),
        sa.or_(
            _session.c.lease_until.is_(None),
            _session.c.lease_until < sa.bindparam("now"),
            _MINE,
        ),
    )
    .values(lease_owner=sa.bindparam("owner"), lease_until=sa.bindparam("until"))
)
_RENEW = sa.update(_session).where(_OF, _MINE).values(lease_until=sa.bindparam("until"))
_RELEASE = sa.update(_session).where(_OF, _MINE).values(lease_owner=None, lease_until=None)
_SWAP = (
    sa.update(_session)
    .where(
        _OF,
        _session.c.boundary_seq == sa.bindparam("boundary"),
        _session.c.generation == sa.bindparam("at_generation"),
        _session.c.next_seq > sa.bindparam("to"),
    )
    .values(
        boundary_seq=sa.bindparam("to"),
        pinned_seq=sa.bindparam("pinned"),
        generation=_session.c.generation + 1,
        revision=_session.c.revision + 1,
        epoch_revision=_session.c.revision + 1,
        folded_turns=sa.bindparam("turns_folded"),
        lease_owner=None,
        lease_until=None,
        failures=0,
        retry_at=None,
        last_error=None,
        updated_at=sa.bindparam("at"),
    )
)
_NOTE_FAILURE = (
    sa.update(_session)
    .where(_OF)
    .values(
        failures=sa.bindparam("failed"),
        retry_at=sa.bindparam("retry"),
        last_error=sa.bindparam("error"),
    )
)
_MERGE = (
    sa.update(_segment)
    .where(
        _segment.c.session_id == sa.bindparam("of"),
        _segment.c.segment_id == sa.bindparam("id"),
        _segment.c.ended_revision.is_(None),
    )
    .values(ended_revision=sa.bindparam("ended"), ended_why="merged")
)
_TAKE_NUMBERS = (
    sa.update(_session)
    .where(_OF)
    .values(next_reference=_session.c.next_reference + sa.bindparam("more"))
    .returning(_session.c.next_reference, _session.c.revision)
)
_OF_FACT = sa.exists(sa.literal(1)).where(
    _fact.c.session_id == _reference.c.session_id,
    _fact.c.number == _reference.c.number,
)
_KNOWN = (
    sa.select(*rows.REFERENCE, _OF_FACT.label("of_fact"))
    .where(
        _reference.c.session_id == sa.bindparam("id"),
        _reference.c.normalized.in_(sa.bindparam("forms", expanding=True)),
    )
    .order_by(sa.desc("of_fact"), _reference.c.number)
)

ERROR_CHARS = 255
"""Width of the columns that hold an error or a reason."""


def claim(
    connection: Connection,
    session_id: str,
    *,
    owner: str,
    ttl_s: float,
    boundary_seq: int,
    generation: int,
    now: float,
) -> bool:
    """Lease the session's compaction to ``owner``; False where another has it."""
    result = connection.execute(
        _CLAIM,
        {
            "of": session_id,
            "owner": owner,
            "boundary": boundary_seq,
            "at_generation": generation,
            "now": now,
            "until": now + ttl_s,
        },
    )
    return result.rowcount == 1


def renew(
    connection: Connection, session_id: str, *, owner: str, ttl_s: float, now: float
) -> bool:
    """Lengthen a lease that is ``owner``'s; False where it is no more."""
    values = {"of": session_id, "owner": owner, "until": now + ttl_s}
    return connection.execute(_RENEW, values).rowcount == 1


def release(connection: Connection, session_id: str, *, owner: str) -> None:
    """Give the lease back where it is ``owner``'s."""
    connection.execute(_RELEASE, {"of": session_id, "owner": owner})


def reserve_references(
    connection: Connection, session_id: str, identifiers: Sequence[Identifier]
) -> list[Reference]:
    """Give each identifier's reference, in order; new ones get the next numbers.

    A known one of the same key and normal form serves, whoever's it is; a fact's first.
    """
    if not identifiers:
        return []
    known: dict[tuple[str, str], Reference] = {}
    forms = sorted({identifier.normalized for identifier in identifiers})
    for row in connection.execute(_KNOWN, {"id": session_id, "forms": forms}):
        reference = rows.reference_of(row)
        known.setdefault((reference.key, reference.normalized), reference)
    fresh: dict[tuple[str, str], Identifier] = {}
    for identifier in identifiers:
        place = (identifier.key, identifier.normalized)
        if place not in known:
            fresh.setdefault(place, identifier)
    if fresh:
        taken = connection.execute(
            _TAKE_NUMBERS, {"of": session_id, "more": len(fresh)}
        ).first()
        if taken is None:
            raise StoreError("no such session", target="session")
        first = taken[0] - len(fresh)
        made = [
            Reference(
                number=first + step,
                owner="self",
                key=identifier.key,
                normalized=identifier.normalized,
                value=identifier.value,
                type=identifier.type,
            )
            for step, identifier in enumerate(fresh.values())
        ]
        connection.execute(
            sa.insert(_reference),
            [_reference_row(session_id, reference, taken[1]) for reference in made],
        )
        known.update({(r.key, r.normalized): r for r in made})
    return [known[i.key, i.normalized] for i in identifiers]


def commit_fold(connection: Connection, commit: FoldCommit) -> int:
    """Install a fold and its record; give the new revision.

    Raises:
        StaleCompactionError: boundary or generation moved, or a merged segment ended;
            nothing is written.
    """
    swapped = connection.execute(
        _SWAP,
        {
            "of": commit.session_id,
            "boundary": commit.boundary_seq,
            "at_generation": commit.generation,
            "to": commit.to_seq,
            "pinned": commit.pinned_seq,
            "turns_folded": _turns_to(connection, commit),
            "at": rows.stamp(commit.created_at),
        },
    )
    if swapped.rowcount != 1 or commit.to_seq < commit.boundary_seq:
        raise StaleCompactionError(
            "the session moved while it was summarised; the fold was not installed",
            target="session",
        )
    revision = reading.revision(connection, commit.session_id)
    for segment_id in commit.merged:
        values = {"of": commit.session_id, "id": segment_id, "ended": revision}
        if connection.execute(_MERGE, values).rowcount != 1:
            raise StaleCompactionError("a merged segment had ended", target="segment")
    if commit.segment is not None:
        _insert_segment(connection, commit, revision)
    _insert_record(
        connection,
        commit.session_id,
        commit.record,
        revision=revision,
        generation=commit.generation + 1,
        pinned_seq=commit.pinned_seq,
    )
    return revision


def record_compaction(
    connection: Connection,
    session_id: str,
    record: CompactionRecord,
    *,
    failures: int,
    retry_at: float | None,
) -> None:
    """Keep the record of a try that changed nothing, and when the next may come."""
    row = connection.execute(
        sa.select(_session.c.revision, _session.c.generation, _session.c.pinned_seq).where(
            _session.c.session_id == session_id
        )
    ).first()
    if row is None:
        raise StoreError("no such session", target="session")
    error = None if record.error is None else record.error[:ERROR_CHARS]
    connection.execute(
        _NOTE_FAILURE,
        {"of": session_id, "failed": failures, "retry": retry_at, "error": error},
    )
    _insert_record(
        connection,
        session_id,
        record,
        revision=row[0],
        generation=row[1],
        pinned_seq=row[2],
    )


def _turns_to(connection: Connection, commit: FoldCommit) -> int:
    """Give the turns that are wholly behind the new boundary: its message's number."""
    turn = connection.execute(
        sa.select(_message.c.turn).where(
            _message.c.session_id == commit.session_id, _message.c.seq == commit.to_seq
        )
    ).scalar()
    return int(turn or 0) - (commit.pinned_seq is not None)


def _insert_segment(connection: Connection, commit: FoldCommit, revision: int) -> None:
    segment = commit.segment
    if segment is None:
        return
    segment_id = _next_id(connection, _segment.c.segment_id, commit.session_id)
    connection.execute(
        sa.insert(_segment),
        {
            "session_id": commit.session_id,
            "segment_id": segment_id,
            "level": segment.level,
            "from_seq": segment.from_seq,
            "to_seq": segment.to_seq,
            "text": segment.text,
            "tokens": segment.tokens,
            "counter": segment.counter,
            "language": segment.language,
            "method": segment.method,
            "model": segment.model,
            "degraded": segment.degraded,
            "created_at": rows.stamp(commit.created_at),
            "revision": revision,
        },
    )
    mentions = [
        {
            "session_id": commit.session_id,
            "segment_id": segment_id,
            "number": number,
            "seq": seq,
            "role": role,
            "revision": revision,
        }
        for number, (seq, role) in commit.mentions.items()
    ]
    if mentions:
        connection.execute(sa.insert(_mention), mentions)


def _insert_record(
    connection: Connection,
    session_id: str,
    record: CompactionRecord,
    *,
    revision: int,
    generation: int,
    pinned_seq: int | None,
) -> None:
    created_at = record.created_at
    if created_at is None:
        raise StoreError("a compaction record needs its time", target="record")
    connection.execute(
        sa.insert(_compaction),
        {
            "session_id": session_id,
            "compaction_id": _next_id(connection, _compaction.c.compaction_id, session_id),
            "revision": revision,
            "generation": generation,
            "from_seq": record.from_seq,
            "to_seq": record.to_seq,
            "pinned_seq": pinned_seq,
            "tokens_before": record.tokens_before,
            "tokens_after": record.tokens_after,
            "method": record.method,
            "model": record.model,
            "prompt_version": record.prompt_version,
            "usage": dict(record.usage),
            "attempts": record.attempts,
            "duration_ms": record.duration_ms,
            "outcome": record.outcome,
            "error": None if record.error is None else record.error[:ERROR_CHARS],
            "reason": record.reason[:ERROR_CHARS],
            "dropped": [dict(dropped) for dropped in record.dropped],
            "survival": dict(record.survival),
            "created_at": rows.stamp(created_at),
        },
    )


def _next_id(connection: Connection, column: sa.Column[Any], session_id: str) -> int:
    table = column.table
    newest = connection.execute(
        sa.select(sa.func.max(column)).where(table.c.session_id == session_id)
    ).scalar()
    return int(newest or 0) + 1


def _reference_row(session_id: str, reference: Reference, revision: int) -> dict[str, Any]:
    return {
        "session_id": session_id,
        "number": reference.number,
        "owner": reference.owner,
        "key": reference.key,
        "type": reference.type,
        "normalized": reference.normalized,
        "value": reference.value,
        "revision": revision,
    }
