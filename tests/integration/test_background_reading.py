"""Recognizers and slow patterns: bounded, counted, and read again where they failed."""

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


async def test_recognizers_read_no_more_of_a_text_than_rules_do(tmp_path: Path) -> None:
    table = TableRecognizer({"杭州": "place"})
    settings = Settings(facts={"max_chars": 100})
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings, recognizers={"zh": table}
    ) as m:
        session = m.session("s")
        receipt = await session.add(
            {"role": "user", "content": "我在杭州。" + "好的。" * 900}
        )
        facts = await session.facts()

    assert receipt.oversized == (1,)
    assert [f.value for f in facts] == ["杭州"]
    assert sum(map(len, table.texts)) <= 100


async def test_a_pattern_that_runs_out_of_time_is_counted(tmp_path: Path) -> None:
    slow = {
        "id": "own.slow",
        "type": "code",
        "regex": ["(?=[x-z])(?:z|xy|xyxy)+$"],
        "examples": {"match": {"z": "z"}, "no_match": ["a"]},
    }
    settings = Settings(ner={"mode": "off"}, facts={"patterns": [slow]})
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings) as m:
        for _ in range(5):
            await m.session("s").add({"role": "user", "content": "xy" * 60 + "!"})
        counted = m.metrics().pattern_time_outs

    assert counted == 3
