"""What users plug into the engine; every port is also met by a plain callable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

__all__ = [
    "Clock",
    "Entity",
    "EntityRecognizer",
    "FactModel",
    "FactReply",
    "FactRequest",
    "Summarizer",
    "SummaryReply",
    "SummaryRequest",
    "TokenCounter",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """One request for a segment of the rolling summary.

    Attributes:
        messages: chat messages ready for a model, instructions included.
        transcript: the folded turns as text, identifiers as references.
        previous: texts of the earlier segments, oldest first, with references.
        references: reference name (``order_id:3``) to fact or mention key.
        max_tokens: cap of the reply, in tokens of the session's counter.
        language: ``"zh"`` or ``"en"``.
        retry_reason: why the last reply was refused; None on the first try.
    """

    messages: tuple[Mapping[str, Any], ...]
    transcript: str
    previous: tuple[str, ...]
    references: Mapping[str, str]
    max_tokens: int
    language: str
    retry_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryReply:
    """A summarizer's answer: ``text`` with references, ``usage`` where known.

    ``usage`` has the keys ``input``, ``cached`` and ``output``, in tokens.
    """

    text: str
    usage: Mapping[str, int] | None = None
    model: str | None = None


class Summarizer(Protocol):
    """Writes one segment of the summary.

    Raises:
        SummarizerError: no usable reply; any other exception is taken as one
            that a retry may help.
    """

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Answer ``request``; may take seconds, nothing is held meanwhile."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A span that a recognizer found: half-open, in code points of its text."""

    start: int
    end: int
    label: str
    score: float = 0.5


class EntityRecognizer(Protocol):
    """Finds named entities; called in one worker thread, never on the loop."""

    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        """Give the entities of each text, in the order of ``texts``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRequest:
    """One message that rules found nothing in, for a model to propose facts from.

    Attributes:
        messages: chat messages ready for a model, instructions included.
        text: the message as stored, masked.
        types: the types that a proposal may have, beside ``note.<name>``.
        schema: JSON schema of the reply.
        max_tokens: cap of the reply, in tokens.
    """

    messages: tuple[Mapping[str, Any], ...]
    text: str
    types: tuple[str, ...]
    schema: Mapping[str, Any]
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FactReply:
    """A model's answer, as JSON text: ``{"facts": [{type, quote, value, confidence}]}``.

    ``usage`` has the keys ``input``, ``cached`` and ``output``, in tokens.
    """

    text: str
    usage: Mapping[str, int] | None = None
    model: str | None = None


class FactModel(Protocol):
    """Proposes facts; each is checked against the message before it is stored.

    Raises:
        FactModelError: no usable reply; any other exception is taken as one that a
            retry may help.
    """

    async def propose(self, request: FactRequest) -> FactReply:
        """Answer ``request``; may take seconds, nothing waits for it."""
        ...


class TokenCounter(Protocol):
    """Counts tokens of plain text; special-token text is plain text too."""

    def count(self, text: str) -> int:
        """Give the number of tokens; linear in ``len(text)``."""
        ...


class Clock(Protocol):
    """Tells the time, so that tests can."""

    def now(self) -> datetime:
        """Give the current time, timezone-aware, in UTC."""
        ...
