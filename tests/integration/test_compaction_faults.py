"""Compaction that is cancelled, hangs or answers nonsense leaves nothing behind."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from tests.conversations import conversation
from tiered_memory import (
    CompactionStatus,
    MemoryEngine,
    Session,
    Settings,
    SummaryReply,
    SummaryRequest,
)
from tiered_memory.testing import ScriptedSummarizer


def settings(**more: Any) -> Settings:
    return Settings(ner={"mode": "off"}, compaction={"enabled": False}, **more)


async def filled(memory: MemoryEngine, name: str = "s") -> Session:
    session = memory.session(name)
    await session.add(conversation(24))
    return session


async def test_a_call_after_a_cancelled_one_starts_anew(tmp_path: Path) -> None:
    summarizer = ScriptedSummarizer(["The customer asked about orders."])
    summarizer.hold()
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings(), summarizer=summarizer
    ) as memory:
        session = await filled(memory)
        first = asyncio.create_task(session.compact(force=True))
        await summarizer.called.wait()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        summarizer.release()
        again = await session.compact(force=True)

    assert again.status is CompactionStatus.COMPACTED


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5, 8, 13, 21])
async def test_a_cancelled_call_leaves_no_lease(tmp_path: Path, steps: int) -> None:
    path = tmp_path / "m.db"
    async with MemoryEngine.open(path, settings=settings()) as memory:
        session = await filled(memory)
        call = asyncio.create_task(session.compact(force=True))
        for _ in range(steps):
            await anyio.lowlevel.checkpoint()
        call.cancel()
        await asyncio.wait({call})
    async with MemoryEngine.open(path, settings=settings()) as memory:
        outcome = await memory.session("s").compact(force=True)

    assert outcome.status is not CompactionStatus.BUSY


@pytest.mark.parametrize("text", ["caf\ud83d", None, 5, ""])
async def test_an_answer_that_is_no_text_gives_the_digest(
    tmp_path: Path, text: object
) -> None:
    class Garbage:
        async def summarize(self, request: SummaryRequest) -> SummaryReply:
            return SummaryReply(text=cast("str", text))

    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings(), summarizer=Garbage()
    ) as memory:
        session = await filled(memory)
        outcome = await session.compact(force=True)
        segments = await session.summary()

    assert outcome.status is CompactionStatus.COMPACTED
    assert [s.degraded for s in segments] == [text != "caf\ud83d"]
    "".join(s.text for s in segments).encode()


async def test_a_summarizer_that_hangs_fails_in_bounded_time(tmp_path: Path) -> None:
    class Hangs:
        async def summarize(self, request: SummaryRequest) -> SummaryReply:
            await anyio.sleep_forever()
            raise AssertionError

    quick = settings(llm={"timeout_s": 0.05, "max_retries": 0, "max_concurrency": 1})
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=quick, summarizer=Hangs()
    ) as memory:
        sessions = [await filled(memory, name) for name in "ab"]
        outcomes = [await session.compact(force=True) for session in sessions]

    assert {o.status for o in outcomes} == {CompactionStatus.FAILED}
