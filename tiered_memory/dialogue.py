"""What the customer may be answering: the assistant's last question, and what it held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.chat.leaves import text_leaves
from tiered_memory.chat.messages import plain_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tiered_memory.chat.leaves import Leaf
    from tiered_memory.model import Payload
    from tiered_memory.state import SessionState

__all__ = ["Dialogue", "Said"]

PATIENCE = 2
"""User messages for which a question stands: "hold on", then the answer."""

ASIDE_CHARS = 80
"""A longer message that answers nothing has changed the subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message of the assistant, as stored.

    ``index`` is its place in the draft, below 0 where it is stored already: the next seq
    less ``-index``.
    """

    index: int
    leaves: tuple[Leaf, ...]


class Dialogue:
    """Follows who asked what; made anew for each ``add``, from the window's end.

    ``asks`` tells whether a text of the assistant asks for something that has a type.
    """

    def __init__(self, asks: Callable[[str], bool]) -> None:
        self._asks = asks
        self._left = 0
        self.question: str | None = None
        self.said: Said | None = None

    @classmethod
    def of(cls, state: SessionState, asks: Callable[[str], bool]) -> Dialogue:
        """Follow the last messages of ``state``: as far back as a question can stand."""
        dialogue = cls(asks)
        window = state.window
        begin, users = len(window), 0
        while begin and users <= PATIENCE:
            begin -= 1
            users += window[begin].role == "user"
        recent = window[begin:]
        told = {fact.seq for fact in state.facts}
        told |= {f.last_seq for f in state.facts if f.last_start is not None}
        for message in recent:
            if message.role == "assistant":
                dialogue.assistant(message.payload, message.seq - state.next_seq)
            elif message.role == "user":
                dialogue.user(message.payload, told=message.seq in told)
        return dialogue

    def assistant(self, payload: Payload, index: int) -> None:
        """Take in what the assistant says; what asks nothing lets an open question stand."""
        text = plain_text(payload)
        if not text:
            return
        leaves = tuple(
            leaf for leaf in text_leaves(payload) if leaf.part.startswith("content")
        )
        self.said = Said(index=index, leaves=leaves)
        if self._left and not self._asks(text):
            return
        self.question = text
        self._left = PATIENCE

    def user(self, payload: Payload, *, told: bool) -> None:
        """Take in what the customer says; ``told`` is whether it held a value."""
        self.said = None
        text = plain_text(payload)
        aside = not told and len(text) <= ASIDE_CHARS and "[" not in text
        self._left = self._left - 1 if aside else 0
        if self._left <= 0:
            self._left = 0
            self.question = None
