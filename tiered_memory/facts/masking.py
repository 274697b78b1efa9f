"""What may not be stored is replaced by a marker that says what was there, or a pseudonym."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from tiered_memory.facts.answers import AnswerReader, claims
from tiered_memory.facts.choosing import strongest, touches
from tiered_memory.facts.escapes import percent_decoded
from tiered_memory.facts.json_leaves import json_keys, json_leaves, leaf_text
from tiered_memory.facts.lanes import TextView, Timer
from tiered_memory.facts.marks import (
    Mark,
    disjoint,
    in_token,
    in_tokens,
    mark_of,
    mark_of_entity,
    mark_of_known,
    named,
    replaced,
    unquoted,
)
from tiered_memory.facts.matches import find_matches
from tiered_memory.facts.pseudonyms import NAME_CHARS
from tiered_memory.facts.re2_engine import compile_re2, quoted
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from tiered_memory.facts.json_leaves import LeafText
    from tiered_memory.facts.matches import Match
    from tiered_memory.facts.patterns import PatternSet
    from tiered_memory.facts.pseudonyms import Pseudonyms
    from tiered_memory.model import Candidate
    from tiered_memory.text.folding import Folded

__all__ = ["HIDDEN", "Mark", "Masked", "Masker"]

HIDDEN = "hidden"
"""Type of what is masked because a check ran out of time."""

ROUNDS = 8
"""Each masks something more; two are the rule: one that masks, one that finds nothing."""

CUED_PRIORITY = 80
"""From here up a pattern has its own cue or shape, which an answer does not overrule."""


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

    A text that could not be checked in time is hidden as a whole (of JSON every value).
    Without a session's pseudonyms, as in ``memory.extract``, a value that is to have one
    is shown by its type.
    """

    def __init__(self, patterns: PatternSet) -> None:
        self._patterns = patterns
        self._answers = AnswerReader(patterns.slots)
        self._secret_slots = frozenset(p.spec.type for p in patterns.slots if p.sensitive)
        hidden = {p.spec.type for p in patterns.patterns if p.sensitive} | {HIDDEN}
        types = hidden | {p.spec.type for p in patterns.patterns} | set(patterns.masking)
        names = _either(hidden | set(patterns.masking))
        marker = rf"\[(?:{names})(?: \*\*\*\*[^\s\[\]*]{{1,8}})?\]"
        token = rf"\[(?P<type>{_either(types)})-[A-Z2-7]{{{NAME_CHARS}}}\]"
        self._markers = compile_re2(f"{marker}|{token}")
        self._pseudonyms = compile_re2(token)

    def markers(self, text: str) -> list[tuple[int, int]]:
        """Give the spans of markers and pseudonyms in ``text``, left to right."""
        if "[" not in text:
            return []
        return [match.span() for match in self._markers.finditer(text)]

    def pseudonyms(self, text: str) -> list[tuple[int, int, str]]:
        """Give span and type of what has a pseudonym's form, left to right."""
        if "[" not in text:
            return []
        kind = self._pseudonyms.groupindex["type"]
        return [
            (*match.span(), text[slice(*match.span(kind))])
            for match in self._pseudonyms.finditer(text)
        ]

    def mask(
        self,
        text: str,
        expected: Collection[str] = (),
        *,
        entities: Sequence[Candidate] = (),
        pseudonyms: Pseudonyms | None = None,
    ) -> Masked:
        """Mask ``text``; again gives the same. JSON is read as such first.

        Args:
            text: as it came in.
            expected: types that the assistant has just asked for.
            entities: what recognizers found in ``text``; those of types that may not
                be stored are masked with the rest.
            pseudonyms: of the session; takes in new values.
        """
        text, marks, complete = self._in_json(text, expected, entities, pseudonyms)
        spans = () if json_leaves(text) is not None else entities
        for _ in range(ROUNDS):
            new, full = self._find(text, expected, self._spans(spans), pseudonyms)
            complete &= full
            spans = ()
            if not new:
                break
            new = [named(m, text[m.start : m.end], pseudonyms) for m in new]
            text, marks = replaced(text, new, marks)
        return Masked(text=text, marks=tuple(marks), complete=complete)

    def mask_json(
        self,
        text: str,
        *,
        entities: Sequence[Candidate] = (),
        pseudonyms: Pseudonyms | None = None,
    ) -> Masked:
        """Mask the values and keys of a JSON text, which stays JSON; any other text as such.

        A key is the cue of its value. What needs no mask keeps its bytes. A number is
        masked as a whole or not at all, and becomes a string.
        """
        if json_leaves(text) is None:
            return self.mask(text, entities=entities, pseudonyms=pseudonyms)
        text, marks, complete = self._in_json(text, (), entities, pseudonyms)
        return Masked(text=text, marks=tuple(marks), complete=complete)

    def mask_parts(self, texts: Sequence[str]) -> tuple[list[str], dict[str, int]]:
        """Mask what spans texts that are read one after the other, or is announced so.

        They are read joined, and with a space or a line's end between: a key may be cut
        anywhere, a cue may be a part of its own. What one text shows alone is left as it is, and
        what would get a pseudonym is shown by its type.
        """
        parts = list(texts)
        counts: dict[str, int] = {}
        for joint in ("", " ", "\n"):
            starts = [0, *accumulate(len(part) + len(joint) for part in parts)]
            layout = joint.join(parts)
            marks = [m for m in self._find(layout, (), (), None)[0] if m.pattern]
            for number, part in enumerate(parts):
                low, high = starts[number], starts[number] + len(part)
                inside = [
                    replace(
                        mark,
                        start=max(mark.start, low) - low,
                        end=min(mark.end, high) - low,
                        shown=f"[{mark.type}]",
                    )
                    for mark in marks
                    if mark.start < high
                    and low < mark.end
                    and not (low <= mark.begins and mark.end <= high)
                ]
                if inside:
                    parts[number], _ = replaced(part, inside, ())
                for mark in inside:
                    counts[mark.type] = counts.get(mark.type, 0) + 1
        return parts, counts

    def _in_json(
        self,
        text: str,
        expected: Collection[str],
        entities: Sequence[Candidate],
        pseudonyms: Pseudonyms | None,
    ) -> tuple[str, list[Mark], bool]:
        """Give a JSON text with its values and keys masked, and whether all was checked.

        Any other text comes back as it is.
        """
        marks: list[Mark] = []
        complete = True
        if json_leaves(text) is None:
            return text, marks, complete
        spans = unplaced = self._spans(entities)
        for _ in range(ROUNDS):
            layout = leaf_text(json_leaves(text) or ())
            inside = self._in_layout(layout, unplaced)
            new, full = self._find(layout.text, expected, inside, pseudonyms)
            complete &= full
            unplaced = []
            placed = in_tokens(text, layout, new, pseudonyms)
            if not placed:
                break
            text, marks = replaced(text, placed, marks)
        new, full = self._in_keys(text, spans, pseudonyms)
        if new:
            text, marks = replaced(text, new, marks)
        return text, [unquoted(mark) for mark in marks], complete and full

    def _in_keys(
        self, text: str, entities: Sequence[Mark], pseudonyms: Pseudonyms | None
    ) -> tuple[list[Mark], bool]:
        """Give the marks in the keys of a JSON text; each is read by itself."""
        keys = json_keys(text)
        names = list(dict.fromkeys(key.value for key in keys))
        new, full = self._find("\n\n".join(names), (), (), pseudonyms)
        if not new and not entities:
            return [], full
        found: list[Mark] = []
        marks: dict[str, list[Mark]] = {}
        for key in keys:
            if key.value not in marks:
                inside = [
                    _anew(m, place) for m in entities for place in _places(key.value, m)
                ]
                masks, complete = self._find(key.value, (), inside, pseudonyms)
                full &= complete
                marks[key.value] = [
                    named(m, key.value[m.start : m.end], pseudonyms) for m in masks
                ]
            found += [in_token(text, key, m, m.start, m.end) for m in marks[key.value]]
        return found, full

    def _find(
        self,
        text: str,
        expected: Collection[str],
        entities: Sequence[Mark],
        pseudonyms: Pseudonyms | None,
    ) -> tuple[list[Mark], bool]:
        """Give disjoint marks to be made, spans in ``text``, left to right."""
        folded = fold(text)
        view = TextView(folded.text)
        timer = Timer()
        matches = find_matches(self._patterns.secrets, view, timer, expected)
        if expected:
            known = [folded.folded_span(*span) for span in self.markers(text)]
            matches = self._unless_cued(matches, view, timer, expected, known)
        marks = [mark_of(match, folded) for match in self._own(matches, view)]
        marks += entities
        marks += self._escaped(text, timer)
        if pseudonyms is not None:
            marks += _known(pseudonyms, folded)
        if timer.timed_out:
            marks.append(
                Mark(start=0, end=len(text), type=HIDDEN, shown=f"[{HIDDEN}]", pattern=None)
            )
        if not marks:
            return [], not timer.timed_out
        return disjoint(marks, self.markers(text), text), not timer.timed_out

    def _escaped(self, text: str, timer: Timer) -> list[Mark]:
        """Give the marks of what only shows when ``%20`` and the like are read."""
        decoded = percent_decoded(text)
        if decoded is None:
            return []
        view = TextView(decoded.text)
        matches = find_matches(self._patterns.secrets, view, timer)
        return [mark_of(match, decoded) for match in self._own(matches, view)]

    def _own(self, matches: list[Match], view: TextView) -> list[Match]:
        """Leave out what would get a pseudonym and is something else by its own cue."""
        if not any(match.pattern.action == "pseudonym" for match in matches):
            return matches
        others = [
            match
            for match in find_matches(self._patterns.facts, view, Timer())
            if match.priority >= CUED_PRIORITY and match.pattern.spec.type != "url"
        ]
        stronger = strongest(others)
        return [
            match
            for match in matches
            if match.pattern.action != "pseudonym"
            or not any(
                other.priority > match.priority
                and other.start <= match.start
                and match.end <= other.end
                for other in stronger
            )
        ]

    def _spans(self, entities: Sequence[Candidate]) -> list[Mark]:
        """Give the marks of entities that may not be stored."""
        return [
            mark_of_entity(entity.start, entity.end, entity, action)
            for entity in entities
            if (action := self._patterns.action(entity.type)) != "store"
        ]

    def _in_layout(self, layout: LeafText, entities: Sequence[Mark]) -> list[Mark]:
        """Give the marks of entities wherever their values stand in a layout.

        Of one that escapes hide the whole leaf is masked.
        """
        found: list[Mark] = []
        for mark in entities:
            places = list(_places(layout.text, mark))
            if not places:
                leaves = zip(layout.starts, layout.ends, layout.leaves, strict=True)
                found += [
                    replace(mark, start=low, end=high, normalized="")
                    for low, high, leaf in leaves
                    if leaf.start < mark.end and mark.start < leaf.end
                ]
            found += [_anew(mark, place) for place in places]
        return found

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


def _places(text: str, mark: Mark) -> Iterator[int]:
    """Give where the value of a recognizer's mark stands in ``text``."""
    value = "" if mark.entity is None else mark.entity.value
    start = text.find(value) if value else -1
    while start >= 0:
        yield start
        start = text.find(value, start + len(value))


def _anew(mark: Mark, start: int) -> Mark:
    """Give the mark of an entity at another place where its value stands."""
    size = 0 if mark.entity is None else len(mark.entity.value)
    return replace(mark, start=start, end=start + size)


def _known(pseudonyms: Pseudonyms, folded: Folded) -> Iterator[Mark]:
    """Give the marks of values that have their pseudonym, wherever they stand."""
    for start, end, hidden in pseudonyms.literals(folded.text):
        yield mark_of_known(*folded.raw_span(start, end), hidden)


def _either(names: Collection[str]) -> str:
    return "|".join(quoted(name) for name in sorted(names, key=lambda n: (-len(n), n)))
