"""Rows of facts to values, and values to rows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from tiered_memory.model import Fact, FactStatus
from tiered_memory.store import schema
from tiered_memory.store.rows import stamp, when

__all__ = ["FACT", "fact_of", "fact_row", "fact_then", "facts_at"]

Row = Any

_f, _seen = schema.fact.c, schema.fact_seen.c


def _last(name: str) -> sa.Label[Any]:
    """Give a column of the newest row of ``tm_fact_seen``, which may hold NULL."""
    return sa.case((_seen.revision.is_(None), _f[name]), else_=_seen[name]).label(name)


def facts_at(revision: sa.ColumnElement[int] | None = None) -> sa.FromClause:
    """Give the facts with how they were last stated, up to ``revision`` where given."""
    fact, seen = schema.fact, schema.fact_seen
    inner = schema.fact_seen.alias("earlier")
    newest = sa.select(sa.func.max(inner.c.revision)).where(
        inner.c.session_id == fact.c.session_id, inner.c.fact_id == fact.c.fact_id
    )
    if revision is not None:
        newest = newest.where(inner.c.revision <= revision)
    return fact.outerjoin(
        seen,
        sa.and_(
            seen.c.session_id == fact.c.session_id,
            seen.c.fact_id == fact.c.fact_id,
            seen.c.revision == newest.correlate(fact).scalar_subquery(),
        ),
    )


FACT = (
    _f.fact_id,
    _f.number,
    _f.type,
    _f.key,
    _f.owner,
    _f.value,
    _f.normalized,
    sa.func.coalesce(_seen.confidence, _f.confidence).label("confidence"),
    _f.source,
    _f.pattern,
    _f.cardinality,
    _f.masked,
    _f.identifier,
    _f.seq,
    _f.part,
    _f.start_at,
    _f.end_at,
    _f.first_seen,
    sa.func.coalesce(_seen.last_seen, _f.last_seen).label("last_seen"),
    _last("last_seq"),
    _f.revision,
    _f.ended_revision,
    _f.ended_why,
    _f.superseded_by,
    sa.cast(_f.why, sa.Text).label("why"),
    _last("last_start"),
    _f.ended_at,
)
"""Of ``facts_at(…)``."""


def fact_of(row: Row) -> Fact:
    """Give the fact of a ``FACT`` row."""
    ended = row[22]
    return Fact(
        fact_id=row[0],
        number=row[1],
        type=row[2],
        key=row[3],
        owner=row[4],
        value=row[5],
        normalized=row[6],
        status=FactStatus.CURRENT if ended is None else FactStatus(ended),
        confidence=row[7],
        source=row[8],
        pattern=row[9],
        cardinality=row[10],
        masked=bool(row[11]),
        identifier=bool(row[12]),
        seq=row[13],
        part=row[14],
        start=row[15],
        end=row[16],
        first_seen=when(row[17]),
        last_seen=when(row[18]),
        last_seq=row[19],
        revision=row[20],
        ended_revision=row[21],
        superseded_by=row[23],
        why=json.loads(row[24]),
        last_start=row[25],
        ended_at=None if row[26] is None else when(row[26]),
    )


def fact_then(row: Row, revision: int) -> Fact:
    """Give the fact of a ``FACT`` row as it stood at ``revision``."""
    fact = fact_of(row)
    if fact.ended_revision is None or fact.ended_revision <= revision:
        return fact
    return replace(
        fact,
        status=FactStatus.CURRENT,
        ended_revision=None,
        ended_at=None,
        superseded_by=None,
    )


def fact_row(session_id: str, fact: Fact) -> dict[str, Any]:
    """Give the columns of a new fact."""
    return {
        "session_id": session_id,
        "fact_id": fact.fact_id,
        "number": fact.number,
        "type": fact.type,
        "key": fact.key,
        "owner": fact.owner,
        "value": fact.value,
        "normalized": fact.normalized,
        "confidence": fact.confidence,
        "source": fact.source,
        "pattern": fact.pattern,
        "cardinality": fact.cardinality,
        "masked": fact.masked,
        "identifier": fact.identifier,
        "seq": fact.seq,
        "part": fact.part,
        "start_at": fact.start,
        "end_at": fact.end,
        "first_seen": stamp(fact.first_seen),
        "last_seen": stamp(fact.last_seen),
        "last_seq": fact.last_seq,
        "last_start": fact.last_start,
        "why": dict(fact.why),
        "revision": fact.revision,
        "ended_revision": fact.ended_revision,
        "ended_at": None if fact.ended_at is None else stamp(fact.ended_at),
        "ended_why": None if fact.ended_revision is None else str(fact.status),
        "superseded_by": fact.superseded_by,
    }
