"""Two processes, and two engines, that resolve one key at once leave one current value."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.integration.test_fact_calls import opened, user, values
from tiered_memory.model import Fact, FactStatus

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 30

WRITER = """
import asyncio, sys
from pathlib import Path
from tiered_memory import MemoryEngine, Settings

async def main(path, digit):
    settings = Settings(ner={"mode": "off"}, compaction={"enabled": False})
    async with MemoryEngine.open(Path(path), settings=settings) as memory:
        loop = asyncio.get_running_loop()
        print("ready", flush=True)
        for line in iter(sys.stdin.readline, ""):
            n = int(line)
            session = memory.session(f"s-{n}")
            phone = f"1390000{n:03}{digit}"
            if digit == "1" or n % 3:
                await session.add({"role": "user", "content": f"我的电话是{phone}，订单A88{digit}1"})
            else:
                await session.set_fact("phone", phone)
                await session.set_fact("order_id", f"A88{digit}1")
            if n % 5 == 0:
                await session.add({"role": "user", "content": f"订单A8811怎么样了"})
            print("done", flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def assert_whole(history: Sequence[Fact]) -> None:
    """One value of the key is current, and the others lead to it."""
    by_id = {fact.fact_id: fact for fact in history}
    phones = [fact for fact in history if fact.key == "phone"]
    (now,) = [fact for fact in phones if fact.status is FactStatus.CURRENT]
    assert now.ended_revision is None
    for fact in phones:
        end = fact
        while end.superseded_by is not None:
            assert end.revision < (end.ended_revision or 0)
            assert end.ended_revision == by_id[end.superseded_by].revision
            end = by_id[end.superseded_by]
        assert end is now
    orders = [fact for fact in history if fact.key == "order_id"]
    assert sorted(fact.normalized for fact in orders) == ["A8811", "A8821"]
    assert all(fact.status is FactStatus.CURRENT for fact in orders)
    numbers = {(f.owner, f.key, f.normalized): f.number for f in history}
    assert len(set(numbers.values())) == len(numbers)


async def test_two_processes_leave_one_current_value(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with opened(path):
        pass
    children = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), digit],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for digit in "12"
    ]

    def race() -> None:
        pipes = [(child.stdin, child.stdout) for child in children]
        for _, out in pipes:
            assert out is not None
            assert out.readline() == "ready\n"
        for n in range(ROUNDS):
            for into, _ in pipes:
                assert into is not None
                into.write(f"{n}\n")
                into.flush()
            for _, out in pipes:
                assert out is not None
                assert out.readline() == "done\n"
        for child in children:
            child.communicate()

    await asyncio.to_thread(race)

    assert [child.returncode for child in children] == [0, 0]
    async with opened(path) as memory:
        for n in range(ROUNDS):
            assert_whole(await memory.session(f"s-{n}").facts(history=True))


async def test_two_engines_of_one_process_leave_one_current_value(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with opened(path) as one, opened(path) as two:
        for n in range(10):
            here, there = one.session(f"s-{n}"), two.session(f"s-{n}")
            await asyncio.gather(
                here.add(user("我的电话是13900000001，订单A8811")),
                there.add(user("我的电话是13900000002，订单A8821")),
                here.set_fact("phone", "13900000003"),
                there.set_fact("phone", "13900000004"),
            )
            assert_whole(await here.facts(history=True))
            assert await here.facts() == await there.facts()
            await asyncio.gather(
                here.retract_fact("phone"), there.retract_fact("phone", "13900000009")
            )
            assert values(await there.facts(key="phone")) == []
