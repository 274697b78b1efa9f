"""The markers that take the place of what may not be stored, and where they stand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING

from tiered_memory.facts.json_leaves import raw_offsets
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tiered_memory.facts.escapes import Decoded
    from tiered_memory.facts.json_leaves import Leaf, LeafText
    from tiered_memory.facts.matches import Match
    from tiered_memory.facts.patterns import Pattern
    from tiered_memory.facts.pseudonyms import Hidden, Pseudonyms
    from tiered_memory.model import Candidate
    from tiered_memory.settings import MaskAction
    from tiered_memory.text.folding import Folded

__all__ = [
    "Mark",
    "disjoint",
    "in_token",
    "in_tokens",
    "mark_of",
    "mark_of_entity",
    "mark_of_known",
    "named",
    "replaced",
    "unquoted",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A marker in a masked text: half-open span of it, and what it stands for.

    Attributes:
        pattern: that found it; None for what ran out of time, a value that is known
            already, and a recognizer's.
        cue: where its cue begins in the text that was masked; -1 without one.
        normalized: normal form of a value that gets a pseudonym, until it has it.
        action: ``pseudonym`` where it is to get one, or has.
        entity: what a recognizer said, if it was one.
    """

    start: int
    end: int
    type: str
    shown: str
    pattern: Pattern | None
    score: float = 1.0
    cue: int = -1
    normalized: str = ""
    action: MaskAction = "drop"
    entity: Candidate | None = None

    @property
    def begins(self) -> int:
        """Where its cue begins, else it itself."""
        return self.start if self.cue < 0 else min(self.cue, self.start)


def mark_of(match: Match, folded: Folded | Decoded) -> Mark:
    """Give the mark of a match, with its spans in the raw text."""
    spec = match.pattern.spec
    start, end = folded.raw_span(match.start, match.end)
    return Mark(
        start=start,
        end=end,
        type=spec.type,
        shown=_shown(match.pattern, match.value),
        pattern=match.pattern,
        score=match.score,
        cue=folded.raw_index(match.left) if match.left < match.start else -1,
        normalized=match.normalized if match.pattern.action == "pseudonym" else "",
        action=match.pattern.action,
    )


def mark_of_known(start: int, end: int, hidden: Hidden) -> Mark:
    """Give the mark of a value that has its pseudonym; span in the raw text."""
    return Mark(
        start=start,
        end=end,
        type=hidden.type,
        shown=hidden.pseudonym,
        pattern=None,
        action="pseudonym",
    )


def mark_of_entity(start: int, end: int, entity: Candidate, action: MaskAction) -> Mark:
    """Give the mark of what a recognizer found; span in the raw text."""
    return Mark(
        start=start,
        end=end,
        type=entity.type,
        shown=f"[{entity.type}]",
        pattern=None,
        score=entity.confidence,
        normalized=entity.normalized if action == "pseudonym" else "",
        action=action,
        entity=entity,
    )


def named(mark: Mark, value: str, pseudonyms: Pseudonyms | None) -> Mark:
    """Give a mark its pseudonym, if it is to have one; ``value`` is what it covers."""
    if not mark.normalized or pseudonyms is None:
        return mark
    shown = pseudonyms.name(mark.type, mark.normalized, value)
    return replace(mark, shown=shown, normalized="")


def _shown(pattern: Pattern, value: str) -> str:
    """Give the marker; at least four characters stay hidden."""
    spec = pattern.spec
    plain = "".join(char for char in value if char.isalnum())
    keep = 0
    if pattern.action == "mask":
        keep = spec.mask.keep_last
        if "mask" not in spec.model_fields_set:
            keep = 4 if sum(char.isdigit() for char in plain) >= 8 else 0
    keep = max(0, min(keep, len(plain) - 4))
    return f"[{spec.type} ****{plain[-keep:]}]" if keep else f"[{spec.type}]"


def disjoint(
    marks: Iterable[Mark], known: Sequence[tuple[int, int]], text: str
) -> list[Mark]:
    """Join what overlaps, the strongest giving the marker; leave old markers alone."""
    pieces: list[Mark] = []
    for mark in marks:
        pieces += _without(mark, known, text)
    pieces.sort(key=lambda m: (m.start, -m.end))
    joined: list[Mark] = []
    for mark in pieces:
        if not joined or mark.start >= joined[-1].end:
            joined.append(mark)
            continue
        last = joined[-1]
        joined[-1] = _joined(last, mark, text)
    return joined


def _joined(last: Mark, mark: Mark, text: str) -> Mark:
    """Give one mark for two that overlap; the stronger says what it is."""
    best = max(last, mark, key=_strength)
    start, end = last.start, max(last.end, mark.end)
    if (best.start, best.end) == (start, end):
        return best
    if best.action != "pseudonym":
        return replace(best, start=start, end=end)
    whole = fold(text[start:end]).text
    shown = f"[{best.type}]"
    return replace(best, start=start, end=end, shown=shown, normalized=whole)


def _strength(mark: Mark) -> tuple[bool, int, int, str]:
    """Rank marks: a secret is never kept under a pseudonym."""
    priority = -1 if mark.pattern is None else mark.pattern.spec.priority
    return (mark.action != "pseudonym", priority, mark.end - mark.start, mark.type)


def _without(mark: Mark, known: Sequence[tuple[int, int]], text: str) -> list[Mark]:
    """Cut markers out of a mark; what is left of it shows nothing of its value."""
    first = bisect_left(known, mark.start + 1, key=itemgetter(1))
    touched = known[first : bisect_left(known, mark.end, key=itemgetter(0))]
    if not touched:
        return [mark]
    pieces: list[Mark] = []
    place = mark.start
    for start, end in (*touched, (mark.end, mark.end)):
        if any(char.isalnum() for char in text[place:start]):
            pieces.append(
                Mark(
                    start=place,
                    end=start,
                    type=mark.type,
                    shown=f"[{mark.type}]",
                    pattern=mark.pattern,
                    action=mark.action,
                )
            )
        place = max(place, end)
    return pieces


def replaced(text: str, new: Sequence[Mark], old: Sequence[Mark]) -> tuple[str, list[Mark]]:
    """Put markers in their places; gives all marks with their spans in the new text."""
    pieces: list[str] = []
    placed: list[Mark] = []
    ends: list[int] = []
    shifts: list[int] = [0]
    done = size = 0
    for mark in new:
        pieces += (text[done : mark.start], mark.shown)
        size += mark.start - done
        placed.append(_at(mark, size))
        size += len(mark.shown)
        done = mark.end
        ends.append(mark.end)
        shifts.append(size - mark.end)
    pieces.append(text[done:])
    moved = [_at(m, m.start + shifts[bisect_right(ends, m.start)]) for m in old]
    return "".join(pieces), sorted((*placed, *moved), key=lambda m: m.start)


def _at(mark: Mark, start: int) -> Mark:
    return replace(mark, start=start, end=start + len(mark.shown), cue=-1)


def in_tokens(
    text: str, layout: LeafText, marks: Iterable[Mark], pseudonyms: Pseudonyms | None
) -> list[Mark]:
    """Give marks of the layout as marks of the JSON text, cut to their leaves.

    A number becomes a string. A value that its key calls a secret is one as a whole. Of
    a mark over several leaves no piece gets a pseudonym, which would stand for all of it.
    """
    found: list[Mark] = []
    for mark in marks:
        first = max(0, bisect_right(layout.starts, mark.start) - 1)
        for number in range(first, len(layout.leaves)):
            start, end = layout.starts[number], layout.ends[number]
            if start >= mark.end:
                break
            low, high = max(start, mark.start), min(end, mark.end)
            if low < high and _by_key(mark, start):
                high = end
            leaf = layout.leaves[number]
            if low >= high or not (leaf.quoted or (low, high) == (start, end)):
                continue
            if (low, high) == (mark.start, mark.end):
                mark = named(mark, layout.text[low:high], pseudonyms)
            elif mark.action == "pseudonym":
                mark = replace(mark, shown=f"[{mark.type}]", normalized="")
            found.append(in_token(text, leaf, mark, low - start, high - start))
    return _apart(found)


def _by_key(mark: Mark, start: int) -> bool:
    """Tell whether the cue stands before a value that ``mark`` begins, in its key."""
    dropped = mark.pattern is not None and mark.pattern.action == "drop"
    return dropped and 0 <= mark.cue < start == mark.start


def in_token(text: str, leaf: Leaf, mark: Mark, start: int, end: int) -> Mark:
    """Give a mark at a span of a leaf's value as one of the JSON text."""
    shown = mark.shown
    if leaf.quoted:
        offsets = raw_offsets(text[leaf.start : leaf.end])
        start, end = offsets[start], offsets[end]
    else:
        shown = f'"{shown}"'
    return replace(
        mark, start=leaf.start + start, end=leaf.start + end, shown=shown, cue=-1
    )


def _apart(marks: Iterable[Mark]) -> list[Mark]:
    """Leave out what a mark before it covers, left to right."""
    kept: list[Mark] = []
    for mark in marks:
        if not kept or mark.start >= kept[-1].end:
            kept.append(mark)
    return kept


def unquoted(mark: Mark) -> Mark:
    """Give a mark that took a number's place without its quotes."""
    if not mark.shown.startswith('"'):
        return mark
    return replace(mark, start=mark.start + 1, end=mark.end - 1, shown=mark.shown[1:-1])
