"""``tiered-memory patterns check``: a pack's own examples, and what packs find in a text."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 -- typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
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
from tiered_memory.errors import PackError
from tiered_memory.facts.packs import PatternCheck, check_file
from tiered_memory.settings import FactModelSettings, NerSettings

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
        checks = [item for file in packs for item in _check(file)]
        failed = [item for item in checks if item.problem is not None]
        found: Extraction | None = None
        if text is not None and not failed:
            found = await _extract(text, question, packs, load_settings(settings))
        if as_json:
            shown = None if found is None else _json(found)
            print_json({"patterns": checks, "extraction": shown})
        else:
            _show(checks, found)
        return BAD_DATA if failed else 0

    finish(work)


def _check(file: Path) -> list[PatternCheck]:
    """Check a file; one that is no pack at all is one finding."""
    try:
        return check_file(file)
    except PackError as exc:
        line = exc.facts.get("line")
        place = line if isinstance(line, int) else None
        return [PatternCheck(file=str(file), line=place, pattern=None, problem=str(exc))]


async def _extract(
    text: str, question: str | None, packs: list[Path], settings: Settings
) -> Extraction:
    files = (*settings.facts.files, *packs)
    facts = settings.facts.model_copy(update={"files": files, "llm": FactModelSettings()})
    ner = NerSettings(mode="off")
    chosen = settings.model_copy(update={"facts": facts, "ner": ner})
    async with MemoryEngine.open(":memory:", settings=chosen) as memory:
        return memory.extract(text, question=question)


def _json(found: Extraction) -> dict[str, object]:
    return {
        "masked": found.masked,
        "facts": found.facts,
        "masked_counts": found.masked_counts,
        "complete": found.complete,
        "why": found.why,
    }


def _show(checks: list[PatternCheck], found: Extraction | None) -> None:
    console = stdout()
    for file in dict.fromkeys(item.file for item in checks):
        table = Table(title=file, title_justify="left", box=SIMPLE_HEAD)
        for name in ("line", "pattern", "examples", "result"):
            table.add_column(name, overflow="fold")
        for item in checks:
            if item.file != file:
                continue
            said = item.problem or item.warning or "fine"
            style = "red" if item.problem else None
            line = "–" if item.line is None else str(item.line)
            name = item.pattern or "–"
            table.add_row(line, name, str(item.examples), said, style=style)
        console.print(table)
    if found is None:
        return
    table = Table(title="Found", title_justify="left", box=SIMPLE_HEAD)
    for name in ("key", "value", "normal form", "owner", "score", "pattern"):
        table.add_column(name, overflow="fold")
    for one in found.facts:
        value = one.value if one.polarity == "assert" else f"not {one.value}"
        row = (
            one.key,
            value,
            one.normalized,
            one.owner,
            f"{one.confidence:.2f}",
            one.pattern,
        )
        table.add_row(*row)
    console.print(table)
    console.print(f"stored as  {found.masked}")
    console.print(f"masked     {counts(found.masked_counts)}")
