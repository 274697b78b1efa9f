from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tiered_memory.entity_asks import Asks
from tiered_memory.errors import RecognizerError
from tiered_memory.facts.entities import EntityText
from tiered_memory.model import Candidate


class Reader:
    """Answers with nothing found; raises where a text says so."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    async def mentions(self, texts: Sequence[EntityText]) -> list[list[Candidate]]:
        self.calls.append([text.text for text in texts])
        if any(text.text == "bad" for text in texts):
            raise ValueError("bad")
        return [[] for _ in texts]


def text(content: str) -> EntityText:
    return EntityText(text=content, part="content")


async def test_asks_share_a_call_and_one_that_fails_fails_alone() -> None:
    reader = Reader()
    asks = Asks(reader, batch=3)  # type: ignore[arg-type]
    good, bad = asks.put([text("a"), text("b")]), asks.put([text("bad")])
    late = asks.put([text("c")])
    gone = asks.put([text("d")])
    gone.cancel()
    while asks:
        await asks.answer()

    assert await good == [[], []]
    assert await late == [[]]
    with pytest.raises(RecognizerError, match="ValueError"):
        await bad
    assert reader.calls == [["a", "b", "bad"], ["a", "b"], ["bad"], ["c"]]


async def test_who_waits_at_the_end_is_told() -> None:
    asks = Asks(Reader(), batch=3)  # type: ignore[arg-type]
    answer: asyncio.Future[list[list[Candidate]]] = asks.put([text("a")])
    asks.refuse(RecognizerError("the engine is closing", reason="closed"))
    with pytest.raises(RecognizerError, match="closing"):
        await answer
    assert not asks
