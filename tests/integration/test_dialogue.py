"""A value's standing by what was said around it, over several messages."""

from __future__ import annotations

from typing import Any

import pytest

from tiered_memory import MemoryEngine, Settings

SETTINGS = Settings(ner={"mode": "off"}, compaction={"enabled": False})
Line = tuple[str, str]


def chat(lines: list[Line]) -> list[dict[str, Any]]:
    """Give messages: ``u`` the customer's, ``a`` the assistant's."""
    roles = {"u": "user", "a": "assistant"}
    return [{"role": roles[who], "content": text} for who, text in lines]


async def facts_of(lines: list[Line], *, one_by_one: bool) -> dict[str, tuple[str, str]]:
    """Give key → (value, source) after a conversation."""
    async with MemoryEngine.open(":memory:", settings=SETTINGS) as memory:
        session = memory.session("s")
        if one_by_one:
            for message in chat(lines):
                await session.add(message)
        else:
            await session.add(chat(lines))
        return {f.key: (f.value, f.source) for f in await session.facts()}


@pytest.mark.parametrize("one_by_one", [True, False])
@pytest.mark.parametrize(
    "lines",
    [
        [("a", "May I have your booking reference?"), ("u", "hold on"), ("u", "4KX9PD")],
        [
            ("a", "May I have your booking reference?"),
            ("u", "sure, one moment"),
            ("a", "Take your time."),
            ("u", "4KX9PD"),
        ],
        [
            ("a", "请提供一下您的预订编号"),
            ("u", "稍等，我找找"),
            ("a", "好的，不急。"),
            ("u", "4KX9PD"),
        ],
    ],
)
async def test_a_question_stands_while_the_customer_looks(
    lines: list[Line], one_by_one: bool
) -> None:
    facts = await facts_of(lines, one_by_one=one_by_one)
    assert facts["booking_ref"] == ("4KX9PD", "regex")


@pytest.mark.parametrize(
    "lines",
    [
        [
            ("a", "May I have your booking reference?"),
            ("u", "hold on"),
            ("u", "one moment"),
            ("u", "4KX9PD"),
        ],
        [
            ("a", "May I have your booking reference?"),
            ("u", "my phone is 415-555-0132"),
            ("u", "4KX9PD"),
        ],
    ],
)
async def test_a_question_does_not_stand_for_ever(lines: list[Line]) -> None:
    assert "booking_ref" not in await facts_of(lines, one_by_one=True)


async def test_a_secret_given_late_is_masked(tmp_path: Any) -> None:
    file = tmp_path / "m.db"
    async with MemoryEngine.open(file, settings=SETTINGS) as memory:
        session = memory.session("s")
        for message in chat(
            [
                ("a", "What is your password, please?"),
                ("u", "hold on"),
                ("a", "Sure."),
                ("u", "Blauwal77"),
            ]
        ):
            await session.add(message)
        history = [m.to_dict()["content"] async for m in session.history()]
    assert history[-1] == "[password]"
    stored = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    assert b"Blauwal77" not in stored


@pytest.mark.parametrize("one_by_one", [True, False])
@pytest.mark.parametrize(
    ("asked", "answer", "key", "value"),
    [
        ("So your order is A7731, right?", "yes", "order_id", "A7731"),
        ("您预留的手机是13900008642，对吗？", "对的", "phone", "13900008642"),
        (
            "I see your e-mail is mei@example.com. Is that correct?",
            "Yes, thanks",
            "email",
            "mei@example.com",
        ),
    ],
)
async def test_a_value_read_back_and_confirmed_is_a_fact(
    asked: str, answer: str, key: str, value: str, one_by_one: bool
) -> None:
    async with MemoryEngine.open(":memory:", settings=SETTINGS) as memory:
        session = memory.session("s")
        lines = chat([("u", "hi"), ("a", asked), ("u", answer)])
        for batch in [[m] for m in lines] if one_by_one else [lines]:
            receipt = await session.add(batch)
        assert [f.key for f in receipt.facts] == [key]
        fact = await session.fact(key)
        assert fact is not None
        assert (fact.value, fact.source, fact.seq) == (value, "confirmed", 2)
        said = [m.to_dict()["content"] async for m in session.history()][1]
        assert said[fact.start : fact.end] == value


@pytest.mark.parametrize("answer", ["no", "hm?", "yes but the last digit is wrong"])
async def test_what_is_not_confirmed_is_no_fact(answer: str) -> None:
    lines: list[Line] = [
        ("u", "hi"),
        ("a", "So your order is A7731, right?"),
        ("u", answer),
    ]
    assert await facts_of(lines, one_by_one=True) == {}


@pytest.mark.parametrize("filler", ["Your order A1 left today. ", "x"])
async def test_a_value_at_the_end_of_a_long_reply_is_confirmed(filler: str) -> None:
    reply = filler * 4_000 + " Is your order number A8801?"
    async with MemoryEngine.open(":memory:", settings=SETTINGS) as memory:
        session = memory.session("s")
        for message in chat([("u", "hi"), ("a", reply), ("u", "yes")]):
            await session.add(message)
        fact = await session.fact("order_id")
        said = [m async for m in session.history()][1].payload["content"]
    assert fact is not None
    assert (fact.value, fact.source, fact.seq) == ("A8801", "confirmed", 2)
    assert said[fact.start : fact.end] == "A8801"


async def test_a_confirmed_value_is_surer_and_no_second_row() -> None:
    lines: list[Line] = [
        ("u", "order A7731 please"),
        ("a", "Your order is A7731, correct?"),
    ]
    async with MemoryEngine.open(":memory:", settings=SETTINGS) as memory:
        session = memory.session("s")
        await session.add(chat(lines))
        before = await session.fact("order_id")
        await session.add(chat([("u", "yes")]))
        (after,) = await session.facts(key="order_id", history=True)
    assert before is not None
    assert after.fact_id == before.fact_id
    assert after.source == "regex"
    assert after.confidence >= before.confidence


async def test_the_firm_s_own_number_is_not_the_customer_s() -> None:
    lines: list[Line] = [
        ("u", "hi"),
        ("a", "You can call our hotline 415-555-0100, is that fine?"),
        ("u", "yes"),
    ]
    assert await facts_of(lines, one_by_one=True) == {}
