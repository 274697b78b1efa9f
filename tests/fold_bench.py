"""A compactor with its surroundings, on a store in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from tests.conversations import assistant, user
from tests.memory_store import COUNTER, MemoryStore, identifiers
from tiered_memory.compaction.compactor import Compactor
from tiered_memory.compaction.extractive import ExtractiveSummarizer
from tiered_memory.model import Event
from tiered_memory.settings import Settings
from tiered_memory.testing import FixedClock


class Bench:
    """What a fold needs, and what it told."""

    def __init__(
        self,
        store: MemoryStore,
        summarizer: Any = None,
        *,
        find_identifiers: Callable[[str], list[Any]] = identifiers,
        clock: FixedClock | None = None,
        owner: str = "me",
        **settings: Any,
    ) -> None:
        self.store = store
        self.events: list[Event] = []
        self.dropped: list[tuple[str, int]] = []
        self.reached: list[tuple[str, int]] = []
        self.settings = Settings(**settings)
        method = "extractive" if summarizer is None else "custom"

        async def reached(session_id: str, seq: int) -> None:
            self.reached.append((session_id, seq))

        self.compactor = Compactor(
            store=store,
            settings=self.settings,
            counter=COUNTER,
            summarizer=summarizer or ExtractiveSummarizer(COUNTER.text),
            method=method,
            find_identifiers=find_identifiers,
            entities_reached=reached,
            clock=clock or FixedClock(),
            owner=owner,
            on_event=self.events.append,
            folded=lambda session_id, revision: self.dropped.append((session_id, revision)),
        )

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    async def play(self, session_id: str, messages: list[dict[str, Any]]) -> None:
        """Add each message and let the background do what it wants."""
        for message in messages:
            self.compactor.nudge(self.store.add(session_id, message))
            await self.compactor.settled(session_id)


@asynccontextmanager
async def bench(
    store: MemoryStore, summarizer: Any = None, **more: Any
) -> AsyncIterator[Bench]:
    made = Bench(store, summarizer, **more)
    try:
        yield made
    finally:
        await made.compactor.aclose()


def filler(turns: int, start: int = 0) -> list[dict[str, Any]]:
    """Turns of some 60 tokens that say nothing special."""
    messages: list[dict[str, Any]] = []
    for turn in range(start, start + turns):
        text = (
            f"We look at part {turn} of the plan and the colour of its many small pieces. "
        )
        messages += [
            user(text * 2),
            assistant("It is noted down for the people there. " * 3),
        ]
    return messages
