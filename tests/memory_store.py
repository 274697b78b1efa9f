"""A store in memory with the compare-and-swap of the real one, for tests of folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tests.conversations import Chat
from tiered_memory.chat.messages import canonical_json, normalise
from tiered_memory.chat.tokens import MessageCounter
from tiered_memory.errors import StaleCompactionError
from tiered_memory.model import (
    CompactionRecord,
    Fact,
    FactStatus,
    FoldCommit,
    Identifier,
    Message,
    Reference,
    Segment,
)
from tiered_memory.state import SessionState
from tiered_memory.text.references import find

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class WordCounter:
    """A token for each word of letters or digits and for each other character."""

    def count(self, text: str) -> int:
        total = 0
        inside = False
        for char in text:
            word = char.isascii() and char.isalnum()
            total += not char.isspace() and (not word or not inside)
            inside = word
        return total


COUNTER = MessageCounter(WordCounter(), name="words")


def identifiers(text: str) -> list[Identifier]:
    """``ORD-`` or ``TRK-`` and digits are identifiers, upper case their normal form."""
    found: list[Identifier] = []
    lowered = text.lower()
    for prefix, key in (("ord-", "order_id"), ("trk-", "tracking_no")):
        start = lowered.find(prefix)
        while start >= 0:
            end = start + 4
            while end < len(text) and text[end].isdigit():
                end += 1
            if end > start + 4:
                value = text[start:end]
                found.append(
                    Identifier(
                        type=key,
                        key=key,
                        value=value,
                        normalized=value.upper(),
                        start=start,
                        end=end,
                    )
                )
            start = lowered.find(prefix, end)
    return sorted(found, key=lambda i: i.start)


def fact(number: int, value: str, *, seq: int = 1, **more: Any) -> Fact:
    values: dict[str, Any] = {
        "fact_id": number,
        "number": number,
        "type": "order_id",
        "key": "order_id",
        "owner": "self",
        "value": value,
        "normalized": value.upper(),
        "status": FactStatus.CURRENT,
        "confidence": 0.9,
        "source": "regex",
        "pattern": "p",
        "cardinality": "many",
        "masked": False,
        "identifier": True,
        "seq": seq,
        "part": "content",
        "start": 0,
        "end": len(value),
        "first_seen": NOW,
        "last_seen": NOW,
        "last_seq": seq,
        "revision": 1,
    }
    return Fact(**{**values, **more})


class MemoryStore:
    """Sessions as states; ``records`` and ``commits`` by session, oldest first."""

    def __init__(self) -> None:
        self.states: dict[str, SessionState] = {}
        self.leases: dict[str, str] = {}
        self.numbers: dict[str, dict[int, Reference]] = {}
        self.records: dict[str, list[CompactionRecord]] = {}
        self.commits: dict[str, list[FoldCommit]] = {}
        self.tries: dict[str, tuple[int, float | None]] = {}
        self.log: dict[str, list[Message]] = {}
        self.ended: dict[str, list[Segment]] = {}
        self.renewed = 0

    def add(self, session_id: str, *payloads: Chat) -> SessionState:
        state = self.states.get(session_id) or SessionState.empty(session_id)
        for payload in payloads:
            normal = normalise(payload)
            user = payload["role"] == "user"
            message = Message(
                seq=state.next_seq,
                turn=state.turns + user,
                role=payload["role"],
                payload=normal,
                tokens=COUNTER.message(normal),
                revision=state.revision + 1,
            )
            state = replace(
                state,
                revision=state.revision + 1,
                next_seq=state.next_seq + 1,
                turns=state.turns + user,
                window=(*state.window, message),
            )
            self.log.setdefault(session_id, []).append(message)
        self.states[session_id] = state
        return state

    def put_facts(self, session_id: str, *facts: Fact) -> None:
        state = self.states[session_id]
        self.states[session_id] = replace(state, facts=(*state.facts, *facts))
        known = self.numbers.setdefault(session_id, {})
        for one in facts:
            known[one.number] = Reference(
                number=one.number,
                owner=one.owner,
                key=one.key,
                normalized=one.normalized,
                value=one.value,
                type=one.type,
            )

    def digest(self, session_id: str) -> str:
        """All that a failed try must leave as it was."""
        state = self.states[session_id]
        return canonical_json(
            [
                [dict(m.payload) for m in self.log[session_id]],
                [s.text for s in state.segments],
                [f.value for f in state.facts],
                [state.boundary_seq, state.generation, state.revision],
            ]
        )

    async def load(self, session_id: str) -> SessionState | None:
        return self.states.get(session_id)

    async def history(self, session_id: str, *, after: int, limit: int) -> list[Message]:
        return [m for m in self.log[session_id] if m.seq > after][:limit]

    async def claim(
        self,
        session_id: str,
        *,
        owner: str,
        ttl_s: float,
        boundary_seq: int,
        generation: int,
    ) -> bool:
        state = self.states[session_id]
        moved = (state.boundary_seq, state.generation) != (boundary_seq, generation)
        if moved or self.leases.get(session_id, owner) != owner:
            return False
        self.leases[session_id] = owner
        return True

    async def renew(self, session_id: str, *, owner: str, ttl_s: float) -> bool:
        self.renewed += 1
        return self.leases.get(session_id) == owner

    async def release(self, session_id: str, *, owner: str) -> None:
        if self.leases.get(session_id) == owner:
            del self.leases[session_id]

    async def reserve_references(
        self, session_id: str, identifiers: Sequence[Identifier]
    ) -> list[Reference]:
        known = self.numbers.setdefault(session_id, {})
        by_spot = {(r.key, r.normalized): r for r in known.values()}
        given: list[Reference] = []
        for one in identifiers:
            ref = by_spot.get((one.key, one.normalized))
            if ref is None:
                ref = Reference(
                    number=len(known) + 1,
                    owner="self",
                    key=one.key,
                    normalized=one.normalized,
                    value=one.value,
                    type=one.type,
                )
                known[ref.number] = by_spot[ref.key, ref.normalized] = ref
            given.append(ref)
        return given

    async def commit_fold(self, commit: FoldCommit) -> int:
        state = self.states[commit.session_id]
        before = (commit.boundary_seq, commit.generation)
        if (state.boundary_seq, state.generation) != before:
            raise StaleCompactionError("moved", target="memory")
        assert commit.boundary_seq <= commit.to_seq < state.next_seq
        revision = state.revision + 1
        kept = tuple(s for s in state.segments if s.segment_id not in commit.merged)
        assert len(kept) == len(state.segments) - len(commit.merged)
        if commit.segment is not None:
            number = len(self.commits.get(commit.session_id, [])) + 1
            kept += (replace(commit.segment, segment_id=number, revision=revision),)
            kept = tuple(sorted(kept, key=lambda s: (s.from_seq, s.segment_id)))
        known = self.numbers.get(commit.session_id, {})
        named = {ref.number for s in kept for ref in find(s.text)}
        log = self.log[commit.session_id]
        pinned = commit.pinned_seq
        self.states[commit.session_id] = replace(
            state,
            revision=revision,
            generation=state.generation + 1,
            boundary_seq=commit.to_seq,
            epoch_revision=revision,
            pinned_seq=pinned,
            pinned=None if pinned is None else log[pinned - 1],
            segments=kept,
            references={n: known[n] for n in sorted(named)},
            window=tuple(m for m in state.window if m.seq > commit.to_seq),
        )
        self.leases.pop(commit.session_id, None)
        self.commits.setdefault(commit.session_id, []).append(commit)
        self.records.setdefault(commit.session_id, []).append(commit.record)
        return revision

    async def record_compaction(
        self,
        session_id: str,
        record: CompactionRecord,
        *,
        failures: int,
        retry_at: float | None,
    ) -> None:
        self.records.setdefault(session_id, []).append(record)
        self.tries[session_id] = (failures, retry_at)
