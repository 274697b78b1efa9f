"""What a reader gives: a value in a reply, with its place."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Reading"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A value in a reply; half-open. ``whole``: nothing else is said beside it."""

    start: int
    end: int
    whole: bool = False
