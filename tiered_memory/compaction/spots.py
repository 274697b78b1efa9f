"""Where known values stand in a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.model import Identifier
from tiered_memory.text.references import reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.model import Fact

__all__ = ["LEAST_CHARS", "apart", "joins", "literals"]

LEAST_CHARS = 4
"""A shorter value stands in too many words to be looked for."""


def joins(text: str, place: int) -> bool:
    """Tell whether a word of ASCII letters and digits goes on across ``place``."""
    if not 0 < place < len(text):
        return False
    left, right = text[place - 1], text[place]
    return left.isascii() and right.isascii() and left.isalnum() and right.isalnum()


def apart(found: list[Identifier]) -> list[Identifier]:
    """Give the spans left to right, the longest of those that overlap; facts first."""
    found.sort(key=lambda i: (i.start, -i.end))
    kept: list[Identifier] = []
    for identifier in found:
        if identifier.start >= identifier.end or not _named(identifier.key):
            continue
        if not kept or identifier.start >= kept[-1].end:
            kept.append(identifier)
    return kept


def _named(key: str) -> bool:
    """Tell whether a reference can be written for ``key``; else the value stays text."""
    try:
        reference(key, 1)
    except ValueError:
        return False
    return True


def literals(text: str, facts: Sequence[Fact]) -> list[Identifier]:
    """Find the facts' values where they stand as words of their own."""
    found: list[Identifier] = []
    for fact in facts:
        value = fact.value
        start = text.find(value) if len(value) >= LEAST_CHARS else -1
        while start >= 0:
            end = start + len(value)
            if not joins(text, start) and not joins(text, end):
                found.append(
                    Identifier(
                        type=fact.type,
                        key=fact.key,
                        value=value,
                        normalized=fact.normalized,
                        start=start,
                        end=end,
                    )
                )
            start = text.find(value, end)
    return found
