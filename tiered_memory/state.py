"""What a session is at a revision: the frozen value that caches hold and builds read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tiered_memory.model import FactStatus
from tiered_memory.text.references import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tiered_memory.model import (
        AppendResult,
        Fact,
        Head,
        Message,
        Reference,
        Segment,
        VaultEntry,
    )

__all__ = ["SessionState", "in_focus", "place_said"]

AFTER_ALL = 2**62
"""Behind every character of a message."""


def place_said(seq: int | None, start: int | None) -> tuple[int, int]:
    """Give a place in the conversation, to compare; without ``start`` its message's end."""
    return (seq or 0, AFTER_ALL if start is None else start)


def in_focus(facts: Iterable[Fact]) -> dict[tuple[str, str], Fact]:
    """Give by owner and key the fact that was spoken of last, of ``facts``.

    That is the place in the conversation, whenever it was read: what a recognizer finds
    late in an old message does not come before what was said since.
    """
    found: dict[tuple[str, str], Fact] = {}
    for fact in facts:
        known = found.get((fact.owner, fact.key))
        if known is None or _said(known) < _said(fact):
            found[fact.owner, fact.key] = fact
    return found


def _said(fact: Fact) -> tuple[tuple[int, int], int]:
    return (place_said(fact.last_seq, fact.last_start), fact.fact_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """A session at ``revision``.

    Attributes:
        revision: raised by each changing transaction; 0 for a session not stored yet.
        next_seq: seq of the next message; seqs start at 1.
        generation: raised by whatever changes folded content.
        boundary_seq: messages up to it have left the window.
        pinned_seq: user message of the newest turn when that turn is partly folded.
        entities_seq: recognizers have read the messages up to it.
        epoch_revision: revision at which the epoch began (the last fold).
        turns: user messages so far; ``folded_turns`` of them left the window.
        head: the session's own system messages, None when the setting stands.
        segments: the current ones, oldest first.
        references: by number, all that ``segments`` name.
        hidden: those of ``references`` whose value had been taken back when the epoch
            began.
        facts: rows that are current, or were current at ``epoch_revision``.
        epoch_focus: ids of those that were in focus then, of keys with several values.
        window: messages after ``boundary_seq``, oldest first.
        pinned: the message at ``pinned_seq``, or None.
        vault: the session's values under pseudonyms, sealed.
    """

    session_id: str
    subject: str | None = None
    revision: int = 0
    next_seq: int = 1
    generation: int = 0
    boundary_seq: int = 0
    pinned_seq: int | None = None
    entities_seq: int = 0
    epoch_revision: int = 0
    turns: int = 0
    folded_turns: int = 0
    head: Head | None = None
    segments: tuple[Segment, ...] = ()
    references: Mapping[int, Reference]
    hidden: frozenset[int] = frozenset()
    facts: tuple[Fact, ...] = ()
    epoch_focus: frozenset[int] = frozenset()
    window: tuple[Message, ...] = ()
    pinned: Message | None = None
    vault: tuple[VaultEntry, ...] = ()

    @classmethod
    def empty(cls, session_id: str, subject: str | None = None) -> SessionState:
        """Give the state of a session that has no message yet."""
        return cls(session_id=session_id, subject=subject, references={})

    def current_facts(self) -> tuple[Fact, ...]:
        """Give the rows that are current, in order of ``fact_id``."""
        return tuple(f for f in self.facts if f.status is FactStatus.CURRENT)

    def epoch_facts(self) -> tuple[Fact, ...]:
        """Give the rows that were current when the epoch began."""
        epoch = self.epoch_revision
        return tuple(
            f
            for f in self.facts
            if f.revision <= epoch
            and (f.ended_revision is None or f.ended_revision > epoch)
        )

    def rendered_segments(self) -> tuple[Segment, ...]:
        """Give the segments, oldest first, with each reference's value in its place.

        A marker stands for a value that was taken back.
        """

        def value(number: int, key: str) -> str | None:
            reference = self.references.get(number)
            if reference is None or reference.key != key or number in self.hidden:
                return None
            return reference.value

        return tuple(
            replace(segment, text=render(segment.text, value)) for segment in self.segments
        )

    def newest_user(self) -> Message | None:
        """Give the newest user message of the window (or the pinned one)."""
        for message in reversed(self.window):
            if message.role == "user":
                return message
        return self.pinned

    def advanced(self, result: AppendResult) -> SessionState:
        """Give the state after ``result``; it must follow on this revision."""
        if result.repeated:
            return self
        changed = {fact.fact_id: fact for fact in result.changed}
        facts = tuple(changed.get(fact.fact_id, fact) for fact in self.facts)
        return replace(
            self,
            revision=result.revision,
            next_seq=result.next_seq,
            entities_seq=(
                self.entities_seq if result.entities_seq is None else result.entities_seq
            ),
            turns=self.turns + sum(m.role == "user" for m in result.messages),
            head=self.head if result.head is None else result.head,
            facts=facts + result.added,
            window=self.window + result.messages,
            vault=self.vault + result.vault,
        )
