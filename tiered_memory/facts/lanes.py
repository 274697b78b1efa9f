"""Two engines behind one expression: RE2, linear; and ``regex`` with a time limit."""

from __future__ import annotations

import importlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from tiered_memory.facts.re2_engine import Re2Error, compile_re2

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from tiered_memory.facts.pack_schema import Boundary
    from tiered_memory.facts.re2_engine import Found, Program

__all__ = [
    "Expression",
    "ExpressionError",
    "Span",
    "TextView",
    "Timer",
    "compile_expression",
    "wrapped_for_re2",
]

PATTERN_SECONDS = 0.020
MESSAGE_SECONDS = 0.050

_HAN = "㐀-䶿一-鿿"

# Zero-width only where RE2 has it: `\b` holds between an ASCII word character and
# anything else, a consumed character covers the rest (`_`, two Chinese characters).
_RE2_LEFT: Mapping[str, str] = {
    "token": r"(?:\b|^|[^0-9A-Za-z])",
    "digits": r"(?:^|[^0-9.-]|(?:^|[^0-9])[.-])",
    "loose": "",
}
_RE2_RIGHT: Mapping[str, str] = {
    "token": r"(?:\b|$|[^0-9A-Za-z])",
    "digits": (
        r"(?:$|[^0-9 .-]|[.-](?:$|[^0-9])|"
        r" (?:$|[^0-9]|[0-9](?:$|[^0-9])|[0-9]{5}))"
    ),
    "loose": "",
}
_REGEX_LEFT: Mapping[str, str] = {
    "token": r"(?:(?<![0-9A-Za-z])|(?![0-9A-Za-z]))",
    "digits": (
        r"(?<![0-9])(?<![0-9][.-])"
        r"(?:(?<! )|(?<=^ )|(?<=[^0-9] )|(?<=(?:^|[^0-9])[0-9] )|(?<=[0-9]{5} ))"
    ),
    "loose": "",
}
_REGEX_RIGHT: Mapping[str, str] = {
    "token": r"(?:(?![0-9A-Za-z])|(?<![0-9A-Za-z]))",
    "digits": (
        r"(?![0-9])(?![.-][0-9])(?:(?! )|(?= $)|(?= [^0-9])|"
        r"(?= [0-9](?:$|[^0-9]))|(?= [0-9]{5}))"
    ),
    "loose": "",
}


class ExpressionError(ValueError):
    """Neither engine takes the expression; the text says why."""


class TextView:
    """A text in the forms that the engines read, encoded once.

    ``when`` is the customer's local time at which it was said, where that is known.
    """

    __slots__ = ("ascii", "data", "lower", "text", "when")

    def __init__(self, text: str, *, when: datetime | None = None) -> None:
        self.text = text
        self.when = when
        self.data = text.encode("utf-8", "replace")
        self.ascii = len(self.data) == len(text)
        self.lower = text.lower()
        if len(self.lower) != len(text):
            self.lower = "".join(c if len(c.lower()) != 1 else c.lower() for c in text)


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open, in characters: the value, and the whole match with its cue."""

    start: int
    end: int
    left: int
    right: int


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
        reason: why RE2 refused it, else "".
        apart: no group of digits may stand before it across a space.
    """

    source: str
    lane: str
    reason: str
    whole: int
    value: int
    program: Any = field(repr=False)
    apart: bool = False

    def spans(self, view: TextView, timer: Timer) -> list[Span]:
        """Give the matches, left to right; each begins after the last one's value.

        Raises:
            TimeoutError: the ``regex`` lane took too long.
        """
        if self.lane == "re2":
            return self._by_re2(view)
        return list(self._by_regex(view.text, timer))

    def _by_re2(self, view: TextView) -> list[Span]:
        data = view.data
        found: list[tuple[int, int, int, int]] = []
        place: int | None = 0
        while place is not None:
            place = self._run(data, place, found)
        if view.ascii or not found:
            return [Span(*item) for item in found]
        return _in_characters(data, found)

    def _run(
        self, data: bytes, place: int, found: list[tuple[int, int, int, int]]
    ) -> int | None:
        """Search on until a match went beyond its value; give where to go on, or None."""
        matches: Iterator[Found] = self.program.finditer(data, place)
        for match in matches:
            left, right = start, end = match.span(self.whole)
            if self.value != self.whole:
                start, end = match.span(self.value)
            if start < 0:
                start, end = left, right
            if self.apart and _grouped(data, left):
                return left + 1
            if start < end:
                found.append((start, end, left, right))
                if match.end() > end:
                    return _border(data, end)
        return None

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


def _border(data: bytes, end: int) -> int:
    """Give where the search goes on behind a value that ends at ``end``.

    A last character that is no Latin letter or digit may be the next value's border.
    """
    place = end - 1
    if data[place] < 0x80:
        return end if data[place : place + 1].isalnum() else place
    while data[place] & 0xC0 == 0x80:
        place -= 1
    return place


def compile_expression(source: str, *, boundary: Boundary, ignore_case: bool) -> Expression:
    """Compile for RE2, else for ``regex``.

    Raises:
        ExpressionError: neither takes it.
    """
    wrapped = wrapped_for_re2(source, boundary=boundary, ignore_case=ignore_case)
    try:
        program = compile_re2(wrapped, for_bytes=True)
    except Re2Error as exc:
        reason = str(exc)
    else:
        groups = {str(name, "ascii"): number for name, number in _bytes_groups(program)}
        whole = groups["tm_whole"]
        return Expression(
            source=source,
            lane="re2",
            reason="",
            whole=whole,
            value=groups.get("value", whole),
            program=program,
            apart=_left_kind(source, boundary) == "digits",
        )
    return _for_regex(source, boundary=boundary, ignore_case=ignore_case, reason=reason)


def wrapped_for_re2(source: str, *, boundary: Boundary, ignore_case: bool) -> str:
    """Give the expression with its boundaries, without lookaround, as RE2 writes it.

    A cue before the value is bounded like a word; the value by ``boundary``.
    """
    flags = "(?i:" if ignore_case else "(?:"
    left = _RE2_LEFT[_left_kind(source, boundary)]
    core = _translated(source, for_regex=False)
    return f"{left}(?P<tm_whole>{flags}{core})){_RE2_RIGHT[boundary]}"


def _for_regex(
    source: str, *, boundary: Boundary, ignore_case: bool, reason: str
) -> Expression:
    # Imported by name: its stubs are not everywhere, and most packs never need it.
    regex: Any = importlib.import_module("regex")
    left = _REGEX_LEFT[_left_kind(source, boundary)]
    core = _translated(source, for_regex=True)
    flags = regex.ASCII | regex.VERSION1 | (regex.IGNORECASE if ignore_case else 0)
    try:
        program = regex.compile(
            f"{left}(?P<tm_whole>(?:{core})){_REGEX_RIGHT[boundary]}", flags
        )
    except regex.error as exc:
        raise ExpressionError(str(exc)) from exc
    groups: Mapping[str, int] = program.groupindex
    whole = groups["tm_whole"]
    return Expression(
        source=source,
        lane="regex",
        reason=reason,
        whole=whole,
        value=groups.get("value", whole),
        program=program,
    )


def _left_kind(source: str, boundary: Boundary) -> Boundary:
    value = source.find("(?P<value>")
    return "token" if value > 0 and boundary == "digits" else boundary


def _bytes_groups(program: Program) -> list[tuple[bytes, int]]:
    """Give the named groups; of a program for bytes the names are bytes."""
    return list(cast("Mapping[bytes, int]", program.groupindex).items())


def _translated(source: str, *, for_regex: bool) -> str:
    r"""Write ``\uXXXX``, ``\Z`` and ``\p{Han}`` as the engine reads them.

    Under ``regex.ASCII`` a property matches nothing outside ASCII: the ranges do.
    """
    pieces: list[str] = []
    place = 0
    in_class = False
    while place < len(source):
        char = source[place]
        if char == "\\":
            piece, place = _escape(source, place, in_class=in_class, for_regex=for_regex)
            pieces.append(piece)
            continue
        if char == "[":
            in_class = True
        elif char == "]" and in_class and source[place - 1] != "[":
            in_class = False
        pieces.append(char)
        place += 1
    return "".join(pieces)


def _escape(source: str, place: int, *, in_class: bool, for_regex: bool) -> tuple[str, int]:
    if source.startswith("\\u", place) and not for_regex:
        digits = source[place + 2 : place + 6]
        if len(digits) == 4 and all(c in "0123456789abcdefABCDEF" for c in digits):
            return f"\\x{{{digits}}}", place + 6
    if source.startswith("\\Z", place) and not for_regex:
        return "\\z", place + 2
    if source.startswith("\\z", place) and for_regex:
        return "\\Z", place + 2
    if source.startswith("\\p{Han}", place) and for_regex:
        return _HAN if in_class else f"[{_HAN}]", place + 7
    return source[place : place + 2], place + 2


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


def _in_characters(data: bytes, found: list[tuple[int, int, int, int]]) -> list[Span]:
    """Turn byte offsets into character offsets; linear, each byte is decoded once."""
    chars: dict[int, int] = {}
    last = count = 0
    for offset in sorted({offset for item in found for offset in item}):
        count += len(data[last:offset].decode("utf-8", "replace"))
        chars[offset] = count
        last = offset
    return [Span(*(chars[offset] for offset in item)) for item in found]
