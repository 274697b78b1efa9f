"""The command line: ``tiered-memory …``; a thin user of the public API."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit with its code."""
    from tiered_memory.cli.app import run_app

    run_app()
