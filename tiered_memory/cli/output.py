"""What the commands print: JSON for machines, tables and bars for people."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, cast

from pydantic_core import to_jsonable_python
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tiered_memory.model import Fact, Prompt, Segment

__all__ = [
    "counts",
    "fact_table",
    "message_line",
    "plain",
    "print_json",
    "segment_lines",
    "stdout",
    "tier_table",
]

BAR = 30


def stdout() -> Console:
    """Give a console for what was asked for; markup in values stays text."""
    return Console(markup=False, highlight=False, emoji=False)


def plain(value: object) -> Any:
    """Give ``value`` (a frozen value of the engine, a list of them) as JSON values."""
    return to_jsonable_python(value)


def print_json(value: object) -> None:
    """Print one JSON document on stdout."""
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=False, indent=2) + "\n")


def counts(numbers: Mapping[str, int]) -> str:
    """Give ``a 3, b 1``, largest first; a dash for nothing."""
    ordered = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {number:,}" for name, number in ordered) or "–"


def fact_table(facts: Sequence[Fact], title: str, *, why: bool = False) -> Table:
    """Show facts with where they come from; with ``why``, by what they are facts."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for name in ("key", "value"):
        table.add_column(name, overflow="fold")
    for name in ("status", "source"):
        table.add_column(name, no_wrap=True)
    table.add_column("message", justify="right", no_wrap=True)
    if why:
        for name in ("span", "pattern", "why"):
            table.add_column(name, overflow="fold")
    for fact in facts:
        key = fact.key if fact.owner == "self" else f"{fact.owner} {fact.key}"
        place = "–" if fact.seq is None else str(fact.seq)
        # what the application set was said in no message, unless a customer says it again
        said_again = fact.seq is not None or fact.last_start is not None
        if said_again and fact.last_seq is not None and fact.last_seq != fact.seq:
            place += f"…{fact.last_seq}"
        row = (key, fact.value, fact.status.value, fact.source, place)
        table.add_row(*row, *(_grounds(fact) if why else ()))
    return table


def _grounds(fact: Fact) -> tuple[str, str, str]:
    """Give where a fact stands in its message, its pattern, and what counted for it."""
    span = "–" if fact.start is None else f"{fact.part} {fact.start}–{fact.end}"
    said = [f"{name} {value}" for name, value in sorted(fact.why.items())]
    said.append(f"score {fact.confidence:.2f}")
    return span, fact.pattern or "–", ", ".join(said)


def tier_table(prompt: Prompt, title: str) -> Table:
    """Show the prompt's tokens by tier, each with its bar."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("tier")
    table.add_column("tokens", justify="right")
    table.add_column("share of the prompt")
    for tier, tokens in prompt.tiers.items():
        bar = ProgressBar(total=max(prompt.tokens, 1), completed=tokens, width=BAR)
        table.add_row(tier, f"{tokens:,}", bar)
    limit = f"of {prompt.budget.limit:,} that fit"
    table.add_row("all", f"{prompt.tokens:,}", limit, style="bold")
    return table


def message_line(message: Mapping[str, Any], width: int) -> Text:
    """Show a chat message on one line, cut at ``width`` cells."""
    role = str(message.get("role", "?"))
    styles = {"user": "cyan", "assistant": "green", "tool": "magenta", "system": "yellow"}
    line = Text()
    line.append(f"{role:<10}", style=styles.get(role, ""))
    line.append(" ".join(_said(message).split()))
    line.truncate(width, overflow="ellipsis")
    return line


def _said(message: Mapping[str, Any]) -> str:
    content: object = message.get("content")
    if isinstance(content, str) and content:
        return content
    calls = cast("list[dict[str, Any]]", message.get("tool_calls") or [])
    if calls:
        named = [call.get("function", call.get("custom", {})) for call in calls]
        said = [
            f"{call.get('name')}({call.get('arguments', call.get('input', ''))})"
            for call in named
        ]
        return "calls " + ", ".join(said)
    return "" if content is None else json.dumps(content, ensure_ascii=False)


def segment_lines(segments: Sequence[Segment]) -> list[Text]:
    """Show the rolling summary, oldest segment first."""
    lines: list[Text] = []
    for segment in segments:
        head = (
            f"messages {segment.from_seq}–{segment.to_seq}, level {segment.level}, "
            f"{segment.tokens:,} tokens, {segment.method}"
        )
        lines += [Text(head, style="bold"), Text(segment.text), Text()]
    return lines
