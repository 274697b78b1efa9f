"""What stands beside a value: words that announce it, and the time it is told from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.facts.calendar_steps import Reference
from tiered_memory.facts.lanes import Span
from tiered_memory.facts.re2_engine import compile_re2, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tiered_memory.facts.lanes import TextView
    from tiered_memory.facts.patterns import Pattern

__all__ = ["Announcer", "context_word", "has_word", "is_latin", "reference", "word_place"]

CLAUSE_ENDS = ",.!?;，。！？；、\n"
BESIDE = 24
"""How many characters beside a value may tell whether its day is past."""


def has_word(lower: str, word: str, start: int, end: int) -> bool:
    """Tell whether ``word`` stands in a slice; a Latin one must not be part of another."""
    return word_place(lower, word, start, end) >= 0


def word_place(lower: str, word: str, start: int, end: int) -> int:
    """Give where ``word`` stands first in a slice, or -1; see ``has_word``."""
    place = lower.find(word, start, end)
    while place >= 0:
        after = place + len(word)
        before_ok = not is_latin(word[0]) or not (place > 0 and is_latin(lower[place - 1]))
        after_ok = not is_latin(word[-1]) or not (
            after < len(lower) and is_latin(lower[after])
        )
        if before_ok and after_ok:
            return place
        place = lower.find(word, place + 1, end)
    return -1


class Announcer:
    """Finds the context words of a pattern in a slice of a text in lower case."""

    __slots__ = ("_find", "_words")

    def __init__(self, words: Sequence[str]) -> None:
        self._words = {word.lower(): word for word in reversed(words)}
        self._find = compile_re2(_announcing(self._words)).find

    def word(self, text: str) -> str | None:
        """Give the first word in ``text``, as the pack writes it."""
        data = text.encode("utf-8", "replace")
        spans = self._find(data, 0)
        if spans is None:
            return None
        start, end = spans[0]
        said = data[start:end].decode("utf-8", "replace")
        # A border is a character on either side, where the word is Latin there.
        for bare in (said, said[1:], said[:-1], said[1:-1]):
            if bare in self._words:
                return self._words[bare]
        raise AssertionError  # the expression is made of these words


def _announcing(words: Iterable[str]) -> str:
    """Give an expression for words; Latin ones must be whole.

    Without groups, for which RE2 leaves its fast engine.
    """
    kinds: dict[tuple[bool, bool], list[str]] = {}
    for word in words:
        kinds.setdefault((is_latin(word[0]), is_latin(word[-1])), []).append(word)
    return "|".join(
        ("(?:^|[^0-9a-z])" if first else "")
        + f"(?:{'|'.join(map(quoted, kind))})"
        + ("(?:[^0-9a-z]|$)" if last else "")
        for (first, last), kind in kinds.items()
    )


def context_word(pattern: Pattern, span: Span, view: TextView) -> str | None:
    """Give a context word that stands in a window beside the value."""
    context = pattern.spec.context
    if context is None or pattern.announcer is None:
        return None
    text = ""
    if context.side != "right":
        start, end = max(0, span.start - context.window), span.start
        if context.clause:
            start, end = _in_clause(view.text, start, end, span)
        text = _with_edges(view.lower, start, end)
    if context.side != "left":
        start, end = span.end, span.end + context.window
        if context.clause:
            start, end = _in_clause(view.text, start, end, span)
        text += f"\n{_with_edges(view.lower, start, end)}"
    return pattern.announcer.word(text)


def _with_edges(lower: str, start: int, end: int) -> str:
    """Give a slice between signs of whether a Latin word goes on beyond it."""
    left = "0" if start and is_latin(lower[start - 1]) else ""
    right = "0" if end < len(lower) and is_latin(lower[end]) else ""
    return f"{left}{lower[start:end]}{right}"


def reference(view: TextView, start: int, end: int) -> Reference | None:
    """Give what a relative date at ``start`` is told from; None without a time."""
    if view.when is None:
        return None
    span = Span(start, end, start, end)
    before = _in_clause(view.text, max(0, start - BESIDE), start, span)
    after = _in_clause(view.text, end, end + BESIDE, span)
    return Reference(
        when=view.when,
        left=view.lower[slice(*before)],
        right=view.lower[slice(*after)],
    )


def _in_clause(text: str, start: int, end: int, span: Span) -> tuple[int, int]:
    """Cut a window at the punctuation next to the value."""
    if end <= span.start:
        place = end
        while place > start and text[place - 1] not in CLAUSE_ENDS:
            place -= 1
        return place, end
    place, end = start, min(end, len(text))
    while place < end and text[place] not in CLAUSE_ENDS:
        place += 1
    return start, place


def is_latin(char: str) -> bool:
    """Tell a Latin letter or digit."""
    return char.isascii() and char.isalnum()
