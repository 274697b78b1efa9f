"""Fact candidates that come without a message, from recognizers or the application."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tiered_memory.errors import StoreError
from tiered_memory.model import AppendResult, FactChanges
from tiered_memory.store import reading, vault
from tiered_memory.store.changes import FactBatch, Moment, current_facts, reference_numbers
from tiered_memory.store.session_rows import SessionRow, read_sessions, write_sessions

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from tiered_memory.model import Fact, FactDraft
    from tiered_memory.store.changes import Outcome, Resolve

__all__ = ["change_facts"]


def change_facts(
    connection: Connection, items: Sequence[tuple[FactDraft, Resolve]]
) -> list[Outcome]:
    """Bring fact candidates that came without a message; facts are read here.

    A draft that changes nothing but ``entities_seq`` does not raise the revision. One
    whose session is not stored does what its ``missing`` says.
    """
    read: dict[str, set[int]] = {}
    for draft, _ in items:
        if draft.read:
            read.setdefault(draft.session_id, set()).update(draft.read)
    unread = reading.unread_seqs(connection, {name: max(read[name]) for name in read})
    sessions = read_sessions(connection, [draft.session_id for draft, _ in items])
    facts = current_facts(
        connection, sorted({d.session_id for d, _ in items if d.candidates})
    )
    outcomes: list[Outcome] = []
    moved: dict[str, tuple[SessionRow, datetime]] = {}
    for draft, resolve in items:
        session = sessions.get(draft.session_id)
        if session is None and draft.missing == "create":
            session = sessions[draft.session_id] = SessionRow.fresh(draft.subject)
        refusal = _refusal(draft, session)
        if session is None or refusal is not None:
            outcomes.append(refusal or _unchanged(draft))
            continue
        current = facts.get(draft.session_id, [])
        try:
            changes = _resolved_changes(draft, resolve, current)
        except Exception as exc:  # noqa: BLE001 (handed to the caller whose draft it is)
            outcomes.append(exc)
            continue
        session.subject = session.subject or draft.subject
        if draft.read:
            session.entities_seq = _read_to(
                session.entities_seq, unread[draft.session_id], read[draft.session_id]
            )
        outcomes.append(_change(connection, draft, changes, session, facts))
        moved[draft.session_id] = (session, draft.created_at)
    write_sessions(connection, moved)
    return outcomes


def _refusal(draft: FactDraft, session: SessionRow | None) -> StoreError | None:
    """Give why a draft cannot be written, or None."""
    if session is None:
        missing = draft.missing == "error"
        return StoreError("no such session", target="session") if missing else None
    if draft.subject is not None and session.subject not in (None, draft.subject):
        return StoreError(
            "the session belongs to another subject than the one given", target="subject"
        )
    return None


def _unchanged(draft: FactDraft) -> AppendResult:
    return AppendResult(
        session_id=draft.session_id,
        base_revision=0,
        revision=0,
        next_seq=1,
        first_seq=1,
        last_seq=0,
        repeated=True,
    )


def _read_to(mark: int, unread: Sequence[int], read: Collection[int]) -> int:
    """Give the last of ``unread`` before the first that is not in ``read``."""
    for seq in unread:
        if seq not in read:
            break
        mark = max(mark, seq)
    return mark


def _resolved_changes(
    draft: FactDraft, resolve: Resolve, current: Sequence[Fact]
) -> FactChanges:
    """Give what the candidates change; their ``index`` is their place in the draft."""
    if not draft.candidates:
        return FactChanges()
    candidates = [
        replace(candidate, index=index)
        for index, (_, candidate) in enumerate(draft.candidates)
    ]
    return resolve(candidates, current)


def _change(
    connection: Connection,
    draft: FactDraft,
    changes: FactChanges,
    session: SessionRow,
    facts: dict[str, list[Fact]],
) -> AppendResult:
    """Write a draft's changes; ``facts`` are brought up to date for the next draft."""
    current = facts.get(draft.session_id, [])
    base = session.revision
    added: tuple[Fact, ...] = ()
    changed: tuple[Fact, ...] = ()
    epoch_revision: int | None = None
    if changes.added or changes.ended or changes.seen:
        session.revision += 1
        batch = FactBatch()
        names = [(c.owner, c.key, c.normalized) for c in changes.added]
        added, changed = batch.take(
            draft.session_id,
            changes,
            current,
            numbers=reference_numbers(connection, {draft.session_id: names}),
            counters=session.counters,
            moment=Moment(
                revision=session.revision,
                now=draft.created_at,
                newest_seq=session.next_seq - 1,
            ),
            seq_of=lambda candidate: draft.candidates[candidate.index][0],
        )
        batch.write(connection)
        epoch_revision = session.take_back(changed)
        now = {fact.fact_id: fact for fact in changed}
        facts[draft.session_id] = [
            fact
            for fact in (*(now.get(f.fact_id, f) for f in current), *added)
            if fact.ended_revision is None
        ]
    if draft.vault:
        vault.write(connection, {draft.session_id: (draft.vault, session)})
    return AppendResult(
        session_id=draft.session_id,
        base_revision=base,
        revision=session.revision,
        next_seq=session.next_seq,
        first_seq=session.next_seq,
        last_seq=session.next_seq - 1,
        added=added,
        changed=changed,
        epoch_revision=epoch_revision,
        vault=draft.vault,
        entities_seq=session.entities_seq,
    )
