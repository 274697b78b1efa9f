"""Opening, closing, and calls that cannot work."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import anyio
import pytest

from tests.conversations import user
from tiered_memory import ClosedError, MemoryEngine, MessageError, Settings, StoreError

QUIET = Settings(ner={"mode": "off"})


def database_threads() -> list[str]:
    return [t.name for t in threading.enumerate() if "connection_worker" in t.name]


async def test_a_closed_engine_says_so(tmp_path: Path) -> None:
    memory = await MemoryEngine.open(tmp_path / "m.db", settings=QUIET)
    session = memory.session("s")
    await memory.aclose()
    await memory.aclose()

    with pytest.raises(ClosedError, match="closed"):
        await session.add(user("hi"))
    with pytest.raises(ClosedError):
        memory.session("t")


async def test_closing_ends_every_thread_and_task(tmp_path: Path) -> None:
    tasks = asyncio.all_tasks()
    async with MemoryEngine.open(tmp_path / "m.db", settings=QUIET) as memory:
        await memory.session("s").add(user("hi"))
        assert database_threads()

    assert asyncio.all_tasks() == tasks
    assert database_threads() == []


async def test_closing_finishes_though_it_is_cancelled(tmp_path: Path) -> None:
    memory = await MemoryEngine.open(tmp_path / "m.db", settings=QUIET)
    await memory.session("s").add(user("hi"))
    with anyio.CancelScope() as scope:
        scope.cancel()
        await memory.aclose()

    assert scope.cancelled_caught
    async with MemoryEngine.open(tmp_path / "m.db", settings=QUIET) as again:
        stored = [m async for m in again.session("s").history()]
    assert len(stored) == 1


async def test_another_event_loop_is_refused(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=QUIET) as memory:
        session = memory.session("s")

        def elsewhere() -> None:
            with pytest.raises(ClosedError, match="another event loop"):
                asyncio.run(session.add(user("hi")))

        await anyio.to_thread.run_sync(elsewhere)


@pytest.mark.parametrize("bad", ["", "x" * 256, "a\x00b", "\ud83d"])
async def test_an_impossible_id_is_refused(tmp_path: Path, bad: str) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=QUIET) as memory:
        with pytest.raises(MessageError, match="session_id"):
            memory.session(bad)


async def test_another_subject_for_a_known_session_is_refused(tmp_path: Path) -> None:
    async with MemoryEngine.open(tmp_path / "m.db", settings=QUIET) as memory:
        await memory.session("s", subject="a").add(user("hi"))
        with pytest.raises(StoreError, match="subject"):
            await memory.session("s", subject="b").add(user("hi"))


@pytest.mark.parametrize("kind", ["empty", "folder", "text"])
async def test_a_target_that_is_no_database_is_refused_and_leaves_no_thread(
    tmp_path: Path, kind: str
) -> None:
    target = {"empty": "", "folder": str(tmp_path), "text": str(tmp_path / "t")}[kind]
    (tmp_path / "t").write_text("this is no database " * 100)

    with pytest.raises(StoreError):
        await MemoryEngine.open(target, settings=QUIET)

    assert database_threads() == []


INTERRUPTED = """
import asyncio, os, signal, sys
from tiered_memory import MemoryEngine, Settings

async def main():
    async with MemoryEngine.open(sys.argv[1], settings=Settings(ner={"mode": "off"})) as memory:
        async def talk(n):
            session = memory.session(f"s{n}")
            while True:
                await session.add({"role": "user", "content": "order ORD-1234 please"})
                await session.build()
        tasks = [asyncio.create_task(talk(n)) for n in range(8)]
        await memory.session("x").add({"role": "user", "content": "hi"})
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.gather(*tasks)

try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_process_exits_after_ctrl_c_and_the_file_is_whole(tmp_path: Path) -> None:
    for attempt in range(3):
        path = tmp_path / f"{attempt}.db"
        done = subprocess.run(
            [sys.executable, "-c", INTERRUPTED, str(path)],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert done.stdout.strip() == "interrupted", done.stderr

        async def count(path: Path = path) -> int:
            async with MemoryEngine.open(path, settings=QUIET) as memory:
                await memory.session("x").add(user("again"))
                return len(await memory.sessions())

        assert asyncio.run(count()) >= 1
