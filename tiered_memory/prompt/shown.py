"""What stands in a prompt: messages with their cost, before they are put in a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.model import Payload, Repair

__all__ = ["Recent", "Shortened", "Shown"]


@dataclass(frozen=True, slots=True)
class Shown:
    """A message of a prompt and its tokens, overhead included."""

    payload: Payload
    tokens: int


@dataclass(frozen=True, slots=True)
class Shortened:
    """Why a tool result is shown short, and the tokens that this saves."""

    reason: str
    tokens: int


@dataclass(slots=True, kw_only=True)
class Recent:
    """The recent tier: three lists of one length, oldest first.

    Attributes:
        payloads, tokens: the messages as shown, and what each costs.
        seqs: place in the session; None for a placeholder that healing made.
        newest: index of the newest user message; the length where there is none.
        repairs: what healing did.
        given: the messages before healing and before anything gave way.
        shortened: by seq, the results that are not shown whole.
    """

    payloads: list[Payload]
    tokens: list[int]
    seqs: list[int | None]
    newest: int
    given: Sequence[Payload]
    repairs: tuple[Repair, ...]
    shortened: dict[int, Shortened]

    def drop(self, start: int, end: int) -> tuple[int, ...]:
        """Take out the half-open range and give the seqs that were in it."""
        gone = tuple(seq for seq in self.seqs[start:end] if seq is not None)
        del self.payloads[start:end], self.tokens[start:end], self.seqs[start:end]
        for seq in gone:
            self.shortened.pop(seq, None)
        if self.newest >= end:
            self.newest -= end - start
        return gone
