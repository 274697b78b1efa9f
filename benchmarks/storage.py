"""Cost of a stored message against the floor: bare aiosqlite, one kept connection, WAL, FULL.

Run: ``python benchmarks/storage.py [rounds [folder]]``. Ways take turns within a round, and the
medians of the rounds are compared, since a shared machine's disk drifts.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import aiosqlite
from sqlalchemy import event
from sqlalchemy.ext.asyncio import create_async_engine

from tiered_memory.model import (
    Candidate,
    Draft,
    Fact,
    FactChanges,
    FactStatus,
    NewMessage,
)
from tiered_memory.settings import StorageSettings
from tiered_memory.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ALONE = 60
SESSIONS = 64
EACH = 8
TEXT = "你好，我的订单 ABC-1234 三天了还没有到，麻烦帮我查一下物流。Could you check it, please?"
INSERT = "INSERT INTO m (session_id, seq, payload) VALUES (?, ?, ?)"


def newest_wins(candidates: object, current: object) -> FactChanges:
    """One key: each new value supersedes the last."""
    assert isinstance(candidates, tuple)
    ended = {
        fact.fact_id: (FactStatus.SUPERSEDED, 0)
        for fact in current  # type: ignore[attr-defined]
        if isinstance(fact, Fact)
    }
    return FactChanges(added=candidates, ended=ended)


def draft(
    session_id: str, seq: int, *, fact: bool = False, facts: tuple[Fact, ...] = ()
) -> Draft:
    """A user message of usual length, with one fact where wanted."""
    message = NewMessage(
        payload={"role": "user", "content": TEXT},
        tokens=40,
        short_tokens=40,
        opens_turn=True,
    )
    value = f"ABC-{seq}"
    found = Candidate(
        type="order_id",
        key="order_id",
        value=value,
        normalized=value,
        part="content",
        start=8,
        end=8 + len(value),
    )
    return Draft(
        session_id=session_id,
        subject=None,
        next_seq=seq,
        revision=seq - 1,
        facts=facts,
        messages=(message,),
        candidates=(found,) if fact else (),
        head=None,
        message_id=None,
        counter="words",
        settings_hash="h",
        created_at=datetime.now(UTC),
    )


async def bare(path: Path) -> aiosqlite.Connection:
    """The floor's connection."""
    connection = await aiosqlite.connect(path)
    await connection.execute("PRAGMA journal_mode=WAL")
    await connection.execute("PRAGMA synchronous=FULL")
    await connection.execute(
        "CREATE TABLE m (session_id TEXT, seq INTEGER, payload TEXT, "
        "PRIMARY KEY (session_id, seq))"
    )
    await connection.commit()
    return connection


async def alone_ms(step: Callable[[int], Awaitable[object]]) -> float:
    """Median milliseconds of ``step`` when nothing else runs."""
    took: list[float] = []
    for number in range(ALONE):
        start = time.perf_counter()
        await step(number)
        took.append(time.perf_counter() - start)
    return statistics.median(took) * 1000


def report(took: dict[str, list[float]]) -> None:
    """Print each way's median, and its ratio to the first."""
    medians = {name: statistics.median(rounds) for name, rounds in took.items()}
    base = next(iter(medians.values()))
    for name, median in medians.items():
        print(f"{name:38} {median:7.2f} ms  {median / base:5.2f} x")


async def one_at_a_time(folder: Path, rounds: int) -> None:
    """Print what a message costs when nothing else runs."""
    store = await Store.open(folder / "alone.db", settings=StorageSettings(shared=False))
    borrowed = create_async_engine(f"sqlite+aiosqlite:///{folder / 'adapter.db'}")

    def full(connection: object, _: object) -> None:
        cursor = connection.cursor()  # type: ignore[attr-defined]
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    event.listen(borrowed.sync_engine, "connect", full)
    adapter = await Store.open(borrowed, settings=StorageSettings(shared=False))
    floor = await bare(folder / "bare.db")
    took: dict[str, list[float]] = {}
    for n in range(rounds):

        async def insert(i: int, n: int = n) -> None:
            await floor.execute(INSERT, (f"s{n}", i, TEXT))
            await floor.commit()

        async def plain(i: int, n: int = n) -> None:
            assert await store.append(draft(f"p{n}", i + 1), newest_wins)

        facts: list[Fact] = []

        async def with_fact(i: int, n: int = n, facts: list[Fact] = facts) -> None:
            made = draft(f"f{n}", i + 1, fact=True, facts=tuple(facts))
            result = await store.append(made, newest_wins)
            assert result is not None
            facts[:] = result.added

        async def adapted(i: int, n: int = n) -> None:
            assert await adapter.append(draft(f"p{n}", i + 1), newest_wins)

        async def revision(_: int, n: int = n) -> None:
            assert await store.revision(f"p{n}")

        for name, step in {
            "bare insert and commit": insert,
            "append": plain,
            "append with a superseding fact": with_fact,
            "append through SQLAlchemy's adapter": adapted,
            "revision": revision,
        }.items():
            took.setdefault(name, []).append(await alone_ms(step))
    report(took)
    await floor.close()
    await store.aclose()
    await adapter.aclose()
    await borrowed.dispose()


async def floor_messages_per_s(floor: aiosqlite.Connection, name: str) -> float:
    """Messages a second of a bare grouped writer: a queue, one commit for what waits."""
    queue: asyncio.Queue[tuple[tuple[str, int, str], asyncio.Future[None]]]
    queue = asyncio.Queue()

    async def write() -> None:
        while True:
            batch = [await queue.get()]
            while not queue.empty():
                batch.append(queue.get_nowait())
            await floor.executemany(INSERT, [row for row, _ in batch])
            await floor.commit()
            for _, done in batch:
                done.set_result(None)

    async def talk(session_id: str) -> None:
        for seq in range(1, EACH + 1):
            done = asyncio.get_running_loop().create_future()
            queue.put_nowait(((session_id, seq, TEXT), done))
            await done

    writer = asyncio.create_task(write())
    start = time.perf_counter()
    await asyncio.gather(*(talk(f"{name}-{s}") for s in range(SESSIONS)))
    took = time.perf_counter() - start
    writer.cancel()
    await asyncio.wait({writer})
    return SESSIONS * EACH / took


async def store_messages_per_s(store: Store, name: str) -> float:
    """Messages a second of the store, one in five with a fact."""

    async def talk(session_id: str) -> None:
        facts: tuple[Fact, ...] = ()
        for seq in range(1, EACH + 1):
            made = draft(session_id, seq, fact=seq % 5 == 1, facts=facts)
            result = await store.append(made, newest_wins)
            assert result is not None
            facts = result.added or facts

    start = time.perf_counter()
    await asyncio.gather(*(talk(f"{name}-{s}") for s in range(SESSIONS)))
    return SESSIONS * EACH / (time.perf_counter() - start)


async def grouped(folder: Path, rounds: int) -> None:
    """Print messages a second of many sessions at once."""
    store = await Store.open(folder / "many.db", settings=StorageSettings(shared=False))
    floor = await bare(folder / "floor.db")
    ours: list[float] = []
    bares: list[float] = []
    for n in range(rounds):
        bares.append(await floor_messages_per_s(floor, str(n)))
        ours.append(await store_messages_per_s(store, str(n)))
    mine, base = statistics.median(ours), statistics.median(bares)
    print(f"{SESSIONS} sessions: {mine:,.0f} messages/s; bare grouped writer {base:,.0f}/s")
    print(f"ratio {mine / base:.2f}")
    await floor.close()
    await store.aclose()


async def main() -> None:
    """Run both, in a folder that is removed afterwards; on the disk that is meant."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    place = sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory(dir=place) as name:
        await one_at_a_time(Path(name), rounds)
        await grouped(Path(name), rounds)


if __name__ == "__main__":
    asyncio.run(main())
