"""Fakes for tests of applications: the same ports, without models or clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Generic, TypeVar

import anyio

from tiered_memory.ports import (
    Entity,
    FactReply,
    FactRequest,
    SummaryReply,
    SummaryRequest,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["FixedClock", "ScriptedFactModel", "ScriptedSummarizer", "TableRecognizer"]


Request = TypeVar("Request")


class _Script(Generic[Request]):
    """Texts and exceptions in turn, or a callable of the request; calls can be held."""

    def __init__(
        self, replies: Sequence[str | BaseException] | Callable[[Request], str]
    ) -> None:
        self.requests: list[Request] = []
        self.called = anyio.Event()
        self._replies = replies
        self._gate: anyio.Event | None = None

    def hold(self) -> None:
        """Make calls wait until ``release``."""
        self._gate = anyio.Event()
        self.called = anyio.Event()

    def release(self) -> None:
        """Let waiting calls go on."""
        if self._gate is not None:
            self._gate.set()
            self._gate = None

    async def _next(self, request: Request) -> str:
        self.requests.append(request)
        place = len(self.requests)
        self.called.set()
        if self._gate is not None:
            await self._gate.wait()
        if callable(self._replies):
            return self._replies(request)
        reply = self._replies[min(place, len(self._replies)) - 1]
        if isinstance(reply, BaseException):
            raise reply
        return reply


class ScriptedSummarizer(_Script[SummaryRequest]):
    """Answers with ``replies`` in turn, or with what a callable makes of the request.

    An exception among the replies is raised. Past the end of a list the last reply
    is given again. ``requests`` keeps what was asked, oldest first. While ``hold()``
    is in force calls wait, and ``called`` tells that one does.
    """

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Give the next reply.

        Raises:
            BaseException: whatever stands in the list at this place.
        """
        return SummaryReply(text=await self._next(request))


class ScriptedFactModel(_Script[FactRequest]):
    """Proposes facts as ``ScriptedSummarizer`` summarizes: JSON texts or exceptions."""

    async def propose(self, request: FactRequest) -> FactReply:
        """Give the next reply.

        Raises:
            BaseException: whatever stands in the list at this place.
        """
        return FactReply(text=await self._next(request))


class TableRecognizer:
    """Finds the words of a table: word to label; every occurrence, left to right."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self._table = dict(table)
        self.texts: list[str] = []

    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        """Give the entities of each text, in the order of ``texts``."""
        self.texts += texts
        return [self._find(text) for text in texts]

    def _find(self, text: str) -> list[Entity]:
        found: list[Entity] = []
        for word, label in self._table.items():
            start = text.find(word)
            while start >= 0:
                found.append(
                    Entity(start=start, end=start + len(word), label=label, score=0.9)
                )
                start = text.find(word, start + len(word))
        return sorted(found, key=lambda entity: entity.start)


class FixedClock:
    """Starts at ``start`` (UTC) and steps by ``step_s`` seconds at each look."""

    def __init__(
        self,
        start: datetime = datetime(2026, 1, 1, tzinfo=UTC),
        *,
        step_s: float = 1.0,
    ) -> None:
        self._now = start
        self._step = timedelta(seconds=step_s)

    def now(self) -> datetime:
        """Give the current time and step on."""
        now = self._now
        self._now += self._step
        return now
