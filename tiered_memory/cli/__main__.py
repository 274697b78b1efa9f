"""``python -m tiered_memory.cli``: the same as ``tiered-memory``."""

from __future__ import annotations

from tiered_memory.cli import main

main()
