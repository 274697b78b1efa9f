"""Texts that somebody waits for: read before all that is read in the background."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.errors import RecognizerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.facts.entities import EntityText
    from tiered_memory.facts.entity_reader import EntityReader
    from tiered_memory.model import Candidate

__all__ = ["Asks"]


@dataclass(eq=False, slots=True)
class _Ask:
    texts: tuple[EntityText, ...]
    answer: asyncio.Future[list[list[Candidate]]]

    def refuse(self, error: Exception) -> None:
        if self.answer.done():
            return
        if not isinstance(error, RecognizerError):
            what = type(error).__qualname__
            error = RecognizerError(f"the recognizers failed: {what}", reason="error")
        self.answer.set_exception(error)


class Asks:
    """Asks of many sessions, answered in batches; one that fails fails alone."""

    def __init__(self, reader: EntityReader, *, batch: int) -> None:
        self._reader = reader
        self._batch = batch
        self._asks: deque[_Ask] = deque()

    def __bool__(self) -> bool:
        return bool(self._asks)

    def put(self, texts: Sequence[EntityText]) -> asyncio.Future[list[list[Candidate]]]:
        """Take an ask in; cancel the future to withdraw it."""
        ask = _Ask(tuple(texts), asyncio.get_running_loop().create_future())
        self._asks.append(ask)
        return ask.answer

    async def answer(self) -> None:
        """Answer the next batch."""
        asks: list[_Ask] = []
        while self._asks and sum(len(ask.texts) for ask in asks) < self._batch:
            ask = self._asks.popleft()
            if not ask.answer.done():
                asks.append(ask)
        if asks and not await self._answer(asks, alone=len(asks) == 1):
            for ask in asks:
                await self._answer([ask], alone=True)

    def refuse(self, error: Exception) -> None:
        """Fail all that wait."""
        while self._asks:
            self._asks.popleft().refuse(error)

    async def _answer(self, asks: Sequence[_Ask], *, alone: bool) -> bool:
        try:
            found = await self._reader.mentions([t for ask in asks for t in ask.texts])
        except Exception as exc:  # noqa: BLE001 (handed to those who wait)
            if alone:
                asks[0].refuse(exc)
            return alone
        position = 0
        for ask in asks:
            if not ask.answer.done():
                ask.answer.set_result(found[position : position + len(ask.texts)])
            position += len(ask.texts)
        return True
