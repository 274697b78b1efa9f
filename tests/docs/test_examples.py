"""The examples run, and the guide names what there is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import tiered_memory
from tests.docs import readme

EXAMPLES = readme.ROOT / "examples"
GUIDE = (readme.ROOT / "docs" / "guide.md").read_text(encoding="utf-8")


def test_the_bot_runs_and_remembers(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-X", "utf8", str(EXAMPLES / "bot.py")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=50,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [
        "Your order is on its way.",
        "Your order is on its way.",
        "order_id LMP-4411 regex message 1",
    ]


def test_every_public_method_is_in_the_guide() -> None:
    methods = [
        name
        for owner in (tiered_memory.MemoryEngine, tiered_memory.Session)
        for name, member in vars(owner).items()
        if callable(member) and not name.startswith("_")
    ]

    assert [name for name in methods if f"{name}(" not in GUIDE] == []


def test_every_error_of_a_call_is_in_the_guide() -> None:
    told = ("SettingsError", "PackError", "MessageError", "StoreError", "BudgetError")

    assert [name for name in told if name not in GUIDE] == []
