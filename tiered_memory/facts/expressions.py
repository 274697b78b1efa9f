"""RE2 expressions with types: google-re2 carries none."""

from __future__ import annotations

from typing import Protocol

from tiered_memory.facts.re2_engine import compile_re2

__all__ = ["Expression", "Match", "expression"]


class Match(Protocol):
    """A hit; groups are numbered from 1."""

    def group(self, number: int | str = 0, /) -> str:
        """Give a group that takes part in every hit."""
        ...

    def groups(self) -> tuple[str | None, ...]:
        """Give all groups, None for those that took no part."""
        ...

    def groupdict(self) -> dict[str, str | None]:
        """Give the named groups."""
        ...


class Expression(Protocol):
    """A compiled expression; linear in the text, whatever the expression."""

    def match(self, text: str, /) -> Match | None:
        """Match at the start of ``text``."""
        ...

    def findall(self, text: str, /) -> list[str]:
        """Give all hits of an expression without groups."""
        ...


def expression(pattern: str) -> Expression:
    """Compile ``pattern``, of which the code is the author."""
    return compile_re2(pattern)
