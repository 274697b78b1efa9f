"""google-re2 with types, on texts or bytes, and its sets with a sign of life."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

import re2  # pyright: ignore[reportMissingTypeStubs]

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Found", "Gate", "Program", "Re2Error", "compile_re2", "quoted"]

MAX_MEM = 64 << 20
"""Bytes for a program and its states; 200 patterns with ``\\p{Han}{0,30}`` need 32 MB."""

CANARY = b"(?s)."


class Re2Error(ValueError):
    """RE2 refuses an expression; the text says why."""


class Found(Protocol):
    """A match; groups are numbered from 1, spans are half-open."""

    def span(self, group: int = 0, /) -> tuple[int, int]:
        """Give a group's span, ``(-1, -1)`` where it took no part."""
        ...

    def start(self) -> int:
        """Give where the match begins."""
        ...

    def end(self) -> int:
        """Give where the match ends."""
        ...


class Program(Protocol):
    """A compiled expression; linear in the text."""

    @property
    def groupindex(self) -> Mapping[str, int]:
        """Numbers of the named groups; made anew at each call."""
        ...

    def search(self, text: str | bytes, pos: int = 0, /) -> Found | None:
        """Give the first match from ``pos`` on."""
        ...

    def finditer(self, text: str | bytes, /) -> Iterator[Found]:
        """Give all matches, left to right."""
        ...


def compile_re2(source: str, *, for_bytes: bool = False) -> Program:
    """Compile; with ``for_bytes`` to match UTF-8 text, with offsets in bytes.

    Raises:
        Re2Error: RE2 does not take it.
    """
    engine = cast("Any", re2)
    try:
        program: Any = engine.compile(
            source.encode() if for_bytes else source, _options(engine)
        )
    except engine.error as exc:
        raise Re2Error(_what(exc)) from exc
    return cast("Program", program)


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
        return sorted(number - 1 for number in numbers if number)


def _options(engine: Any) -> Any:
    options = engine.Options()
    options.log_errors = False
    options.max_mem = MAX_MEM
    return options


def _what(exc: Exception) -> str:
    given = exc.args[0] if exc.args else ""
    return given.decode("utf-8", "replace") if isinstance(given, bytes) else str(given)
