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
    from tiered_memory.compaction.records import FoldJob
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
        job: FoldJob,
        transcript: Transcript,
        references: References,
        settings: Settings,
        count: Callable[[str], int],
    ) -> Brief:
        """Decide the cap, and whether the summary so far is merged in."""
        state, redo = job.state, job.instead
        cap, merged = _room(job, settings)
        held = Held.of(state.facts)
        old = () if redo else merged
        keeping = keepsakes(transcript, old, references, held, cap=cap, count=count)
        told = tuple(references.text(line) for line in transcript.lines)
        merging = bool(merged) and redo is None
        earlier = tuple(
            line
            for old in (merged if merging else ())
            for line in split_kept(old.text)[0].splitlines()
            if line
        )
        before = job.fold.from_seq
        briefing = Briefing(
            language=transcript.language,
            previous=()
            if merging
            else tuple(old.text for old in state.segments if old.to_seq < before),
            merging=merging,
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


def _room(job: FoldJob, settings: Settings) -> tuple[int, tuple[Segment, ...]]:
    """Give the new segment's cap and the segments whose place it takes."""
    segments, most = job.state.segments, settings.summary.max_tokens
    cap = expected_tokens(job.fold.tokens, settings)
    if job.instead is not None:
        others = sum(s.tokens for s in segments if s is not job.instead)
        return max(1, min(cap, most - others)), (job.instead,)
    held = sum(segment.tokens for segment in segments)
    if held + cap <= most:
        return cap, ()
    return min(max(cap, min(int(most * MERGED_SHARE), held)), most), segments


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
