"""The sum behind a prompt: what the model's window leaves, and who may use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tiered_memory.chat.grammar import validate
from tiered_memory.chat.messages import normalise
from tiered_memory.errors import MessageError, SettingsError
from tiered_memory.model import Budget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tiered_memory.chat.models import ModelInfo, ModelTable
    from tiered_memory.chat.tokens import MessageCounter
    from tiered_memory.model import Payload
    from tiered_memory.settings import BudgetShares, Settings

__all__ = [
    "PRIMING",
    "Allotment",
    "Room",
    "allot",
    "check_settings",
    "examples",
    "room",
    "spent",
]

PRIMING: Final = 3
"""Tokens that each reply is primed with. Source: OpenAI's cookbook, "How to count
tokens with tiktoken", ``num_tokens_from_messages``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a request may hold, in tokens.

    Attributes:
        window, output, reserve, tools, effective: as in ``Budget``.
    """

    window: int
    output: int
    reserve: int
    tools: int
    effective: int

    @property
    def hard(self) -> int:
        """Give the room that the model's window leaves for the messages."""
        return self.window - self.output - self.reserve - self.tools

    @property
    def limit(self) -> int:
        """Give the room that messages should keep to."""
        return min(self.effective, self.hard)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allotment:
    """What each part may hold while others want more, in tokens; sums to the limit."""

    fixed: int
    history: int
    recent: int


def room(
    settings: Settings, model: ModelInfo, *, output: int | None = None, tools: int = 0
) -> Room:
    """Give the room for messages; ``tools`` is the cost of the tools' schemas.

    ``settings.context_window`` stands for ``settings.model`` alone: another model is
    taken as the table has it.
    """
    window = settings.context_window if model.name == settings.model else None
    if window is None:
        window = model.context_window
    return Room(
        window=window,
        output=settings.max_output_tokens if output is None else output,
        reserve=settings.reserve_tokens,
        tools=tools,
        effective=settings.effective_window,
    )


def allot(limit: int, shares: BudgetShares, *, system: int, fixed: int) -> Allotment:
    """Split ``limit`` by ``shares``; ``fixed`` wants that much, ``system`` included.

    The system prompt takes what its share lacks from history, then from recent, so
    that a long one leaves examples and facts their share.
    """
    limit = max(limit, 0)
    own = int(limit * shares.fixed)
    history = int(limit * shares.history)
    recent = limit - own - history
    lacking = max(0, min(system, fixed - own))
    from_history = min(lacking, history)
    from_recent = min(lacking - from_history, recent)
    return Allotment(
        fixed=own + from_history + from_recent,
        history=history - from_history,
        recent=recent - from_recent,
    )


def spent(room: Room, allotment: Allotment, tiers: Mapping[str, int]) -> Budget:
    """Give the budget as it came out: what a part left over flowed on to the next."""
    fixed = min(tiers["system"] + tiers["examples"] + tiers["facts"], allotment.fixed)
    flowing = allotment.fixed - fixed
    history = min(tiers["summary"], allotment.history + flowing)
    flowing += allotment.history - history
    return Budget(
        window=room.window,
        output=room.output,
        reserve=room.reserve,
        tools=room.tools,
        effective=room.effective,
        limit=max(room.limit, 0),
        fixed=fixed,
        history=history,
        recent=allotment.recent + flowing,
    )


def examples(settings: Settings) -> tuple[Payload, ...]:
    """Give ``settings.examples`` as messages of the API.

    Raises:
        SettingsError: one is no chat message, or together they break the grammar.
    """
    payloads: list[Payload] = []
    for position, example in enumerate(settings.examples):
        try:
            payloads.append(normalise(example, position))
        except MessageError as exc:
            raise SettingsError(f"examples: {exc}", field=f"examples.{position}") from exc
    problems = validate(payloads)
    if problems:
        first = problems[0]
        raise SettingsError(
            f"examples[{first.position}]: {first.kind}; a prompt would be refused: give "
            "whole exchanges that begin with a user message",
            field=f"examples.{first.position}",
        )
    return tuple(payloads)


def check_settings(settings: Settings, counter: MessageCounter, models: ModelTable) -> None:
    """Refuse settings under which no prompt can be built, before anything is stored.

    Raises:
        SettingsError: with the sum written out.
    """
    space = room(settings, models.lookup(settings.model))
    if space.hard <= 0:
        raise SettingsError(
            f"context_window ({space.window}) - max_output_tokens ({space.output}) - "
            f"reserve_tokens ({space.reserve}) = {space.hard}: nothing is left for "
            f"messages to {settings.model!r}; lower max_output_tokens or reserve_tokens",
            field="reserve_tokens"
            if space.reserve >= space.output
            else "max_output_tokens",
            value=space.hard,
        )
    system = 0
    if settings.system_prompt:
        system = counter.message({"role": "system", "content": settings.system_prompt})
    shown = sum(counter.message(payload) for payload in examples(settings))
    left = space.limit - system - shown - PRIMING
    if left <= 0:
        raise SettingsError(
            f"limit ({space.limit}: the smaller of effective_window {space.effective} and "
            f"context_window {space.window} - max_output_tokens {space.output} - "
            f"reserve_tokens {space.reserve}) - system_prompt ({system}) - examples "
            f"({shown}) - {PRIMING} = {left} tokens: no message of a user fits",
            field="system_prompt" if system >= shown else "examples",
            value=left,
        )
