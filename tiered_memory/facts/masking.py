"""What may not be stored is replaced by a marker that says what was there."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from tiered_memory.facts.choosing import strongest, touches
from tiered_memory.facts.json_leaves import json_leaves, leaf_text
from tiered_memory.facts.lanes import TextView, Timer
from tiered_memory.facts.matches import find_matches, slot_matches
from tiered_memory.facts.re2_engine import compile_re2, quoted
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tiered_memory.facts.json_leaves import LeafText
    from tiered_memory.facts.matches import Match
    from tiered_memory.facts.patterns import Pattern, PatternSet

__all__ = ["HIDDEN", "Mark", "Masked", "Masker"]

HIDDEN = "hidden"
"""Type of what is masked because a check ran out of time."""

ROUNDS = 8
"""Each masks something more; two are the rule: one that masks, one that finds nothing."""

CUED_PRIORITY = 80
"""From here up a pattern has its own cue or shape, which an answer does not overrule."""

_FAIL_CLOSED = r"[0-9]{6,}|[^\s,，。;；\"'<>()\[\]\p{Han}]{20,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A marker in a masked text: half-open span of it, and what it stands for."""

    start: int
    end: int
    type: str
    shown: str
    pattern: Pattern | None
    score: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """A text that may be stored; ``marks`` are the new markers, left to right."""

    text: str
    marks: tuple[Mark, ...] = ()
    complete: bool = True

    def counts(self) -> dict[str, int]:
        """Give how many values were masked, by type."""
        found: dict[str, int] = {}
        for mark in self.marks:
            found[mark.type] = found.get(mark.type, 0) + 1
        return found


class Masker:
    """Masks texts by the sensitive patterns; thread-safe, linear.

    What a lane with a time limit could not check is hidden: runs of six digits and
    words of twenty characters.
    """

    def __init__(self, patterns: PatternSet) -> None:
        self._patterns = patterns
        self._slots = tuple(p for p in patterns.slots if p.sensitive)
        types = {p.spec.type for p in patterns.patterns if p.sensitive} | {HIDDEN}
        names = "|".join(quoted(name) for name in sorted(types, key=len, reverse=True))
        self._markers = compile_re2(rf"\[(?:{names})(?: \*\*\*\*[^\s\[\]*]{{1,8}})?\]")
        self._fail_closed = compile_re2(_FAIL_CLOSED)

    def markers(self, text: str) -> list[tuple[int, int]]:
        """Give the spans of markers in ``text``, left to right."""
        if "[" not in text:
            return []
        return [match.span() for match in self._markers.finditer(text)]

    def mask(self, text: str, expected: Collection[str] = ()) -> Masked:
        """Mask ``text``; again gives the same.

        ``expected`` are types that the assistant has just asked for.
        """
        marks: list[Mark] = []
        complete = True
        for _ in range(ROUNDS):
            new, full = self._find(text, expected)
            complete &= full
            if not new:
                break
            text, marks = _replaced(text, new, marks)
        return Masked(text=text, marks=tuple(marks), complete=complete)

    def mask_json(self, text: str) -> Masked:
        """Mask the values in a JSON text, which stays JSON; any other text as such.

        A key is the cue of its value. What needs no mask keeps its bytes. A number is
        masked as a whole or not at all, and becomes a string.
        """
        marks: list[Mark] = []
        complete = True
        for _ in range(ROUNDS):
            leaves = json_leaves(text)
            if leaves is None:
                return self.mask(text)
            layout = leaf_text(leaves)
            new, full = self._find(layout.text, ())
            complete &= full
            by_leaf = _by_leaf(layout, new)
            if not by_leaf:
                break
            text = _rewritten(text, layout, by_leaf)
            marks += [mark for found in by_leaf.values() for mark in found]
        return Masked(text=text, marks=tuple(marks), complete=complete)

    def _find(self, text: str, expected: Collection[str]) -> tuple[list[Mark], bool]:
        """Give disjoint marks to be made, spans in ``text``, left to right."""
        folded = fold(text)
        view = TextView(folded.text)
        timer = Timer()
        matches = find_matches(self._patterns.secrets, view, timer, expected)
        if expected:
            matches += slot_matches(self._slots, view, timer, expected)
            matches = self._unless_cued(matches, view, timer)
        marks = [
            _mark(match, *folded.raw_span(match.start, match.end)) for match in matches
        ]
        if timer.timed_out:
            marks += self._hidden(text)
        if not marks:
            return [], not timer.timed_out
        return _disjoint(marks, self.markers(text), text), not timer.timed_out

    def _unless_cued(
        self, matches: list[Match], view: TextView, timer: Timer
    ) -> list[Match]:
        """Leave out answers that are something else by a cue of their own."""
        if not any(match.answer for match in matches):
            return matches
        cued = [
            match
            for match in find_matches(self._patterns.facts, view, timer)
            if match.priority >= CUED_PRIORITY
        ]
        spans = [(match.start, match.end) for match in strongest(cued)]
        return [
            match
            for match in matches
            if not match.answer or not touches(spans, match.start, match.end)
        ]

    def _hidden(self, text: str) -> list[Mark]:
        return [
            Mark(
                start=match.start(),
                end=match.end(),
                type=HIDDEN,
                shown=f"[{HIDDEN}]",
                pattern=None,
            )
            for match in self._fail_closed.finditer(text)
        ]


def _mark(match: Match, start: int, end: int) -> Mark:
    spec = match.pattern.spec
    return Mark(
        start=start,
        end=end,
        type=spec.type,
        shown=_shown(match.pattern, match.value),
        pattern=match.pattern,
        score=match.score,
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


def _disjoint(
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


def _replaced(
    text: str, new: Sequence[Mark], old: Sequence[Mark]
) -> tuple[str, list[Mark]]:
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


def _by_leaf(layout: LeafText, marks: Iterable[Mark]) -> dict[int, list[Mark]]:
    """Give each leaf's marks, cut to its value and with spans in it."""
    found: dict[int, list[Mark]] = {}
    for mark in marks:
        first = max(0, bisect_right(layout.starts, mark.start) - 1)
        for number in range(first, len(layout.leaves)):
            start, end = layout.starts[number], layout.ends[number]
            if start >= mark.end:
                break
            low, high = max(start, mark.start), min(end, mark.end)
            whole = (low, high) == (start, end)
            if low >= high or not (layout.leaves[number].quoted or whole):
                continue
            piece = Mark(
                start=low - start,
                end=high - start,
                type=mark.type,
                shown=mark.shown,
                pattern=mark.pattern,
            )
            found.setdefault(number, []).append(piece)
    return found


def _rewritten(text: str, layout: LeafText, by_leaf: Mapping[int, Sequence[Mark]]) -> str:
    pieces: list[str] = []
    done = 0
    for number in sorted(by_leaf):
        leaf = layout.leaves[number]
        value, _ = _replaced(leaf.value, by_leaf[number], ())
        token = text[leaf.start : leaf.end]
        escaped = token.isascii() and "\\u" in token
        pieces += (text[done : leaf.start], json.dumps(value, ensure_ascii=escaped))
        done = leaf.end
    return "".join((*pieces, text[done:]))
