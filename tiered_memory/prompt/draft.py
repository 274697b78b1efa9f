"""A prompt under construction: its parts, and what they cost together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tiered_memory.prompt.budget import PRIMING
from tiered_memory.prompt.fact_view import changes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.model import Omission, Segment
    from tiered_memory.prompt.fact_view import FactView
    from tiered_memory.prompt.layout import Layout
    from tiered_memory.prompt.shown import Recent, Shown
    from tiered_memory.text.language import Language

__all__ = ["PromptDraft", "cost"]


@dataclass(slots=True, kw_only=True)
class PromptDraft:
    """The parts of one prompt, changed in place until they fit.

    Attributes:
        segments: rendered, oldest first.
        frozen: the facts block is the epoch's, and a note gives the changes.
        left_out: messages of the log that gave way, as the prompt states.
        silent: there is no room even to state it.
    """

    layout: Layout
    language: Language
    system: tuple[Shown, ...]
    examples: tuple[Shown, ...]
    segments: Sequence[Segment]
    facts: FactView
    frozen: bool
    recent: Recent
    left_out: int = 0
    silent: bool = False
    omitted: list[Omission] = field(default_factory=list["Omission"])
    _summary: tuple[Sequence[Segment], Shown | None] | None = None
    _facts: tuple[FactView, bool, tuple[Shown | None, Shown | None]] | None = None

    def summary_block(self) -> Shown | None:
        """Give the summary tier."""
        known = self._summary
        if known is None or known[0] is not self.segments:
            block = self.layout.summary(self.segments, self.language)
            known = self._summary = (self.segments, block)
        return known[1]

    def facts_block(self) -> Shown | None:
        """Give the facts block: the epoch's, or that of now."""
        return self._fact_blocks()[0]

    def note(self) -> Shown | None:
        """Give what stands right before the newest user message."""
        return self._fact_blocks()[1]

    def _fact_blocks(self) -> tuple[Shown | None, Shown | None]:
        known = self._facts
        if known is None or known[0] is not self.facts or known[1] is not self.frozen:
            known = self._facts = (self.facts, self.frozen, self._facts_now())
        return known[2]

    def _facts_now(self) -> tuple[Shown | None, Shown | None]:
        layout, language, facts = self.layout, self.language, self.facts
        if not self.frozen:
            block = layout.facts(facts.current, language, marked=facts.marked)
            return (block, None)
        note = layout.note(
            changes(facts), language, follows=bool(facts.epoch), marked=facts.marked
        )
        return (layout.facts(facts.epoch, language, marked=facts.epoch_marked), note)

    def left_out_line(self) -> Shown | None:
        """Give the line that says how many messages are left out."""
        return self.layout.left_out(0 if self.silent else self.left_out, self.language)

    def facts_tokens(self) -> int:
        """Give the cost of the facts tier, the note included."""
        return cost(self.facts_block(), self.note())

    def tokens(self) -> int:
        """Give the cost of the whole prompt."""
        return self.tokens_beside_facts() + self.facts_tokens()

    def tokens_beside_facts(self) -> int:
        """Give the cost of the prompt without its facts tier."""
        blocks = cost(*self.system, *self.examples, self.summary_block())
        return blocks + cost(self.left_out_line()) + sum(self.recent.tokens) + PRIMING


def cost(*shown: Shown | None) -> int:
    """Give the tokens of ``shown`` together; None costs nothing."""
    return sum(piece.tokens for piece in shown if piece is not None)
