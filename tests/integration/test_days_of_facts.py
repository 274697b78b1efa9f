"""Days and times of facts, from the clock of the engine to the prompt."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tiered_memory import MemoryEngine, Settings, SettingsError
from tiered_memory.testing import FixedClock

NIGHT = datetime(2026, 5, 11, 20, 0, tzinfo=UTC)


def settings(**facts: str) -> Settings:
    return Settings(ner={"mode": "off"}, facts=facts)


SHANGHAI = settings(timezone="Asia/Shanghai")


async def test_a_message_is_read_from_its_own_time() -> None:
    clock = FixedClock(NIGHT)
    async with MemoryEngine.open(":memory:", settings=settings(), clock=clock) as memory:
        session = memory.session("s")
        await session.add({"role": "user", "content": "请安排明天上门安装"})
        (fact,) = await session.facts()
        assert (fact.value, fact.normalized) == ("明天", "2026-05-12")


async def test_the_customers_zone_tells_the_day() -> None:
    clock = FixedClock(NIGHT)
    async with MemoryEngine.open(":memory:", settings=SHANGHAI, clock=clock) as memory:
        (fact,) = memory.extract("改到明天送").facts
        assert fact.normalized == "2026-05-13"


def test_a_zone_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="time zone"):
        settings(timezone="Mars/Olympus")


async def test_extract_takes_the_time_of_what_was_said() -> None:
    async with MemoryEngine.open(
        ":memory:", settings=settings(), clock=FixedClock(NIGHT)
    ) as memory:
        said = datetime(2024, 2, 28, 9, 0, tzinfo=UTC)
        (then,) = memory.extract("deliver it tomorrow", when=said).facts
        (now,) = memory.extract("deliver it tomorrow").facts
        assert (then.normalized, now.normalized) == ("2024-02-29", "2026-05-12")
        with pytest.raises(SettingsError, match="time zone"):
            memory.extract("tomorrow", when=datetime(2024, 2, 28))  # noqa: DTZ001


async def test_what_is_told_in_passing_is_reported_and_not_stored() -> None:
    text = "昨天你们的客服说会联系我，快递员说17点49分来过"
    async with MemoryEngine.open(
        ":memory:", settings=settings(), clock=FixedClock(NIGHT)
    ) as memory:
        assert {c.passing for c in memory.extract(text).facts} == {True}
        session = memory.session("s")
        await session.add({"role": "user", "content": text})
        assert await session.facts() == []


async def test_a_prompt_says_which_day_was_meant() -> None:
    async with MemoryEngine.open(
        ":memory:", settings=settings(), clock=FixedClock(NIGHT)
    ) as memory:
        session = memory.session("s")
        await session.add({"role": "user", "content": "改到明天送，5月20号之前退款"})
        prompt = await session.build()
        text = "\n".join(str(message.get("content")) for message in prompt.messages)
        assert "明天 (2026-05-12)" in text
        assert "- date: 5月20号\n" in text


@pytest.mark.parametrize(
    ("question", "answer", "change", "now"),
    [
        (
            "When can the technician come?",
            "tomorrow at 3 pm",
            "Actually make it 11 am",
            "11:00",
        ),
        ("What time suits you?", "at 3 pm", "no, not 3 pm, 11 am please", "11:00"),
        ("请问方便上门的时间？", "明天下午3点吧", "不是下午3点，是下午4点", "16:00"),
        ("您什么时间方便？", "下午3点", "改到下午4点吧", "16:00"),
    ],
)
async def test_a_time_that_was_asked_for_is_stored_and_the_new_one_takes_its_place(
    question: str, answer: str, change: str, now: str
) -> None:
    async with MemoryEngine.open(
        ":memory:", settings=settings(), clock=FixedClock(NIGHT)
    ) as memory:
        session = memory.session("s")
        await session.add({"role": "assistant", "content": question})
        await session.add({"role": "user", "content": answer})
        (first,) = await session.facts(key="time")
        assert first.normalized == "15:00"
        await session.add({"role": "assistant", "content": "OK."})
        await session.add({"role": "user", "content": change})
        (time,) = await session.facts(key="time")
        assert time.normalized == now
