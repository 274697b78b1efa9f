"""Recognizers that fail cost their facts, are counted, and are read again at the next open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tiered_memory import Entity, MemoryEngine, Settings
from tiered_memory.testing import TableRecognizer


class Fails:
    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        raise ValueError(texts[0])


async def test_a_failing_recognizer_is_counted_and_caught_up_at_the_next_open(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "m.db"
    async with MemoryEngine.open(
        path, settings=Settings(), recognizers={"zh": Fails()}
    ) as m:
        session = m.session("s")
        await session.add({"role": "user", "content": "欧阳娜娜说包裹在杭州"})
        await session.settled()
        none = await session.facts()
        errors = m.metrics().background_errors
    table = TableRecognizer({"杭州": "place"})
    async with MemoryEngine.open(path, settings=Settings(), recognizers={"zh": table}) as m:
        facts = await m.session("s").facts()
        prompt = await m.session("s").build()

    assert none == []
    assert errors == 1
    assert "欧阳娜娜" not in caplog.text
    assert [(f.key, f.value, f.source) for f in facts] == [("place", "杭州", "ner")]
    assert "- place" not in str(prompt.messages)
