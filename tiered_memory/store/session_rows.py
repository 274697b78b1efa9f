"""The row of a session while a transaction moves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from tiered_memory.model import FactStatus
from tiered_memory.store import rows, schema
from tiered_memory.store.changes import Counters

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from sqlalchemy import Connection

    from tiered_memory.model import Fact

__all__ = ["SessionRow", "read_sessions", "write_sessions"]

_session = schema.session

_READ = sa.select(
    _session.c.session_id,
    _session.c.subject,
    _session.c.revision,
    _session.c.next_seq,
    _session.c.next_reference,
    _session.c.next_fact,
    _session.c.turns,
    _session.c.entities_seq,
    _session.c.boundary_seq,
    _session.c.epoch_revision,
).where(_session.c.session_id.in_(sa.bindparam("ids", expanding=True)))
_INSERT = sa.insert(_session)
_MOVE = (
    sa.update(_session)
    .where(_session.c.session_id == sa.bindparam("of"))
    .values(
        next_seq=sa.bindparam("seq"),
        revision=sa.bindparam("rev"),
        next_reference=sa.bindparam("reference"),
        next_fact=sa.bindparam("fact"),
        turns=sa.bindparam("turn"),
        entities_seq=sa.bindparam("entities"),
        epoch_revision=sa.bindparam("epoch"),
        subject=sa.bindparam("whose"),
        updated_at=sa.bindparam("at"),
    )
)


@dataclass(slots=True)
class SessionRow:
    """What of a session's row changes as messages and facts come; ``new`` is not stored."""

    subject: str | None
    revision: int
    next_seq: int
    counters: Counters
    turns: int
    entities_seq: int
    boundary_seq: int = 0
    epoch_revision: int = 0
    new: bool = False

    @classmethod
    def fresh(cls, subject: str | None) -> SessionRow:
        """Give the row of a session that is not stored yet."""
        return cls(
            subject=subject,
            revision=0,
            next_seq=1,
            counters=Counters(next_reference=1, next_fact=1),
            turns=0,
            entities_seq=0,
            new=True,
        )

    def take_back(self, changed: Iterable[Fact]) -> int | None:
        """Begin an epoch where an identifier that a segment may name was taken back.

        Gives its revision, or None where none begins.
        """
        if not self.boundary_seq or not any(
            fact.identifier and fact.status is FactStatus.RETRACTED for fact in changed
        ):
            return None
        self.epoch_revision = self.revision
        return self.revision


def read_sessions(connection: Connection, ids: Iterable[str]) -> dict[str, SessionRow]:
    """Give the rows of the sessions that are stored; one statement."""
    return {
        row[0]: SessionRow(
            subject=row[1],
            revision=row[2],
            next_seq=row[3],
            counters=Counters(next_reference=row[4], next_fact=row[5]),
            turns=row[6],
            entities_seq=row[7],
            boundary_seq=row[8],
            epoch_revision=row[9],
        )
        for row in connection.execute(_READ, {"ids": sorted(set(ids))})
    }


def write_sessions(
    connection: Connection, moved: Mapping[str, tuple[SessionRow, datetime]]
) -> None:
    """Write rows, each with the time of what moved it; at most two statements."""
    fresh: list[dict[str, Any]] = []
    known: list[dict[str, Any]] = []
    for session_id, (row, at) in moved.items():
        if row.new:
            fresh.append(_new(session_id, row, rows.stamp(at)))
        else:
            known.append(_moved(session_id, row, rows.stamp(at)))
    if fresh:
        connection.execute(_INSERT, fresh)
    if known:
        connection.execute(_MOVE, known)


def _moved(session_id: str, session: SessionRow, at: str) -> dict[str, Any]:
    return {
        "of": session_id,
        "seq": session.next_seq,
        "rev": session.revision,
        "reference": session.counters.next_reference,
        "fact": session.counters.next_fact,
        "turn": session.turns,
        "entities": session.entities_seq,
        "epoch": session.epoch_revision,
        "whose": session.subject,
        "at": at,
    }


def _new(session_id: str, session: SessionRow, at: str) -> dict[str, Any]:
    return {
        "session_id": session_id,
        "subject": session.subject,
        "next_seq": session.next_seq,
        "revision": session.revision,
        "generation": 0,
        "boundary_seq": 0,
        "pinned_seq": None,
        "entities_seq": 0,
        "epoch_revision": 0,
        "next_reference": session.counters.next_reference,
        "next_fact": session.counters.next_fact,
        "turns": session.turns,
        "folded_turns": 0,
        "failures": 0,
        "created_at": at,
        "updated_at": at,
    }
