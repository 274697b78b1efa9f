"""A summarizer without a model: the sentences of a transcript that matter, as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from anyio import to_thread

from tiered_memory.compaction import cues
from tiered_memory.compaction.clipping import clip
from tiered_memory.compaction.wording import ALSO, LABELS
from tiered_memory.ports import SummaryReply
from tiered_memory.text.language import sentences
from tiered_memory.text.references import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tiered_memory.ports import SummaryRequest

__all__ = ["ExtractiveSummarizer"]

Role = Literal["user", "assistant", "system", "call", "result", "failed", "plain"]

BASE: Final[dict[Role, float]] = {
    "user": 1.5,
    "assistant": 0.5,
    "system": 4.0,
    "call": 0.5,
    "result": 1.0,
    "failed": 3.0,
    "plain": 1.0,
}
"""What a sentence weighs by whose it is; a customer's own words above an agent's."""

REFERENCE = 1.5
REFERENCES = 2
FIGURE = 1.0
LATE = 1.0
OPEN = 2.0
COST = 0.4
"""Weights: a reference (at most so many count), a figure, lateness (0 to 1 over the
transcript), a last request that nothing answers; exponent of a sentence's tokens."""

ALIKE = 0.75
"""Share of common character trigrams from which a sentence repeats another."""

INLINE_CHARS = 2_048
"""A longer transcript is read in a thread: 2 ms for each 1,000 characters, measured."""

LONG_TOKENS = 72
"""A longer sentence is cut, so that one paste does not fill a digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    place: int
    line: int
    role: Role
    label: str
    text: str
    score: float


class ExtractiveSummarizer:
    """Picks whole sentences by cue words, references, figures and place.

    Keeps constraints and preferences first, then requests, decisions, outcomes of
    calls and what is open. Deterministic; some milliseconds a request; never fails.
    """

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Give a digest of ``request.transcript`` within ``request.max_tokens``."""
        transcript, limit = request.transcript, request.max_tokens
        if len(transcript) <= INLINE_CHARS:
            return SummaryReply(text=self.digest(transcript, limit))
        return SummaryReply(text=await to_thread.run_sync(self.digest, transcript, limit))

    def digest(self, transcript: str, max_tokens: int) -> str:
        """Give the sentences that matter most, in their order, a line a speaker."""
        scored = (s for s in self._scored(transcript) if s.score > 0)
        ranked = sorted(scored, key=lambda s: (-s.score, s.place))
        chosen: list[_Sentence] = []
        shapes: list[frozenset[str]] = []
        left = max_tokens
        for sentence in ranked:
            shape = _shape(sentence.text)
            if any(_alike(shape, other) for other in shapes):
                continue
            cost = self._count(f"{sentence.label}: {sentence.text}\n")
            if cost > left:
                continue
            chosen.append(sentence)
            shapes.append(shape)
            left -= cost
            if left < cues.LEAST_TOKENS:
                break
        text = _told(sorted(chosen, key=lambda s: s.place))
        return text or self._first(transcript, max_tokens)

    def _first(self, transcript: str, max_tokens: int) -> str:
        """Give the beginning where not one sentence fits."""
        return clip(transcript, max_tokens, self._count)

    def _scored(self, transcript: str) -> Iterator[_Sentence]:
        lines = transcript.splitlines()
        last_user = max(
            (i for i, line in enumerate(lines) if _role(line)[0] == "user"), default=-1
        )
        place = 0
        for number, line in enumerate(lines):
            role, label, text = _role(line)
            if label and text.startswith(tuple(ALSO.values())):
                continue
            spoken = role not in {"call", "result", "failed"}
            for sentence in self._parts(text, spoken=spoken):
                score = _score(sentence, role)
                score += LATE * number / max(1, len(lines) - 1)
                if number == last_user and number == len(lines) - 1:
                    score += OPEN
                tokens = max(1, self._count(sentence))
                yield _Sentence(
                    place=place,
                    line=number,
                    role=role,
                    label=label,
                    text=sentence,
                    score=score / tokens**COST,
                )
                place += 1

    def _parts(self, text: str, *, spoken: bool) -> list[str]:
        """Give the sentences; what a tool was told or gave is one."""
        spans = sentences(text) if spoken else [(0, len(text))]
        parts = [text[start:end] for start, end in spans]
        return [
            part
            if len(part) < LONG_TOKENS
            else clip(part, LONG_TOKENS, self._count) or part[:0]
            for part in parts
        ]


def _role(line: str) -> tuple[Role, str, str]:
    """Give whose a line is, its label and its text; ``plain`` without a label."""
    head, colon, rest = line.partition(": ")
    if colon:
        for labels in LABELS.values():
            for role, label in labels.items():
                known = head == label or head.startswith(f"{label} ")
                if known and role in BASE:
                    return role, head, rest
    return "plain", "", line


def _score(text: str, role: Role) -> float:
    score = BASE[role]
    score += REFERENCE * min(REFERENCES, len(find(text)))
    if cues.has_amount(text):
        score += FIGURE
    lowered = text.lower()
    if role in {"user", "plain"}:
        score += cues.weight(lowered, cues.CUSTOMER)
    if role in {"assistant", "plain"}:
        score += cues.weight(lowered, cues.AGENT)
    return score


def _told(chosen: Sequence[_Sentence]) -> str:
    """Join sentences of one speaker that follow one another on one line."""
    lines: list[str] = []
    label = None
    for sentence in chosen:
        same = sentence.label == label and sentence.role in {"user", "assistant"}
        if same:
            joint = "" if lines[-1][-1:] in "。！？；" else " "
            lines[-1] += joint + sentence.text
        else:
            lines.append(
                f"{sentence.label}: {sentence.text}" if sentence.label else sentence.text
            )
        label = sentence.label
    return "\n".join(lines)


def _shape(text: str) -> frozenset[str]:
    """Give the trigrams of a sentence; references and digits look alike."""
    plain = "".join("0" if char.isdigit() else char for char in text.lower())
    return frozenset(plain[i : i + 3] for i in range(max(1, len(plain) - 2)))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= ALIKE * min(len(one), len(other))
