"""A secret in any place of a message reaches neither the file nor a prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tiered_memory import MemoryEngine, MessageError, Settings
from tiered_memory.chat.grammar import validate

CARD = "4111111111111111"
PLACES: dict[str, dict[str, Any]] = {
    "unknown key": {"role": "user", "content": "x", "metadata": {"password": "Zq9kTr7xW"}},
    "number": {"role": "user", "content": "x", "card": int(CARD)},
    "key of an unknown key": {"role": "user", "content": "x", "metadata": {CARD: 1}},
    "name": {"role": "user", "name": CARD, "content": "x"},
    "link": {
        "role": "user",
        "content": [
            {"type": "image_url", "image_url": {"url": f"https://example.com/?card={CARD}"}}
        ],
    },
    "key of arguments": {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c",
                "type": "function",
                "function": {"name": "f", "arguments": f'{{"{CARD}": 1}}'},
            }
        ],
    },
    "call id": {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": CARD, "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ],
    },
}


@pytest.mark.parametrize("place", PLACES)
async def test_a_secret_is_masked_wherever_it_stands(tmp_path: Path, place: str) -> None:
    message = PLACES[place]
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=Settings(ner={"mode": "off"})
    ) as memory:
        session = memory.session("s")
        await session.add({"role": "user", "content": "hello"})
        receipt = await session.add(message)
        if place == "call id":
            await session.add({"role": "tool", "tool_call_id": CARD, "content": "ok"})
        await session.add({"role": "user", "content": "go on"})
        prompt = await session.build()

    raw = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert sum(receipt.masked.values()) >= 1
    for secret in (CARD, "Zq9kTr7xW"):
        assert secret.encode() not in raw
        assert secret not in str(prompt.messages)
    assert validate([dict(m) for m in prompt.messages]) == []
    if place == "call id":
        assert prompt.repairs == ()


@pytest.mark.parametrize("bad", [CARD, "", "x" * 256, "a\x00", "\ud800", 7])
async def test_a_message_id_that_cannot_be_stored_is_refused(
    tmp_path: Path, bad: Any
) -> None:
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=Settings(ner={"mode": "off"})
    ) as memory:
        with pytest.raises(MessageError, match="message_id"):
            await memory.session("s").add({"role": "user", "content": "x"}, message_id=bad)


async def test_what_holds_no_secret_is_left_as_it_is(tmp_path: Path) -> None:
    message = {
        "role": "user",
        "name": "anna",
        "content": [
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        ],
        "metadata": {"source": "app", "build": 4111, "tags": ["a", None, True]},
    }
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=Settings(ner={"mode": "off"})
    ) as memory:
        session = memory.session("s")
        await session.add(message)
        stored = [m.to_dict() async for m in session.history()]

    assert stored == [message]


async def test_a_secret_in_a_head_is_masked_too(tmp_path: Path) -> None:
    head = {
        "role": "system",
        "content": f"Card {CARD}.",
        "metadata": {"password": "Zq9kTr7xW"},
    }
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=Settings(ner={"mode": "off"})
    ) as memory:
        await memory.session("s").add([head, {"role": "user", "content": "hi"}])

    raw = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert CARD.encode() not in raw
    assert b"Zq9kTr7xW" not in raw
