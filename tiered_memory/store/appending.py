"""Drafts of many sessions to rows, in one transaction and a handful of statements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from tiered_memory.errors import MessageError, StoreError
from tiered_memory.model import AppendResult, FactChanges, Message
from tiered_memory.store import rows, schema, vault
from tiered_memory.store.changes import FactBatch, Moment, current_facts, reference_numbers
from tiered_memory.store.model_tasks import INSERT_TASKS, task_rows
from tiered_memory.store.session_rows import SessionRow, read_sessions, write_sessions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from tiered_memory.model import Draft, Fact, Head
    from tiered_memory.store.changes import Outcome, Resolve

__all__ = ["append"]

_message, _head = schema.message, schema.head

_REPEATS = sa.select(
    _message.c.session_id,
    _message.c.message_id,
    _message.c.seq,
    _message.c.batch,
    _message.c.payload,
).where(
    _message.c.session_id.in_(sa.bindparam("ids", expanding=True)),
    _message.c.message_id.in_(sa.bindparam("names", expanding=True)),
)
_INSERT_MESSAGES = sa.insert(_message)
_INSERT_HEAD = sa.insert(_head)
_END_HEAD = (
    sa.update(_head)
    .where(_head.c.session_id == sa.bindparam("of"), _head.c.ended_revision.is_(None))
    .values(ended_revision=sa.bindparam("ended"))
)


@dataclass(slots=True)
class _Ready:
    """A draft that will be written, with what ``resolve`` said."""

    place: int
    draft: Draft
    changes: FactChanges
    facts: Sequence[Fact]


def append(connection: Connection, items: Sequence[tuple[Draft, Resolve]]) -> list[Outcome]:
    """Write the drafts; give each one's outcome, in order.

    Of several drafts of one session the first is written, the others have moved. A
    draft whose ``resolve`` raises fails alone; nothing of it is written. Two
    statements read, two to nine write, whatever the number of drafts; one more reads where
    drafts bring values for the vault.
    """
    sessions = read_sessions(connection, {draft.session_id for draft, _ in items})
    outcomes: list[Outcome] = [None] * len(items)
    open_places = _repeats(connection, items, outcomes)
    ready = _resolved(connection, items, open_places, sessions, outcomes)
    numbers = reference_numbers(
        connection,
        {
            r.draft.session_id: [(c.owner, c.key, c.normalized) for c in r.changes.added]
            for r in ready
            if sessions[r.draft.session_id].counters.next_reference > 1
        },
    )
    batch = FactBatch()
    messages: list[dict[str, Any]] = []
    heads: list[dict[str, Any]] = []
    tasks: list[dict[str, Any]] = []
    for item in ready:
        session = sessions[item.draft.session_id]
        asked = [session.next_seq + place for place in item.draft.asks]
        tasks += task_rows(item.draft.session_id, asked)
        outcomes[item.place] = _take(item, session, numbers, batch, messages, heads)
    write_sessions(
        connection,
        {
            item.draft.session_id: (sessions[item.draft.session_id], item.draft.created_at)
            for item in ready
        },
    )
    if messages:
        connection.execute(_INSERT_MESSAGES, messages)
    if tasks:
        connection.execute(INSERT_TASKS, tasks)
    if heads:
        connection.execute(
            _END_HEAD, [{"of": h["session_id"], "ended": h["revision"]} for h in heads]
        )
        connection.execute(_INSERT_HEAD, heads)
    batch.write(connection)
    vault.write(
        connection,
        {
            item.draft.session_id: (item.draft.vault, sessions[item.draft.session_id])
            for item in ready
            if item.draft.vault
        },
    )
    return outcomes


def _repeats(
    connection: Connection,
    items: Sequence[tuple[Draft, Resolve]],
    outcomes: list[Outcome],
) -> list[int]:
    """Answer drafts whose ``message_id`` is stored; give the places of the others."""
    named = [draft for draft, _ in items if draft.message_id is not None]
    if not named:
        return list(range(len(items)))
    found = {
        (row[0], row[1]): (row[2], row[3], row[4])
        for row in connection.execute(
            _REPEATS,
            {
                "ids": sorted({draft.session_id for draft in named}),
                "names": sorted({str(draft.message_id) for draft in named}),
            },
        )
    }
    left: list[int] = []
    for place, (draft, _) in enumerate(items):
        known = found.get((draft.session_id, draft.message_id or ""))
        if draft.message_id is None or known is None:
            left.append(place)
            continue
        if not _same(draft, batch=known[1], stored=known[2]):
            outcomes[place] = MessageError(
                "this message_id was given before, to other messages; each needs its own",
                field="message_id",
            )
            continue
        outcomes[place] = AppendResult(
            session_id=draft.session_id,
            base_revision=draft.revision,
            revision=draft.revision,
            next_seq=draft.next_seq,
            first_seq=known[0],
            last_seq=known[0] + known[1] - 1,
            repeated=True,
        )
    return left


def _same(draft: Draft, *, batch: int, stored: str) -> bool:
    """Tell whether a draft repeats what is stored under its ``message_id``.

    Where a mark of masking may stand in what is stored its text tells nothing: what was
    masked as the answer to a question is not when it comes again.
    """
    if batch != len(draft.messages):
        return False
    return "[" in stored or stored == rows.dumps(draft.messages[0].payload)


def _resolved(
    connection: Connection,
    items: Sequence[tuple[Draft, Resolve]],
    places: Sequence[int],
    sessions: dict[str, SessionRow],
    outcomes: list[Outcome],
) -> list[_Ready]:
    """Give the drafts that can be written; note the outcome of those that cannot."""
    able: list[int] = []
    taken: set[str] = set()
    for place in places:
        draft = items[place][0]
        session = sessions.get(draft.session_id)
        if session is None:
            session = SessionRow.fresh(draft.subject)
            sessions[draft.session_id] = session
        if draft.subject is not None and session.subject not in (None, draft.subject):
            outcomes[place] = StoreError(
                "the session belongs to another subject than the one given",
                target="subject",
            )
        elif draft.session_id not in taken and session.next_seq == draft.next_seq:
            taken.add(draft.session_id)
            session.subject = session.subject or draft.subject
            able.append(place)
    stale = [
        items[place][0].session_id
        for place in able
        if items[place][0].candidates
        and sessions[items[place][0].session_id].revision != items[place][0].revision
    ]
    fresh = current_facts(connection, stale)
    ready: list[_Ready] = []
    for place in able:
        draft, resolve = items[place]
        facts = fresh.get(draft.session_id, draft.facts)
        try:
            changes = resolve(draft.candidates, facts) if draft.candidates else None
        except Exception as exc:  # noqa: BLE001 (handed to the caller whose draft it is)
            outcomes[place] = exc
            continue
        ready.append(
            _Ready(place=place, draft=draft, changes=changes or FactChanges(), facts=facts)
        )
    return ready


def _take(
    item: _Ready,
    session: SessionRow,
    numbers: dict[tuple[str, tuple[str, str, str]], int],
    batch: FactBatch,
    messages: list[dict[str, Any]],
    heads: list[dict[str, Any]],
) -> AppendResult:
    """Note a draft's rows and move its session's row on."""
    draft = item.draft
    base, first = session.revision, session.next_seq
    session.revision += 1
    stored: list[Message] = []
    for new in draft.messages:
        session.turns += new.opens_turn
        message = Message(
            seq=session.next_seq,
            turn=session.turns,
            role=str(new.payload["role"]),
            payload=new.payload,
            tokens=new.tokens,
            revision=session.revision,
            short=new.short,
            short_tokens=new.short_tokens,
            created_at=draft.created_at,
            message_id=draft.message_id if session.next_seq == first else None,
            counter=draft.counter,
        )
        session.next_seq += 1
        stored.append(message)
        messages.append(_message_row(draft, message))
    added, changed = batch.take(
        draft.session_id,
        item.changes,
        item.facts,
        numbers=numbers,
        counters=session.counters,
        moment=Moment(
            revision=session.revision,
            now=draft.created_at,
            newest_seq=session.next_seq - 1,
        ),
        seq_of=lambda candidate: first + candidate.index,
    )
    head = _head_row(draft, session.revision, heads)
    return AppendResult(
        session_id=draft.session_id,
        base_revision=base,
        revision=session.revision,
        next_seq=session.next_seq,
        first_seq=first,
        last_seq=session.next_seq - 1,
        messages=tuple(stored),
        added=added,
        changed=changed,
        head=head,
        epoch_revision=session.take_back(changed),
        vault=draft.vault,
    )


def _head_row(draft: Draft, revision: int, heads: list[dict[str, Any]]) -> Head | None:
    if draft.head is None:
        return None
    heads.append(
        {
            "session_id": draft.session_id,
            "revision": revision,
            "payloads": rows.dumps(list(draft.head.payloads)),
            "tokens": draft.head.tokens,
            "counter": draft.counter,
            "ended_revision": None,
        }
    )
    return replace(draft.head, revision=revision, counter=draft.counter)


def _message_row(draft: Draft, message: Message) -> dict[str, Any]:
    return {
        "session_id": draft.session_id,
        "seq": message.seq,
        "revision": message.revision,
        "turn": message.turn,
        "role": message.role,
        "payload": rows.dumps(message.payload),
        "tokens": message.tokens,
        "counter": draft.counter,
        "short": None if message.short is None else rows.dumps(message.short),
        "short_tokens": message.short_tokens,
        "message_id": message.message_id,
        "batch": len(draft.messages),
        "settings_hash": draft.settings_hash,
        "created_at": rows.stamp(draft.created_at),
        "ended_revision": None,
        "ended_why": None,
    }
