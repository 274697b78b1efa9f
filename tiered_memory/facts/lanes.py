"""Two engines behind one expression: RE2, linear; and ``regex`` with a time limit."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from tiered_memory.facts.re2_engine import Program

__all__ = ["Expression", "Span", "TextView", "Timer"]

T = TypeVar("T")

PATTERN_SECONDS = 0.020
MESSAGE_SECONDS = 0.050

BLOCK = 512
"""Bytes between two counts of characters; deleting in so many takes 0.3 µs."""

_CONTINUING = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 that begin no character."""


class Span(NamedTuple):
    """Half-open, in characters: the value, and the whole match with its cue.

    A tuple, not a dataclass: one is made for each hit, at a third of the cost.
    """

    start: int
    end: int
    left: int
    right: int


class TextView:
    """A text in the forms that the engines read, each made once and when needed.

    ``when`` is the customer's local time at which it was said, where that is known.
    """

    __slots__ = ("_answers", "_counted", "_lower", "ascii", "data", "text", "when")

    def __init__(self, text: str, *, when: datetime | None = None) -> None:
        self.text = text
        self.when = when
        self.data = text.encode("utf-8", "replace")
        self.ascii = len(self.data) == len(text)
        self._lower: str | None = None
        self._counted: list[int] = [0]
        self._answers: dict[tuple[object, str], Any] = {}

    @property
    def lower(self) -> str:
        """Give the text in lower case, of the same length."""
        if self._lower is None:
            lower = self.text.lower()
            if len(lower) != len(self.text):
                lower = "".join(c if len(c.lower()) != 1 else c.lower() for c in self.text)
            self._lower = lower
        return self._lower

    def span(self, start: int, end: int, left: int, right: int) -> Span:
        """Give a span of byte offsets in characters."""
        if self.ascii:
            return Span(start, end, left, right)
        first, last = self._character(start), self._character(end)
        return Span(
            first,
            last,
            first if left == start else self._character(left),
            last if right == end else self._character(right),
        )

    def _character(self, offset: int) -> int:
        """Give how many characters begin before a byte offset; at most a block is read.

        Counts bytes that do not continue a character.
        """
        counted = self._counted
        block = offset // BLOCK
        while len(counted) <= block:
            low = (len(counted) - 1) * BLOCK
            piece = self.data[low : low + BLOCK].translate(None, _CONTINUING)
            counted.append(counted[-1] + len(piece))
        piece = self.data[block * BLOCK : offset].translate(None, _CONTINUING)
        return counted[block] + len(piece)

    def once(self, check: Callable[[str], T], value: str) -> T:
        """Give ``check(value)``, asked once for each value of the text.

        Several patterns find one value, and share validators and normal forms.
        """
        key = (check, value)
        if key not in self._answers:
            self._answers[key] = check(value)
        return cast("T", self._answers[key])


@dataclass(slots=True)
class Timer:
    """What is left of a message's time for the ``regex`` lane; ``spent`` when none is."""

    left: float = MESSAGE_SECONDS
    timed_out: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A compiled expression with its boundaries.

    Attributes:
        source: as the pack gives it.
        lane: ``re2`` or ``regex``.
        reason: what RE2 does not have of it, else "".
        wrapped: the source with its boundaries, as RE2 reads it; "" in the other lane.
        left: its boundary before the value or cue.
        anchored: it has a ``^`` of its own.
    """

    source: str
    lane: str
    reason: str
    whole: int
    value: int
    program: Any = field(repr=False)
    wrapped: str = field(default="", repr=False)
    left: str = ""
    anchored: bool = False

    def spans(self, view: TextView, timer: Timer) -> list[Span]:
        """Give the matches, left to right; each begins after the last one's value.

        Raises:
            TimeoutError: the ``regex`` lane took too long.
        """
        if self.lane == "re2":
            return self._by_re2(view)
        return list(self._by_regex(view.text, timer))

    def _by_re2(self, view: TextView) -> list[Span]:
        program: Program = self.program
        find, data = program.find, view.data
        whole, value, apart = self.whole, self.value, self.left == "digits"
        found: list[Span] = []
        text: bytes | memoryview = data
        place, base = 0, 0
        while (groups := find(text, place - base)) is not None:
            if base:
                groups = [(start + base, end + base) for start, end in groups]
            left, right = start, end = groups[whole]
            if value != whole and groups[value][0] >= base:
                start, end = groups[value]
            if apart and _grouped(data, left):
                place = max(left, place + 1)
                continue
            if start < end:
                found.append(view.span(start, end, left, right))
            if end <= place:
                end = place + 1
            elif groups[0][1] > end and self._opens(data, end):
                text, base = memoryview(data)[end:], end
            place = end
        return found

    def _opens(self, data: bytes, end: int) -> bool:
        """Tell whether a value may begin right behind one that ends at ``end``.

        RE2 cannot look back at it, but takes the start of a text for a boundary.
        """
        last = data[end - 1 : end]
        if self.anchored:
            return False
        if self.left == "token":
            return not last.isalnum()
        if self.left != "digits" or last.isdigit() or _grouped(data, end):
            return False
        return last not in b".-" or not data[end - 2 : end - 1].isdigit()

    def _by_regex(self, text: str, timer: Timer) -> Iterator[Span]:
        begun = time.monotonic()
        place = 0
        while True:
            spent = time.monotonic() - begun
            limit = min(PATTERN_SECONDS, timer.left) - spent
            if limit <= 0:
                timer.left -= spent
                raise TimeoutError
            try:
                match = self.program.search(text, place, timeout=limit)
            except TimeoutError:
                timer.left -= time.monotonic() - begun
                raise
            if match is None:
                timer.left -= time.monotonic() - begun
                return
            left, right = match.span(self.whole)
            start, end = match.span(self.value)
            if start < 0:
                start, end = left, right
            if start < end:
                yield Span(start, end, left, right)
            place = end if end > place else place + 1


def _grouped(data: bytes, place: int) -> bool:
    """Tell whether a space and before it two to four digits stand left of ``place``.

    RE2 cannot look back over the value before, which may end in those digits.
    """
    if data[place - 1 : place] != b" ":
        return False
    low = place - 1
    while low > 0 and place - low <= 6 and data[low - 1 : low].isdigit():
        low -= 1
    return 2 <= place - 1 - low <= 4
