"""The finished order of a prompt's messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.prompt.budget import PRIMING
from tiered_memory.prompt.draft import cost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openai.types.chat import ChatCompletionMessageParam

    from tiered_memory.model import Payload
    from tiered_memory.prompt.draft import PromptDraft
    from tiered_memory.prompt.shown import Shown

__all__ = ["Row", "fresh"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Messages in the order in which they are sent.

    System, examples, summary, facts, the line about what is left out, older turns, the
    note of changed facts, the newest user message and what follows it.

    Attributes:
        payloads, tokens: the messages, and what each costs.
        tail: index of the note or, without one, of the newest user message.
        tiers: tokens by tier; their sum is the prompt's, priming counted as recent.
    """

    payloads: list[Payload]
    tokens: list[int]
    tail: int
    tiers: dict[str, int]

    @classmethod
    def of(cls, draft: PromptDraft) -> Row:
        """Put the parts of ``draft`` in order."""
        recent = draft.recent
        summary, facts = draft.summary_block(), draft.facts_block()
        line, note = draft.left_out_line(), draft.note()
        before = (*draft.system, *draft.examples, *_there(summary, facts, line))
        noted = _there(note)
        at = recent.newest
        return cls(
            payloads=[
                *(shown.payload for shown in before),
                *recent.payloads[:at],
                *(shown.payload for shown in noted),
                *recent.payloads[at:],
            ],
            tokens=[
                *(shown.tokens for shown in before),
                *recent.tokens[:at],
                *(shown.tokens for shown in noted),
                *recent.tokens[at:],
            ],
            tail=len(before) + at,
            tiers={
                "system": cost(*draft.system),
                "examples": cost(*draft.examples),
                "summary": cost(summary),
                "facts": cost(facts, note),
                "recall": 0,
                "recent": cost(line) + sum(recent.tokens) + PRIMING,
            },
        )


def _there(*shown: Shown | None) -> tuple[Shown, ...]:
    return tuple(piece for piece in shown if piece is not None)


def fresh(payloads: Sequence[Payload]) -> list[ChatCompletionMessageParam]:
    """Give copies that share nothing changeable with ``payloads``."""
    return cast("list[ChatCompletionMessageParam]", [_copied(one) for one in payloads])


def _copied(payload: Payload) -> dict[str, Any]:
    copy = dict(payload)
    for key, value in copy.items():
        if value.__class__ is not str and value is not None:
            copy[key] = _copied_value(value)
    return copy


def _copied_value(value: Any) -> Any:
    if isinstance(value, dict):
        return _copied(cast("dict[str, Any]", value))
    if isinstance(value, list | tuple):
        return [_copied_value(item) for item in cast("list[Any]", value)]
    return value
