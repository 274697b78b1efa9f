"""Pseudonyms from end to end: one everywhere in a session, real values only in the vault."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.vault_keys import ENV, KEY, OTHER_KEY, settings
from tiered_memory import CompactionStatus, MemoryEngine, SettingsError, VaultError
from tiered_memory.testing import ScriptedSummarizer

PHONE = "139 0000 8642"
BARE = "13900008642"
TOKEN = re.compile(r"\[phone-[A-Z2-7]{8}\]")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENV, KEY)


def raw(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()))


def call(arguments: str, name: str = "find_customer") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }


def tool(content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "c1", "content": content}


async def test_one_pseudonym_stands_for_a_value_everywhere(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        session = memory.session("s")
        receipt = await session.add({"role": "user", "content": f"我的电话是{PHONE}"})
        await session.add(call(f'{{"phone": "{BARE}"}}'))
        await session.add(tool(f'{{"mobile": {BARE}, "note": "call +86 139-0000-8642"}}'))
        await session.add({"role": "assistant", "content": f"我会打{BARE}。"})
        await session.add({"role": "user", "content": "谢谢"})
        prompt = await session.build()
        history = [m.to_dict() async for m in session.history()]
        fact = await session.fact("phone")

    token = TOKEN.findall(str(history[0]))[0]
    assert receipt.masked == {"phone": 1}
    assert set(TOKEN.findall(str(history))) == {token}
    assert json.loads(history[2]["content"]) == {"mobile": token, "note": f"call {token}"}
    assert fact is not None
    assert (fact.value, fact.masked, fact.type, fact.owner) == (
        token,
        True,
        "phone",
        "self",
    )
    assert history[0]["content"][fact.start : fact.end] == token
    assert set(TOKEN.findall(str(prompt.messages))) == {token}
    for secret in (PHONE, BARE, "139-0000-8642"):
        assert secret.encode() not in raw(tmp_path)
        assert secret not in str(prompt.messages)


async def test_no_session_is_found_by_a_value_under_a_pseudonym(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        await memory.session("s").add({"role": "user", "content": f"我的电话是{PHONE}"})
        assert await memory.find_sessions("phone", BARE) == []


async def test_reveal_puts_back_what_the_customer_wrote_first(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        session = memory.session("s")
        await session.add({"role": "user", "content": f"call {PHONE} or {BARE}"})
        token = TOKEN.findall((await anext(session.history())).payload["content"])[0]
        reply = call(f'{{"to": "{token}", "body": "{{\\"tel\\": \\"{token}\\"}}"}}')
        given = json.dumps(reply)

        shown = await session.reveal(reply)
        arguments = json.loads(shown["tool_calls"][0]["function"]["arguments"])
        assert json.dumps(reply) == given
        assert arguments["to"] == PHONE
        assert json.loads(arguments["body"]) == {"tel": PHONE}
        assert await session.reveal(f"we call {token}.") == f"we call {PHONE}."
        parts = {"role": "assistant", "content": [{"type": "text", "text": token}]}
        assert (await session.reveal(parts))["content"][0]["text"] == PHONE
        assert await session.reveal("[phone-AAAAAAAA] x") == "[phone-AAAAAAAA] x"


async def test_values_with_quotes_leave_json_valid(tmp_path: Path) -> None:
    inline: dict[str, Any] = {
        "id": "lamps.nick",
        "type": "nickname",
        "regex": ["nick (?P<value>[^.]+)"],
        "boundary": "loose",
        "sensitivity": "pseudonym",
    }
    own = settings(facts={"patterns": (inline,)})
    nick = 'Ann "the\\lamp" Lee'
    async with MemoryEngine.open(tmp_path / "m.db", settings=own) as memory:
        session = memory.session("s")
        await session.add({"role": "user", "content": f"nick {nick}."})
        stored = (await anext(session.history())).payload["content"]
        token = stored.removeprefix("nick ").removesuffix(".")
        for text in (
            f'{{"n": "{token}"}}',
            json.dumps([{token: json.dumps({"a": token})}]),
        ):
            shown = await session.reveal(text)
            assert json.dumps(nick)[1:-1] in shown
            json.loads(shown)
        inner = json.loads(json.loads(shown)[0][nick])
        assert inner == {"a": nick}


async def test_sessions_have_different_pseudonyms_and_no_way_to_one_another(
    tmp_path: Path,
) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        one, other = memory.session("s1"), memory.session("s2")
        for session in (one, other):
            await session.add({"role": "user", "content": f"my phone is {PHONE}"})
        texts = [(await anext(s.history())).payload["content"] for s in (one, other)]
        assert texts[0] != texts[1]
        await other.add({"role": "user", "content": f"what is {texts[0]}?"})
        stolen = texts[0].removeprefix("my phone is ")
        assert await other.reveal(stolen) == stolen
        assert await one.reveal(texts[0]) == f"my phone is {PHONE}"
        assert await memory.session("s3").reveal(texts[0]) == texts[0]


async def test_another_process_uses_the_same_pseudonym(tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    async with (
        MemoryEngine.open(file, settings=settings()) as here,
        MemoryEngine.open(file, settings=settings()) as there,
    ):
        await here.session("s").add({"role": "user", "content": f"phone {BARE}"})
        await there.session("s").add({"role": "user", "content": f"again {PHONE}"})
        texts = [m.payload["content"] async for m in here.session("s").history()]
        assert TOKEN.findall(texts[0]) == TOKEN.findall(texts[1])
        shown = await there.session("s").reveal(texts[1])
        assert shown == f"again {BARE}"


async def test_a_value_that_only_a_question_typed_is_hidden_in_results(
    tmp_path: Path,
) -> None:
    own = settings(
        facts={"packs": ("common", "ecommerce")},
        masking={"postcode": "pseudonym", "vault_key_env": ENV},
    )
    async with MemoryEngine.open(tmp_path / "m.db", settings=own) as memory:
        session = memory.session("s")
        await session.add({"role": "user", "content": "hi"})
        await session.add({"role": "assistant", "content": "What is your zip code?"})
        await session.add({"role": "user", "content": "94103"})
        await session.add(call('{"q": "94103"}'))
        await session.add(tool('{"items": [94103, "94103", "941035"], "n": 1}'))
        history = [m.to_dict() async for m in session.history()]
        token = history[2]["content"]
        assert token.startswith("[postcode-")
        assert json.loads(history[4]["content"])["items"] == [token, token, "941035"]
        shown = await session.reveal(history[4]["content"])
        assert json.loads(shown)["items"] == ["94103", "94103", "941035"]


async def test_compaction_carries_pseudonyms_as_references(tmp_path: Path) -> None:
    summarizer = ScriptedSummarizer(
        lambda request: (
            "The customer gave " + ", ".join(f"[[{name}]]" for name in request.references)
        )
    )
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings(), summarizer=summarizer
    ) as memory:
        session = memory.session("s")
        await session.add({"role": "user", "content": f"my phone is {PHONE}"})
        await session.add(
            {"role": "assistant", "content": f"Noted {BARE}; mail bo@example.com"}
        )
        for n in range(12):
            await session.add({"role": "user", "content": f"and question {n}?"})
            await session.add({"role": "assistant", "content": "Yes."})
        done = await session.compact(force=True)
        summary = " ".join(segment.text for segment in await session.summary())
        shown = await session.reveal(summary)

    assert done.status is CompactionStatus.COMPACTED
    request = summarizer.requests[0]
    assert "[[phone:" in request.transcript
    assert "[[email:" in request.transcript
    assert TOKEN.search(summary)
    assert PHONE in shown
    assert "bo@example.com" in shown
    assert BARE.encode() not in raw(tmp_path)
    assert b"bo@example.com" not in raw(tmp_path)


async def test_an_engine_without_a_key_refuses_to_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ENV)
    with pytest.raises(SettingsError, match="token_bytes"):
        await MemoryEngine.open(tmp_path / "m.db", settings=settings())
    assert not (tmp_path / "m.db").exists()


@pytest.mark.parametrize("key", ["short", KEY[:-4], "zz" * 32, KEY + "," + "ab"])
async def test_a_key_of_another_length_is_refused_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv(ENV, key)
    with pytest.raises(SettingsError, match="32 bytes") as caught:
        await MemoryEngine.open(tmp_path / "m.db", settings=settings())
    assert key not in str(caught.value) + repr(caught.value.facts)


async def test_a_changed_key_opens_nothing_until_the_old_one_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.db"
    async with MemoryEngine.open(file, settings=settings()) as memory:
        await memory.session("s").add({"role": "user", "content": f"phone {BARE}"})
        text = (await anext(memory.session("s").history())).payload["content"]

    monkeypatch.setenv(ENV, OTHER_KEY)
    async with MemoryEngine.open(file, settings=settings()) as memory:
        with pytest.raises(VaultError, match=ENV):
            await memory.session("s").reveal(text)
        assert await memory.session("s").reveal("no token") == "no token"

    monkeypatch.setenv(ENV, f"{OTHER_KEY}, {KEY}")
    async with MemoryEngine.open(file, settings=settings()) as memory:
        session = memory.session("s")
        assert await session.reveal(text) == f"phone {BARE}"
        await session.add({"role": "user", "content": f"again {PHONE}, new 13900001111"})
        newest = [m.payload["content"] async for m in session.history()][-1]
        assert TOKEN.findall(newest)[0] == TOKEN.findall(text)[0]
        assert await session.reveal(newest) == f"again {BARE}, new 13900001111"


async def test_values_stay_closed_where_no_key_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.db"
    async with MemoryEngine.open(file, settings=settings()) as memory:
        await memory.session("s").add({"role": "user", "content": f"phone {BARE}"})
        text = (await anext(memory.session("s").history())).payload["content"]
    monkeypatch.delenv(ENV)
    async with MemoryEngine.open(file, settings=settings(masking={})) as memory:
        with pytest.raises(VaultError, match="vault_key_env"):
            await memory.session("s").reveal(text)


async def test_a_row_of_another_session_does_not_open(tmp_path: Path) -> None:
    import sqlite3

    file = tmp_path / "m.db"
    async with MemoryEngine.open(file, settings=settings()) as memory:
        for name in ("s1", "s2"):
            await memory.session(name).add({"role": "user", "content": f"phone {BARE}"})
        text = (await anext(memory.session("s1").history())).payload["content"]
    raw_file = sqlite3.connect(file)
    raw_file.execute(
        "UPDATE tm_vault SET (nonce, sealed) = (SELECT nonce, sealed FROM tm_vault "
        "WHERE session_id = 's2') WHERE session_id = 's1'"
    )
    raw_file.commit()
    raw_file.close()
    async with MemoryEngine.open(file, settings=settings()) as memory:
        with pytest.raises(VaultError, match="does not open"):
            await memory.session("s1").reveal(text)


async def test_values_that_the_application_sets_get_pseudonyms_too(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        session = memory.session("s")
        fact = await session.set_fact("phone", PHONE)
        await session.add({"role": "user", "content": f"it is {BARE}"})
        same = await session.fact("phone")
        newest = [m.payload["content"] async for m in session.history()][-1]
        shown = await session.reveal(newest)
        gone = await session.retract_fact("phone", BARE)
        left = await session.fact("phone")

    assert TOKEN.fullmatch(fact.value)
    assert (fact.masked, fact.identifier, fact.source) == (True, True, "api")
    assert same is not None
    assert same.value == fact.value
    assert newest == f"it is {fact.value}"
    assert shown == f"it is {PHONE}"
    assert [one.value for one in gone] == [fact.value]
    assert left is None
    for secret in (PHONE, BARE):
        assert secret.encode() not in raw(tmp_path)


async def test_a_correction_of_a_hidden_value_supersedes(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        session = memory.session("s")
        await session.add({"role": "user", "content": f"电话{BARE}"})
        await session.add({"role": "user", "content": "不是13900008642，是13900001111"})
        facts = await session.facts(key="phone", history=True)
        shown = [(await session.reveal(f.value), f.status.value) for f in facts]
    assert shown == [(BARE, "superseded"), ("13900001111", "current")]


async def test_a_value_that_is_a_key_of_a_result_has_its_pseudonym(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        session = memory.session("s")
        await session.add({"role": "user", "content": f"我的电话是{PHONE}"})
        await session.add(call("{}"))
        await session.add(tool(f'{{"{BARE}": {{"orders": 2}}}}'))
        stored = [m async for m in session.history()][2].payload["content"]
        fact = await session.fact("phone")
        shown = await session.reveal(stored)

    assert fact is not None
    assert json.loads(stored) == {fact.value: {"orders": 2}}
    assert json.loads(shown) == {PHONE: {"orders": 2}}
    assert BARE.encode() not in raw(tmp_path)
