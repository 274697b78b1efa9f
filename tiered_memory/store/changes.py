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
from tiered_memory.store import rows, schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from sqlalchemy import Connection

__all__ = [
    "Counters",
    "FactBatch",
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

_fact, _reference = schema.fact, schema.reference

_CURRENT = (
    sa.select(_fact.c.session_id, *rows.FACT)
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
        ended_why=sa.bindparam("reason"),
        superseded_by=sa.bindparam("by"),
    )
)
_SEEN = (
    sa.update(_fact)
    .where(_fact.c.session_id == sa.bindparam("of"), _fact.c.fact_id == sa.bindparam("id"))
    .values(
        last_seen=sa.bindparam("at"),
        last_seq=sa.bindparam("last"),
        confidence=sa.bindparam("sure"),
    )
)


def current_facts(
    connection: Connection, session_ids: Sequence[str]
) -> dict[str, list[Fact]]:
    """Give the current facts of each session, oldest first; one statement."""
    found: dict[str, list[Fact]] = {session_id: [] for session_id in session_ids}
    if session_ids:
        for row in connection.execute(_CURRENT, {"ids": list(session_ids)}):
            found[row[0]].append(rows.fact_of(row[1:]))
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
        revision: int,
        now: datetime,
        seq_of: Callable[[Candidate], int | None],
    ) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
        """Note the changes' rows; give the new facts and those that changed.

        ``numbers`` and ``counters`` are brought up to date.
        """
        added: list[Fact] = []
        for candidate in changes.added:
            number = self._number(session_id, candidate, numbers, counters, revision)
            fact = _new_fact(
                candidate, counters.next_fact, number, revision, now, seq_of(candidate)
            )
            counters.next_fact += 1
            added.append(fact)
            self.added.append(rows.fact_row(session_id, fact))
        by_id = {fact.fact_id: fact for fact in facts}
        changed = [
            self._end(session_id, by_id[fact_id], status, by, added, revision)
            for fact_id, (status, by) in changes.ended.items()
        ]
        changed += [
            self._see(session_id, by_id[fact_id], candidate, now, seq_of(candidate))
            for fact_id, candidate in changes.seen.items()
            if fact_id not in changes.ended
        ]
        return tuple(added), tuple(changed)

    def write(self, connection: Connection) -> None:
        """Write the noted rows; at most four statements."""
        if self.references:
            connection.execute(_INSERT_REFERENCES, self.references)
        if self.added:
            connection.execute(_INSERT_FACTS, self.added)
        if self.ended:
            connection.execute(_END, self.ended)
        if self.seen:
            connection.execute(_SEEN, self.seen)

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

    def _end(
        self,
        session_id: str,
        fact: Fact,
        status: FactStatus,
        by: int | None,
        added: Sequence[Fact],
        revision: int,
    ) -> Fact:
        superseded_by = None if by is None else added[by].fact_id
        self.ended.append(
            {
                "of": session_id,
                "id": fact.fact_id,
                "ended": revision,
                "reason": str(status),
                "by": superseded_by,
            }
        )
        return replace(
            fact, status=status, ended_revision=revision, superseded_by=superseded_by
        )

    def _see(
        self,
        session_id: str,
        fact: Fact,
        candidate: Candidate,
        now: datetime,
        seq: int | None,
    ) -> Fact:
        seen = replace(
            fact,
            last_seen=max(now, fact.last_seen),
            last_seq=seq if seq is not None else fact.last_seq,
            confidence=max(fact.confidence, candidate.confidence),
        )
        self.seen.append(
            {
                "of": session_id,
                "id": fact.fact_id,
                "at": rows.stamp(seen.last_seen),
                "last": seen.last_seq,
                "sure": seen.confidence,
            }
        )
        return seen


def _new_fact(
    candidate: Candidate,
    fact_id: int,
    number: int,
    revision: int,
    now: datetime,
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
        first_seen=now,
        last_seen=now,
        last_seq=seq,
        revision=revision,
        why=candidate.why,
    )
