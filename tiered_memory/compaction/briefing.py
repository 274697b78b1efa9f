"""Requests to a summarizer: what it is told to do, and the data, in blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tiered_memory.compaction.clipping import pieces
from tiered_memory.compaction.wording import INSTRUCTIONS, MERGING, RETRY, SUPERSEDED
from tiered_memory.ports import SummaryRequest
from tiered_memory.text.references import find, reference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tiered_memory.compaction.transcript import References
    from tiered_memory.model import Fact
    from tiered_memory.text.language import Language

__all__ = ["Briefing", "again", "superseded"]

SLACK_TOKENS = 48
"""Tags, roles and what the provider adds to a request."""

LEAST_INPUT = 128
"""A transcript's piece is never asked to be smaller, whatever ``llm.input_tokens``."""

CONTEXT = 1.5
"""So many times a segment's cap is shown of the earlier segments, the newest always."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing:
    """What all requests of one fold have in common.

    Attributes:
        language: of the summary.
        previous: texts of earlier segments, oldest first; empty where they are merged.
        merging: the transcript begins with the summary so far.
        superseded: lines on references that are out of date.
        max_tokens: cap of the whole segment's text.
        input_tokens: what one request may cost, its reply included.
        references: numbers that the texts may hold.
    """

    language: Language
    previous: tuple[str, ...]
    merging: bool
    superseded: tuple[str, ...]
    max_tokens: int
    input_tokens: int
    references: References

    def requests(
        self, lines: Sequence[str], count: Callable[[str], int]
    ) -> list[SummaryRequest]:
        """Give the requests that show all of ``lines``, in order; none is empty."""
        previous = self._shown(count)
        frame = self._request("", self.max_tokens, previous)
        spent = sum(count(str(message["content"])) for message in frame.messages)
        room = self.input_tokens - self.max_tokens - spent - SLACK_TOKENS
        parts = _packed(lines, max(room, LEAST_INPUT), count)
        cap = max(self.max_tokens // max(1, len(parts)), 16)
        return [self._request(part, cap, previous) for part in parts]

    def _shown(self, count: Callable[[str], int]) -> tuple[str, ...]:
        """Give the newest of the earlier segments that have room."""
        most = self.input_tokens // 4
        room = min(int(CONTEXT * self.max_tokens), most)
        shown: list[str] = []
        for text in reversed(self.previous):
            cost = count(text)
            if cost > (room if shown else most):
                break
            shown.append(text)
            room -= cost
        return tuple(reversed(shown))

    def _request(
        self, transcript: str, max_tokens: int, previous: tuple[str, ...]
    ) -> SummaryRequest:
        system = INSTRUCTIONS[self.language].format(max_tokens=max_tokens)
        if self.merging:
            system += "\n" + MERGING[self.language]
        blocks = (
            _block("earlier_summary", previous),
            _block("superseded", self.superseded),
            _block("transcript", (transcript,)),
        )
        data = "\n".join(block for block in blocks if block)
        return SummaryRequest(
            messages=(
                {"role": "system", "content": system},
                {"role": "user", "content": data},
            ),
            transcript=transcript,
            previous=previous,
            references=self._names((transcript, *previous, *self.superseded)),
            max_tokens=max_tokens,
            language=self.language,
        )

    def _names(self, texts: Sequence[str]) -> Mapping[str, str]:
        found = {
            (ref.number, ref.key)
            for text in texts
            for ref in find(text)
            if self.references.value(ref.number, ref.key) is not None
        }
        return {f"{key}:{number}": key for number, key in sorted(found)}


def again(request: SummaryRequest, reason: str) -> SummaryRequest:
    """Give the request once more, saying why the last reply was refused."""
    words = RETRY["zh" if request.language == "zh" else "en"]
    note = words[reason].format(max_tokens=request.max_tokens)
    system, *rest = request.messages
    told = {**system, "content": f"{system['content']}\n{note}"}
    return replace(request, messages=(told, *rest), retry_reason=reason)


def superseded(facts: Sequence[Fact], language: Language) -> tuple[str, ...]:
    """Say of each identifier that a newer one replaced by which; oldest first."""
    rows = {fact.fact_id: fact for fact in facts}
    lines: list[str] = []
    for fact in facts:
        newer = None if fact.superseded_by is None else rows.get(fact.superseded_by)
        if fact.identifier and newer is not None and newer.number != fact.number:
            lines.append(
                SUPERSEDED[language].format(
                    old=reference(fact.key, fact.number),
                    new=reference(newer.key, newer.number),
                )
            )
    return tuple(lines)


def _block(name: str, texts: Sequence[str]) -> str:
    if not texts:
        return ""
    return "\n".join((f"<{name}>", *texts, f"</{name}>"))


def _packed(lines: Sequence[str], room: int, count: Callable[[str], int]) -> list[str]:
    """Join lines into texts of at most ``room`` tokens; a longer line is parted."""
    packed: list[str] = []
    current: list[str] = []
    spent = 0
    for line in lines:
        tokens = count(line) + 1
        split = [line] if tokens <= room else _parted(line, room, count)
        for part in split:
            tokens = count(part) + 1
            if current and spent + tokens > room:
                packed.append("\n".join(current))
                current, spent = [], 0
            current.append(part)
            spent += tokens
    if current:
        packed.append("\n".join(current))
    return packed


def _parted(line: str, room: int, count: Callable[[str], int]) -> list[str]:
    """Part one message's line; each part begins with its label."""
    label, colon, rest = line.partition(": ")
    if not colon:
        return pieces(line, room, count)
    left = max(16, room - count(label) - 2)
    return [f"{label}: {part}" for part in pieces(rest, left, count)]
