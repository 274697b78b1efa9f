from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import typer

from tests.docs import readme
from tiered_memory.cli.app import app


def _commands(command: Any, name: str = "tiered-memory") -> list[str]:
    inner: dict[str, Any] = getattr(command, "commands", {})
    found = [path for sub in inner for path in _commands(inner[sub], f"{name} {sub}")]
    return found or [name]


def test_the_example_prints_what_the_readme_says(tmp_path: Path) -> None:
    code = readme.blocks("python")[0]
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("TIERED_MEMORY_")
    }
    ran = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=50,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == readme.blocks("text")[0]


def test_the_example_has_at_most_twelve_lines() -> None:
    lines = [line for line in readme.blocks("python")[0].splitlines() if line.strip()]
    assert len(lines) <= 12


def test_the_secret_of_the_example_is_in_no_output() -> None:
    assert "Sun#42" in readme.blocks("python")[0]
    assert "Sun#42" not in readme.blocks("text")[0]


def test_every_command_is_in_the_readme() -> None:
    text = readme.README.read_text(encoding="utf-8")
    missing = [
        name
        for name in _commands(typer.main.get_command(app))
        if name.removeprefix("tiered-memory ") not in text
    ]
    assert missing == []


def test_every_link_of_the_documents_leads_to_a_file() -> None:
    pages = [readme.README, *(readme.ROOT / "docs").glob("*.md")]
    broken: list[str] = []
    for page in pages:
        for piece in page.read_text(encoding="utf-8").split("](")[1:]:
            target = piece.split(")", 1)[0].split("#", 1)[0]
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []


def test_the_readme_installs_what_the_project_offers() -> None:
    assert "[all]" in readme.demo_command()
    assert readme.demo_command().endswith("tiered-memory demo")
    assert "[dev]" in readme.test_command()
    assert readme.test_command().endswith("pytest")
