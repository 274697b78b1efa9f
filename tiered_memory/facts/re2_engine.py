"""google-re2 with types: expressions over texts and bytes, and sets with a sign of life.

Searches go to the binding's engine and not through its ``re``-like objects, whose
generators and offset maps cost more than the search itself in a message's text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import re2  # pyright: ignore[reportMissingTypeStubs]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Spans = Sequence[tuple[int, int]]
    """Half-open, in bytes: of the match, then of each group, ``(-1, -1)`` if not in it."""

    Finder = Callable[[bytes | memoryview, int], Spans | None]

__all__ = ["SPACE", "Found", "Gate", "Program", "Re2Error", "compile_re2", "quoted"]

MAX_MEM = 64 << 20
"""Bytes for a program and its states; 200 patterns with ``\\p{Han}{0,30}`` need 32 MB."""

SPACE = r"\s\x0b\x1c-\x1f\x{85}\x{a0}\p{Z}"
"""Inside a class: what ``str.isspace`` calls space; ``\\s`` alone is ASCII."""

CANARY = b"(?s)."

_CONTINUING = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 that begin no character."""


class Re2Error(ValueError):
    """RE2 refuses an expression; the text says why."""


class Found:
    """A match in a text; groups are numbered from 1 or named, spans in characters."""

    __slots__ = ("_data", "_names", "_plain", "_shift", "_spans")

    def __init__(
        self,
        data: bytes,
        spans: Spans,
        names: Mapping[str, int],
        *,
        plain: bool,
        shift: int = 0,
    ) -> None:
        self._data = data
        self._shift = shift
        self._spans = spans
        self._names = names
        self._plain = plain

    def span(self, group: int = 0, /) -> tuple[int, int]:
        """Give a group's half-open span, ``(-1, -1)`` where it took no part."""
        start, end = self._spans[group]
        if start < 0:
            return start, end
        if self._plain:
            return start + self._shift, end + self._shift
        first = self._shift + len(self._data[:start].translate(None, _CONTINUING))
        return first, first + len(self._data[start:end].translate(None, _CONTINUING))

    def start(self) -> int:
        """Give where the match begins."""
        return self.span()[0]

    def end(self) -> int:
        """Give where the match ends."""
        return self.span()[1]

    def number(self, name: str) -> int:
        """Give the number of a named group."""
        return self._names[name]

    def group(self, group: int | str = 0, /) -> Any:
        """Give a group's text; None where it took no part."""
        return self._text(self._names[group] if isinstance(group, str) else group)

    def groups(self) -> tuple[str | None, ...]:
        """Give all groups, None for those that took no part."""
        return tuple(self._text(number) for number in range(1, len(self._spans)))

    def groupdict(self) -> dict[str, str | None]:
        """Give the named groups."""
        return {name: self._text(number) for name, number in self._names.items()}

    def _text(self, number: int) -> str | None:
        start, end = self._spans[number]
        return None if start < 0 else self._data[start:end].decode("utf-8", "replace")


class Program:
    """A compiled expression; linear in the text.

    Attributes:
        groupindex: numbers of the named groups.
        size: instructions.
        find: gives the first match in UTF-8 text from a byte offset on, or None.
    """

    __slots__ = ("_at_start", "find", "groupindex", "size")

    def __init__(self, source: str) -> None:
        engine = cast("Any", re2)
        try:
            compiled: Any = engine.compile(source.encode(), _options(engine))
        except engine.error as exc:
            raise Re2Error(_what(exc)) from exc
        self.find = _finder(compiled, at_start=False)
        self._at_start = _finder(compiled, at_start=True)
        self.size: int = compiled.programsize
        names: Mapping[bytes, int] = compiled.groupindex
        self.groupindex: Mapping[str, int] = {
            name.decode(): number for name, number in names.items()
        }

    def search(self, text: str, start: int = 0, end: int | None = None, /) -> Found | None:
        """Give the first match in ``text[start:end]``; ``^`` and ``$`` are its ends."""
        return self._found(text, self.find, start, end)

    def match(self, text: str, start: int = 0, end: int | None = None, /) -> Found | None:
        """Give the match at the start of ``text[start:end]``."""
        return self._found(text, self._at_start, start, end)

    def finditer(
        self, text: str, start: int = 0, end: int | None = None, /
    ) -> Iterator[Found]:
        """Give all matches in ``text[start:end]``, each behind the last one."""
        text = text[start:end]
        data = text.encode("utf-8", "replace")
        plain = len(data) == len(text)
        place, size = 0, len(data)
        while (spans := self.find(data, place)) is not None:
            yield Found(data, spans, self.groupindex, plain=plain, shift=start)
            stop = spans[0][1]
            if place == size:
                return
            place = stop if stop > place else _next(data, place)

    def findall(self, text: str, /) -> list[str]:
        """Give the texts of all matches."""
        return [found.group() for found in self.finditer(text)]

    def _found(self, text: str, find: Finder, start: int, end: int | None) -> Found | None:
        text = text[start:end]
        data = text.encode("utf-8", "replace")
        spans = find(data, 0)
        if spans is None:
            return None
        plain = len(data) == len(text)
        return Found(data, spans, self.groupindex, plain=plain, shift=start)


def _next(data: bytes, place: int) -> int:
    """Give where the character behind the one at ``place`` begins."""
    place += 1
    while place < len(data) and data[place] & 0xC0 == 0x80:
        place += 1
    return place


def _finder(compiled: Any, *, at_start: bool) -> Finder:
    """Give the search itself; a binding that hides its engine is asked as ``re`` is."""
    match: Any = getattr(getattr(compiled, "_regexp", None), "Match", None)
    anchors: Any = getattr(re2, "_Anchor", None)
    if match is None or anchors is None:
        return _as_re(compiled, at_start=at_start)
    anchor = anchors.ANCHOR_START if at_start else anchors.UNANCHORED

    def find(data: bytes | memoryview, place: int) -> Spans | None:
        spans: Spans = match(anchor, data, place, len(data))
        return None if spans[0][0] < 0 else spans

    return find


def _as_re(compiled: Any, *, at_start: bool) -> Finder:
    call = compiled.match if at_start else compiled.search
    numbers = range(compiled.groups + 1)

    def find(data: bytes | memoryview, place: int) -> Spans | None:
        found: Any = call(data, place)
        return None if found is None else [found.span(number) for number in numbers]

    return find


def compile_re2(source: str) -> Program:
    """Compile.

    Raises:
        Re2Error: RE2 does not take it.
    """
    return Program(source)


def quoted(text: str) -> str:
    """Give an expression that matches ``text``."""
    return str(cast("Any", re2).escape(text))


class Gate:
    """Many expressions in one pass: which of them match somewhere in a text.

    A canary that matches any text is in the set: where it is missing the set ran out of
    memory, which the binding does not say.
    """

    __slots__ = ("_set", "size")

    def __init__(self, sources: Iterable[str]) -> None:
        engine = cast("Any", re2)
        self._set: Any = engine.Set.SearchSet(_options(engine))
        self._set.Add(CANARY)
        self.size = 0
        for source in sources:
            self._set.Add(source.encode())
            self.size += 1
        self._set.Compile()

    def matching(self, data: bytes) -> list[int]:
        """Give the numbers of the expressions that match ``data``, from 0, ascending.

        All of them where the set could not tell.
        """
        if not data or not self.size:
            return []
        numbers: list[int] = self._set.Match(data) or []
        if 0 not in numbers:
            return list(range(self.size))
        if len(numbers) == 1:
            return []
        return sorted([number - 1 for number in numbers if number])


def _options(engine: Any) -> Any:
    options = engine.Options()
    options.log_errors = False
    options.max_mem = MAX_MEM
    return options


def _what(exc: Exception) -> str:
    given = exc.args[0] if exc.args else ""
    return given.decode("utf-8", "replace") if isinstance(given, bytes) else str(given)
