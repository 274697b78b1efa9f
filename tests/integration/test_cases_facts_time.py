"""Failure reports FE-13 and FE-15, as kinds: whose words count, and which of them stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.integration.test_fact_calls import opened, user, values
from tiered_memory.model import Fact


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def called(name: str, arguments: str) -> dict[str, Any]:
    call = {
        "id": "k1",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def result(text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "k1", "content": text}


async def after(*messages: dict[str, Any], together: bool = False) -> Sequence[Fact]:
    """Everybody's current facts when the messages were added."""
    async with opened() as memory:
        session = memory.session("s")
        if together:
            await session.add(list(messages))
        else:
            for message in messages:
                await session.add(message)
        return list(await session.facts(owner=None))


# -- FE-13: only the customer's words are facts ----------------------------------

ENGLISH = (
    {"role": "system", "content": "You are Kim of Northwind, hotline 555-0160."},
    user("My phone is 555-0123"),
    assistant("Write it as 555-0177, for example. I'm Kim, mail kim@example.com."),
    called("find_customer", '{"order_id": "N-7301"}'),
    result('{"name": "Sample Person", "phone": "555-0001", "email": "no@example.com"}'),
    assistant("So your phone is 555-0177, right?"),
    user("no"),
)
CHINESE = (
    {"role": "system", "content": "你是小北，客服热线 010-62345678。"},
    user("我的手机号是13900001234"),
    assistant("请按 13700000000 这样的格式写。我是小北，邮箱 kf@example.cn。"),
    called("find_customer", '{"order_id": "N-7301"}'),
    result('{"name": "张某某", "phone": "13800000001"}'),
    assistant("您的手机号是13700000000，对吗？"),
    user("不是"),
)


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(
    ("messages", "phone"), [(ENGLISH, "555-0123"), (CHINESE, "13900001234")]
)
async def test_what_assistant_system_and_tools_say_is_no_fact(
    messages: Sequence[dict[str, Any]], phone: str, together: bool
) -> None:
    facts = await after(*messages, together=together)
    assert [(f.key, f.value, f.source) for f in facts] == [("phone", phone, "regex")]


@pytest.mark.parametrize(
    ("messages", "key", "stated"),
    [
        (
            (
                user("My email is ann@example.com"),
                assistant("Thanks. So it is bob@example.com?"),
                user("yes"),
            ),
            "email",
            "ann@example.com",
        ),
        (
            (
                user("我的手机号是13900001234"),
                assistant("您的手机号是13700000000，对吗？"),
                user("是的"),
            ),
            "phone",
            "13900001234",
        ),
    ],
)
async def test_a_careless_yes_takes_nothing_from_what_was_stated(
    messages: Sequence[dict[str, Any]], key: str, stated: str
) -> None:
    facts = await after(*messages)
    assert values([f for f in facts if f.key == key]) == [stated]


async def test_a_yes_makes_the_stated_value_surer_and_adds_no_row() -> None:
    async with opened() as memory:
        session = memory.session("s")
        await session.add(user("My email is ann@example.com"))
        (before,) = await session.facts()
        await session.add(assistant("So your email is ann@example.com, right?"))
        await session.add(user("yes"))
        (now,) = await session.facts(history=True)

    assert (now.fact_id, now.source, now.seq) == (before.fact_id, "regex", 1)
    assert now.confidence > before.confidence
    assert now.last_seen > before.last_seen


async def test_a_prompts_facts_block_that_comes_back_is_not_read_again() -> None:
    async with opened() as memory:
        session = memory.session("s")
        await session.add(user("My email is ann@example.com"))
        prompt = await session.build()
        blocks = [m for m in prompt.messages if "customer_facts" in str(m["content"])]
        await session.add(user("My email is bob@example.com"))
        await session.add([*blocks, assistant("Noted.")])
        facts = await session.facts(owner=None)

    assert blocks
    assert values(facts) == ["bob@example.com"]


# -- FE-15: the contrary is no repetition ----------------------------------------

PREFERENCES = [
    ("Calls on weekends are allowed", "Calls on weekends are not allowed"),
    ("You can call me on Sundays", "Don't call me on Sundays"),
    ("I prefer window seats", "Actually I don't like window seats anymore"),
    ("I don't like spicy food", "I do like spicy food now"),
    ("周末可以打电话给我", "周末不要打电话"),
    ("我喜欢吃辣", "我现在不喜欢吃辣了"),
    ("我不吃香菜", "我现在爱吃香菜"),
]


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(("first", "second"), PREFERENCES)
async def test_the_later_of_two_contraries_stands(
    first: str, second: str, together: bool
) -> None:
    async with opened() as memory:
        session = memory.session("s")
        for batch in ([first, second],) if together else ([first], [second]):
            receipt = await session.add([user(text) for text in batch])
        (now,) = await session.facts()
        (old, new) = await session.facts(history=True)
        back = await session.add(user(first))
        (again,) = await session.facts()

    assert now == new
    assert (old.superseded_by, old.status) == (new.fact_id, "superseded")
    assert now.value in second
    assert [f.fact_id for f in receipt.facts] == [new.fact_id]
    assert [f.fact_id for f in back.facts] == [again.fact_id]
    assert again.value in first


NUMBERS = [
    ("我的电话是13900001234", "我的电话不是13900001234，是13900005678"),
    ("我的电话是13900001234", "别打13900001234，打13900005678"),
    ("my phone is 555-0101", "my phone is not 555-0101, it's 555-0102"),
]


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(("first", "second"), NUMBERS)
async def test_a_corrected_number_is_current_no_more(
    first: str, second: str, together: bool
) -> None:
    async with opened() as memory:
        session = memory.session("s")
        if together:
            receipt = await session.add([user(first), user(second)])
        else:
            await session.add(user(first))
            receipt = await session.add(user(second))
        (now,) = await session.facts(key="phone")
        old, new = await session.facts(key="phone", history=True)

    assert now == new
    assert second.endswith(now.value)
    assert (old.status, old.superseded_by) == ("superseded", new.fact_id)
    assert new.fact_id in [f.fact_id for f in receipt.facts]


@pytest.mark.parametrize(
    ("stated", "wish"),
    [
        ("my phone is 555-0101", "please forget my number"),
        ("我的手机号是13900001234", "请把我的手机号删掉"),
        ("my phone is 555-0101", "my phone is not 555-0101"),
    ],
)
async def test_what_the_customer_takes_back_is_retracted(stated: str, wish: str) -> None:
    async with opened() as memory:
        session = memory.session("s")
        await session.add([user(stated), user("my email is ann@example.com")])
        await session.add(user(wish))
        left = await session.facts()
        (gone,) = await session.facts(key="phone", history=True)

    assert values(left) == ["ann@example.com"]
    assert (gone.status, gone.superseded_by) == ("retracted", None)
