"""Prints a conversation as it goes through the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.rule import Rule
from rich.text import Text

from tiered_memory.cli.figures import saved_share
from tiered_memory.cli.output import (
    counts,
    fact_table,
    message_line,
    segment_lines,
    stdout,
    tier_table,
)
from tiered_memory.cli.play import Added, Built, TurnOver
from tiered_memory.model import FactStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.cli.figures import Figures
    from tiered_memory.cli.play import Happening
    from tiered_memory.cli.records import Conversation
    from tiered_memory.model import CompactionRecord, Fact, Message, Prompt, Segment

__all__ = ["DemoView"]

INDENT = "          "


class DemoView:
    """Shows happenings, one line or a few for each."""

    def __init__(self) -> None:
        self._console = stdout()
        self._told: set[int] = set()
        self._repairs: set[tuple[str, str | None]] = set()

    def begin(self, conversation: Conversation) -> None:
        """Print where a conversation starts."""
        self._told.clear()
        self._repairs.clear()
        self._console.print(Rule(f"conversation {conversation.id}"))

    def show(self, happening: Happening) -> None:
        """Print what there is to see."""
        match happening:
            case Added():
                self._added(happening)
            case Built():
                self._built(happening)
            case TurnOver():
                self._turn_over(happening)
            case _:
                return

    def _added(self, added: Added) -> None:
        for message in added.stored:
            if message.role == "user":
                self._console.print()
            self._console.print(message_line(message.payload, self._width))
            self._long_result(message)
        for fact in added.receipt.facts:
            self._fact(fact)
            self._told.add(fact.fact_id)
        if added.receipt.masked:
            note = f"masked before it was stored: {counts(added.receipt.masked)}"
            self._note("×", note, "bold red")

    def _long_result(self, message: Message) -> None:
        if message.short is not None:
            note = (
                f"{message.tokens:,} tokens; {message.short_tokens:,} once the turn is over"
            )
            self._note("~", note, "dim")

    def _fact(self, fact: Fact) -> None:
        how = f"({fact.source}, {fact.pattern or 'no pattern'})"
        owner = "" if fact.owner == "self" else f"{fact.owner} "
        if fact.status is FactStatus.CURRENT:
            self._note("+", f"{owner}{fact.key} {fact.value} {how}", "bold")
        else:
            self._note("-", f"{owner}{fact.key} {fact.value} {fact.status.value}", "yellow")

    def _built(self, built: Built) -> None:
        for repair in built.prompt.repairs:
            key = (repair.kind, repair.call_id)
            if key not in self._repairs:
                self._repairs.add(key)
                call = f" of {repair.call_id}" if repair.call_id else ""
                self._note("!", f"healed in the prompt: {repair.kind}{call}", "yellow")
        for fault in built.faults:
            self._note("!", f"wrong prompt: {fault}", "bold red")

    def _turn_over(self, turn: TurnOver) -> None:
        for fact in turn.facts:
            if fact.status is not FactStatus.CURRENT or fact.fact_id not in self._told:
                self._fact(fact)
                self._told.add(fact.fact_id)
        for record in turn.compactions:
            self._console.print(Rule(_fold(record), style="blue"))

    def _note(self, sign: str, text: str, style: str) -> None:
        line = Text(f"{INDENT}{sign} {text}", style=style)
        line.truncate(self._width, overflow="ellipsis")
        self._console.print(line)

    @property
    def _width(self) -> int:
        return max(self._console.width, 40)

    def end(
        self,
        figures: Figures,
        facts: Sequence[Fact],
        summary: Sequence[Segment],
        prompt: Prompt | None,
    ) -> None:
        """Print the facts, the summary, the final prompt and what was saved."""
        console = self._console
        console.print()
        console.print(fact_table(facts, "Facts, with their history"))
        console.print()
        console.print(Rule("summary of the folded turns"))
        for line in segment_lines(summary):
            console.print(line, soft_wrap=True)
        if prompt is not None:
            self._prompt(prompt)
        self._saved(figures)

    def _prompt(self, prompt: Prompt) -> None:
        console = self._console
        console.print(Rule("the last prompt"))
        messages: Sequence[Any] = prompt.messages
        for message in messages:
            console.print(message_line(message, self._width))
        console.print()
        console.print(tier_table(prompt, f"Prompt for {prompt.model} by tier"))
        for omission in prompt.omitted:
            console.print(
                f"left out: {omission.count:,} × {omission.kind} ({omission.reason}), "
                f"{omission.tokens:,} tokens"
            )

    def _saved(self, figures: Figures) -> None:
        console = self._console
        saved = saved_share(figures.tokens_sent, figures.tokens_whole)
        console.print()
        console.print(Rule("against sending the whole history"))
        rows = (
            ("turns, messages", f"{figures.turns:,}, {figures.messages:,}"),
            ("prompts built", f"{figures.prompts:,}"),
            ("tokens of all prompts", f"{figures.tokens_sent:,}"),
            ("whole history instead", f"{figures.tokens_whole:,}"),
            ("saved", f"{saved:.0%}"),
            ("same as the prompt before", f"{figures.prefix_share:.0%} of the tokens"),
            ("largest prompt", f"{figures.largest_prompt:,} tokens"),
            ("compactions", counts(figures.compactions)),
            ("masked", counts(figures.masked)),
            ("facts", counts(figures.facts)),
            ("facts by source", counts(figures.fact_sources)),
            ("healed in prompts", counts(figures.repairs)),
            ("shortened tool results", f"{figures.shortened:,}"),
        )
        for name, value in rows:
            console.print(f"{name:<27}{value}", soft_wrap=True)


def _fold(record: CompactionRecord) -> str:
    return (
        f"messages {record.from_seq}–{record.to_seq}: {record.outcome}, "
        f"{record.tokens_before:,} → {record.tokens_after:,} tokens "
        f"({record.method}, {record.reason})"
    )
