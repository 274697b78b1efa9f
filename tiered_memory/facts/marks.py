"""The markers that take the place of what may not be stored, and where they stand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING

from tiered_memory.facts.json_leaves import raw_offsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tiered_memory.facts.json_leaves import Leaf, LeafText
    from tiered_memory.facts.matches import Match
    from tiered_memory.facts.patterns import Pattern
    from tiered_memory.text.folding import Folded

__all__ = ["Mark", "disjoint", "in_tokens", "mark_of", "replaced", "unquoted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A marker in a masked text: half-open span of it, and what it stands for.

    ``cue`` is where its cue begins in the text that was masked; ``start`` without one.
    """

    start: int
    end: int
    type: str
    shown: str
    pattern: Pattern | None
    score: float = 1.0
    cue: int = -1


def mark_of(match: Match, folded: Folded) -> Mark:
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
    )


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
        best = max(last, mark, key=_strength)
        joined[-1] = Mark(
            start=last.start,
            end=max(last.end, mark.end),
            type=best.type,
            shown=best.shown,
            pattern=best.pattern,
            score=best.score,
            cue=best.cue,
        )
    return joined


def _strength(mark: Mark) -> tuple[int, int, str]:
    priority = -1 if mark.pattern is None else mark.pattern.spec.priority
    return (priority, mark.end - mark.start, mark.type)


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
    return Mark(
        start=start,
        end=start + len(mark.shown),
        type=mark.type,
        shown=mark.shown,
        pattern=mark.pattern,
        score=mark.score,
    )


def in_tokens(text: str, layout: LeafText, marks: Iterable[Mark]) -> list[Mark]:
    """Give marks of the layout as marks of the JSON text, cut to their leaves.

    A number becomes a string. A value that its key calls a secret is one as a whole.
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
            found.append(_in_token(text, leaf, mark, low - start, high - start))
    return _apart(found)


def _by_key(mark: Mark, start: int) -> bool:
    """Tell whether the cue stands before a value that ``mark`` begins, in its key."""
    dropped = mark.pattern is not None and mark.pattern.action == "drop"
    return dropped and 0 <= mark.cue < start == mark.start


def _in_token(text: str, leaf: Leaf, mark: Mark, start: int, end: int) -> Mark:
    shown = mark.shown
    if leaf.quoted:
        offsets = raw_offsets(text[leaf.start : leaf.end])
        start, end = offsets[start], offsets[end]
    else:
        shown = f'"{shown}"'
    return Mark(
        start=leaf.start + start,
        end=leaf.start + end,
        type=mark.type,
        shown=shown,
        pattern=mark.pattern,
        score=mark.score,
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
