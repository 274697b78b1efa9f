"""Reads the README's code blocks; ``python readme.py test-command`` prints one."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"


def blocks(language: str) -> list[str]:
    """Give the texts of the fenced blocks in ``language``, in order."""
    found: list[str] = []
    inside: list[str] | None = None
    for line in README.read_text(encoding="utf-8").splitlines():
        if inside is None:
            if line == f"```{language}":
                inside = []
        elif line == "```":
            found.append("\n".join(inside) + "\n")
            inside = None
        else:
            inside.append(line)
    return found


def demo_command() -> str:
    return blocks("sh")[0].strip()


def test_command() -> str:
    return blocks("sh")[1].strip()


if __name__ == "__main__":
    sys.stdout.write(
        {"test-command": test_command, "demo-command": demo_command}[sys.argv[1]]()
    )
