"""``tiered-memory demo``: one conversation through the engine, in slow motion."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from importlib.resources import files as package_files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiered_memory.cli.demo_check import Evidence, shortfalls
from tiered_memory.cli.demo_view import DemoView
from tiered_memory.cli.figures import Figures
from tiered_memory.cli.output import print_json
from tiered_memory.cli.play import Built, Player, Refused, TurnOver, Unbuilt
from tiered_memory.cli.records import BadLine, Conversation, read_files
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
    from tiered_memory.model import CompactionRecord, Fact, Prompt, Segment
    from tiered_memory.settings import Settings

__all__ = ["demo"]


def demo(
    file: Annotated[
        Path | None,
        typer.Argument(
            exists=True,
            dir_okay=False,
            metavar="[FILE]",
            help="JSON lines as for run; left out: a conversation that comes with the package.",
            show_default=False,
        ),
    ] = None,
    db: Annotated[
        str | None,
        typer.Option("--db", metavar="PATH|URL", help="Keep the session in this database."),
    ] = None,
    settings: SettingsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Watch a customer-service conversation go through the engine.

    Shows each message as it is stored, facts as they come, values that were masked before
    anything was written, each fold of old turns into the summary, the final prompt by
    tier, and what was saved against sending the whole history. Needs no key, no server and
    no network. Everything shown is what the public API returned.

    With the conversation of the package it also checks that every stage did its work.

    Exit code: 0 all fine; 1 a bad line, a wrong prompt, or a stage that did nothing;
    2 usage, settings or pack; 3 database.

    For example:

      tiered-memory demo

      tiered-memory demo my_calls.jsonl --db my_calls.db --json
    """
    finish(lambda: _demo(file, db, load_settings(settings), as_json=as_json))


@dataclass(slots=True, kw_only=True)
class _Played:
    """A finished conversation, as the API returned it."""

    id: str
    figures: Figures
    prompt: Prompt | None = None
    facts: list[Fact] = field(default_factory=list["Fact"])
    summary: list[Segment] = field(default_factory=list["Segment"])
    compactions: list[CompactionRecord] = field(default_factory=list["CompactionRecord"])
    stored: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "figures": self.figures.to_dict(),
            "facts": self.facts,
            "summary": self.summary,
            "compactions": self.compactions,
            "prompt": self.prompt,
        }


async def _demo(
    file: Path | None, db: str | None, settings: Settings, *, as_json: bool
) -> int:
    source = file or Path(
        str(package_files("tiered_memory.cli").joinpath("data/demo.jsonl"))
    )
    conversations, bad = read_files([source])
    for line in bad:
        complain(str(line))
    played: list[_Played] = []
    view = None if as_json else DemoView()
    with tempfile.TemporaryDirectory() as folder:
        target, chosen = (db, settings) if db else scratch(folder, settings)
        async with MemoryEngine.open(target, settings=chosen) as memory:
            for conversation in conversations:
                one = await _play(memory, conversation, bad, view)
                if one is not None:
                    played.append(one)
            warnings = memory.metrics().warnings
    if as_json:
        print_json({"conversations": [one.to_dict() for one in played], "bad_lines": bad})
    missing: list[str] = []
    if file is None and played:
        missing = shortfalls(_evidence(played[0]), settings, warnings)
    for reason in missing:
        complain(f"the demo did not show what it should: {reason}")
    wrong = any(one.figures.invalid for one in played)
    return BAD_DATA if bad or wrong or missing else 0


async def _play(
    memory: MemoryEngine,
    conversation: Conversation,
    bad: list[BadLine],
    view: DemoView | None,
) -> _Played | None:
    player = Player(memory, conversation)
    if await player.known():
        first = conversation.steps[0]
        reason = f"the database already has a session {conversation.id!r}: not added again"
        bad.append(BadLine(file=first.file, line=first.line, reason=reason))
        complain(str(bad[-1]))
        return None
    one = _Played(id=conversation.id, figures=Figures())
    if view is not None:
        view.begin(conversation)
    async for happening in player.play():
        one.figures.count(happening)
        if isinstance(happening, Built):
            one.prompt = happening.prompt
        elif isinstance(happening, TurnOver):
            one.compactions += happening.compactions
        elif isinstance(happening, Refused):
            bad.append(happening.bad)
            complain(str(happening.bad))
        elif isinstance(happening, Unbuilt):
            complain(f"no prompt: {happening.reason}")
        if view is not None:
            view.show(happening)
    session = player.session
    one.facts = await session.facts(owner=None, history=True)
    one.summary = await session.summary()
    one.stored = [message.to_dict() async for message in session.history()]
    one.figures.finish(one.facts, conversation.planted)
    if view is not None:
        view.end(one.figures, one.facts, one.summary, one.prompt)
    return one


def _evidence(one: _Played) -> Evidence:
    return Evidence(
        figures=one.figures,
        facts=tuple(one.facts),
        prompt=one.prompt,
        stored=tuple(one.stored),
        summary=tuple(one.summary),
    )
