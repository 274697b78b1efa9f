"""Tool results made short while a prompt is built, quickly whatever their size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tiered_memory.chat.messages import replace_leaves, text_leaves
from tiered_memory.prompt.memo import Memo
from tiered_memory.prompt.shown import Shown
from tiered_memory.text.shortening import shorten_json

if TYPE_CHECKING:
    from tiered_memory.chat.tokens import MessageCounter
    from tiered_memory.model import Payload

__all__ = ["SMALLEST_RESULT", "ResultShortener"]

SMALLEST_RESULT: Final = 32
"""Tokens below which a shortened result says nothing: the mark alone takes most."""
SAMPLE_CHARS: Final = 4_096
"""Of a longer text this much of its beginning and end is counted, the rest by length:
a megabyte takes a quarter of a second to count."""
TRIES: Final = 4
"""Attempts at a length whose true count keeps to the cap; one is the rule."""
MARGIN: Final = 1.05
"""What the next attempt leaves beside what the last one was over."""
DENSITY: Final = 0.2
"""Least tokens for each character that are reckoned with: prose has 0.24, a long run of
one letter 0.12, and such a run is slow to count."""
REMEMBERED: Final = 256


class ResultShortener:
    """Shortens results to a cap of tokens, each once."""

    def __init__(self, counter: MessageCounter) -> None:
        self._counter = counter
        self._memo: Memo[tuple[Payload, Shown]] = Memo(REMEMBERED)

    def shorten(self, payload: Payload, cap: int) -> Shown:
        """Give ``payload`` in about ``cap`` tokens, overhead included, and its cost.

        A cap below ``SMALLEST_RESULT`` is taken as that. The entry holds the payload, so
        that its id stays its own.
        """
        cap = max(cap, SMALLEST_RESULT)
        return self._memo.get(
            (id(payload), cap), 1, lambda: (payload, self._shortened(payload, cap))
        )[1]

    def _shortened(self, payload: Payload, cap: int) -> Shown:
        leaves = [leaf for leaf in text_leaves(payload) if leaf.part.startswith("content")]
        texts = {leaf.part: leaf.text for leaf in leaves}
        bare = replace_leaves(payload, dict.fromkeys(texts, ""))
        room = cap - self._counter.message(bare)
        each = max(room // max(len(leaves), 1), SMALLEST_RESULT // 2)
        density = {part: self._density(text) for part, text in texts.items()}
        over, tries = 1.0, 0
        while True:
            short = {
                part: self._cut(text, each, density[part] * over)
                for part, text in texts.items()
            }
            shown = replace_leaves(payload, short)
            cost = self._counter.message(shown)
            tries += 1
            if cost <= cap or tries == TRIES:
                return Shown(shown, cost)
            over *= MARGIN * cost / cap

    def _density(self, text: str) -> float:
        """Give tokens for each character of a long text, from its beginning and end."""
        if len(text) <= 2 * SAMPLE_CHARS:
            return 0.0
        ends = (text[:SAMPLE_CHARS], text[-SAMPLE_CHARS:])
        return max(DENSITY, *(self._counter.text(end) / SAMPLE_CHARS for end in ends))

    def _cut(self, text: str, limit: int, density: float) -> str:
        def by_length(piece: str) -> int:
            return int(len(piece) * density) + 1

        short = shorten_json(
            text,
            limit_tokens=limit,
            head=limit,
            tail=limit // 2,
            count=by_length if density else self._counter.text,
        )
        return text if short is None else short
