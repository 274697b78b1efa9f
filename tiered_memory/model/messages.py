"""Messages as they are stored, and a session's head."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

__all__ = [
    "Head",
    "Message",
    "NewMessage",
    "Payload",
    "SessionInfo",
]

Payload = Mapping[str, Any]
"""A chat message as the API takes it, normalised and masked; never changed in place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message on its way into the log: normalised, masked, counted.

    Attributes:
        payload: the chat dict to store.
        tokens: its cost in a request, overhead included.
        short: the shortened payload of a long tool result, else None.
        short_tokens: cost of ``short`` (equal to ``tokens`` where None).
        opens_turn: whether it is a user message.
    """

    payload: Payload
    tokens: int
    short: Payload | None = None
    short_tokens: int = 0
    opens_turn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A stored message.

    Attributes:
        seq: place in the session, from 1, without gaps.
        turn: number of its turn, from 1; 0 before the first user message.
        revision: the session's revision that brought it.
        tokens, short, short_tokens: as in ``NewMessage``.
        counter: name of the token counter that counted.
    """

    seq: int
    turn: int
    role: str
    payload: Payload
    tokens: int
    revision: int
    short: Payload | None = None
    short_tokens: int = 0
    counter: str = ""
    created_at: datetime | None = None
    message_id: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give a fresh chat dict that the caller may change."""
        return copy.deepcopy(dict(self.payload))


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A session's own system messages, in place of ``settings.system_prompt``."""

    payloads: tuple[Payload, ...]
    tokens: int
    revision: int = 0
    counter: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """A line of ``memory.sessions()``."""

    session_id: str
    subject: str | None
    messages: int
    turns: int
    created_at: datetime
    updated_at: datetime
