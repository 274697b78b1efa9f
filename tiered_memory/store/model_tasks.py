"""What a model is still to be asked, how often it was, and what its replies left waiting."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import sqlalchemy as sa

from tiered_memory.model import AppendResult, Candidate, FactDraft
from tiered_memory.store import rows, schema
from tiered_memory.store.changes import current_facts
from tiered_memory.store.facts import change_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from tiered_memory.model import Fact, ProposalDraft
    from tiered_memory.store.changes import Resolve

__all__ = ["INSERT_TASKS", "Grant", "ModelTasks", "task_rows"]

T = TypeVar("T")

Grant = Literal["granted", "gone", "spent"]
"""Whether a call may be made: ``gone`` where the message was read, ``spent`` where a
budget is (then it is not to be read any more)."""

Pairs = list[tuple[int, Candidate]]

_task, _call, _proposal = schema.model_task, schema.model_call, schema.proposal

INSERT_TASKS = sa.insert(_task)
_OPEN = (
    sa.select(_task.c.session_id, _task.c.seq)
    .where(
        sa.or_(
            _task.c.session_id > sa.bindparam("of"),
            sa.and_(
                _task.c.session_id == sa.bindparam("of"), _task.c.seq > sa.bindparam("at")
            ),
        )
    )
    .order_by(_task.c.session_id, _task.c.seq)
    .limit(sa.bindparam("limit"))
)
_ONE = sa.select(_task.c.seq).where(
    _task.c.session_id == sa.bindparam("of"), _task.c.seq == sa.bindparam("at")
)
_DELETE = sa.delete(_task).where(
    _task.c.session_id == sa.bindparam("of"), _task.c.seq == sa.bindparam("at")
)
_OF_SESSION = sa.select(sa.func.coalesce(sa.func.sum(_call.c.calls), 0)).where(
    _call.c.session_id == sa.bindparam("of")
)
_OF_DAY = sa.select(sa.func.coalesce(sa.func.sum(_call.c.calls), 0)).where(
    _call.c.day == sa.bindparam("on")
)
_COUNT = (
    sa.update(_call)
    .where(_call.c.session_id == sa.bindparam("of"), _call.c.day == sa.bindparam("on"))
    .values(calls=_call.c.calls + 1)
)
_FIRST = sa.insert(_call)
_WAITING = (
    sa.select(
        _proposal.c.seq,
        _proposal.c.number,
        _proposal.c.owner,
        _proposal.c.key,
        _proposal.c.normalized,
        _proposal.c.candidate,
    )
    .where(_proposal.c.session_id == sa.bindparam("of"))
    .order_by(_proposal.c.seq, _proposal.c.number)
)
_WAIT = sa.insert(_proposal)
_WAITS_NO_MORE = sa.delete(_proposal).where(
    _proposal.c.session_id == sa.bindparam("of"),
    _proposal.c.seq == sa.bindparam("at"),
    _proposal.c.number == sa.bindparam("n"),
)


def task_rows(session_id: str, seqs: Sequence[int]) -> list[dict[str, Any]]:
    """Give the rows of messages that a model is to be asked about."""
    return [{"session_id": session_id, "seq": seq} for seq in seqs]


class _Run(Protocol):
    async def __call__(self, work: Callable[[Connection], T], /) -> T: ...


class ModelTasks:
    """The store's side of stage 3; each method is one transaction.

    A task is written with its message and goes when the message was read, so that a
    crash between the two loses nothing and no message is read twice.
    """

    def __init__(self, *, read: _Run, write: _Run) -> None:
        self._read = read
        self._write = write

    async def open(self, *, after: tuple[str, int], limit: int) -> list[tuple[str, int]]:
        """Give (session id, seq) of messages still to be read, behind ``after``."""
        return await self._read(partial(_open, after=after, limit=limit))

    async def begin(
        self, session_id: str, seq: int, *, day: str, per_day: int, per_session: int
    ) -> Grant:
        """Count a call that is about to be made, where both budgets allow it."""
        return await self._write(
            partial(
                _begin,
                session_id=session_id,
                seq=seq,
                day=day,
                per_day=per_day,
                per_session=per_session,
            )
        )

    async def end(
        self,
        draft: ProposalDraft,
        resolve: Resolve,
        withstood: Callable[[Pairs, Sequence[Fact]], Pairs],
    ) -> AppendResult | None:
        """End the task of a message and bring what came of it to the facts.

        What waits becomes a fact where another message had given the same owner, key
        and normal form. None where the task is gone: then nothing is written.
        ``resolve`` and ``withstood`` run in the transaction and must be pure.
        """
        return await self._write(
            partial(_end, draft=draft, resolve=resolve, withstood=withstood)
        )


def _open(
    connection: Connection, *, after: tuple[str, int], limit: int
) -> list[tuple[str, int]]:
    found = connection.execute(_OPEN, {"of": after[0], "at": after[1], "limit": limit})
    return [(row[0], row[1]) for row in found]


def _begin(
    connection: Connection,
    *,
    session_id: str,
    seq: int,
    day: str,
    per_day: int,
    per_session: int,
) -> Grant:
    if connection.execute(_ONE, {"of": session_id, "at": seq}).first() is None:
        return "gone"
    of_session = connection.execute(_OF_SESSION, {"of": session_id}).scalar() or 0
    of_day = connection.execute(_OF_DAY, {"on": day}).scalar() or 0
    if of_session >= per_session or of_day >= per_day:
        connection.execute(_DELETE, {"of": session_id, "at": seq})
        return "spent"
    counted = connection.execute(_COUNT, {"of": session_id, "on": day})
    if not counted.rowcount:
        connection.execute(_FIRST, {"session_id": session_id, "day": day, "calls": 1})
    return "granted"


def _end(
    connection: Connection,
    *,
    draft: ProposalDraft,
    resolve: Resolve,
    withstood: Callable[[Pairs, Sequence[Fact]], Pairs],
) -> AppendResult | None:
    session_id = draft.session_id
    gone = connection.execute(_DELETE, {"of": session_id, "at": draft.seq})
    if not gone.rowcount:
        return None
    pairs = [(draft.seq, candidate) for candidate in draft.stored]
    if draft.stored or draft.waiting:
        pairs += _promoted(connection, draft)
    current = current_facts(connection, [session_id])[session_id] if pairs else []
    changed = FactDraft(
        session_id=session_id,
        candidates=tuple(withstood(pairs, current)),
        created_at=draft.created_at,
    )
    (outcome,) = change_facts(connection, [(changed, resolve)])
    if isinstance(outcome, AppendResult):
        return outcome
    raise outcome or LookupError("a draft of facts had no outcome")


def _promoted(connection: Connection, draft: ProposalDraft) -> Pairs:
    """Let proposals wait, or give them with those that waited for them."""
    known: dict[tuple[str, str, str], list[Any]] = {}
    for row in connection.execute(_WAITING, {"of": draft.session_id}):
        known.setdefault((row.owner, row.key, row.normalized), []).append(row)
    pairs: Pairs = []
    fresh: list[dict[str, Any]] = []
    taken: list[Any] = []
    for number, candidate in enumerate(draft.waiting):
        others = known.get(_name(candidate), [])
        if others:
            taken += others
            pairs.append((draft.seq, candidate))
            pairs += [(row.seq, Candidate(**row.candidate)) for row in others]
        else:
            fresh.append(_waiting_row(draft, number, candidate))
    for candidate in draft.stored:
        taken += known.get(_name(candidate), [])
    if taken:
        connection.execute(
            _WAITS_NO_MORE,
            [{"of": draft.session_id, "at": row.seq, "n": row.number} for row in taken],
        )
    if fresh:
        connection.execute(_WAIT, fresh)
    return pairs


def _name(candidate: Candidate) -> tuple[str, str, str]:
    return (candidate.owner, candidate.key, candidate.normalized)


def _waiting_row(draft: ProposalDraft, number: int, candidate: Candidate) -> dict[str, Any]:
    return {
        "session_id": draft.session_id,
        "seq": draft.seq,
        "number": number,
        "owner": candidate.owner,
        "key": candidate.key,
        "normalized": candidate.normalized,
        "candidate": asdict(candidate),
        "created_at": rows.stamp(draft.created_at),
    }
