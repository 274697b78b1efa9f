"""What the package says it offers is what it offers."""

from __future__ import annotations

import subprocess
import sys

import tiered_memory


def test_all_names_exist_and_are_sorted() -> None:
    assert tiered_memory.__all__ == sorted(tiered_memory.__all__)
    for name in tiered_memory.__all__:
        assert getattr(tiered_memory, name) is not None


def test_importing_loads_no_heavy_library() -> None:
    heavy = ("openai", "spacy", "tiktoken", "onnxruntime", "numpy", "alembic", "typer")
    code = (
        "import sys, tiered_memory;"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
