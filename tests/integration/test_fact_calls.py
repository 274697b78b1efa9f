"""Facts through the public API: set, retracted, looked up, and as they were known."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.store_drafts import NOW
from tiered_memory import MemoryEngine, Settings
from tiered_memory.errors import MessageError, SettingsError, StoreError
from tiered_memory.model import Fact, FactStatus
from tiered_memory.settings import StorageSettings
from tiered_memory.store.store import Store
from tiered_memory.testing import ScriptedSummarizer, TableRecognizer


class TickingClock:
    """A second later at each look."""

    def __init__(self) -> None:
        self.time = NOW

    def now(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time


def opened(path: Path | str = ":memory:", **more: Any) -> Any:
    settings = Settings(ner={"mode": "off"}, compaction={"enabled": False})
    return MemoryEngine.open(path, settings=settings, clock=TickingClock(), **more)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def values(facts: Sequence[Fact]) -> list[str]:
    return [fact.value for fact in facts]


# -- set and retracted ---------------------------------------------------------


async def test_a_value_that_the_application_sets_is_a_fact_without_a_place() -> None:
    async with opened() as memory:
        session = memory.session("s", subject="c-7")
        fact = await session.set_fact("phone", " 139 0000 8642 ", confidence=0.8)
        stored = await session.facts()
        infos = await memory.sessions(subject="c-7")

    assert stored == [fact]
    assert (fact.value, fact.normalized) == ("139 0000 8642", "+8613900008642")
    assert (fact.source, fact.type, fact.cardinality) == ("api", "phone", "one")
    assert (fact.confidence, fact.identifier) == (0.8, True)
    assert (fact.seq, fact.part, fact.start, fact.end) == (None, None, None, None)
    assert [i.session_id for i in infos] == ["s"]


async def test_the_first_message_goes_on_in_a_session_that_a_fact_made() -> None:
    async with opened() as memory:
        session = memory.session("s")
        await session.set_fact("phone", "13900008642")
        receipt = await session.add(user("我的电话是13900005678"))
        old, new = await session.facts(history=True)
        prompt = await session.build()

    assert receipt.first_seq == 1
    assert (old.source, old.status, old.superseded_by) == ("api", "superseded", new.fact_id)
    assert "13900005678" in str(prompt.messages)
    assert "13900008642" not in str(prompt.messages)


async def test_the_newest_of_customer_and_application_stands() -> None:
    async with opened() as memory:
        session = memory.session("s")
        await session.add(user("My email is ann@example.com"))
        await session.set_fact("email", "bob@example.com")
        between = await session.facts()
        await session.add(user("Actually my email is cat@example.com"))
        after = await session.facts()

    assert values(between) == ["bob@example.com"]
    assert values(after) == ["cat@example.com"]


async def test_the_same_value_again_is_no_new_row() -> None:
    async with opened() as memory:
        session = memory.session("s")
        await session.add(user("我的电话是13900005678"))
        again = await session.set_fact("phone", "+86 139-0000-5678")
        history = await session.facts(history=True)

    assert history == [again]
    assert (again.value, again.source) == ("13900005678", "regex")
    assert again.last_seen > again.first_seen


async def test_a_key_of_ones_own_takes_what_the_application_says() -> None:
    async with opened() as memory:
        session = memory.session("s")
        await session.set_fact("loyalty", "Gold")
        await session.set_fact("loyalty", "Silver", owner="contact.wife")
        same = await session.set_fact("loyalty", " gold ")
        await session.set_fact("tag", "vip", cardinality="many")
        await session.set_fact("tag", "slow payer", cardinality="many")
        own = await session.facts()
        everybody = await session.facts(owner=None, key="loyalty")
        fact = await session.fact("loyalty", owner="contact.wife")

    assert values(own) == ["Gold", "vip", "slow payer"]
    assert same.fact_id == own[0].fact_id
    assert values(everybody) == ["Gold", "Silver"]
    assert fact is not None
    assert fact.value == "Silver"


async def test_a_type_lends_its_normal_form_to_a_key_of_ones_own() -> None:
    async with opened() as memory:
        session = memory.session("s")
        fact = await session.set_fact("office_phone", "+86 139 0000 8642", type="phone")

    assert (fact.key, fact.type, fact.normalized) == (
        "office_phone",
        "phone",
        "+8613900008642",
    )


async def test_retracting_ends_the_rows_and_leaves_the_history() -> None:
    async with opened() as memory:
        session = memory.session("s")
        await session.add(user("my orders are A8801 and order A8802"))
        one = await session.retract_fact("order_id", "a8801")
        left = await session.facts()
        all_of_them = await session.retract_fact("order_id")
        nothing = await session.retract_fact("order_id")
        history = await session.facts(history=True)
        prompt = await session.build()

    assert (values(one), values(left)) == (["A8801"], ["A8802"])
    assert (values(all_of_them), nothing) == (["A8802"], [])
    assert [f.status for f in history] == [FactStatus.RETRACTED] * 2
    assert all(f.ended_at is not None and f.superseded_by is None for f in history)
    assert "customer_facts" not in str(prompt.messages)


async def test_a_number_taken_back_leaves_the_summary(tmp_path: Path) -> None:
    phone, quiet = "13900008642", Settings(ner={"mode": "off"})
    async with MemoryEngine.open(
        tmp_path / "m.db",
        settings=quiet,
        summarizer=ScriptedSummarizer(lambda request: "Call [[phone:1]] or [[phone:2]]."),
        clock=TickingClock(),
    ) as memory:
        session = memory.session("s")
        for text in (
            f"我的电话是{phone}",
            "我的电话换成13900005678",
            *"一二三四五六七八九十",
        ):
            await session.add([user(text), {"role": "assistant", "content": "好"}])
        await session.compact(force=True)
        (before,) = await session.summary()
        await session.build()
        await session.retract_fact("phone")
        (after,) = await session.summary()
        prompt = await session.build()
        async with opened(tmp_path / "m.db") as other:
            there = await other.session("s").summary()
        await session.add(user("我的电话是13900005678"))
        again = await session.build()

    assert before.text == f"Call {phone} or 13900005678."
    assert after.text == f"Call {phone} or [[?]]."
    assert [s.text for s in there] == [after.text]
    assert "13900005678" not in str(prompt.messages)
    assert after.text in str(again.messages), "it stands until the next epoch"
    assert "phone: 13900005678" in str(again.messages)


async def test_retracting_a_key_takes_its_further_values_with_it() -> None:
    async with opened() as memory:
        session = memory.session("s")
        await session.add(user("我的电话是13900001234，或者13900005678"))
        assert len(await session.facts()) == 2
        gone = await session.retract_fact("phone")

    assert len(gone) == 2


async def test_nothing_is_retracted_or_made_in_a_session_that_is_not_there() -> None:
    async with opened() as memory:
        assert await memory.session("s").retract_fact("phone") == []
        assert await memory.sessions() == []


async def test_another_subject_cannot_set_a_fact() -> None:
    async with opened() as memory:
        await memory.session("s", subject="c-1").set_fact("tag", "x")
        with pytest.raises(StoreError, match="another subject"):
            await memory.session("s", subject="c-2").set_fact("tag", "y")
        assert values(await memory.session("s").facts()) == ["x"]


# -- what may not be stored ----------------------------------------------------


async def test_a_masked_type_is_stored_as_it_is_shown(tmp_path: Path) -> None:
    card = "4012 8888 8888 1881"
    async with opened(tmp_path / "m.db") as memory:
        session = memory.session("s")
        fact = await session.set_fact("card_number", card)
        found = await memory.find_sessions("card_number", card.replace(" ", ""))
        gone = await session.retract_fact("card_number", card)

    assert (fact.masked, fact.value) == (True, "[card_number ****1881]")
    assert not fact.identifier
    assert [i.session_id for i in found] == ["s"]
    assert values(gone) == [fact.value]
    raw = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    assert b"8888" not in raw


async def test_a_secret_is_refused_and_not_repeated() -> None:
    async with opened() as memory:
        for key, value in (
            ("password", "hunter2-x"),
            ("note", "card 4012888888881881"),
            ("pin", "4821"),
            ("api_key", "something of no known shape"),
            ("crm", '{"password": "blue-7-whale"}'),
        ):
            with pytest.raises(MessageError) as caught:
                await memory.session("s").set_fact(key, value)
            assert caught.value.facts["field"] == "value"
            assert value not in str(caught.value)
        assert await memory.sessions() == []


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"key": ""}, "key"),
    ({"key": "two words"}, "key"),
    ({"key": "k" * 65}, "key"),
    ({"value": ""}, "value"),
    ({"value": "   "}, "value"),
    ({"value": "v" * 501}, "value"),
    ({"value": "\ud800"}, "value"),
    ({"value": 5}, "value"),
    ({"key": "phone", "value": "no number at all"}, "value"),
    ({"owner": "a\nb"}, "owner"),
    ({"type": "two words"}, "type"),
    ({"cardinality": "few"}, "cardinality"),
    ({"confidence": 2}, "confidence"),
    ({"confidence": float("nan")}, "confidence"),
]


async def test_a_wrong_argument_is_named_and_stores_nothing() -> None:
    async with opened() as memory:
        for given, field in WRONG:
            call: dict[str, Any] = {"key": "tag", "value": "x", **given}
            with pytest.raises((MessageError, SettingsError), match=field) as caught:
                await memory.session("s").set_fact(**call)
            assert caught.value.facts["field"] == field
        assert await memory.sessions() == []


# -- as of ---------------------------------------------------------------------


async def test_each_moment_gives_what_was_known_then(tmp_path: Path) -> None:
    clock = TickingClock()
    async with MemoryEngine.open(
        tmp_path / "m.db",
        settings=Settings(ner={"mode": "off"}),
        clock=clock,
    ) as memory:
        session = memory.session("s")
        steps = [
            session.add(user("我的电话是13900001234，订单A8801")),
            session.add(user("我的电话不是13900001234，是13900005678")),
            session.set_fact("phone", "13900008642"),
            session.add(user("我的电话是13900008642")),
            session.retract_fact("phone"),
            session.add(user("我的电话是13900001234")),
        ]
        known: list[tuple[datetime, list[Fact], list[Fact]]] = []
        for step in steps:
            await step
            facts = await session.facts()
            history = await session.facts(history=True)
            known.append((clock.time, facts, history))
        again = [
            (await session.facts(as_of=at), await session.facts(as_of=at, history=True))
            for at, _, _ in known
        ]
        before = await session.facts(as_of=NOW)
        between = await session.facts(
            key="phone", as_of=known[0][0] + timedelta(milliseconds=5)
        )
        fact = await session.fact("phone", as_of=known[2][0])

    assert again == [(facts, history) for _, facts, history in known]
    assert (before, values(between)) == ([], ["13900001234"])
    assert fact is not None
    assert fact.value == "13900008642"


async def test_a_moment_gives_a_state_that_was_though_clocks_differ(
    tmp_path: Path,
) -> None:
    fast, slow = TickingClock(), TickingClock()
    fast.time += timedelta(hours=1)
    quiet = Settings(ner={"mode": "off"})
    path = tmp_path / "m.db"
    async with (
        MemoryEngine.open(path, settings=quiet, clock=fast) as one,
        MemoryEngine.open(path, settings=quiet, clock=slow) as two,
    ):
        await one.session("s").add(user("我的电话是13900001234"))
        await two.session("s").add(user("我的电话是13900005678"))
        now = await two.session("s").facts(as_of=slow.time)
        later = await two.session("s").facts(as_of=fast.time)

    assert values(now) == values(later) == ["13900005678"]


async def test_a_time_without_a_zone_is_refused() -> None:
    async with opened() as memory:
        with pytest.raises(SettingsError, match="as_of") as caught:
            await memory.session("s").facts(as_of=datetime(2026, 5, 1))  # noqa: DTZ001

    assert caught.value.facts["field"] == "as_of"


async def test_any_zone_names_the_same_moment() -> None:
    async with opened() as memory:
        session = memory.session("s")
        fact = await session.set_fact("tag", "x")
        from zoneinfo import ZoneInfo

        at = fact.first_seen.astimezone(ZoneInfo("Asia/Shanghai"))
        assert await session.facts(as_of=at) == [fact]
        assert await session.facts(as_of=at - timedelta(microseconds=1)) == []


# -- several values ------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "text", "first", "second"),
    [
        (
            "email",
            "my email is ann@example.com … actually it's bob@example.com",
            "ann@example.com",
            "bob@example.com",
        ),
        ("phone", "电话13900001234，不对，是13900005678", "13900001234", "13900005678"),
    ],
)
async def test_a_value_corrected_in_the_same_message_is_in_the_history(
    key: str, text: str, first: str, second: str
) -> None:
    async with opened() as memory:
        session = memory.session("s")
        receipt = await session.add(user(text))
        old, new = await session.facts(key=key, history=True)
        cached = await session.build()
    assert (old.value, new.value) == (first, second)
    assert (old.superseded_by, old.status) == (new.fact_id, FactStatus.SUPERSEDED)
    assert old.ended_revision == old.revision == new.revision
    assert old.ended_at == old.first_seen
    assert values(receipt.facts) == [second]
    assert first not in str(cached.messages[:-1])


async def test_a_cached_state_is_what_would_be_read(tmp_path: Path) -> None:
    async with opened(tmp_path / "m.db") as memory, opened(tmp_path / "m.db") as other:
        session = memory.session("s")
        await session.build()
        for text in (
            "my email is ann@example.com, actually it's bob@example.com",
            "orders A8801 and order A8802",
            "where is my order A8801?",
            "email bob@example.com works",
        ):
            await session.add(user(text))
        await session.set_fact("order_id", "A8803")
        await session.retract_fact("order_id", "A8802")
        here, there = await session.build(), await other.session("s").build()
        state = memory._parts.cache.get("s")
        read = await memory._parts.store.load("s")

    assert here.fingerprint == there.fingerprint
    assert state.facts == read.facts


async def test_the_value_spoken_of_last_is_in_focus() -> None:
    async with opened() as memory:
        session = memory.session("s")

        async def focus() -> str | None:
            fact = await session.fact("order_id")
            return None if fact is None else fact.value

        assert await focus() is None
        await session.add(user("I have order A8801 and order A8802"))
        assert await focus() == "A8802"
        await session.add(user("where is my order A8801?"))
        assert await focus() == "A8801"
        await session.add(user("order A8801 or order A8802? I mean order A8802"))
        assert await focus() == "A8802"
        for text in ("A8801到哪了？", "is it a8801?"):
            await session.add(user("order A8802"))
            await session.add(user(text))
            assert await focus() == "A8801", text
        for text in ("BA8801", "A8801-2", "if it was A8802", "not A8802"):
            await session.add(user(text))
            assert await focus() == "A8801", text
        await session.add(user("order A8802"))
        await session.set_fact("order_id", "A8801")
        assert await focus() == "A8801"
        await session.add(user("order A8803 too"))
        assert await focus() == "A8803"
        await session.retract_fact("order_id", "A8803")
        assert await focus() == "A8801"
        assert len(await session.facts(history=True)) == 3


async def test_what_is_read_late_does_not_come_before_what_was_said_since() -> None:
    table = TableRecognizer({"Ann": "mentioned_person", "Bob": "mentioned_person"})
    async with opened(recognizers={"en": table}) as memory:
        session = memory.session("s")
        await session.add([user("Ann called"), user("Bob called")])
        fact = await session.fact("mentioned_person")

    assert fact is not None
    assert fact.value == "Bob"


# -- found ---------------------------------------------------------------------


async def test_sessions_are_found_by_a_value_in_any_spelling(tmp_path: Path) -> None:
    async with opened(tmp_path / "m.db") as memory:
        for n, text in enumerate(
            (
                "我的电话是139 0000 8642",
                "my number is 13900008642",
                "我的电话是13900001234，或者13900008642",
                "我的电话是13900008642，不对，是13900001234",
                "my wife's phone is 13900008642",
            )
        ):
            await memory.session(f"s-{n}").add(user(text))
        found = await memory.find_sessions("phone", "+86-139-0000-8642")
        page = await memory.find_sessions("phone", "13900008642", limit=1, after="s-0")
        nobody = await memory.find_sessions("phone", "13900009999")
        no_phone = await memory.find_sessions("phone", "hello")

    assert [i.session_id for i in found] == ["s-0", "s-1", "s-2", "s-4"]
    assert [i.session_id for i in page] == ["s-1"]
    assert (nobody, no_phone) == ([], [])


async def test_a_secret_finds_no_session() -> None:
    async with opened() as memory:
        await memory.session("s").add(user("my password is hunter2-x"))
        assert await memory.find_sessions("password", "hunter2-x") == []


async def test_finding_sessions_uses_the_index(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "m.db", settings=StorageSettings(shared=False))
    await store.aclose()
    with sqlite3.connect(tmp_path / "m.db") as raw:
        plan = raw.execute(
            "EXPLAIN QUERY PLAN SELECT session_id FROM tm_fact WHERE key IN ('a', 'b') "
            "AND normalized IN ('x', 'y') AND ended_revision IS NULL"
        ).fetchall()
    raw.close()
    assert "ix_tm_fact_key_normalized" in str(plan)
