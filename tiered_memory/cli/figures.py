"""Counts what happened while conversations were played."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from tiered_memory.cli.play import Added, Built, Refused, TurnOver, Unbuilt
from tiered_memory.model import FactStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.cli.play import Happening
    from tiered_memory.cli.records import Planted
    from tiered_memory.model import CompactionRecord, Fact

__all__ = ["Figures", "saved_share"]


@dataclass(slots=True, kw_only=True)
class Figures:
    """Counts of one conversation, or of several together.

    Attributes:
        facts: current facts at the end, by type; ``fact_sources`` by source.
        masked: values kept out of the database, by type.
        tokens_sent: of all prompts; ``tokens_whole``: of the whole history in their
            place; ``tokens_stable``: leading tokens that equal the prompt before.
        compactions: tries by outcome.
        repairs: mends in all prompts, by kind.
        shortened: tool results shown shortened, each once.
        over_budget: prompts above the effective window.
        invalid: prompts with a fault, by fault; a prompt not built at all counts too.
        planted: values that the file says the customer wrote and did not correct;
            ``planted_stored``: those that are facts, to the letter, and
            ``planted_current``: those that are current ones (a later value of a key
            that holds one takes an earlier one's place).
    """

    conversations: int = 0
    messages: int = 0
    turns: int = 0
    prompts: int = 0
    facts: Counter[str] = field(default_factory=Counter[str])
    fact_sources: Counter[str] = field(default_factory=Counter[str])
    masked: Counter[str] = field(default_factory=Counter[str])
    tokens_sent: int = 0
    tokens_whole: int = 0
    tokens_stable: int = 0
    compactions: Counter[str] = field(default_factory=Counter[str])
    repairs: Counter[str] = field(default_factory=Counter[str])
    shortened: int = 0
    over_budget: int = 0
    largest_prompt: int = 0
    invalid: Counter[str] = field(default_factory=Counter[str])
    refused: int = 0
    planted: int = 0
    planted_stored: int = 0
    planted_current: int = 0
    _shortened: set[int] = field(default_factory=set[int], repr=False)

    def count(self, happening: Happening) -> None:
        """Take one step of ``Player.play`` into account."""
        match happening:
            case Added():
                self.messages += len(happening.stored)
                self.turns += sum(message.role == "user" for message in happening.stored)
                self.masked.update(happening.receipt.masked)
            case Built():
                self._count_prompt(happening)
            case Unbuilt():
                self.invalid["not_built"] += 1
            case Refused():
                self.refused += 1
            case TurnOver():
                self._count_compactions(happening.compactions)

    def _count_prompt(self, built: Built) -> None:
        prompt = built.prompt
        self.prompts += 1
        self.tokens_sent += prompt.tokens
        self.tokens_whole += built.whole_tokens
        self.tokens_stable += prompt.stable_tokens
        self.largest_prompt = max(self.largest_prompt, prompt.tokens)
        self.repairs.update(repair.kind for repair in prompt.repairs)
        self.over_budget += prompt.over_budget > 0
        self.invalid.update(built.faults)
        for omission in prompt.omitted:
            if omission.kind == "tool_result":
                self._shortened.update(omission.seqs)
        self.shortened = len(self._shortened)

    def _count_compactions(self, records: Sequence[CompactionRecord]) -> None:
        self.compactions.update(record.outcome for record in records)

    def finish(self, facts: Sequence[Fact], planted: Sequence[Planted]) -> None:
        """Take all fact rows at the end of a conversation into account."""
        self.conversations = 1
        current = [fact for fact in facts if fact.status is FactStatus.CURRENT]
        self.facts.update(fact.type for fact in current)
        self.fact_sources.update(fact.source for fact in current)
        stored = {fact.value for fact in facts}
        shown = {fact.value for fact in current}
        latest = {item.key: item for item in planted}
        wanted = [item.value for item in latest.values() if item.said_by == "user"]
        self.planted = len(wanted)
        self.planted_stored = sum(value in stored for value in wanted)
        self.planted_current = sum(value in shown for value in wanted)

    def include(self, other: Figures) -> None:
        """Add another conversation's figures."""
        for item in fields(self):
            if item.name.startswith("_"):
                continue
            mine: Any = getattr(self, item.name)
            theirs: Any = getattr(other, item.name)
            if item.name == "largest_prompt":
                self.largest_prompt = max(mine, theirs)
            else:
                setattr(self, item.name, mine + theirs)

    def to_dict(self) -> dict[str, Any]:
        """Give the figures as JSON-able values, shares included."""
        values: dict[str, Any] = {}
        for item in fields(self):
            if not item.name.startswith("_"):
                values[item.name] = getattr(self, item.name)
        values["saved_share"] = round(saved_share(self.tokens_sent, self.tokens_whole), 4)
        values["prefix_share"] = round(self.prefix_share, 4)
        return values

    @property
    def folds(self) -> int:
        """Compactions that put a segment into the summary."""
        return self.compactions["compacted"] + self.compactions["degraded"]

    @property
    def prefix_share(self) -> float:
        """Leading tokens that a provider's prefix cache may serve, of all sent."""
        return self.tokens_stable / self.tokens_sent if self.tokens_sent else 0.0


def saved_share(sent: int, whole: int) -> float:
    """Give what part of ``whole`` was not sent; negative when more was sent."""
    return 1 - sent / whole if whole else 0.0
