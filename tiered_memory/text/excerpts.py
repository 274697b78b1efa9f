"""The beginning and the end of a long text, with what is left out said between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.text.language import dominant_language, sentences

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["WORD_CHARS", "is_word", "longest", "shorten_text", "word_start"]

MAX_TOKEN_CHARS = 16
"""A cut of ``n`` tokens is sought in the first ``16 n`` characters: prose has 1 to 5."""

NEAR = 0.25
"""A border this near to the cut, as a share of the part, is taken instead of it."""

WORD_CHARS = 80
"""A run of letters and digits up to so long is kept or left out, never cut in two."""


def shorten_text(
    text: str, *, limit_tokens: int, head: int, tail: int, count: Callable[[str], int]
) -> str | None:
    """Give the beginning and the end of ``text`` with what is left out said between.

    Args:
        text: any text.
        limit_tokens: what the result may cost; from about 25 up something is kept,
            below that the mark alone, at worst ``…``.
        head: tokens kept of the beginning; scaled down with ``tail`` to the limit.
        tail: tokens kept of the end.
        count: gives the tokens of a text.

    Returns:
        None where ``text`` costs no more than ``limit_tokens``. Words, numbers and
        identifiers are never cut in two; cuts fall on a line or sentence border
        where one is near. Linear, with some 20 counts of short pieces.
    """
    if count(text) <= limit_tokens:
        return None
    scale = 1.0
    spare = limit_tokens - count(_mark(text, text)) - 4
    if spare < head + tail:
        scale = max(spare, 0) / max(head + tail, 1)
    while scale > 0.02:
        begin = _head_end(text, int(head * scale), count)
        end = max(begin, _tail_start(text, int(tail * scale), count))
        short = _joined(text, begin, end)
        if count(short) <= limit_tokens:
            return short
        scale *= 0.8
    mark = _mark(text, text)
    return mark if count(mark) <= limit_tokens else "…"


def _joined(text: str, begin: int, end: int) -> str:
    first, last = text[:begin].rstrip(), text[end:].lstrip()
    mark = _mark(text, text[begin:end])
    return "\n".join(part for part in (first, mark, last) if part)


def _mark(text: str, left_out: str) -> str:
    lines = left_out.strip("\n").count("\n") + 1
    if dominant_language(text) == "zh":
        more = f"、{lines}行" if lines > 1 else ""
        return f"[……省略{len(left_out)}字{more}……]"
    more = f", {lines} lines" if lines > 1 else ""
    return f"[… {len(left_out)} characters{more} left out …]"


def _head_end(text: str, tokens: int, count: Callable[[str], int]) -> int:
    window = text[: tokens * MAX_TOKEN_CHARS]
    size = longest(len(window), lambda n: count(window[:n]) <= tokens)
    if size == len(text):
        return size
    border = _border_before(text, size, int(size * (1 - NEAR)))
    return border if border > 0 else word_start(text, size)


def _tail_start(text: str, tokens: int, count: Callable[[str], int]) -> int:
    window = text[max(0, len(text) - tokens * MAX_TOKEN_CHARS) :] if tokens else ""
    size = longest(len(window), lambda n: count(window[len(window) - n :]) <= tokens)
    start = len(text) - size
    if start == 0:
        return 0
    border = _border_after(text, start, start + int(size * NEAR))
    return border if border < len(text) else _word_end(text, start)


def longest(size: int, fits: Callable[[int], bool]) -> int:
    """Give the largest ``n`` up to ``size`` that fits, by bisection."""
    low, high = 0, size
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _border_before(text: str, place: int, floor: int) -> int:
    """Give the last line or sentence border in ``floor`` … ``place``; 0 where none is."""
    line = text.rfind("\n", floor, place)
    if line > 0:
        return line + 1
    ends = [
        floor + end
        for _, end in sentences(text[floor : place + 1])
        if floor + end < place + 1 and text[floor + end - 1] in "。！？；….!?"
    ]
    return ends[-1] if ends else 0


def _border_after(text: str, place: int, ceiling: int) -> int:
    """Give the first border in ``place`` … ``ceiling``; the text's end where none is."""
    line = text.find("\n", max(place - 1, 0), ceiling)
    if line >= 0:
        return line + 1
    spans = sentences(text[place:ceiling])
    return place + spans[1][0] if len(spans) > 1 else len(text)


def is_word(char: str) -> bool:
    """Tell whether a character can be part of a word, a number, an id or an address."""
    return char.isascii() and (char.isalnum() or char in "-_.@#/:+")


def word_start(text: str, place: int) -> int:
    """Give where the word begins that a cut at ``place`` would part; else ``place``."""
    start = place
    while (
        start > 0 and is_word(text[start - 1]) and is_word(text[start : start + 1] or " ")
    ):
        start -= 1
        if place - start > WORD_CHARS:
            return place
    return start


def _word_end(text: str, place: int) -> int:
    end = place
    while end < len(text) and end > 0 and is_word(text[end]) and is_word(text[end - 1]):
        end += 1
        if end - place > WORD_CHARS:
            return place
    return end
