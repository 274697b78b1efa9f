"""Reads of facts: current ones, their history, and as they were known."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import sqlalchemy as sa

from tiered_memory.model import FactStatus
from tiered_memory.state import in_focus
from tiered_memory.store import fact_rows, rows, schema

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from tiered_memory.model import Fact

__all__ = ["epoch_facts", "facts", "taken_back"]

_fact, _fact_seen = schema.fact, schema.fact_seen

_ID: sa.BindParameter[str] = sa.bindparam("id")
_EPOCH_FACTS = (
    sa.select(*fact_rows.FACT)
    .select_from(fact_rows.facts_at())
    .where(
        _fact.c.session_id == _ID,
        sa.or_(
            _fact.c.ended_revision.is_(None),
            _fact.c.ended_revision > sa.bindparam("epoch"),
        ),
    )
    .order_by(_fact.c.fact_id)
)
_AT: sa.BindParameter[int] = sa.bindparam("at")
_FACTS_AT = (
    sa.select(*fact_rows.FACT)
    .select_from(fact_rows.facts_at(_AT))
    .where(_fact.c.session_id == _ID, _fact.c.revision <= _AT)
)
_ENDS = (
    sa.select(_fact.c.number, _fact.c.ended_why, _fact.c.ended_revision)
    .where(
        _fact.c.session_id == _ID,
        _fact.c.number.in_(sa.bindparam("numbers", expanding=True)),
        _fact.c.revision <= _AT,
    )
    .order_by(_fact.c.fact_id)
)
_MOMENT: sa.BindParameter[str] = sa.bindparam("moment")
_REVISION_AT = sa.select(
    sa.func.max(sa.case((_fact.c.first_seen <= _MOMENT, _fact.c.revision))),
    sa.func.max(sa.case((_fact.c.ended_at <= _MOMENT, _fact.c.ended_revision))),
    sa.select(sa.func.max(_fact_seen.c.revision))
    .where(_fact_seen.c.session_id == _ID, _fact_seen.c.last_seen <= _MOMENT)
    .scalar_subquery(),
).where(_fact.c.session_id == _ID)


def facts(
    connection: Connection,
    session_id: str,
    *,
    key: str | None,
    owner: str | None,
    history: bool,
    as_of: datetime | None,
) -> list[Fact]:
    """Give the session's facts, oldest first; two statements with ``as_of``."""
    if as_of is None:
        at = None
        query = sa.select(*fact_rows.FACT).select_from(fact_rows.facts_at())
        query = query.where(_fact.c.session_id == _ID)
    else:
        at = _fact_revision(connection, session_id, as_of)
        query = _FACTS_AT
    if key is not None:
        query = query.where(_fact.c.key == key)
    if owner is not None:
        query = query.where(_fact.c.owner == owner)
    if not history:
        query = query.where(_current_at(at))
    found = connection.execute(
        query.order_by(_fact.c.fact_id), {"id": session_id, "at": at}
    )
    if at is None:
        return [fact_rows.fact_of(row) for row in found]
    return [fact_rows.fact_then(row, at) for row in found]


def _fact_revision(connection: Connection, session_id: str, moment: datetime) -> int:
    """Give the revision of the last change of facts that was stamped by ``moment``.

    So that the answer is a state that was, also where clocks of processes differ.
    """
    row = connection.execute(
        _REVISION_AT, {"id": session_id, "moment": rows.stamp(moment)}
    ).one()
    return max(revision or 0 for revision in row)


def _current_at(revision: int | None) -> sa.ColumnElement[bool]:
    current = _fact.c.ended_revision.is_(None)
    return current if revision is None else sa.or_(current, _fact.c.ended_revision > _AT)


def epoch_facts(
    connection: Connection, session_id: str, epoch: int
) -> tuple[tuple[Fact, ...], frozenset[int]]:
    """Give the facts that are current, or were at revision ``epoch``, and its focus.

    The focus are the ids of those spoken of last then, of keys with several values; it
    costs a second statement where a key has several.
    """
    known = connection.execute(_EPOCH_FACTS, {"id": session_id, "epoch": epoch})
    facts = tuple(fact_rows.fact_of(row) for row in known)
    return facts, _epoch_focus(connection, session_id, epoch, facts)


def taken_back(
    connection: Connection, session_id: str, numbers: Collection[int], epoch: int
) -> frozenset[int]:
    """Give the numbers whose newest fact had been taken back at revision ``epoch``.

    A number without a fact was said by others and stays. One statement, or none.
    """
    if not numbers:
        return frozenset()
    ends = {
        number: why if revision is not None and revision <= epoch else None
        for number, why, revision in connection.execute(
            _ENDS, {"id": session_id, "numbers": sorted(numbers), "at": epoch}
        )
    }
    return frozenset(n for n, why in ends.items() if why == FactStatus.RETRACTED)


def _epoch_focus(
    connection: Connection, session_id: str, epoch: int, facts: Sequence[Fact]
) -> frozenset[int]:
    slots = [(fact.owner, fact.key) for fact in facts if fact.revision <= epoch]
    if len(slots) == len(set(slots)):
        return frozenset()
    query = _FACTS_AT.where(_current_at(epoch))
    then = [
        fact_rows.fact_then(row, epoch)
        for row in connection.execute(query, {"id": session_id, "at": epoch})
    ]
    several = Counter((fact.owner, fact.key) for fact in then)
    return frozenset(
        fact.fact_id for slot, fact in in_focus(then).items() if several[slot] > 1
    )
