"""Reads: a session's state, its history, the list of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from tiered_memory.model import SessionInfo
from tiered_memory.state import SessionState
from tiered_memory.store import fact_reading, rows, schema, vault
from tiered_memory.text.references import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection, Executable

    from tiered_memory.model import (
        CompactionRecord,
        Head,
        Message,
        Reference,
        Segment,
    )

__all__ = [
    "compactions",
    "entities_seq",
    "history",
    "references",
    "revision",
    "sessions",
    "sessions_with",
    "state",
    "unread_entities",
    "unread_seqs",
]

_session, _message, _fact = schema.session, schema.message, schema.fact
_segment, _reference, _head = schema.segment, schema.reference, schema.head
_compaction = schema.compaction

_ID: sa.BindParameter[str] = sa.bindparam("id")

_REVISION = sa.select(_session.c.revision).where(_session.c.session_id == _ID)
_SESSION = sa.select(
    _session.c.subject,
    _session.c.revision,
    _session.c.next_seq,
    _session.c.generation,
    _session.c.boundary_seq,
    _session.c.pinned_seq,
    _session.c.entities_seq,
    _session.c.epoch_revision,
    _session.c.turns,
    _session.c.folded_turns,
).where(_session.c.session_id == _ID)
_INFO = sa.select(
    _session.c.session_id,
    _session.c.subject,
    _session.c.next_seq,
    _session.c.turns,
    _session.c.created_at,
    _session.c.updated_at,
)
_HEAD = sa.select(
    _head.c.payloads, _head.c.tokens, _head.c.revision, _head.c.counter
).where(_head.c.session_id == _ID, _head.c.ended_revision.is_(None))
_SEGMENTS = (
    sa.select(*rows.SEGMENT)
    .where(_segment.c.session_id == _ID, _segment.c.ended_revision.is_(None))
    .order_by(_segment.c.from_seq, _segment.c.segment_id)
)
_REFERENCES = sa.select(*rows.REFERENCE).where(
    _reference.c.session_id == _ID,
    _reference.c.number.in_(sa.bindparam("numbers", expanding=True)),
)
_WINDOW = (
    sa.select(*rows.MESSAGE)
    .where(
        _message.c.session_id == _ID,
        _message.c.seq > sa.bindparam("after"),
        _message.c.ended_revision.is_(None),
    )
    .order_by(_message.c.seq)
)
_PAGE = _WINDOW.limit(sa.bindparam("limit"))
_ONE = sa.select(*rows.MESSAGE).where(
    _message.c.session_id == _ID, _message.c.seq == sa.bindparam("seq")
)
_RECORDS = (
    sa.select(*rows.RECORD)
    .where(_compaction.c.session_id == _ID)
    .order_by(_compaction.c.compaction_id)
)
_UNREAD = (
    sa.select(
        _session.c.session_id,
        _session.c.entities_seq,
        sa.func.max(_message.c.seq).label("last"),
    )
    .join(_message, _message.c.session_id == _session.c.session_id)
    .where(
        _session.c.session_id > sa.bindparam("after"),
        _message.c.role == "user",
        _message.c.seq > _session.c.entities_seq,
        _message.c.ended_revision.is_(None),
    )
    .group_by(_session.c.session_id, _session.c.entities_seq)
    .order_by(_session.c.session_id)
    .limit(sa.bindparam("limit"))
)
_READ_TO = sa.select(_session.c.entities_seq).where(_session.c.session_id == _ID)
_UNREAD_SEQS = (
    sa.select(_message.c.session_id, _message.c.seq)
    .join(_session, _session.c.session_id == _message.c.session_id)
    .where(
        _message.c.session_id.in_(sa.bindparam("ids", expanding=True)),
        _message.c.role == "user",
        _message.c.seq > _session.c.entities_seq,
        _message.c.seq <= sa.bindparam("last"),
        _message.c.ended_revision.is_(None),
    )
    .order_by(_message.c.session_id, _message.c.seq)
)


def revision(connection: Connection, session_id: str) -> int:
    """Give the session's revision; 0 where there is none."""
    return connection.execute(_REVISION, {"id": session_id}).scalar() or 0


def state(connection: Connection, session_id: str) -> SessionState | None:
    """Read the session at its current revision, or None; six to ten statements."""
    row = connection.execute(_SESSION, {"id": session_id}).first()
    if row is None:
        return None
    head = connection.execute(_HEAD, {"id": session_id}).first()
    segments = tuple(
        rows.segment_of(r) for r in connection.execute(_SEGMENTS, {"id": session_id})
    )
    window = _messages(connection, _WINDOW, {"id": session_id, "after": row.boundary_seq})
    pinned = None
    if row.pinned_seq is not None:
        found = connection.execute(_ONE, {"id": session_id, "seq": row.pinned_seq}).first()
        pinned = None if found is None else rows.message_of(found)
    named = {r.number: r for r in _named_in(connection, session_id, segments)}
    facts, focus = fact_reading.epoch_facts(connection, session_id, row.epoch_revision)
    return SessionState(
        session_id=session_id,
        subject=row.subject,
        revision=row.revision,
        next_seq=row.next_seq,
        generation=row.generation,
        boundary_seq=row.boundary_seq,
        pinned_seq=row.pinned_seq,
        entities_seq=row.entities_seq,
        epoch_revision=row.epoch_revision,
        turns=row.turns,
        folded_turns=row.folded_turns,
        head=None if head is None else _head_value(head),
        segments=segments,
        references=named,
        hidden=fact_reading.taken_back(connection, session_id, named, row.epoch_revision),
        facts=facts,
        epoch_focus=focus,
        window=tuple(window),
        pinned=pinned,
        vault=vault.read(connection, session_id),
    )


def references(
    connection: Connection, session_id: str, numbers: Iterable[int]
) -> list[Reference]:
    """Give what the numbers stand for, by number; unknown ones are not in it."""
    wanted = sorted(set(numbers))
    if not wanted:
        return []
    found = connection.execute(_REFERENCES, {"id": session_id, "numbers": wanted})
    return sorted((rows.reference_of(row) for row in found), key=lambda r: r.number)


def history(
    connection: Connection, session_id: str, *, after: int, limit: int
) -> list[Message]:
    """Give at most ``limit`` messages behind seq ``after``, oldest first."""
    return _messages(connection, _PAGE, {"id": session_id, "after": after, "limit": limit})


def sessions(
    connection: Connection, *, subject: str | None, limit: int, after: str | None
) -> list[SessionInfo]:
    """Give sessions by id, behind ``after``."""
    query = _INFO
    if subject is not None:
        query = query.where(_session.c.subject == subject)
    return _infos(connection, query, limit=limit, after=after)


def sessions_with(
    connection: Connection,
    keys: Sequence[str],
    forms: Sequence[str],
    *,
    limit: int,
    after: str | None,
) -> list[SessionInfo]:
    """Give sessions by id where one of ``forms`` is current under one of ``keys``."""
    holds = sa.select(_fact.c.session_id).where(
        _fact.c.key.in_(keys),
        _fact.c.normalized.in_(forms),
        _fact.c.ended_revision.is_(None),
    )
    query = _INFO.where(_session.c.session_id.in_(holds))
    return _infos(connection, query, limit=limit, after=after)


def _infos(
    connection: Connection,
    query: sa.Select[*tuple[Any, ...]],
    *,
    limit: int,
    after: str | None,
) -> list[SessionInfo]:
    if after is not None:
        query = query.where(_session.c.session_id > after)
    return [
        SessionInfo(
            session_id=row[0],
            subject=row[1],
            messages=row[2] - 1,
            turns=row[3],
            created_at=rows.when(row[4]),
            updated_at=rows.when(row[5]),
        )
        for row in connection.execute(query.order_by("session_id").limit(limit))
    ]


def compactions(connection: Connection, session_id: str) -> list[CompactionRecord]:
    """Give the session's compaction records, oldest first."""
    return [rows.record_of(row) for row in connection.execute(_RECORDS, {"id": session_id})]


def unread_entities(
    connection: Connection, *, after: str, limit: int
) -> list[tuple[str, int, int]]:
    """Give sessions with user messages that the recognizers have not read, by id.

    Each as (session id, seq they have read to, seq of its newest user message).
    """
    result = connection.execute(_UNREAD, {"after": after, "limit": limit})
    return [(row[0], row[1], row[2]) for row in result]


def entities_seq(connection: Connection, session_id: str) -> int:
    """Give the seq that the recognizers have read to; 0 where there is no session."""
    return connection.execute(_READ_TO, {"id": session_id}).scalar() or 0


def unread_seqs(connection: Connection, last: Mapping[str, int]) -> dict[str, list[int]]:
    """Give the unread user messages of sessions, up to a seq of each; one statement."""
    found: dict[str, list[int]] = {session_id: [] for session_id in last}
    if last:
        values = {"ids": list(last), "last": max(last.values())}
        for session_id, seq in connection.execute(_UNREAD_SEQS, values):
            found[session_id].append(seq)
    return found


def _messages(
    connection: Connection, query: Executable, values: dict[str, Any]
) -> list[Message]:
    return [rows.message_of(row) for row in connection.execute(query, values)]


def _head_value(row: Any) -> Head:
    return rows.head_of(row.payloads, row.tokens, row.revision, row.counter)


def _named_in(
    connection: Connection, session_id: str, segments: Sequence[Segment]
) -> list[Reference]:
    numbers = {ref.number for segment in segments for ref in find(segment.text)}
    return references(connection, session_id, numbers)
