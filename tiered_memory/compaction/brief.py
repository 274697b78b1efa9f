"""All that one fold tells a summarizer, and what must come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.chat.messages import plain_text
from tiered_memory.compaction.briefing import Briefing, superseded
from tiered_memory.compaction.keeping import Held, keepsakes, split_kept
from tiered_memory.compaction.policy import expected_tokens
from tiered_memory.text.language import dominant_language

if TYPE_CHECKING:
    from collections.abc import Callable

    from tiered_memory.compaction.keeping import Keepsakes
    from tiered_memory.compaction.policy import FoldPlan
    from tiered_memory.compaction.transcript import References, Transcript
    from tiered_memory.model import Segment
    from tiered_memory.settings import Settings
    from tiered_memory.state import SessionState
    from tiered_memory.text.language import Language

__all__ = ["Brief", "language_of"]

MERGED_SHARE = 0.3
"""A segment that takes the place of all earlier ones may take so much of the summary:
room for some three more before the next merge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What is told of a fold: lines with references, and what must come back."""

    transcript: Transcript
    lines: tuple[str, ...]
    merged: tuple[Segment, ...]
    briefing: Briefing
    keeping: Keepsakes
    held: Held

    @classmethod
    def of(
        cls,
        state: SessionState,
        fold: FoldPlan,
        transcript: Transcript,
        references: References,
        settings: Settings,
        count: Callable[[str], int],
    ) -> Brief:
        """Decide the cap, and whether the summary so far is merged in."""
        cap = expected_tokens(fold.tokens, settings)
        merged: tuple[Segment, ...] = ()
        if sum(old.tokens for old in state.segments) + cap > settings.summary.max_tokens:
            merged = state.segments
            whole = int(settings.summary.max_tokens * MERGED_SHARE)
            cap = max(cap, min(whole, sum(old.tokens for old in merged)))
            cap = min(cap, settings.summary.max_tokens)
        held = Held.of(state.facts)
        keeping = keepsakes(transcript, merged, references, held, cap=cap, count=count)
        told = tuple(references.text(line) for line in transcript.lines)
        earlier = tuple(
            line for old in merged for line in split_kept(old.text)[0].splitlines() if line
        )
        briefing = Briefing(
            language=transcript.language,
            previous=() if merged else tuple(old.text for old in state.segments),
            merging=bool(merged),
            superseded=superseded(state.facts, transcript.language),
            max_tokens=max(1, cap - keeping.room),
            input_tokens=settings.llm.input_tokens,
            references=references,
        )
        return cls(
            transcript=transcript,
            lines=(*earlier, *told) if told else (),
            merged=merged if told else (),
            briefing=briefing,
            keeping=keeping,
            held=held,
        )

    def mentions(self) -> dict[int, tuple[int, str]]:
        """Give where identifiers that are no facts were first met: seq and role."""
        met: dict[int, tuple[int, str]] = {}
        by_spot = self.briefing.references.by_spot
        for line in self.transcript.lines:
            for piece in line.pieces:
                if isinstance(piece, str):
                    continue
                spot = (piece.key, piece.normalized)
                if spot not in self.held.spots:
                    met.setdefault(by_spot[spot].number, (line.seq, line.role))
        return met


def language_of(state: SessionState, fold: FoldPlan, settings: Settings) -> Language:
    """Give the summary's language: as set, as the summary so far, as the customer's."""
    if settings.summary.language is not None:
        return settings.summary.language
    if state.segments:
        return "zh" if state.segments[-1].language == "zh" else "en"
    return dominant_language(
        "\n".join(
            plain_text(message.payload)
            for message in fold.messages
            if message.role == "user"
        )
    )
