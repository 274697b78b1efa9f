"""Killed before any step in the database, the old or the new state is there, whole."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from tests.crash.store_child import SETTINGS, STAGES
from tests.store_drafts import draft, newest_wins
from tiered_memory.store.schema import metadata
from tiered_memory.store.store import Store

ROOT = Path(__file__).resolve().parents[2]

Content = dict[str, list[tuple[object, ...]]]


def content(path: Path) -> Content:
    """Every row of every table."""
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {
            name: sorted(raw.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
            for name in metadata.tables
        }


async def states(path: Path, name: str) -> list[Content]:
    """The content before the first stage and after each."""
    store = await Store.open(path, settings=SETTINGS)
    found = [content(path)]
    for stage in STAGES[name]():
        await stage(store)
        found.append(content(path))
    await store.aclose()
    return found


def run_child(path: Path, step: int, name: str) -> tuple[int, int]:
    """Give the child's exit code and how many writes it said were done."""
    command = [sys.executable, "-m", "tests.crash.store_child", str(path), str(step), name]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    return done.returncode, done.stdout.count("done")


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.crash
@pytest.mark.timeout(600)
async def test_a_kill_before_any_step_leaves_the_old_or_the_new_state(
    tmp_path: Path, name: str
) -> None:
    expected = await states(tmp_path / "calm.db", name)
    assert all(old != new for old, new in pairwise(expected))
    step, code = 0, -signal.SIGKILL
    while code == -signal.SIGKILL:
        step += 1
        path = tmp_path / f"{step}.db"
        code, done = run_child(path, step, name)
        assert content(path) in expected[done : done + 2], (step, done)

        store = await Store.open(path, settings=SETTINGS)
        assert await store.append(draft("later", 1, "x"), newest_wins) is not None
        await store.aclose()

    assert code == 0
    assert step > 12
