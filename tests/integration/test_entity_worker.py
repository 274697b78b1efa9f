"""The worker between store and recognizers: full, stuck, killed, reopened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import anyio
import pytest

from tests.conversations import assistant, user
from tiered_memory import Entity, MemoryEngine, Settings
from tiered_memory.testing import TableRecognizer

ROOT = Path(__file__).resolve().parents[2]
PLACES = {"杭州": "place", "苏州": "place", "青岛": "place"}


class Held(TableRecognizer):
    """Waits in its first call until ``release``; ``called`` tells that it is there."""

    def __init__(self) -> None:
        super().__init__(PLACES)
        self.called = threading.Event()
        self.gate = threading.Event()
        self.batches: list[int] = []

    def release(self) -> None:
        self.gate.set()

    def entities(self, texts: Sequence[str]) -> list[list[Entity]]:
        self.called.set()
        self.gate.wait()
        self.batches.append(len(texts))
        return super().entities(texts)


@pytest.fixture
def held() -> Iterator[Held]:
    recognizer = Held()
    yield recognizer
    recognizer.release()


async def in_call(held: Held) -> None:
    await anyio.to_thread.run_sync(held.called.wait)


def settings(**ner: object) -> Settings:
    return Settings(ner={"deadline_ms": 30_000, **ner})


async def test_messages_of_many_sessions_are_read_in_one_batch(
    tmp_path: Path, held: Held
) -> None:
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings(), recognizers={"zh": held}
    ) as memory:
        await memory.session("first").add(user("住在杭州"))
        await in_call(held)
        for n in range(10):
            await memory.session(f"s{n}").add(user("住在苏州"))
        held.release()
        found = [await memory.session(f"s{n}").facts() for n in range(10)]

    assert held.batches == [1, 10]
    assert all([f.value for f in facts] == ["苏州"] for facts in found)


async def test_what_left_the_full_queue_is_read_once_it_is_empty(
    tmp_path: Path, held: Held
) -> None:
    async with MemoryEngine.open(
        tmp_path / "m.db",
        settings=settings(queue_texts=3),
        recognizers={"zh": held},
    ) as memory:
        await memory.session("first").add(user("住在杭州"))
        await in_call(held)
        for n in range(8):
            await memory.session(f"s{n}").add(user("住在苏州"))
        backlog, dropped = memory.metrics().entity_backlog, memory.metrics().entity_dropped
        held.release()
        found = [await memory.session(f"s{n}").facts() for n in range(8)]
        unread = await memory._parts.store.unread_entities(limit=99)

    assert (backlog, dropped) == (3, 5)
    assert all([f.value for f in facts] == ["苏州"] for facts in found)
    assert unread == []


async def test_facts_wait_no_longer_than_the_deadline(tmp_path: Path, held: Held) -> None:
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings(deadline_ms=50), recognizers={"zh": held}
    ) as memory:
        session = memory.session("s")
        await session.add(user("住在杭州"))
        early = await session.facts()
        await session.settled()
        held.release()
        while not (late := await session.facts()):
            await anyio.sleep(0)

    assert early == []
    assert [f.value for f in late] == ["杭州"]


async def test_a_recognizer_that_hangs_in_a_thread_holds_up_nothing_but_itself(
    tmp_path: Path,
    held: Held,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("tiered_memory.entity_worker.CLOSE_S", 0.1)
    monkeypatch.setattr("tiered_memory.facts.entity_reader.LAST_CALL_S", 0.1)
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings(batch_timeout_s=1), recognizers={"zh": held}
    ) as memory:
        session = memory.session("s")
        await session.add(user("住在杭州"))
        while not memory.metrics().entity_time_outs:
            await anyio.sleep(0.01)
        await session.add(user("住在苏州"))
        facts = await session.facts()  # does not wait for the deadline
    table = TableRecognizer(PLACES)
    async with MemoryEngine.open(
        tmp_path / "m.db", settings=settings(), recognizers={"zh": table}
    ) as memory:
        later = await memory.session("s").facts()

    assert facts == []
    assert "cannot be stopped" in caplog.text
    assert [f.value for f in later] == ["杭州", "苏州"]


HUNG = """
import asyncio, sys, threading
from tiered_memory import MemoryEngine, Settings
import tiered_memory.entity_worker as worker

worker.CLOSE_S = 0.1

class Hangs:
    def entities(self, texts):
        threading.Event().wait()

async def main():
    async with MemoryEngine.open(sys.argv[1], recognizers={"zh": Hangs()}) as memory:
        await memory.session("s").add({"role": "user", "content": "住在杭州"})
    print("closed", flush=True)

asyncio.run(main())
"""


@pytest.mark.crash
def test_the_interpreter_ends_though_a_recognizer_never_does(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HUNG, str(tmp_path / "m.db")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "closed\n"), done.stderr


KILLED = """
import asyncio, os, signal, sys, threading
from tiered_memory import MemoryEngine, Settings

class Hangs:
    def entities(self, texts):
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    async with MemoryEngine.open(sys.argv[1], recognizers={"zh": Hangs()}) as memory:
        session = memory.session("s")
        await session.add({"role": "assistant", "content": "请问您贵姓？"})
        await session.add([{"role": "user", "content": "我叫周雨桐，住在杭州"},
                           {"role": "user", "content": "快递在苏州"}])
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.crash
async def test_a_kill_between_message_and_recognizer_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    child = await anyio.run_process(
        [sys.executable, "-c", KILLED, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert child.returncode == -signal.SIGKILL
    table = TableRecognizer({**PLACES, "周雨桐": "person_name"})
    async with MemoryEngine.open(
        path, settings=settings(), recognizers={"zh": table}
    ) as memory:
        session = memory.session("s")
        await session.settled()
        facts = await session.facts()
        unread = await memory._parts.store.unread_entities(limit=9)

    assert [(f.key, f.value, f.source, f.seq) for f in facts] == [
        ("person_name", "周雨桐", "regex", 2),
        ("place", "杭州", "ner", 2),
        ("place", "苏州", "ner", 3),
    ]
    assert unread == []


async def test_more_sessions_than_a_page_are_caught_up_with_and_who_waits_is_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tiered_memory.entity_catch_up.PAGE", 3)
    path = tmp_path / "m.db"
    async with MemoryEngine.open(path, settings=Settings(ner={"mode": "off"})) as memory:
        for n in range(10):
            session = memory.session(f"s{n}")
            for _ in range(3):
                await session.add(
                    [user("住在杭州"), assistant("好的"), user("不对，在苏州")]
                )
    held = Held()
    async with MemoryEngine.open(
        path, settings=settings(), recognizers={"zh": held}
    ) as memory:
        await in_call(held)
        held.release()
        last = await memory.session("s9").facts()
        after = len(held.texts)
        every = [await memory.session(f"s{n}").facts() for n in range(10)]
        unread = await memory._parts.store.unread_entities(limit=99)

    assert {f.value for f in last} == {"杭州", "苏州"}
    assert after < len(held.texts)
    assert all({f.value for f in facts} == {"杭州", "苏州"} for facts in every)
    assert unread == []


async def test_a_message_of_another_process_is_not_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    table = {"zh": TableRecognizer(PLACES)}
    off = Settings(ner={"mode": "off"})
    async with (
        MemoryEngine.open(path, settings=settings(), recognizers=table) as reading,
        MemoryEngine.open(path, settings=off) as other,
    ):
        await reading.session("s").add(user("住在杭州"))
        await reading.session("s").settled()
        await other.session("s").add(user("快递在苏州"))
        await reading.session("s").add(user("寄到青岛"))
        early = await reading.session("s").facts()
        unread = await reading._parts.store.unread_entities(limit=9)
    async with MemoryEngine.open(path, settings=settings(), recognizers=table) as again:
        late = await again.session("s").facts()

    assert {f.value for f in early} == {"杭州", "青岛"}
    assert unread == [("s", 1, 3)]
    assert {f.value for f in late} == {"杭州", "青岛", "苏州"}
