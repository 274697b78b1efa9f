"""Text with references made to fit: cut at a sentence, never inside a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.text.excerpts import longest, word_start
from tiered_memory.text.language import sentences
from tiered_memory.text.references import find

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["clip", "pieces", "safe_cut"]

CHARS_A_TOKEN = 16
"""The first tokens of a text are sought in so many characters each: prose has 1 to 5."""


def clip(text: str, limit_tokens: int, count: Callable[[str], int]) -> str:
    """Give the beginning of ``text`` that costs at most ``limit_tokens``.

    Ends at a sentence or line where one fits, else at a word; whole code points and
    whole references always. Empty where not even a word fits. Some 20 counts.
    """
    text = text.strip()
    if count(text) <= limit_tokens:
        return text
    spans = sentences(text)
    whole = longest(
        len(spans), lambda n: n == 0 or count(text[: spans[n - 1][1]]) <= limit_tokens
    )
    if whole:
        return text[: spans[whole - 1][1]]
    window = text[: max(0, limit_tokens) * CHARS_A_TOKEN]
    size = _fitting(window, limit_tokens, count)
    return text[: safe_cut(text, size)].rstrip()


def safe_cut(text: str, place: int) -> int:
    """Give the nearest place up to ``place`` that parts no word and no reference."""
    if place >= len(text):
        return len(text)
    place = word_start(text, place)
    for ref in find(text):
        if ref.start < place < ref.end:
            return ref.start
    return place


def pieces(text: str, limit_tokens: int, count: Callable[[str], int]) -> list[str]:
    """Part ``text`` into pieces of at most ``limit_tokens``; nothing is left out.

    Cut as ``clip`` cuts; a run without any border is cut between code points, since
    it must go somewhere.
    """
    found: list[str] = []
    rest = text.strip()
    while rest:
        window = rest[: max(1, limit_tokens) * CHARS_A_TOKEN]
        piece = clip(window[: safe_cut(rest, len(window))] or window, limit_tokens, count)
        if not piece:
            piece = window[: max(1, _fitting(window, limit_tokens, count))]
        found.append(piece)
        rest = rest[len(piece) :].lstrip()
    return found


def _fitting(text: str, limit_tokens: int, count: Callable[[str], int]) -> int:
    """Give how many of the first characters cost at most ``limit_tokens``."""
    return longest(len(text), lambda n: count(text[:n]) <= limit_tokens)
