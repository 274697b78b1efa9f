"""Drafts, candidates and folds for tests of the store, with fixed times."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from tiered_memory.model import (
    Candidate,
    CompactionRecord,
    Draft,
    Fact,
    FactChanges,
    FactStatus,
    FoldCommit,
    Identifier,
    NewMessage,
    Segment,
    VaultEntry,
)

NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def message(text: str, role: str = "user") -> NewMessage:
    payload = {"role": role, "content": text}
    return NewMessage(payload=payload, tokens=7, short_tokens=7, opens_turn=role == "user")


def draft(
    session_id: str,
    next_seq: int,
    *texts: str,
    candidates: Sequence[Candidate] = (),
    facts: Sequence[Fact] = (),
    revision: int = 0,
    subject: str | None = None,
    message_id: str | None = None,
    vault: Sequence[VaultEntry] = (),
) -> Draft:
    return Draft(
        session_id=session_id,
        subject=subject,
        next_seq=next_seq,
        revision=revision,
        facts=tuple(facts),
        messages=tuple(message(text) for text in texts),
        candidates=tuple(candidates),
        head=None,
        message_id=message_id,
        counter="words",
        settings_hash="h",
        created_at=NOW,
        vault=tuple(vault),
    )


def entry(name: str, sealed: bytes = b"sealed") -> VaultEntry:
    return VaultEntry(
        pseudonym=f"[phone-{name}]", key_id="k", nonce=b"n" * 12, sealed=sealed
    )


def candidate(value: str, *, key: str = "order_id", owner: str = "self") -> Candidate:
    return Candidate(
        type=key,
        key=key,
        owner=owner,
        value=value,
        normalized=value.upper(),
        part="content",
        start=0,
        end=len(value),
    )


def identifier(value: str, *, key: str = "order_id") -> Identifier:
    return Identifier(
        type=key, key=key, value=value, normalized=value.upper(), start=0, end=len(value)
    )


def newest_wins(candidates: Sequence[Candidate], current: Sequence[Fact]) -> FactChanges:
    """One value a key: a new one supersedes, the same one is seen again."""
    added: list[Candidate] = []
    ended: dict[int, tuple[FactStatus, int | None]] = {}
    seen: dict[int, Candidate] = {}
    for new in candidates:
        same = [f for f in current if (f.owner, f.key) == (new.owner, new.key)]
        if any(f.normalized == new.normalized for f in same):
            seen[same[0].fact_id] = new
            continue
        added.append(new)
        for old in same:
            ended[old.fact_id] = (FactStatus.SUPERSEDED, len(added) - 1)
    return FactChanges(added=tuple(added), ended=ended, seen=seen)


def broken(candidates: Sequence[Candidate], current: Sequence[Fact]) -> FactChanges:
    raise LookupError("resolve")


def record(from_seq: int, to_seq: int) -> CompactionRecord:
    return CompactionRecord(
        from_seq=from_seq,
        to_seq=to_seq,
        tokens_before=90,
        tokens_after=9,
        method="extractive",
        model=None,
        prompt_version="1",
        usage={"input": 3},
        attempts=1,
        duration_ms=4,
        outcome="ok",
        error=None,
        reason="marks",
        created_at=NOW,
    )


def fold(
    session_id: str,
    to_seq: int,
    *,
    boundary_seq: int = 0,
    generation: int = 0,
    text: str = "asked",
    merged: tuple[int, ...] = (),
    pinned_seq: int | None = None,
) -> FoldCommit:
    segment = Segment(
        segment_id=0,
        level=1 if merged else 0,
        from_seq=1 if merged else boundary_seq + 1,
        to_seq=to_seq,
        text=text,
        tokens=5,
        language="en",
        method="extractive",
        degraded=False,
        revision=0,
    )
    return FoldCommit(
        session_id=session_id,
        boundary_seq=boundary_seq,
        generation=generation,
        to_seq=to_seq,
        pinned_seq=pinned_seq,
        segment=segment,
        merged=merged,
        mentions={},
        record=record(boundary_seq + 1, to_seq),
        created_at=NOW,
    )
