"""Failures that others reported of masking, as they were reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.vault_keys import ENV, KEY
from tiered_memory import CompactionStatus, MemoryEngine, Settings
from tiered_memory.facts.extraction import Extractor
from tiered_memory.facts.packs import load_patterns
from tiered_memory.settings import FactSettings, MaskAction


def extractor(**masking: MaskAction) -> Extractor:
    return Extractor(load_patterns(FactSettings(), masking), max_chars=32_768)


def test_pi_01_times_and_order_numbers_are_no_cards() -> None:
    """A number that passes Luhn's test needs an issuer's prefix and length too."""
    read = extractor()
    for text in (
        "event at 1735700000003 please check",
        "order 1735700000003 is late",
        "ratio 0.4111111111111111E-2",
    ):
        assert read.mask(text) == (text, {})
    found = read.mask("card 4111 1111 1111 1111")
    assert found == ("card [card_number ****1111]", {"card_number": 1})


def test_pi_03_numbers_are_masked_whole_and_never_cut_out_of_longer_ones() -> None:
    read = extractor(phone="drop", national_id="drop")
    assert read.mask("身份证11010519491231002X")[0] == "身份证[national_id]"
    for text in ("运单3982597919074833788762328", "案号202511020987654324"):
        assert read.mask(text) == (text, {})
    found, counts = read.mask("手机13900001234，备用139-0000-5678，+8613900009999")
    assert found == "手机[phone]，备用[phone]，[phone]"
    assert counts == {"phone": 3}


def test_pi_05_full_width_digits_are_masked_in_place() -> None:
    read = extractor(phone="drop", email="drop")
    assert read.mask("电话１３９００００１２３４")[0] == "电话[phone]"
    assert read.mask("邮箱ｌｉｎ＠ｅｘａｍｐｌｅ．ｃｏｍ")[0] == "邮箱[email]"
    text = "重量5㎏，电话１３９００００１２３４，谢谢"
    assert read.mask(text)[0] == "重量5㎏，电话[phone]，谢谢"
    facts = extractor().extract(text, role="user").facts
    assert [f.normalized for f in facts if f.type == "phone"] == ["+8613900001234"]


async def test_pi_07_masking_breaks_neither_compaction_nor_the_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key is nowhere, the phone is one pseudonym, the tool gets the real value."""
    monkeypatch.setenv(ENV, KEY)
    settings = Settings(
        ner={"mode": "off"}, masking={"phone": "pseudonym", "vault_key_env": ENV}
    )
    arguments = '{"phone": "555-0142"}'
    function = {"name": "find_customer", "arguments": arguments}
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings) as memory:
        session = memory.session("s")
        await session.add(
            {"role": "user", "content": "key AKIA0000000000000000, call 555-0142"}
        )
        await session.add(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": function}],
            }
        )
        result = '{"phone": "555-0142", "tier": "gold"}'
        await session.add({"role": "tool", "tool_call_id": "c1", "content": result})
        for n in range(12):
            await session.add({"role": "user", "content": f"and question {n}?"})
            await session.add({"role": "assistant", "content": "Yes."})
        done = await session.compact(force=True)
        history = [m.to_dict() async for m in session.history()]
        shown = await session.reveal(history[1])
        token = json.loads(history[2]["content"])["phone"]

    assert done.status is CompactionStatus.COMPACTED
    assert token.startswith("[phone-")
    assert history[0]["content"] == f"key [api_key], call {token}"
    assert json.loads(history[1]["tool_calls"][0]["function"]["arguments"]) == {
        "phone": token
    }
    assert json.loads(history[2]["content"]) == {"phone": token, "tier": "gold"}
    assert json.loads(shown["tool_calls"][0]["function"]["arguments"]) == {
        "phone": "555-0142"
    }
    raw = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"555-0142" not in raw
    assert b"AKIA0000000000000000" not in raw
