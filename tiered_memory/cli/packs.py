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
from tiered_memory.errors import MessageError
from tiered_memory.facts.pack_checks import PatternCheck, check_files
from tiered_memory.settings import FactModelSettings, NerSettings

if TYPE_CHECKING:
    from tiered_memory.model import Extraction, Reason
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
    text_file: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="The same for a text in a file, as one message.",
            show_default=False,
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

    With FILEs each pattern is checked: its keys, its expressions, that its examples match
    or do not match as they say, and that its id clashes with none of the settings' packs
    or the shipped ones. With --text the packs of the settings and the FILEs read the text;
    nothing is stored. Each match is shown with its place and why it is a fact, or is none;
    what is masked is shown masked.

    Exit code: 0 all fine; 1 a pattern is wrong; 2 usage, settings or pack.

    For example:

      tiered-memory patterns check shop.yaml

      tiered-memory patterns check shop.yaml --text "my order is HL-204817" --json
    """
    packs = files or []

    async def work() -> int:
        if not packs and text is None and text_file is None:
            complain("give a pack's FILE, or --text, or both")
            return BAD_USAGE
        if text is not None and text_file is not None:
            complain("give --text or --text-file, not both")
            return BAD_USAGE
        given = text if text_file is None else _read(text_file)
        chosen = load_settings(settings)
        checks = check_files(packs, chosen.facts)
        failed = [item for item in checks if item.problem is not None]
        found: Extraction | None = None
        if given is not None and not failed:
            found = await _extract(given, question, packs, chosen)
        if as_json:
            shown = None if found is None else _json(found)
            print_json({"patterns": checks, "extraction": shown})
        else:
            _show(checks, found)
        return BAD_DATA if failed else 0

    finish(work)


def _read(file: Path) -> str:
    """Read a text.

    Raises:
        MessageError: it is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as exc:
        raise MessageError(f"{file} is no text in UTF-8") from exc


async def _extract(
    text: str, question: str | None, packs: list[Path], settings: Settings
) -> Extraction:
    known = {file.resolve() for file in settings.facts.files}
    more = tuple(file for file in packs if file.resolve() not in known)
    files = (*settings.facts.files, *more)
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
    console.print(_fact_table(found))
    console.print(_reason_table(found))
    console.print(f"stored as  {found.masked}")
    console.print(f"masked     {counts(found.masked_counts)}")


def _fact_table(found: Extraction) -> Table:
    table = Table(title="Facts", title_justify="left", box=SIMPLE_HEAD)
    for name in ("key", "value", "normal form", "owner", "score", "pattern"):
        table.add_column(name, overflow="fold")
    for one in found.facts:
        value = one.value if one.polarity == "assert" else f"not {one.value}"
        form, score = one.normalized, f"{one.confidence:.2f}"
        table.add_row(one.key, value, form, one.owner, score, one.pattern)
    return table


def _reason_table(found: Extraction) -> Table:
    table = Table(title="Why", title_justify="left", box=SIMPLE_HEAD)
    for name in ("span", "value", "pattern", "outcome", "by"):
        table.add_column(name, overflow="fold")
    for one in found.why:
        outcome = one.outcome if one.lost_to is None else f"{one.outcome}: {one.lost_to}"
        span = f"{one.start}–{one.end}"
        table.add_row(span, one.value, one.pattern, outcome, _by(one))
    return table


def _by(reason: Reason) -> str:
    """Give what counted for a match: words, validator, question, standing, score."""
    parts = {
        "words": reason.context,
        "validator": reason.validator,
        "slot": reason.slot,
        "standing": reason.standing,
    }
    said = [f"{name} {value}" for name, value in parts.items() if value]
    return ", ".join((*said, f"score {reason.score:.2f}"))
