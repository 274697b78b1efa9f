"""``tiered-memory run``: conversations from files through the engine, with figures."""

from __future__ import annotations

import tempfile
from pathlib import Path  # noqa: TC003 -- typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from tiered_memory.cli.figures import Figures, saved_share
from tiered_memory.cli.output import counts, print_json, stdout
from tiered_memory.cli.play import Added, Player, Refused, Unbuilt
from tiered_memory.cli.records import BadLine, join, read_files
from tiered_memory.cli.running import (
    BAD_DATA,
    JsonOption,
    SettingsOption,
    complain,
    finish,
    load_settings,
    scratch,
)
from tiered_memory.engine import MemoryEngine

if TYPE_CHECKING:
    from collections.abc import Callable

    from tiered_memory.cli.records import Conversation
    from tiered_memory.settings import Settings

__all__ = ["run"]


def run(
    files: Annotated[
        list[Path],
        typer.Argument(
            exists=True, dir_okay=False, readable=True, metavar="FILE…", show_default=False
        ),
    ],
    db: Annotated[
        str | None,
        typer.Option(
            "--db", metavar="PATH|URL", help="Keep the sessions in this database."
        ),
    ] = None,
    joined: Annotated[
        bool,
        typer.Option("--join", help='Ids "a.0" and "a.1" are one returning customer "a".'),
    ] = False,
    effective_window: Annotated[
        int | None,
        typer.Option(min=1, metavar="TOKENS", help="In place of the setting."),
    ] = None,
    settings: SettingsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take conversations from JSON-lines files through the engine and count.

    A line is a conversation {"id", "messages": […]}, or a chat message {"role", …}, or a
    record {"kind": "system" | "message", "message"}, {"kind": "request"} where a model was
    called, {"kind": "planted", "key", "value", "said_by"}; the messages and records of a
    file are one conversation. Files that end in .gz are unpacked.

    Every message is added. A prompt is built after each user message and wherever a model
    was called, and checked: the chat API's grammar, the system prompt first and whole, the
    newest user message whole. A bad line is reported as FILE:LINE and the rest goes on.

    Exit code: 0 all fine; 1 a bad line, or a prompt that is wrong or could not be built;
    2 usage, settings or pack; 3 database.

    For example:

      tiered-memory run calls.jsonl

      tiered-memory run calls.jsonl.gz --join --effective-window 8000 --json
    """
    finish(
        lambda: _run(
            files,
            db,
            load_settings(settings, effective_window=effective_window),
            joined=joined,
            as_json=as_json,
        )
    )


async def _run(
    files: list[Path], db: str | None, settings: Settings, *, joined: bool, as_json: bool
) -> int:
    conversations, bad = read_files(files)
    if joined:
        conversations = join(conversations)
    results: list[tuple[str, Figures]] = []
    with tempfile.TemporaryDirectory() as folder, _progress() as progress:
        for line in bad:
            complain(str(line))
        steps = [step for one in conversations for step in one.steps]
        messages = sum(step.message is not None for step in steps)
        task = progress.add_task("messages", total=messages)
        target, chosen = (db, settings) if db else scratch(folder, settings)
        async with MemoryEngine.open(target, settings=chosen) as memory:
            for conversation in conversations:
                figures = await _one(
                    memory, conversation, bad, lambda: progress.advance(task)
                )
                if figures is not None:
                    results.append((conversation.id, figures))
    total = Figures()
    for _, figures in results:
        total.include(figures)
    if as_json:
        print_json(
            {
                "conversations": [{"id": i, **f.to_dict()} for i, f in results],
                "total": total.to_dict(),
                "bad_lines": bad,
            }
        )
    else:
        _show(results, total, len(bad))
    return BAD_DATA if bad or total.invalid else 0


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=Console(stderr=True),
        transient=True,
    )


async def _one(
    memory: MemoryEngine,
    conversation: Conversation,
    bad: list[BadLine],
    advance: Callable[[], None],
) -> Figures | None:
    player = Player(memory, conversation)
    first = conversation.steps[0]
    if await player.known():
        reason = "the database already has messages of this session: not added again"
        _note(bad, BadLine(file=first.file, line=first.line, reason=reason))
        return None
    figures = Figures()
    async for happening in player.play():
        figures.count(happening)
        if isinstance(happening, Refused):
            _note(bad, happening.bad)
        elif isinstance(happening, Unbuilt):
            complain(f"{first.file}:{first.line}: no prompt: {happening.reason}")
        if isinstance(happening, Added | Refused):
            advance()
    figures.finish(
        await player.session.facts(owner=None, history=True), conversation.planted
    )
    return figures


def _note(bad: list[BadLine], line: BadLine) -> None:
    bad.append(line)
    complain(str(line))


def _show(results: list[tuple[str, Figures]], total: Figures, bad: int) -> None:
    console = stdout()
    table = Table(title="Conversations", title_justify="left")
    table.add_column("id", overflow="fold")
    for name in ("turns", "prompts", "sent", "whole", "saved", "prefix", "folds", "facts"):
        table.add_column(name, justify="right")
    table.add_column("wrong", justify="right")
    for name, figures in results:
        table.add_row(name, *_row(figures))
    table.add_section()
    table.add_row("total", *_row(total), style="bold")
    console.print(table)
    console.print(f"facts by type       {counts(total.facts)}", soft_wrap=True)
    console.print(f"facts by source     {counts(total.fact_sources)}", soft_wrap=True)
    console.print(f"masked values       {counts(total.masked)}", soft_wrap=True)
    console.print(f"compactions         {counts(total.compactions)}", soft_wrap=True)
    console.print(f"repairs in prompts  {counts(total.repairs)}", soft_wrap=True)
    console.print(f"shortened results   {total.shortened:,}")
    console.print(f"largest prompt      {total.largest_prompt:,} tokens")
    console.print(f"above the window    {total.over_budget:,} prompts")
    if total.planted:
        console.print(
            f"planted values      {total.planted:,}: {total.planted_stored:,} are facts, "
            f"{total.planted_current:,} of them current"
        )
    console.print(f"wrong prompts       {counts(total.invalid)}", soft_wrap=True)
    console.print(f"bad lines           {bad:,}")


def _row(figures: Figures) -> tuple[str, ...]:
    saved = saved_share(figures.tokens_sent, figures.tokens_whole)
    return (
        f"{figures.turns:,}",
        f"{figures.prompts:,}",
        f"{figures.tokens_sent:,}",
        f"{figures.tokens_whole:,}",
        f"{saved:.0%}",
        f"{figures.prefix_share:.0%}",
        f"{figures.folds:,}",
        f"{figures.facts.total():,}",
        f"{sum(figures.invalid.values()):,}",
    )
