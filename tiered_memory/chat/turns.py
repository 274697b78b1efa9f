"""Stored messages → units, which are never split, and turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.chat.pairing import call_ids, pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.model import Message

__all__ = ["Turn", "turns", "units"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A user message and all that follows up to the next one; oldest first.

    Attributes:
        messages: at least one; without a user message only where the list did not
            begin with one.
        open_calls: ids of its calls that no message of the list answers.
        closes_seq: seq of the last message that answers a call of this turn, or of
            its last message; beyond ``last_seq`` where a result came late.
    """

    messages: tuple[Message, ...]
    open_calls: tuple[str, ...]
    closes_seq: int

    @property
    def number(self) -> int:
        """The turn's number in the session; 0 before the first user message."""
        return self.messages[0].turn

    @property
    def first_seq(self) -> int:
        """Seq of its first message."""
        return self.messages[0].seq

    @property
    def last_seq(self) -> int:
        """Seq of its last message."""
        return self.messages[-1].seq

    @property
    def tokens(self) -> int:
        """Cost of its messages as they were given."""
        return sum(message.tokens for message in self.messages)

    @property
    def short_tokens(self) -> int:
        """Cost of its messages, long tool results shortened."""
        return sum(
            message.tokens if message.short is None else message.short_tokens
            for message in self.messages
        )

    @property
    def is_open(self) -> bool:
        """Whether a call in it waits for its result."""
        return bool(self.open_calls)


def units(messages: Sequence[Message]) -> list[tuple[Message, ...]]:
    """Part messages into the runs that are never split, oldest first.

    A run is one message, or an assistant message with calls up to the last result of
    them in the same turn, whatever came between. A result that came in a later turn
    is a run of its own. Joined together the runs are ``messages``; linear.
    """
    ends = _unit_ends(messages)
    found: list[tuple[Message, ...]] = []
    start = 0
    while start < len(messages):
        end = start
        place = start
        while place <= end:
            end = max(end, ends.get(place, place))
            place += 1
        found.append(tuple(messages[start : end + 1]))
        start = end + 1
    return found


def turns(messages: Sequence[Message]) -> list[Turn]:
    """Part messages into turns, oldest first; joined together they are ``messages``."""
    payloads = [message.payload for message in messages]
    pairing = pair(payloads)
    found: list[Turn] = []
    start = 0
    for end in range(1, len(messages) + 1):
        if end < len(messages) and messages[end].role != "user":
            continue
        open_calls: list[str] = []
        closes = end - 1
        for place in range(start, end):
            answers = pairing.answers.get(place, {})
            for slot, call_id in enumerate(call_ids(payloads[place])):
                if slot in answers:
                    closes = max(closes, answers[slot])
                else:
                    open_calls.append(call_id)
        found.append(
            Turn(
                messages=tuple(messages[start:end]),
                open_calls=tuple(open_calls),
                closes_seq=messages[closes].seq,
            )
        )
        start = end
    return found


def _unit_ends(messages: Sequence[Message]) -> dict[int, int]:
    """Give, by place of an assistant message, the place of its last result in its turn."""
    number: list[int] = []
    for message in messages:
        last = number[-1] if number else 0
        number.append(last + 1 if message.role == "user" else last)
    answers = pair([message.payload for message in messages]).answers
    ends: dict[int, int] = {}
    for place, results in answers.items():
        inside = [result for result in results.values() if number[result] == number[place]]
        if inside:
            ends[place] = max(inside)
    return ends
