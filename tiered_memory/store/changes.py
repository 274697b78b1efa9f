"""Fact changes to rows: numbers given, rows added, ended and seen again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from tiered_memory.model import (
    AppendResult,
    Candidate,
    Fact,
    FactChanges,
    FactStatus,
)
from tiered_memory.state import place_said
from tiered_memory.store import fact_rows, rows, schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = [
    "Counters",
    "FactBatch",
    "Moment",
    "Outcome",
    "Resolve",
    "current_facts",
    "reference_numbers",
]

Resolve = Callable[[Sequence[Candidate], Sequence[Fact]], FactChanges]
Outcome = AppendResult | Exception | None
"""A draft's end: what it did, why it failed alone, or None where its session moved."""

Name = tuple[str, str, str]
"""Owner, key and normal form: what one reference number stands for."""

_fact, _reference, _fact_seen = schema.fact, schema.reference, schema.fact_seen

_CURRENT = (
    sa.select(_fact.c.session_id, *fact_rows.FACT)
    .select_from(fact_rows.facts_at())
    .where(
        _fact.c.session_id.in_(sa.bindparam("ids", expanding=True)),
        _fact.c.ended_revision.is_(None),
    )
    .order_by(_fact.c.session_id, _fact.c.fact_id)
)
_NUMBERS = sa.select(
    _reference.c.session_id,
    _reference.c.owner,
    _reference.c.key,
    _reference.c.normalized,
    _reference.c.number,
).where(
    _reference.c.session_id.in_(sa.bindparam("ids", expanding=True)),
    _reference.c.normalized.in_(sa.bindparam("forms", expanding=True)),
)
_INSERT_FACTS = sa.insert(_fact)
_INSERT_REFERENCES = sa.insert(_reference)
_END = (
    sa.update(_fact)
    .where(_fact.c.session_id == sa.bindparam("of"), _fact.c.fact_id == sa.bindparam("id"))
    .values(
        ended_revision=sa.bindparam("ended"),
        ended_at=sa.bindparam("at"),
        ended_why=sa.bindparam("reason"),
        superseded_by=sa.bindparam("by"),
    )
)
_INSERT_SEEN = sa.insert(_fact_seen)


def current_facts(
    connection: Connection, session_ids: Sequence[str]
) -> dict[str, list[Fact]]:
    """Give the current facts of each session, oldest first; one statement."""
    found: dict[str, list[Fact]] = {session_id: [] for session_id in session_ids}
    if session_ids:
        for row in connection.execute(_CURRENT, {"ids": list(session_ids)}):
            found[row[0]].append(fact_rows.fact_of(row[1:]))
    return found


def reference_numbers(
    connection: Connection, names: Mapping[str, Iterable[Name]]
) -> dict[tuple[str, Name], int]:
    """Give the known numbers of names, by session; one statement."""
    wanted = {(session_id, name) for session_id in names for name in names[session_id]}
    if not wanted:
        return {}
    result = connection.execute(
        _NUMBERS,
        {
            "ids": sorted({session_id for session_id, _ in wanted}),
            "forms": sorted({name[2] for _, name in wanted}),
        },
    )
    found = {(row[0], (row[1], row[2], row[3])): row[4] for row in result}
    return {place: number for place, number in found.items() if place in wanted}


@dataclass(slots=True)
class Counters:
    """A session's running numbers while a transaction gives them out."""

    next_reference: int
    next_fact: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When changes are made: the revision that brings them, the time, the newest message."""

    revision: int
    now: datetime
    newest_seq: int


@dataclass(slots=True)
class FactBatch:
    """The rows of many sessions' fact changes, written together."""

    added: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    references: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    ended: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    seen: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def take(
        self,
        session_id: str,
        changes: FactChanges,
        facts: Sequence[Fact],
        *,
        numbers: dict[tuple[str, Name], int],
        counters: Counters,
        moment: Moment,
        seq_of: Callable[[Candidate], int | None],
    ) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
        """Note the changes' rows; give the new facts and those that changed.

        A new fact that another of the batch ended comes as ended. ``numbers`` and
        ``counters`` are brought up to date.
        """
        first = counters.next_fact
        by_row = {fact.fact_id: fact for fact in facts}
        for place, candidate in enumerate(changes.added):
            number = self._number(session_id, candidate, numbers, counters, moment.revision)
            by_row[-place] = _new_fact(
                candidate, first + place, number, moment, seq_of(candidate)
            )
        counters.next_fact += len(changes.added)
        for row, candidate in changes.seen.items():
            by_row[row] = _seen_again(by_row[row], candidate, moment, seq_of(candidate))
        for row, (status, by) in changes.ended.items():
            by_row[row] = replace(
                by_row[row],
                status=status,
                ended_revision=moment.revision,
                ended_at=moment.now,
                superseded_by=None if by is None else by_row[by].fact_id,
            )
        added = tuple(by_row[-place] for place in range(len(changes.added)))
        self.added += (fact_rows.fact_row(session_id, fact) for fact in added)
        stored = [row for row in changes.ended if row > 0]
        self.ended += (_end_row(session_id, by_row[row]) for row in stored)
        again = [row for row in changes.seen if row > 0 and row not in changes.ended]
        self.seen += (_seen_row(session_id, by_row[row], moment) for row in again)
        return added, tuple(by_row[row] for row in (*stored, *again))

    def write(self, connection: Connection) -> None:
        """Write the noted rows; at most four statements."""
        if self.references:
            connection.execute(_INSERT_REFERENCES, self.references)
        if self.added:
            connection.execute(_INSERT_FACTS, self.added)
        if self.ended:
            connection.execute(_END, self.ended)
        if self.seen:
            connection.execute(_INSERT_SEEN, self.seen)

    def _number(
        self,
        session_id: str,
        candidate: Candidate,
        numbers: dict[tuple[str, Name], int],
        counters: Counters,
        revision: int,
    ) -> int:
        name = (candidate.owner, candidate.key, candidate.normalized)
        known = numbers.get((session_id, name))
        if known is not None:
            return known
        number = counters.next_reference
        counters.next_reference += 1
        numbers[session_id, name] = number
        self.references.append(
            {
                "session_id": session_id,
                "number": number,
                "owner": candidate.owner,
                "key": candidate.key,
                "type": candidate.type,
                "normalized": candidate.normalized,
                "value": candidate.value,
                "revision": revision,
            }
        )
        return number


def _end_row(session_id: str, fact: Fact) -> dict[str, Any]:
    return {
        "of": session_id,
        "id": fact.fact_id,
        "ended": fact.ended_revision,
        "at": None if fact.ended_at is None else rows.stamp(fact.ended_at),
        "reason": str(fact.status),
        "by": fact.superseded_by,
    }


def _seen_row(session_id: str, fact: Fact, moment: Moment) -> dict[str, Any]:
    return {
        "session_id": session_id,
        "fact_id": fact.fact_id,
        "revision": moment.revision,
        "last_seen": rows.stamp(fact.last_seen),
        "last_seq": fact.last_seq,
        "last_start": fact.last_start,
        "confidence": fact.confidence,
    }


def _seen_again(fact: Fact, candidate: Candidate, moment: Moment, seq: int | None) -> Fact:
    """Give the fact as stated again; what a recognizer reads late moves nothing back.

    Being stated again does not make a value surer, being confirmed does: the doubts
    are taken as independent.
    """
    sure = max(fact.confidence, candidate.confidence)
    if candidate.source == "confirmed":
        sure = round(1 - (1 - fact.confidence) * (1 - candidate.confidence), 3)
    last_seq: int | None = moment.newest_seq
    last_start: int | None = None
    if seq is not None:
        last_seq, last_start = seq, candidate.start
    if place_said(last_seq, last_start) < place_said(fact.last_seq, fact.last_start):
        last_seq, last_start = fact.last_seq, fact.last_start
    return replace(
        fact,
        last_seen=max(moment.now, fact.last_seen),
        last_seq=last_seq,
        last_start=last_start,
        confidence=max(fact.confidence, sure),
    )


def _new_fact(
    candidate: Candidate,
    fact_id: int,
    number: int,
    moment: Moment,
    seq: int | None,
) -> Fact:
    spanned = seq is not None
    return Fact(
        fact_id=fact_id,
        number=number,
        type=candidate.type,
        key=candidate.key,
        owner=candidate.owner,
        value=candidate.value,
        normalized=candidate.normalized,
        status=FactStatus.CURRENT,
        confidence=candidate.confidence,
        source=candidate.source,
        pattern=candidate.pattern,
        cardinality=candidate.cardinality,
        masked=candidate.masked,
        identifier=candidate.identifier,
        seq=seq,
        part=candidate.part if spanned else None,
        start=candidate.start if spanned else None,
        end=candidate.end if spanned else None,
        first_seen=moment.now,
        last_seen=moment.now,
        last_seq=seq if spanned else moment.newest_seq,
        last_start=candidate.start if spanned else None,
        revision=moment.revision,
        why=candidate.why,
    )
