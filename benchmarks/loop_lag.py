"""Lag of the event loop while many sessions talk and recognizers read.

Run: ``python benchmarks/loop_lag.py [--modes idle off inline thread process] [--languages en zh]
[--seconds 20] [--rounds 2]``. A ticker wants to wake every 2 ms; what it wakes later is lag, in ms.
``idle`` is the ticker alone: what the machine itself adds. ``inline`` reads on the loop, as one
should not. Ways take turns within a round, since a shared machine drifts; the figures are of all
rounds together, and the worst p99 of a round.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tiered_memory import MemoryEngine, Settings
from tiered_memory.facts.entities import EntityStage, EntityText, load_recognizers

if TYPE_CHECKING:
    from collections.abc import Callable

SESSIONS = 200
EVERY_S = 2.0
TICK_S = 0.002
MODES = ("idle", "off", "inline", "thread", "process")

EN_NAMES = ("Lena Brandt", "Omar Haddad", "Priya Nair", "Tom Hollis", "Ana Duarte")
EN_PLACES = ("Denver", "Leeds", "Porto", "Austin", "Perth")
LONG_EN = (
    "Could somebody call me back after lunch? I was promised that by {name} two days ago, "
    "and I have heard nothing since. I do not want to write to you every single day."
)
EN_LINES = (
    "Hi, my name is {name} and I live in {place}. Where is my parcel?",
    "{name} should have got it in {place} last week, order LMP-{number}.",
    "ok thanks",
    "The lamp flickers, and the shade has a crack at the rim. Can you send one to {place}?",
    "no, that is number {number}",
    LONG_EN,
)
ZH_NAMES = ("周雨桐", "林小满", "陈思远", "许文博", "何静怡")
ZH_PLACES = ("杭州市", "成都", "南京市鼓楼区", "青岛", "厦门市思明区")
ZH_LINES = (
    "你好，我叫{name}，住在{place}，我的快递到哪里了？",
    "{name}上周应该在{place}收到的，订单号 LMP-{number}。",
    "好的谢谢",
    "台灯一开就闪，灯罩边上还有一道裂纹，能不能再寄一个到{place}？到时候{name}在门口收。",
    "不是，是 {number} 那个",
    "能不能下午让人给我回个电话？{name}两天前就答应过我了，到现在一点消息都没有，我不想每天都来问一遍。",
)
SCRIPTS = {"en": (EN_NAMES, EN_PLACES, EN_LINES), "zh": (ZH_NAMES, ZH_PLACES, ZH_LINES)}


@dataclass(slots=True)
class Run:
    """Figures of one way: lags in ms, messages, texts read and seconds."""

    lags: list[float] = field(default_factory=list[float])
    worst_p99: float = 0.0
    messages: int = 0
    late: int = 0
    backlog: int = 0
    seconds: float = 0.0


def line(language: str, dice: random.Random) -> str:
    """Give a message that a customer could write."""
    names, places, lines = SCRIPTS[language]
    return dice.choice(lines).format(
        name=dice.choice(names), place=dice.choice(places), number=dice.randrange(10**6)
    )


async def tick(lags: list[float]) -> None:
    """Sleep again and again, and note by how much each sleep was too long."""
    while True:
        due = time.perf_counter() + TICK_S
        await asyncio.sleep(TICK_S)
        lags.append((time.perf_counter() - due) * 1_000)


async def talk(
    memory: MemoryEngine,
    number: int,
    language: str,
    until: float,
    run: Run,
    read: Callable[[str], object] | None,
) -> None:
    """One customer: a message every two seconds, the first at a time of their own."""
    dice = random.Random(number)
    session = memory.session(f"{language}-{number}")
    due = time.perf_counter() + dice.random() * EVERY_S
    while due < until:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        text = line(language, dice)
        await session.add({"role": "user", "content": text})
        if read is not None:
            read(text)
        run.messages += 1
        due += EVERY_S
        run.late += time.perf_counter() > due


async def measure(mode: str, language: str, seconds: float, run: Run) -> None:
    """Run one way once, and add its figures to ``run``."""
    settings = Settings(
        ner={"mode": mode if mode in {"thread", "process"} else "off"},
        compaction={"enabled": False},
    )
    read = _inline(language) if mode == "inline" else None
    with tempfile.TemporaryDirectory() as folder:
        async with MemoryEngine.open(Path(folder) / "m.db", settings=settings) as memory:
            await memory.session("warm").add(
                {"role": "user", "content": line(language, random.Random(0))}
            )
            await memory.session("warm").settled()
            lags: list[float] = []
            begun = time.perf_counter()
            until = begun + seconds
            ticker = asyncio.create_task(tick(lags))
            if mode == "idle":
                await asyncio.sleep(seconds)
            else:
                await asyncio.gather(
                    *(talk(memory, n, language, until, run, read) for n in range(SESSIONS))
                )
            ticker.cancel()
            run.seconds += time.perf_counter() - begun
            run.backlog = max(run.backlog, memory.metrics().entity_backlog)
    run.lags += lags
    run.worst_p99 = max(run.worst_p99, _p99(lags))


def _inline(language: str) -> Callable[[str], object]:
    settings = Settings().ner
    models = tuple(model for model in settings.models if model.language == language)
    stage, _ = load_recognizers(settings.model_copy(update={"models": models}))
    if stage is None:
        raise SystemExit(f"no recognizer for {language!r} is installed")
    found: EntityStage = stage
    return lambda text: found.candidates([EntityText(text=text, part="content")])


def _p99(lags: list[float]) -> float:
    return statistics.quantiles(lags, n=100)[98]


def show(mode: str, language: str, run: Run) -> None:
    """Print one row."""
    print(
        f"{language:4} {mode:8} {statistics.median(run.lags):6.2f} {_p99(run.lags):6.2f} "
        f"{run.worst_p99:8.2f} {max(run.lags):7.1f} {run.messages / run.seconds:8.1f} "
        f"{run.backlog:8} {run.late:5}",
        flush=True,
    )


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    parser.add_argument(
        "--languages", nargs="+", choices=("en", "zh"), default=("en", "zh")
    )
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=2)
    chosen = parser.parse_args()
    runs = {(mode, lang): Run() for lang in chosen.languages for mode in chosen.modes}
    for _ in range(chosen.rounds):
        for (mode, language), run in runs.items():
            asyncio.run(measure(mode, language, chosen.seconds, run))
    print("lang mode      p50    p99  worst p99     max    msg/s  backlog  late")
    for (mode, language), run in runs.items():
        show(mode, language, run)


if __name__ == "__main__":
    main()
