"""What a summary must not lose, whatever a summarizer left out: lines below its text."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from tiered_memory.compaction.clipping import clip
from tiered_memory.compaction.cues import amounts
from tiered_memory.compaction.verify import cost_shown
from tiered_memory.compaction.wording import ALSO, STANDING
from tiered_memory.model import FactStatus, Identifier
from tiered_memory.text.references import find, reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tiered_memory.compaction.transcript import References, Transcript
    from tiered_memory.model import Fact, Reference, Segment
    from tiered_memory.text.language import Language

__all__ = ["Held", "Keepsakes", "keepsakes", "split_kept"]

SHARE = 0.4
"""At most this share of a segment's cap is for what its text left out."""

FEW = 3
"""Of a tool result with more identifiers of a kind (a list of articles), none is kept."""

OF_A_KIND = 12
"""So many of a kind are kept at most, of those that agents or tools named."""

AMOUNT = ""
"""The kind of items that are no references; no key is empty."""

STANDING_TOKENS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What the facts hold by themselves.

    Attributes:
        spots: key and normal form of facts of any status.
        single: keys of which one value is current and others are out of date.
        values: current values as written.
    """

    spots: frozenset[tuple[str, str]]
    single: frozenset[str]
    values: frozenset[str]

    @classmethod
    def of(cls, facts: Sequence[Fact]) -> Held:
        """Take it from a session's facts."""
        return cls(
            spots=frozenset((fact.key, fact.normalized) for fact in facts),
            single=frozenset(
                fact.key
                for fact in facts
                if fact.status is FactStatus.CURRENT and fact.cardinality == "one"
            ),
            values=frozenset(
                fact.value for fact in facts if fact.status is FactStatus.CURRENT
            ),
        )

    def now(self, ref: Reference | None) -> bool:
        """Tell whether a fact holds what a reference of this fold's turns names."""
        return ref is not None and (ref.key, ref.normalized) in self.spots

    def later(self, ref: Reference | None) -> bool:
        """Tell the same of one of earlier turns, whose fact may be out of date."""
        return self.now(ref) or (ref is not None and ref.key in self.single)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keepsakes:
    """What is to stand in a segment, most important first.

    Attributes:
        standing: system messages, word for word.
        items: references and amounts as written.
        room: tokens of the cap that may be spent on them.
    """

    standing: tuple[str, ...]
    items: tuple[str, ...]
    room: int
    language: Language

    def joined(
        self, text: str, known: Mapping[int, Reference], count: Callable[[str], int]
    ) -> str:
        """Give ``text`` with lines for what is missing in it, as far as there is room."""
        left = self.room
        lines: list[str] = []
        for words in self.standing:
            line = STANDING[self.language] + clip(words, min(STANDING_TOKENS, left), count)
            cost = cost_shown(line, known, count) + 1
            if words not in text and cost <= left and line != STANDING[self.language]:
                lines.append(line)
                left -= cost
        also = ""
        for item in self.items:
            if item in text:
                continue
            longer = f"{also}, {item}" if also else ALSO[self.language] + item
            if cost_shown(longer, known, count) + 1 <= left:
                also = longer
        return "\n".join(part for part in (text, *lines, also) if part)


def keepsakes(
    transcript: Transcript,
    merged: Sequence[Segment],
    references: References,
    held: Held,
    *,
    cap: int,
    count: Callable[[str], int],
) -> Keepsakes:
    """Find what a segment must hold.

    First what the customer wrote that is no fact. Then what agents said, tools gave
    and merged segments held, one of each kind in turn, the newest first: so an id that
    comes with every result does not crowd out the rare one.

    Args:
        transcript: of the folded turns.
        merged: segments that the new one takes the place of.
        references: numbers of all that is named in either.
        held: what need not be kept, since facts hold it.
        cap: the segment's, in tokens.
        count: tokens of a text.
    """
    said = [
        item
        for role in ("assistant", "tool")
        for item in _said(transcript, role, references, held)
    ]
    standing = list(transcript.standing)
    for segment in reversed(merged):
        own, kept, also = split_kept(segment.text)
        standing = [*kept, *standing]
        said += [
            reference(ref.key, ref.number)
            for ref in reversed(find(own))
            if not held.later(references.by_number.get(ref.number))
        ]
        said += [
            item
            for item in also
            if not any(held.later(references.by_number.get(r.number)) for r in find(item))
        ]
        said += [amount for amount in amounts(own) if amount not in held.values]
    customers = _said(transcript, "user", references, held)
    unique = tuple(dict.fromkeys((*customers, *_in_turn(said))))
    wanted = sum(
        cost_shown(f"{item}, ", references.by_number, count) for item in unique
    ) + sum(min(STANDING_TOKENS, count(words)) + 4 for words in standing)
    if unique:
        wanted += count(ALSO[transcript.language]) + 1
    return Keepsakes(
        standing=tuple(dict.fromkeys(standing)),
        items=unique,
        room=min(int(cap * SHARE), wanted),
        language=transcript.language,
    )


def split_kept(text: str) -> tuple[str, list[str], list[str]]:
    """Part a segment's text: its own words, the standing lines, the kept items."""
    own: list[str] = []
    standing: list[str] = []
    items: list[str] = []
    for line in text.splitlines():
        rest = _after(line, STANDING.values())
        also = _after(line, ALSO.values())
        if rest is not None:
            standing.append(rest)
        elif also is not None:
            items += also.split(", ")
        else:
            own.append(line)
    return "\n".join(own), standing, items


def _after(line: str, prefixes: Iterable[str]) -> str | None:
    return next((line[len(p) :] for p in prefixes if line.startswith(p)), None)


def _in_turn(items: Sequence[str]) -> list[str]:
    """Order items so that each kind (a reference's key, or amounts) has its turn.

    A kind of which there are more than are kept comes with everything: it goes last.
    """
    kinds: dict[str, list[str]] = {}
    for item in dict.fromkeys(items):
        found = find(item)
        kinds.setdefault(found[0].key if found else AMOUNT, []).append(item)
    rare = [kinds[k] for k in kinds if k == AMOUNT or len(kinds[k]) <= OF_A_KIND]
    common = [kinds[k] for k in kinds if k != AMOUNT and len(kinds[k]) > OF_A_KIND]
    ordered: list[str] = []
    for groups in (sorted(rare, key=len), common):
        cut = [group[:OF_A_KIND] for group in groups]
        ranks = zip_longest(*cut)
        ordered += [item for rank in ranks for item in rank if item is not None]
    return ordered


def _said(
    transcript: Transcript,
    role: str,
    references: References,
    held: Held,
) -> list[str]:
    """Give what messages of ``role`` name that no fact holds, the newest first."""
    items: list[str] = []
    for line in reversed(transcript.lines):
        if ("tool" if line.role == "function" else line.role) != role:
            continue
        found = [piece for piece in line.pieces if isinstance(piece, Identifier)]
        for piece in found:
            alike = {p.normalized for p in found if p.key == piece.key}
            ref = references.by_spot[piece.key, piece.normalized]
            if held.now(ref) or (role == "tool" and len(alike) > FEW):
                continue
            items.append(reference(ref.key, ref.number))
        if role == "assistant":
            for words in line.pieces:
                if isinstance(words, str):
                    items += [a for a in amounts(words) if a not in held.values]
    return items
