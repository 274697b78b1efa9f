"""``tiered-memory patterns check``: a pack's own examples, and what packs find in a text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from tiered_memory.cli.output import counts, print_json, stdout
from tiered_memory.cli.running import (
    BAD_DATA,
    BAD_USAGE,
    JsonOption,
    SettingsOption,
    complain,
    finish,
    load_settings,
)
from tiered_memory.engine import MemoryEngine
from tiered_memory.facts.packs import check_file

if TYPE_CHECKING:
    from tiered_memory.model import Extraction
    from tiered_memory.settings import Settings

__all__ = ["check"]


def check(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            exists=True,
            dir_okay=False,
            metavar="[FILE…]",
            help="Packs.",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            help="Show what the packs find in this customer text.", show_default=False
        ),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(
            help="What the assistant had asked before --text.", show_default=False
        ),
    ] = None,
    settings: SettingsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the examples of pattern packs, or try the packs on a text.

    With FILEs each pattern is checked: its keys, its expressions, and that its examples
    match or do not match as they say. With --text the shipped packs, those of the
    settings and the FILEs read the text; nothing is stored.

    Exit code: 0 all fine; 1 a pattern is wrong; 2 usage, settings or pack.

    For example:

      tiered-memory patterns check shop.yaml

      tiered-memory patterns check shop.yaml --text "my order is HL-204817" --json
    """
    packs = files or []

    async def work() -> int:
        if not packs and text is None:
            complain("give a pack's FILE, or --text, or both")
            return BAD_USAGE
        checks = [item for file in packs for item in check_file(file)]
        failed = [item for item in checks if item.problem is not None]
        found: Extraction | None = None
        if text is not None and not failed:
            found = await _extract(text, question, packs, load_settings(settings))
        if as_json:
            print_json({"patterns": checks, "extraction": found})
        else:
            _show(checks, found)
        return BAD_DATA if failed else 0

    finish(work)
