"""What may not be stored is replaced by a marker that says what was there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiered_memory.facts.answers import AnswerReader, claims
from tiered_memory.facts.choosing import strongest, touches
from tiered_memory.facts.json_leaves import json_leaves, leaf_text
from tiered_memory.facts.lanes import TextView, Timer
from tiered_memory.facts.marks import (
    Mark,
    disjoint,
    in_tokens,
    mark_of,
    replaced,
    unquoted,
)
from tiered_memory.facts.matches import find_matches
from tiered_memory.facts.re2_engine import compile_re2, quoted
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tiered_memory.facts.matches import Match
    from tiered_memory.facts.patterns import PatternSet

__all__ = ["HIDDEN", "Mark", "Masked", "Masker"]

HIDDEN = "hidden"
"""Type of what is masked because a check ran out of time."""

ROUNDS = 8
"""Each masks something more; two are the rule: one that masks, one that finds nothing."""

_FAIL_CLOSED = r"[0-9]{6,}|[^\s,，。;；\"'<>()\[\]\p{Han}]{20,}"


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
        self._answers = AnswerReader(patterns.slots)
        self._secret_slots = frozenset(p.spec.type for p in patterns.slots if p.sensitive)
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
        """Mask ``text``; again gives the same. JSON is read as such first.

        ``expected`` are types that the assistant has just asked for.
        """
        text, marks, complete = self._in_leaves(text, expected)
        for _ in range(ROUNDS):
            new, full = self._find(text, expected)
            complete &= full
            if not new:
                break
            text, marks = replaced(text, new, marks)
        return Masked(text=text, marks=tuple(marks), complete=complete)

    def mask_json(self, text: str) -> Masked:
        """Mask the values in a JSON text, which stays JSON; any other text as such.

        A key is the cue of its value. What needs no mask keeps its bytes. A number is
        masked as a whole or not at all, and becomes a string.
        """
        if json_leaves(text) is None:
            return self.mask(text)
        text, marks, complete = self._in_leaves(text, ())
        return Masked(text=text, marks=tuple(marks), complete=complete)

    def _in_leaves(
        self, text: str, expected: Collection[str]
    ) -> tuple[str, list[Mark], bool]:
        """Give a JSON text with its values masked, and whether all could be checked.

        Any other text comes back as it is.
        """
        marks: list[Mark] = []
        complete = True
        for _ in range(ROUNDS):
            leaves = json_leaves(text)
            if leaves is None:
                break
            layout = leaf_text(leaves)
            new, full = self._find(layout.text, expected)
            complete &= full
            placed = in_tokens(text, layout, new)
            if not placed:
                break
            text, marks = replaced(text, placed, marks)
        return text, [unquoted(mark) for mark in marks], complete

    def _find(self, text: str, expected: Collection[str]) -> tuple[list[Mark], bool]:
        """Give disjoint marks to be made, spans in ``text``, left to right."""
        folded = fold(text)
        view = TextView(folded.text)
        timer = Timer()
        matches = find_matches(self._patterns.secrets, view, timer, expected)
        if expected:
            known = [folded.folded_span(*span) for span in self.markers(text)]
            matches = self._unless_cued(matches, view, timer, expected, known)
        marks = [mark_of(match, folded) for match in matches]
        if timer.timed_out:
            marks += self._hidden(text)
        if not marks:
            return [], not timer.timed_out
        return disjoint(marks, self.markers(text), text), not timer.timed_out

    def _unless_cued(
        self,
        matches: list[Match],
        view: TextView,
        timer: Timer,
        expected: Collection[str],
        markers: Sequence[tuple[int, int]],
    ) -> list[Match]:
        """Add answers, and leave out those that something else claims by its own cue."""
        if self._secret_slots.isdisjoint(expected) and not any(m.answer for m in matches):
            return matches
        taken = claims(find_matches(self._patterns.facts, view, timer))
        spans = [(match.start, match.end) for match in strongest(taken) if match.cued]
        kept = [
            match
            for match in matches
            if not match.answer or not touches(spans, match.start, match.end)
        ]
        taken += claims(kept)
        read = self._answers.read(view, timer, expected, taken=taken, markers=markers)
        return kept + [match for match in read if match.pattern.sensitive]

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
