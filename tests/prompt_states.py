"""Sessions for tests of prompts, made step by step as the store would leave them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tiered_memory.chat.models import ModelTable
from tiered_memory.chat.tokens import MessageCounter
from tiered_memory.model import Fact, FactStatus, Message, Payload, Reference, Segment
from tiered_memory.prompt.builder import PromptBuilder
from tiered_memory.settings import Settings
from tiered_memory.state import SessionState, in_focus
from tiered_memory.text.shortening import shorten_json

NOW = datetime(2026, 1, 5, tzinfo=UTC)


class LetterCounter:
    """Counts a token for three letters: quick, and exact enough to add up."""

    def count(self, text: str) -> int:
        return (len(text) + 2) // 3


def counter() -> MessageCounter:
    return MessageCounter(LetterCounter(), name="letters")


def builder(**settings: Any) -> PromptBuilder:
    known = Settings(**settings)
    return PromptBuilder(known, counter(), ModelTable(known.models))


class Talk:
    """A session that grows; every step is a transaction of its own."""

    def __init__(self, session_id: str = "s", *, result_tokens: int = 40) -> None:
        self.state = SessionState.empty(session_id)
        self._counter = counter()
        self._facts = 0
        self._result_tokens = result_tokens

    def add(self, payload: Payload) -> Talk:
        state = self.state
        turns = state.turns + (payload["role"] == "user")
        tokens = self._counter.message(payload)
        short = None
        if payload["role"] == "tool" and tokens > self._result_tokens:
            text = shorten_json(
                payload["content"],
                limit_tokens=self._result_tokens,
                head=self._result_tokens // 2,
                tail=self._result_tokens // 4,
                count=self._counter.text,
            )
            short = None if text is None else {**payload, "content": text}
        message = Message(
            seq=state.next_seq,
            turn=turns,
            role=payload["role"],
            payload=payload,
            tokens=tokens,
            revision=state.revision + 1,
            short=short,
            short_tokens=tokens if short is None else self._counter.message(short),
        )
        self.state = replace(
            state,
            revision=state.revision + 1,
            next_seq=state.next_seq + 1,
            turns=turns,
            window=(*state.window, message),
        )
        return self

    def user(self, text: str) -> Talk:
        return self.add({"role": "user", "content": text})

    def assistant(self, text: str) -> Talk:
        return self.add({"role": "assistant", "content": text})

    def call(self, *ids: str, arguments: str = "{}") -> Talk:
        calls = [
            {
                "id": i,
                "type": "function",
                "function": {"name": "look_up", "arguments": arguments},
            }
            for i in ids
        ]
        return self.add({"role": "assistant", "content": None, "tool_calls": calls})

    def result(self, call_id: str, text: str) -> Talk:
        return self.add({"role": "tool", "tool_call_id": call_id, "content": text})

    def fact(self, key: str, value: str, **meta: Any) -> Talk:
        """Add a row: in the newest message's transaction, or ``late`` in its own."""
        state = self.state
        newest = state.window[-1].revision if state.window else 0
        alone = meta.get("late", False) or newest != state.revision
        revision = state.revision + 1 if alone else state.revision
        self._facts += 1
        row = fact(self._facts, key, value, revision=revision, **meta)
        rows = tuple(
            replace(
                old,
                status=FactStatus.SUPERSEDED,
                ended_revision=revision,
                superseded_by=row.fact_id,
            )
            if old.status is FactStatus.CURRENT
            and (old.owner, old.key) == (row.owner, row.key)
            and row.cardinality == "one"
            else old
            for old in state.facts
        )
        self.state = replace(state, revision=revision, facts=(*rows, row))
        return self

    def retract(self, key: str) -> Talk:
        state = self.state
        revision = state.revision + 1
        rows = tuple(
            replace(f, status=FactStatus.RETRACTED, ended_revision=revision)
            if f.key == key and f.status is FactStatus.CURRENT
            else f
            for f in state.facts
        )
        self.state = replace(state, revision=revision, facts=rows)
        return self

    def mention(self, value: str) -> Talk:
        """Let the newest message speak of a value that is known."""
        state = self.state
        rows = tuple(
            replace(f, last_seq=state.next_seq - 1) if f.value == value else f
            for f in state.facts
        )
        self.state = replace(state, facts=rows)
        return self

    def fold(self, turns: int, text: str, *, language: str = "en") -> Talk:
        """Fold the oldest ``turns`` turns of the window into a segment."""
        state = self.state
        starts = [i for i, m in enumerate(state.window) if m.role == "user"]
        end = starts[turns] if turns < len(starts) else len(state.window)
        gone, kept = state.window[:end], state.window[end:]
        if not gone:
            return self
        segment = Segment(
            segment_id=len(state.segments) + 1,
            level=0,
            from_seq=gone[0].seq,
            to_seq=gone[-1].seq,
            text=text,
            tokens=self._counter.text(text),
            language=language,
            method="scripted",
            degraded=False,
            revision=state.revision + 1,
        )
        self.state = replace(
            state,
            revision=state.revision + 1,
            generation=state.generation + 1,
            boundary_seq=gone[-1].seq,
            epoch_revision=state.revision + 1,
            folded_turns=state.folded_turns + turns,
            segments=(*state.segments, segment),
            references={
                f.number: Reference(
                    number=f.number,
                    owner=f.owner,
                    key=f.key,
                    normalized=f.normalized,
                    value=f.value,
                    type=f.type,
                )
                for f in state.facts
            },
            window=kept,
            facts=state.current_facts(),
            epoch_focus=focus(state),
        )
        return self

    def fold_steps(self, count: int) -> Talk:
        """Fold the first ``count`` messages of the window, its user message pinned."""
        state = self.state
        pinned = state.window[0]
        self.state = replace(
            state,
            revision=state.revision + 1,
            generation=state.generation + 1,
            boundary_seq=state.window[count - 1].seq,
            epoch_revision=state.revision + 1,
            epoch_focus=focus(state),
            window=state.window[count:],
            pinned=pinned,
            pinned_seq=pinned.seq,
        )
        return self


def focus(state: SessionState) -> frozenset[int]:
    """What a state that is loaded after a fold at ``state`` says of its epoch."""
    current = state.current_facts()
    several = Counter((f.owner, f.key) for f in current)
    return frozenset(
        f.fact_id for slot, f in in_focus(current).items() if several[slot] > 1
    )


def fact(fact_id: int, key: str, value: str, *, revision: int, **meta: Any) -> Fact:
    meta.pop("late", None)
    known: dict[str, Any] = {
        "owner": "self",
        "confidence": 0.9,
        "source": "regex",
        "cardinality": "one",
        "masked": False,
        "identifier": True,
        **meta,
    }
    return Fact(
        fact_id=fact_id,
        number=fact_id,
        type=key,
        key=key,
        value=value,
        normalized=value,
        status=FactStatus.CURRENT,
        pattern="p",
        seq=1,
        part="content",
        start=0,
        end=len(value),
        first_seen=NOW,
        last_seen=NOW,
        last_seq=1,
        revision=revision,
        **known,
    )


def texts(messages: Any) -> list[str]:
    """Give the contents of a prompt's messages that are text, in order."""
    return [m["content"] for m in messages if isinstance(m.get("content"), str)]
