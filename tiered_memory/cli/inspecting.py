"""Commands that look into a database: sessions, facts, prompt, history, compact."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from tiered_memory.cli.output import (
    counts,
    fact_table,
    message_line,
    plain,
    print_json,
    stdout,
    tier_table,
)
from tiered_memory.cli.running import (
    BAD_DATA,
    DbOption,
    JsonOption,
    SettingsOption,
    complain,
    existing,
    finish,
    load_settings,
)
from tiered_memory.engine import MemoryEngine
from tiered_memory.model import CompactionStatus
from tiered_memory.settings import FactModelSettings, NerSettings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from tiered_memory.session import Session
    from tiered_memory.settings import Settings

__all__ = ["compact", "facts", "history", "prompt", "sessions"]

PAGE = 500
FAILURES = frozenset({CompactionStatus.FAILED, CompactionStatus.BUSY})

SessionArgument = Annotated[
    str, typer.Argument(metavar="SESSION", help="The session's id.", show_default=False)
]


def sessions(
    db: DbOption,
    subject: Annotated[
        str | None, typer.Option(help="Only those of this customer.", show_default=False)
    ] = None,
    settings: SettingsOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the sessions of a database.

    For example:

      tiered-memory sessions --db memory.db
    """

    async def work() -> int:
        async with MemoryEngine.open(existing(db), settings=_looking(settings)) as memory:
            found = await memory.sessions(subject=subject, limit=PAGE)
            while len(page := found[-PAGE:]) == PAGE:
                after = page[-1].session_id
                more = await memory.sessions(subject=subject, limit=PAGE, after=after)
                if not more:
                    break
                found += more
        if as_json:
            print_json(found)
            return 0
        if not found:
            of = "" if subject is None else f" of subject {subject!r}"
            stdout().print(Text(f"no sessions{of} in {db}"))
            return 0
        table = Table()
        for name in ("session", "subject", "messages", "turns", "last message"):
            table.add_column(name, overflow="fold")
        for info in found:
            when = f"{info.updated_at:%Y-%m-%d %H:%M:%S}"
            numbers = (f"{info.messages:,}", f"{info.turns:,}")
            table.add_row(info.session_id, info.subject or "–", *numbers, when)
        stdout().print(table)
        return 0

    finish(work)


def facts(
    session: SessionArgument,
    db: DbOption,
    key: Annotated[
        str | None, typer.Option(help="Only this key.", show_default=False)
    ] = None,
    with_history: Annotated[
        bool, typer.Option("--history", help="Superseded and retracted ones too.")
    ] = False,
    as_of: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="As they were known then: 2026-05-12T15:30+08:00, with the offset.",
            show_default=False,
        ),
    ] = None,
    why: Annotated[
        bool,
        typer.Option(
            "--why",
            help="Each with its pattern, span, words, validator and score.",
        ),
    ] = False,
    settings: SettingsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the facts of a session, everybody's, oldest first.

    For example:

      tiered-memory facts conversation-42 --db memory.db --key order_id --history

      tiered-memory facts conversation-42 --db memory.db --why

      tiered-memory facts conversation-42 --db memory.db --as-of 2026-05-12T15:30Z
    """
    moment = None if as_of is None else _moment(as_of)
    about = "" if key is None else f" under the key {key!r}"
    about += "" if as_of is None else f" as of {as_of}"

    async def work(found: Session) -> int:
        rows = await found.facts(key=key, owner=None, history=with_history, as_of=moment)
        if as_json:
            print_json(rows)
        elif not rows:
            stdout().print(Text(f"no facts of {session!r} are known{about}"))
        else:
            stdout().print(fact_table(rows, f"Facts of {session}", why=why))
        return 0

    _look(session, db, settings, work)


def prompt(
    session: SessionArgument,
    db: DbOption,
    model: Annotated[
        str | None, typer.Option(help="In place of the setting.", show_default=False)
    ] = None,
    max_output_tokens: Annotated[
        int | None, typer.Option(min=1, help="In place of the setting.", show_default=False)
    ] = None,
    settings: SettingsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build the prompt that would be sent now, and show its tiers.

    Give the settings that the application uses: the prompt depends on them. --json prints
    the messages as the chat API takes them, with all figures.

    For example:

      tiered-memory prompt conversation-42 --db memory.db --json | jq .messages
    """

    async def work(found: Session) -> int:
        built = await found.build(model=model, max_output_tokens=max_output_tokens)
        if as_json:
            print_json(built)
            return 0
        console = stdout()
        for message in plain(built.messages):
            console.print(message_line(message, max(console.width, 40)))
        console.print()
        console.print(tier_table(built, f"Prompt for {built.model} by tier"))
        for omission in built.omitted:
            console.print(
                f"left out: {omission.count:,} × {omission.kind} ({omission.reason}), "
                f"{omission.tokens:,} tokens"
            )
        for repair in built.repairs:
            console.print(f"healed: {repair.kind} at message {repair.position}")
        if built.over_budget:
            console.print(f"{built.over_budget:,} tokens above the effective window")
        return 0

    _look(session, db, settings, work)


def history(
    session: SessionArgument,
    db: DbOption,
    start: Annotated[int, typer.Option(min=1, help="First message number.")] = 1,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many.", show_default=False)
    ] = None,
    settings: SettingsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the messages as they are stored: all of them, masked, oldest first.

    For example:

      tiered-memory history conversation-42 --db memory.db --start 10 --limit 20
    """

    async def work(found: Session) -> int:
        messages = [m async for m in found.history(start=start, limit=limit)]
        if as_json:
            print_json([{"seq": m.seq, "turn": m.turn, **m.to_dict()} for m in messages])
            return 0
        console = stdout()
        for message in messages:
            line = message_line(message.payload, max(console.width - 6, 40))
            console.print(f"{message.seq:>5}", line)
        return 0

    _look(session, db, settings, work)


def compact(
    session: SessionArgument,
    db: DbOption,
    force: Annotated[
        bool,
        typer.Option("--force", help="Fold what may be folded; do not wait until due."),
    ] = False,
    settings: SettingsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fold old turns into the summary now.

    Exit code: 0 folded, or there was nothing to fold; 1 it failed, or somebody else is at
    it: run it again later.

    For example:

      tiered-memory compact conversation-42 --db memory.db --force
    """

    async def work(found: Session) -> int:
        result = await found.compact(force=force)
        if as_json:
            print_json(result)
        else:
            console = stdout()
            console.print(f"{result.status.value}: {result.reason}")
            if (record := result.record) is not None:
                console.print(
                    f"messages {record.from_seq}–{record.to_seq}: {record.tokens_before:,} "
                    f"→ {record.tokens_after:,} tokens ({record.method})"
                )
                console.print(f"identifiers: {counts(record.survival)}")
        return BAD_DATA if result.status in FAILURES else 0

    _look(session, db, settings, work, changes=True)


def _moment(text: str) -> datetime:
    """Read a time of the command line."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.utcoffset() is None:
        raise typer.BadParameter(
            f"{text!r} is no time with an offset, like 2026-05-12T15:30Z",
            param_hint="--as-of",
        )
    return moment


def _look(
    session_id: str,
    db: str,
    settings: Path | None,
    work: Callable[[Session], Awaitable[int]],
    *,
    changes: bool = False,
) -> None:
    """Run ``work`` on a session that must be there."""

    async def look() -> int:
        chosen = _looking(settings)
        if changes:
            chosen = chosen.model_copy(update={"ner": load_settings(settings).ner})
        async with MemoryEngine.open(existing(db), settings=chosen) as memory:
            found = memory.session(session_id)
            async for _ in found.history(limit=1):
                return await work(found)
            if await found.facts(owner=None, history=True):
                return await work(found)
        complain(f"there is no session {session_id!r} in {db}")
        return BAD_DATA

    finish(look)


def _looking(settings: Path | None) -> Settings:
    """Give settings that change no schema, without recognizers, which take seconds to load.

    Nor is a model asked about messages that are still to be read.
    """
    chosen = load_settings(settings, ner=NerSettings(mode="off"))
    storage = chosen.storage.model_copy(update={"migrate": False})
    facts = chosen.facts.model_copy(update={"llm": FactModelSettings()})
    return chosen.model_copy(update={"storage": storage, "facts": facts})
