"""Opening, cancelling and closing a store; targets that are none."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from tests.store_drafts import candidate, draft, fold, newest_wins
from tiered_memory.errors import ClosedError, StoreError
from tiered_memory.settings import StorageSettings
from tiered_memory.store.store import Store

SETTINGS = StorageSettings(shared=False)
ROOT = Path(__file__).resolve().parents[2]


def database_threads() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if "_connection_worker" in t.name]


def database_threads_that_stay() -> list[threading.Thread]:
    """A failed connection's thread is told to end, and ends a moment later."""
    for thread in database_threads():
        thread.join(timeout=5)
    return database_threads()


def writable(path: Path) -> bool:
    with sqlite3.connect(path, timeout=0, isolation_level=None) as raw:
        raw.execute("BEGIN IMMEDIATE")
        raw.execute("ROLLBACK")
    raw.close()
    return True


async def test_the_way_threads_are_found_finds_them(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "m.db", settings=SETTINGS)
    during = database_threads()
    await store.aclose()

    assert during
    assert all(thread.daemon for thread in during)
    assert database_threads_that_stay() == []


async def test_one_store_in_memory_sees_all_and_two_are_apart() -> None:
    one = await Store.open(":memory:", settings=SETTINGS)
    two = await Store.open(":memory:", settings=SETTINGS)
    made = [draft(f"s{n}", 1, "A-1", candidates=[candidate("A-1")]) for n in range(10)]
    await asyncio.gather(*(one.append(m, newest_wins) for m in made))
    await one.commit_fold(fold("s1", 1))

    assert len(await one.sessions()) == 10
    assert [f.value for f in await one.facts("s1")] == ["A-1"]
    assert await two.sessions() == []
    await one.aclose()
    await two.aclose()


@pytest.mark.parametrize(
    "kind", ["empty", "folder", "no database", "missing folder", "read-only"]
)
async def test_a_target_that_is_none_is_a_clear_error_without_a_thread(
    tmp_path: Path, kind: str
) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("this is no database " * 400)
    (tmp_path / "empty.db").touch()
    target = {
        "empty": "",
        "folder": str(tmp_path),
        "no database": str(text),
        "missing folder": str(tmp_path / "none" / "m.db"),
        "read-only": f"sqlite+aiosqlite:///file:{tmp_path}/empty.db?mode=ro&uri=true",
    }[kind]

    with pytest.raises(StoreError) as caught:
        await Store.open(target, settings=SETTINGS)

    assert "target" in caught.value.facts
    assert database_threads_that_stay() == []


async def test_a_borrowed_engine_stays_open(tmp_path: Path) -> None:
    engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path / 'm.db'}")
    store = await Store.open(engine, settings=SETTINGS)
    await store.append(draft("a", 1, "x"), newest_wins)
    assert len(await store.history("a")) == 1
    await store.aclose()

    async with engine.connect() as connection:
        rows = await connection.exec_driver_sql("SELECT count(*) FROM tm_message")
        assert rows.scalar() == 1
    await engine.dispose()


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "m.db", settings=SETTINGS)
    await store.aclose()
    await store.aclose()

    with pytest.raises(ClosedError):
        await store.append(draft("a", 1, "x"), newest_wins)
    with pytest.raises(ClosedError):
        await store.load("a")


async def test_another_loop_is_refused(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "m.db", settings=SETTINGS)

    def elsewhere() -> None:
        with pytest.raises(ClosedError, match="another event loop"):
            asyncio.run(store.load("a"))

    await asyncio.to_thread(elsewhere)
    await store.aclose()


async def test_closing_writes_what_is_queued(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "m.db", settings=SETTINGS)
    tasks = [
        asyncio.create_task(store.append(draft(f"s{n}", 1, "x"), newest_wins))
        for n in range(30)
    ]
    await asyncio.sleep(0)
    await store.aclose()

    assert all(await asyncio.gather(*tasks))


async def test_closing_is_complete_though_a_scope_cancels_it(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "m.db", settings=SETTINGS)
    with anyio.CancelScope() as scope:
        scope.cancel()
        await store.aclose()

    assert scope.cancelled_caught
    assert database_threads_that_stay() == []
    await store.aclose()


async def test_opening_that_is_cancelled_leaves_nothing_open(tmp_path: Path) -> None:
    for turns in range(40):
        task = asyncio.create_task(Store.open(tmp_path / "m.db", settings=SETTINGS))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert database_threads_that_stay() == []
    with anyio.move_on_after(0):
        await Store.open(tmp_path / "m.db", settings=SETTINGS)
    assert database_threads_that_stay() == []


async def _cancel(how: str, turns: int, work: asyncio.Future[Any]) -> None:
    """Cancel ``work`` after so many turns of the loop, by one of the usual ways."""
    if how in {"cancel", "cancel twice"}:
        for _ in range(turns):
            await asyncio.sleep(0)
        work.cancel()
        if how == "cancel twice":
            await asyncio.sleep(0)
            work.cancel()
        await asyncio.wait({work})
    elif how == "wait_for":
        with contextlib.suppress(TimeoutError, asyncio.CancelledError):
            await asyncio.wait_for(work, turns * 2e-5)
    else:
        with anyio.move_on_after(turns * 2e-5):
            await work


@pytest.mark.parametrize("how", ["cancel", "cancel twice", "wait_for", "scope"])
async def test_a_cancelled_write_is_whole_or_absent_and_locks_nothing(
    tmp_path: Path, how: str
) -> None:
    store = await Store.open(tmp_path / "m.db", settings=SETTINGS)
    for turns in range(60):
        made = draft(f"s{turns:03}", 1, *["x"] * 20, candidates=[candidate("A-1")])
        await _cancel(how, turns, asyncio.ensure_future(store.append(made, newest_wins)))
        read = asyncio.ensure_future(store.load("s000"))
        await _cancel(how, turns, read)

    assert await store.append(draft("last", 1, "x"), newest_wins) is not None
    assert writable(tmp_path / "m.db")
    for info in await store.sessions(limit=500):
        if info.session_id == "last":
            continue
        assert len(await store.history(info.session_id)) == 20
        assert len(await store.facts(info.session_id)) == 1
    await store.aclose()
    assert database_threads_that_stay() == []


async def test_a_write_cancelled_in_the_queue_is_not_made(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "m.db", settings=SETTINGS)
    first = asyncio.create_task(store.append(draft("a", 1, "x"), newest_wins))
    second = asyncio.create_task(store.append(draft("b", 1, "x"), newest_wins))
    await asyncio.sleep(0)
    second.cancel()
    await first

    assert [i.session_id for i in await store.sessions()] == ["a"]
    await store.aclose()


async def test_eight_stores_open_a_new_file_at_once_and_lose_nothing(
    tmp_path: Path,
) -> None:
    for n in range(3):
        path = tmp_path / f"{n}.db"
        stores = await asyncio.gather(
            *(Store.open(path, settings=SETTINGS) for _ in range(8))
        )

        async def talk(store: Store, session_id: str) -> None:
            written = 0
            while written < 20:
                state = await store.load(session_id)
                seq = 1 if state is None else state.next_seq
                result = await store.append(draft(session_id, seq, "x"), newest_wins)
                written += result is not None

        await asyncio.gather(
            *(talk(store, "s1") for store in stores),
            *(talk(store, f"own{k}") for k, store in enumerate(stores)),
        )
        for store in stores:
            await store.aclose()
        again = await Store.open(path, settings=SETTINGS)
        found = await again.history("s1", limit=500)
        assert [m.seq for m in found] == list(range(1, 161))
        own = [i.messages for i in await again.sessions() if i.session_id != "s1"]
        assert own == [20] * 8
        await again.aclose()


INTERRUPTED = """
import asyncio, sys
from pathlib import Path
from typing import Any
from tests.store_drafts import draft, newest_wins
from tiered_memory.settings import StorageSettings
from tiered_memory.store.store import Store

async def talk(store, sid):
    seq = 1
    while True:
        await store.append(draft(sid, seq, "x"), newest_wins)
        await store.load(sid)
        seq += 1
        if seq == 3:
            print("going", flush=True)

async def main():
    store = await Store.open(Path(sys.argv[1]), settings=StorageSettings(shared=False))
    if sys.argv[2] == "closes":
        try:
            await asyncio.gather(*(talk(store, f"s{n}") for n in range(4)))
        finally:
            await store.aclose()
    else:
        await asyncio.gather(*(talk(store, f"s{n}") for n in range(4)))

asyncio.run(main())
"""


@pytest.mark.parametrize("ending", ["closes", "forgets"])
async def test_a_process_ends_after_an_interrupt(tmp_path: Path, ending: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path / "m.db"), ending]

    def run() -> None:
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"going\n"
            child.send_signal(signal.SIGINT)
            child.stdout.close()
            try:
                assert child.wait(20) != 0
            finally:
                child.kill()

    for _ in range(3):
        await asyncio.to_thread(run)
    assert writable(tmp_path / "m.db")
