"""Recognizers in a real child process: they die, hang and print, and nothing is lost."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from tests.conversations import user
from tiered_memory import MemoryEngine, Settings, SettingsError, StoreError
from tiered_memory.facts.entity_process import RecognizerProcess
from tiered_memory.settings import NerSettings
from tiered_memory.testing import TableRecognizer

ROOT = Path(__file__).resolve().parents[2]
LABELS = {"PER": "person_name", "LOC": "place"}


def ner(factory: str, **more: object) -> dict[str, object]:
    model = {
        "language": "zh",
        "engine": "factory",
        "model": [f"tests.recognizer_factories:{factory}"],
        "labels": LABELS,
    }
    return {"mode": "process", "models": [model], "deadline_ms": 30_000, **more}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TIERED_TEST_FOLDER", str(tmp_path))
    return tmp_path


@pytest.fixture
def process() -> RecognizerProcess:
    return RecognizerProcess(NerSettings.model_validate(ner("table")))


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be reaped does not."""
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


async def until(true: Callable[[], bool]) -> None:
    with anyio.fail_after(30):
        while not true():
            await anyio.sleep(0.01)


@pytest.mark.parametrize("factory", ["table", "dies_once", "connects", "prints"])
async def test_facts_come_from_a_child_that_may_die_or_print(
    tmp_path: Path, factory: str
) -> None:
    settings = Settings(ner=ner(factory))
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings) as memory:
        session = memory.session("s")
        await session.add(user("你好，我住在杭州"))
        facts = await session.facts()
        metrics = memory.metrics()

    assert [(f.key, f.value, f.source) for f in facts] == [("place", "杭州", "ner")]
    assert metrics.entity_restarts == (factory == "dies_once")
    assert metrics.background_errors == 0


async def test_a_child_that_is_killed_is_replaced_and_the_batch_read_again(
    tmp_path: Path,
) -> None:
    settings = Settings(ner=ner("table"))
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings) as memory:
        session = memory.session("s")
        await session.add(user("住在杭州"))
        await session.facts()
        reader = memory._parts.entities._reader  # type: ignore[union-attr]
        pid = reader._process.pid  # type: ignore[union-attr]
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await until(lambda: not alive(pid))
        await session.add(user("住在苏州"))
        facts = await session.facts(key="place")
        restarts = memory.metrics().entity_restarts

    assert [f.value for f in facts] == ["杭州", "苏州"]
    assert restarts == 1


@pytest.mark.parametrize(
    "factory", ["dies_of_poison", "hangs_on_poison", "raises_on_poison"]
)
async def test_a_text_that_no_child_survives_takes_no_other_with_it(
    tmp_path: Path, factory: str
) -> None:
    settings = Settings(ner=ner(factory, batch_timeout_s=2))
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings) as memory:
        await memory.session("good").add([user("住在杭州"), user("住在苏州")])
        await memory.session("bad").add([user("poison，住在苏州"), user("住在杭州")])
        good = await memory.session("good").facts()
        bad = await memory.session("bad").facts()
        metrics = memory.metrics()
    settings = Settings(ner=ner("table"))
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings) as memory:
        mended = await memory.session("bad").facts()

    assert {f.value for f in good} == {"杭州", "苏州"}
    assert {f.value for f in bad} == {"杭州"}
    assert metrics.background_errors >= 1
    assert {f.value for f in mended} == {"杭州", "苏州"}


async def test_closing_ends_the_child_though_it_hangs(tmp_path: Path) -> None:
    settings = Settings(ner=ner("hangs_on_poison"))
    async with MemoryEngine.open(tmp_path / "m.db", settings=settings) as memory:
        await memory.session("s").add(user("poison，住在苏州"))
        await until((tmp_path / "hangs").exists)
        reader = memory._parts.entities._reader  # type: ignore[union-attr]
        pid = reader._process.pid  # type: ignore[union-attr]
        assert pid is not None

    assert not alive(pid)


async def test_an_engine_that_does_not_open_leaves_no_child(tmp_path: Path) -> None:
    def children() -> set[str]:
        tasks = Path("/proc/self/task").iterdir()
        return {pid for t in tasks for pid in (t / "children").read_text().split()}

    before = children()
    with pytest.raises(StoreError):
        await MemoryEngine.open(tmp_path, settings=Settings(ner=ner("table")))
    assert {pid for pid in children() if alive(int(pid))} <= before


def test_an_engine_with_recognizer_objects_wants_a_thread(tmp_path: Path) -> None:
    async def main() -> None:
        settings = Settings(ner=ner("table"))
        table = {"zh": TableRecognizer({})}
        await MemoryEngine.open(tmp_path / "m.db", settings=settings, recognizers=table)

    with pytest.raises(SettingsError, match=r"module:function.*ner\.mode = 'thread'"):
        anyio.run(main)


def test_a_recognizer_that_cannot_be_made_is_the_same_error_as_in_a_thread() -> None:
    broken = RecognizerProcess(NerSettings.model_validate(ner("broken")))
    with pytest.raises(SettingsError, match="no model"):
        broken.load()
    assert broken.pid is None


def test_a_missing_module_is_missing_in_the_child_too() -> None:
    model = {
        "language": "en",
        "engine": "factory",
        "model": ["no_such_module_here:make"],
        "labels": {},
    }
    process = RecognizerProcess(NerSettings.model_validate({"models": [model]}))
    recognizers, missing = process.load()
    process.close()
    assert recognizers == {}
    assert "no recognizer for 'en'" in missing[0]


def test_the_child_has_no_file_of_its_parent(
    process: RecognizerProcess, tmp_path: Path
) -> None:
    with (tmp_path / "open.db").open("w"), socket.socket():
        process.load()
        opened = {
            str(link.readlink())
            for link in Path(f"/proc/{process.pid}/fd").iterdir()
            if link.is_symlink()
        }
        process.close()
    assert not any("open.db" in name or "socket" in name for name in opened)


def test_the_key_of_the_model_is_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "k")
    process = RecognizerProcess(
        NerSettings.model_validate(ner("table")), withheld=["SOME_KEY"]
    )
    process.load()
    environment = Path(f"/proc/{process.pid}/environ").read_bytes()
    process.close()
    assert b"TIERED_TEST_FOLDER=" in environment
    assert b"SOME_KEY" not in environment


SCRIPT = """
import asyncio, os, signal, sys
from tiered_memory import MemoryEngine, Settings

print("main", flush=True)

class Recognizer:
    def entities(self, texts):
        from tiered_memory import Entity
        return [[Entity(start=t.find("杭州"), end=t.find("杭州") + 2, label="LOC")]
                if "杭州" in t else [] for t in texts]

async def main():
    model = {"language": "zh", "engine": "factory", "model": ["own_recognizer:Recognizer"],
             "labels": {"LOC": "place"}}
    settings = Settings(ner={"mode": "process", "models": [model], "deadline_ms": 30000})
    async with MemoryEngine.open(sys.argv[1], settings=settings) as memory:
        session = memory.session("s")
        await session.add({"role": "user", "content": "住在杭州"})
        print([f.value for f in await session.facts()], flush=True)
        print(memory._parts.entities._reader._process.pid, flush=True)
        if "wait" in sys.argv:
            await asyncio.Event().wait()
        if "interrupt" in sys.argv:
            os.killpg(0, signal.SIGINT)
            await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("way", ["script", "-c"])
def test_a_main_module_without_a_guard_is_not_run_again(tmp_path: Path, way: str) -> None:
    (tmp_path / "bot.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "own_recognizer.py").write_text(SCRIPT[: SCRIPT.index("async def")])
    command = ["bot.py"] if way == "script" else ["-c", SCRIPT]
    done = subprocess.run(
        [sys.executable, *command, "m.db"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = done.stdout.split("\n")
    assert lines[:2] == ["main", "['杭州']"], done.stderr
    assert not alive(int(lines[2]))


@pytest.mark.crash
@pytest.mark.parametrize("end", ["kill", "interrupt"])
async def test_the_child_ends_with_its_parent(tmp_path: Path, end: str) -> None:
    (tmp_path / "own_recognizer.py").write_text(SCRIPT[: SCRIPT.index("async def")])
    parent = await anyio.open_process(
        [sys.executable, "-c", SCRIPT, "m.db", "wait" if end == "kill" else end],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    output = b""
    assert parent.stdout is not None
    with anyio.fail_after(50):
        while output.count(b"\n") < 3:
            output += await parent.stdout.receive()
        if end == "kill":
            parent.kill()
        await parent.wait()
    child = int(output.split(b"\n")[2])
    await until(lambda: not alive(child))
    await parent.aclose()
