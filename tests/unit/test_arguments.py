"""Wrong arguments of public methods give a typed error that names them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from tiered_memory import MemoryEngine, Session, Settings, TieredMemoryError

LATEST = datetime.max.replace(tzinfo=timezone(timedelta(hours=-12)))

WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("build", {"max_output_tokens": -5}, "max_output_tokens"),
    ("build", {"max_output_tokens": 0}, "max_output_tokens"),
    ("build", {"max_output_tokens": True}, "max_output_tokens"),
    ("build", {"max_output_tokens": 1.5}, "max_output_tokens"),
    ("build", {"system": 1}, "system"),
    ("build", {"model": 1}, "model"),
    ("build", {"tools": "x"}, "tools"),
    ("build", {"tools": [1]}, "tools"),
    ("facts", {"key": "\ud800"}, "key"),
    ("facts", {"owner": ""}, "owner"),
    ("facts", {"as_of": LATEST}, "as_of"),
    ("set_fact", {"key": None, "value": "v"}, "key"),
    ("set_fact", {"key": "k", "value": "v", "owner": None}, "owner"),
]


async def call(session: Session, method: str, values: dict[str, Any]) -> None:
    await getattr(session, method)(**values)


@pytest.mark.parametrize(("method", "values", "field"), WRONG)
async def test_a_wrong_argument_is_named(
    method: str, values: dict[str, Any], field: str
) -> None:
    async with MemoryEngine.open(
        ":memory:", settings=Settings(ner={"mode": "off"})
    ) as memory:
        session = memory.session("s")
        await session.add({"role": "user", "content": "hi"})
        with pytest.raises(TieredMemoryError, match=field) as caught:
            await call(session, method, values)

    assert caught.value.facts["field"] == field


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"limit": -1}, "limit"),
        ({"limit": 10**30}, "limit"),
        ({"after": "\ud800"}, "after"),
    ],
)
async def test_a_wrong_page_of_sessions_is_named(
    values: dict[str, Any], field: str
) -> None:
    async with MemoryEngine.open(
        ":memory:", settings=Settings(ner={"mode": "off"})
    ) as memory:
        with pytest.raises(TieredMemoryError, match=field):
            await memory.sessions(**values)


async def test_a_wrong_start_of_history_is_named() -> None:
    async with MemoryEngine.open(
        ":memory:", settings=Settings(ner={"mode": "off"})
    ) as memory:
        with pytest.raises(TieredMemoryError, match="start"):
            _ = [m async for m in memory.session("s").history(start=10**30)]


@pytest.mark.parametrize(
    ("method", "values", "field"),
    [
        ("extract", {"text": None}, "text"),
        ("extract", {"text": b"x"}, "text"),
        ("extract", {"text": "x", "question": 1}, "question"),
        ("extract", {"text": "x", "role": 1}, "role"),
        ("extract", {"text": "x", "when": "today"}, "when"),
        ("session", {"session_id": "s", "system_prompt": 1}, "system_prompt"),
    ],
)
async def test_a_wrong_argument_of_the_engine_is_named(
    method: str, values: dict[str, Any], field: str
) -> None:
    async with MemoryEngine.open(
        ":memory:", settings=Settings(ner={"mode": "off"})
    ) as memory:
        with pytest.raises(TieredMemoryError, match=field) as caught:
            getattr(memory, method)(**values)

    assert caught.value.facts["field"] == field
