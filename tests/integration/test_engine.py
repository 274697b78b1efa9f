"""The main job, end to end, on real files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conversations import assistant, calls, conversation, long_result, result, user
from tiered_memory import (
    CompactionStatus,
    Event,
    MemoryEngine,
    MessageError,
    Prompt,
    Session,
    Settings,
)
from tiered_memory.chat.grammar import validate
from tiered_memory.testing import FixedClock, ScriptedSummarizer, TableRecognizer

SYSTEM = "You are the service agent of a small shop. 请用客户的语言回答。"


def settings(**more: Any) -> Settings:
    values: dict[str, Any] = {"system_prompt": SYSTEM, "ner": {"mode": "off"}}
    return Settings(**{**values, **more})


async def play(session: Session, messages: list[dict[str, Any]]) -> list[Prompt]:
    """Add each message; build where a model would be called."""
    prompts: list[Prompt] = []
    for message in messages:
        if message["role"] == "assistant":
            prompts.append(await session.build())
        await session.add(message)
    return prompts


def check(prompt: Prompt, newest: str) -> None:
    payloads = [dict(message) for message in prompt.messages]
    assert validate(payloads) == []
    assert payloads[0] == {"role": "system", "content": SYSTEM}
    assert any(p["role"] == "user" and p["content"] == newest for p in payloads)
    assert prompt.tokens <= prompt.budget.limit
    assert sum(prompt.tiers.values()) == prompt.tokens


async def test_a_long_conversation_is_folded_and_every_prompt_is_right(
    tmp_path: Path,
) -> None:
    messages = conversation(60)
    events: list[Event] = []
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings(), on_event=events.append
    ) as memory:
        session = memory.session("s-1", subject="customer-1")
        newest = ""
        shortened = 0
        for message in messages:
            if message["role"] == "user":
                newest = message["content"]
            if message["role"] == "assistant":
                prompt = await session.build()
                check(prompt, newest)
                shortened += any(o.kind == "tool_result" for o in prompt.omitted)
            await session.add(message)
        await session.settled()
        stated = {
            word.strip("。")[-17:]
            for m in messages
            if m["role"] == "user"
            for word in m["content"].split()
            if "ORD-2031-" in word
        }
        facts = await session.facts(key="order_id")
        records = await session.compactions()
        summary = await session.summary()
        stored = [m.to_dict() async for m in session.history()]

        assert {fact.value for fact in facts} == stated
        assert len(stated) == 12
        for fact in facts:
            assert fact.seq is not None
            source = stored[fact.seq - 1]["content"]
            assert source[fact.start : fact.end] == fact.value
        assert stored == messages
        assert shortened > 0
        assert sum(r.outcome == "compacted" for r in records) == len(summary) or summary
        assert sum(e.kind == "folded" for e in events) == memory.metrics().folds > 2
        assert len(records) <= 60 / 8 + 3
        assert memory.metrics().background_errors == 0


async def test_a_reopened_session_gives_the_same_prompt(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with MemoryEngine.open(path, settings=settings()) as memory:
        session = memory.session("s-1")
        await play(session, conversation(30))
        await session.settled()
        before = await session.build()
    async with MemoryEngine.open(path, settings=settings()) as memory:
        after = await memory.session("s-1").build()

    assert after.messages == before.messages
    assert after.fingerprint == before.fingerprint
    assert after.tokens == before.tokens


async def test_a_log_counted_by_another_counter_is_counted_again(tmp_path: Path) -> None:
    class Letters:
        def count(self, text: str) -> int:
            return len(text)

    path = tmp_path / "m.db"
    async with MemoryEngine.open(
        path, settings=settings(), token_counter=Letters()
    ) as memory:
        session = memory.session("s-1")
        await session.add({"role": "system", "content": SYSTEM})
        await play(session, conversation(12))
        await session.settled()
        letters = await session.build()
    async with MemoryEngine.open(path, settings=settings()) as memory:
        tokens = await memory.session("s-1").build()
    async with MemoryEngine.open(tmp_path / "n.db", settings=settings()) as memory:
        other = memory.session("s-1")
        await other.add([dict(m) for m in tokens.messages if m["role"] != "system"])
        fresh = await other.build()

    assert letters.tokens > 2 * tokens.tokens
    assert tokens.tiers["recent"] == fresh.tiers["recent"]


async def test_within_an_epoch_prompts_only_grow_at_their_end(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        session = memory.session("s-1")
        prompts = await play(session, conversation(40))

    shares = [p.stable_tokens / p.tokens for p in prompts[1:]]
    assert sum(shares) / len(shares) > 0.6


async def test_what_is_secret_is_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    card, password = "4111 1111 1111 1111", "hunter2-blue"
    summarizer = ScriptedSummarizer(lambda request: "The customer asked about payment.")
    async with MemoryEngine.open(
        path, settings=settings(), summarizer=summarizer
    ) as memory:
        session = memory.session("s-1")
        receipt = await session.add(
            user(f"我的卡号是{card}，my password is {password}, thanks")
        )
        await session.add(
            calls(("c1", "pay", {"card": card.replace(" ", ""), "amount": 3}))
        )
        await session.add(result("c1", '{"card": "4111111111111111", "ok": true}'))
        await session.add(assistant("Done."))
        await play(session, conversation(30))
        await session.settled()
        prompt = await session.build()
        shown = str(prompt.messages) + str(summarizer.requests)

    assert receipt.masked
    assert sum(receipt.masked.values()) == 2
    raw = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    for secret in (card, card.replace(" ", ""), password):
        assert secret not in shown
        assert secret.encode() not in raw


async def test_a_correction_supersedes_and_keeps_history(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        session = memory.session("s-1")
        await session.add(user("我的手机号是13900001234"))
        await session.add(assistant("好的"))
        await session.add(user("我的手机号不是13900001234，是13900005678"))
        current = await session.facts(key="phone")
        history = await session.facts(key="phone", history=True)
        fact = await session.fact("phone")

    assert [f.value for f in current] == ["13900005678"]
    assert [f.value for f in history] == ["13900001234", "13900005678"]
    assert fact is not None
    assert fact.normalized == "+8613900005678"
    assert history[0].superseded_by == history[1].fact_id


async def test_recognizers_fill_what_rules_left_open(tmp_path: Path) -> None:
    table = TableRecognizer({"欧阳娜娜": "mentioned_person", "杭州": "place"})
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings(), recognizers={"zh": table}
    ) as memory:
        session = memory.session("s-1")
        await session.add(user("欧阳娜娜说包裹在杭州"))
        facts = await session.facts()

    assert {(f.key, f.value, f.source) for f in facts} == {
        ("mentioned_person", "欧阳娜娜", "ner"),
        ("place", "杭州", "ner"),
    }


async def test_messages_that_arrive_during_a_compaction_stay(tmp_path: Path) -> None:
    summarizer = ScriptedSummarizer(["The customer asked about several orders."])
    quiet = settings(compaction={"enabled": False})
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=quiet, summarizer=summarizer
    ) as memory:
        session = memory.session("s-1")
        await play(session, conversation(30))
        summarizer.hold()
        import anyio

        outcome: list[CompactionStatus] = []

        async def fold() -> None:
            outcome.append((await session.compact(force=True)).status)

        async with anyio.create_task_group() as group:
            group.start_soon(fold)
            await summarizer.called.wait()
            late = [user("还有一件事"), calls(("z1", "f", {})), result("z1", "ok")]
            for message in [*late, assistant("好的")]:
                await session.add(message)
            during = await session.build()
            summarizer.release()
        after = await session.build()

    assert outcome == [CompactionStatus.COMPACTED]
    assert validate([dict(m) for m in during.messages]) == []
    texts = [m.get("content") for m in after.messages]
    assert texts[-4:] == ["还有一件事", None, "ok", "好的"]
    assert len(during.messages) > len(after.messages)


async def test_a_repeated_message_id_stores_once(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        session = memory.session("s-1")
        first = await session.add(user("pay now"), message_id="m1")
        again = await session.add(user("pay now"), message_id="m1")
        other = await session.add(user("pay now"), message_id="m2")
        stored = [m.seq async for m in session.history()]

    assert not first.repeated
    assert again.repeated
    assert (again.first_seq, again.last_seq) == (first.first_seq, first.last_seq)
    assert not other.repeated
    assert stored == [1, 2]


async def test_a_batch_with_one_bad_message_stores_nothing(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        session = memory.session("s-1")
        with pytest.raises(MessageError) as caught:
            await session.add([user("good"), {"role": "nobody", "content": "bad"}])
        stored = [m async for m in session.history()]
        await session.add(user("next"))

    assert caught.value.facts["position"] == 1
    assert stored == []


async def test_an_interrupted_multi_tool_turn_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    asked = calls(("c1", "cancel", {}), ("c2", "cancel", {}), ("c3", "cancel", {}))
    async with MemoryEngine.open(path, settings=settings()) as memory:
        session = memory.session("s-1")
        await session.add(user("Cancel B-1, B-2 and B-3"))
        await session.add(asked)
        await session.add(result("c1", "cancelled"))
    events: list[Event] = []
    async with MemoryEngine.open(
        path, settings=settings(), on_event=events.append
    ) as memory:
        session = memory.session("s-1")
        await session.add(user("continue"))
        prompt = await session.build()
        outcome = await session.compact()
        stored = [m.to_dict() async for m in session.history()]

    payloads = [dict(m) for m in prompt.messages]
    assert validate(payloads) == []
    assert [p.get("tool_call_id") for p in payloads if p["role"] == "tool"] == [
        "c1",
        "c2",
        "c3",
    ]
    assert [r.kind for r in prompt.repairs] == ["missing_result", "missing_result"]
    assert [e.kind for e in events] == ["healed"]
    assert outcome.status is not CompactionStatus.FAILED
    assert stored[2] == result("c1", "cancelled")


async def test_special_token_text_is_plain_text(tmp_path: Path) -> None:
    text = "It prints <|endoftext|> and <|im_start|>system, <|fim_prefix|> too. Why?"
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        session = memory.session("s-1")
        receipt = await session.add(user(text))
        await session.add(calls(("c1", "search", {"q": "<|endoftext|>"})))
        await session.add(result("c1", "found <|endoftext|> twice"))
        prompt = await session.build()

    assert receipt.tokens > 20
    assert prompt.messages[1]["content"] == text


@pytest.mark.parametrize("bad", ["thanks \ud83d", "bytes \udc81 here"])
async def test_half_a_surrogate_pair_is_stored_as_the_replacement_character(
    tmp_path: Path, bad: str
) -> None:
    path = tmp_path / "m.db"
    async with MemoryEngine.open(path, settings=settings()) as memory:
        session = memory.session("s-1")
        await session.add(user(bad))
        await session.add(assistant("ok"))
        await session.add(user("nul \x00 inside"))
        await session.compact(force=True)
    async with MemoryEngine.open(path, settings=settings()) as memory:
        prompt = await memory.session("s-1").build()

    texts = [str(m.get("content")) for m in prompt.messages]
    str(prompt.messages).encode()
    assert any("\ufffd" in text for text in texts)
    assert texts[-1] == "nul \x00 inside"


@pytest.mark.parametrize(
    "model",
    [
        "gpt-35-support",
        "ft:gpt-4o-mini-2024-07-18:acme::abc123",
        "azure/prod-chat-cn",
        "qwen-max",
    ],
)
async def test_any_model_name_works_with_at_most_one_warning(
    tmp_path: Path, model: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings(model=model)
    ) as memory:
        session = memory.session("s-1")
        for _ in range(3):
            await session.add(user("hello"))
            await session.build()
        warnings = memory.metrics().warnings

    assert sum("model" in warning for warning in warnings) <= 1
    assert sum("model" in record.message for record in caplog.records) <= 1


async def test_an_in_memory_database_is_one_store_and_two_are_apart() -> None:
    import anyio

    async with MemoryEngine.open(":memory:", settings=settings()) as memory:
        session = memory.session("s-1")
        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(session.add, user(f"订单号A88{number:02d}没到"))
        await session.compact()
        facts = await session.facts()
        async with MemoryEngine.open(":memory:", settings=settings()) as other:
            strangers = await other.sessions()

    assert len(facts) == 10
    assert strangers == []


async def test_sessions_with_like_names_are_strangers(tmp_path: Path) -> None:
    import anyio

    names = ["a", "a ", "A", "a%", "a'b", "用户1", "x" * 255]
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:

        async def talk(number: int, name: str) -> None:
            session = memory.session(name)
            await session.add(user(f"my order number is ORD-{number:04d}"))
            await session.add(assistant(f"reply {number}"))

        async with anyio.create_task_group() as group:
            for number, name in enumerate(names):
                group.start_soon(talk, number, name)
        for number, name in enumerate(names):
            facts = await memory.session(name).facts(key="order_id")
            assert [f.value for f in facts] == [f"ORD-{number:04d}"]
        listed = await memory.sessions()

    assert {info.session_id for info in listed} == set(names)


async def test_the_first_system_messages_become_the_head(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        session = memory.session("s-1")
        await session.add({"role": "system", "content": "Be brief."})
        await session.add(user("hi"))
        await session.add({"role": "system", "content": "Be brief."})
        await session.add({"role": "system", "content": "The shop closes at six."})
        prompt = await session.build()
        stored = [m.to_dict() async for m in session.history()]

    assert [dict(m) for m in prompt.messages] == [
        {"role": "system", "content": "Be brief."},
        user("hi"),
        {"role": "system", "content": "The shop closes at six."},
    ]
    assert stored == [user("hi"), {"role": "system", "content": "The shop closes at six."}]


async def test_a_tool_result_is_whole_in_its_turn_and_short_afterwards(
    tmp_path: Path,
) -> None:
    import random

    text = long_result(random.Random(3))
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings(), clock=FixedClock()
    ) as memory:
        session = memory.session("s-1")
        await session.add(user("list my orders"))
        await session.add(calls(("c1", "list_orders", {})))
        await session.add(result("c1", text))
        whole = await session.build()
        await session.add(assistant("There are many."))
        await session.add(user("thanks"))
        short = await session.build()

    assert whole.messages[3]["content"] == text
    assert len(str(short.messages[3]["content"])) < len(text) / 2
    assert any(o.kind == "tool_result" for o in short.omitted)


async def test_a_message_id_given_to_other_messages_is_refused(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        session = memory.session("s-1")
        await session.add(user("first"), message_id="k")
        for other in ([user("second")], [user("first"), user("third")]):
            with pytest.raises(MessageError, match="message_id"):
                await session.add(other, message_id="k")
        stored = [m.payload["content"] async for m in session.history()]

    assert stored == ["first"]


async def test_a_hook_that_raises_breaks_no_call_and_is_counted(tmp_path: Path) -> None:
    def hook(event: Event) -> None:
        raise ZeroDivisionError

    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings(), on_event=hook
    ) as memory:
        session = memory.session("s-1")
        await session.add(user("hi"))
        await session.add(calls(("c1", "f", {})))
        prompt = await session.build()
        errors = memory.metrics().background_errors

    assert prompt.repairs
    assert errors == 1


async def test_facts_come_from_the_customer_alone(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings()) as memory:
        session = memory.session("s-1")
        await session.add({"role": "system", "content": "You are Mia, phone 555-0100."})
        await session.add(user("My phone is (212) 555-0142"))
        await session.add(assistant("Thanks! For example (212) 555-0199, order A8801."))
        await session.add(calls(("c1", "get_customer", {"order_id": "B-2041"})))
        await session.add(result("c1", '{"name": "Test", "phone": "(212) 555-0111"}'))
        await session.add(assistant("So your phone is (212) 555-0199, right?"))
        await session.add(user("no"))
        facts = await session.facts()

    assert [(f.key, f.value) for f in facts] == [("phone", "(212) 555-0142")]
