"""What the assistant has just asked for: the types that a bare answer may have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.facts.windows import has_word, word_place
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tiered_memory.facts.patterns import Pattern

__all__ = ["LAST_CHARS", "expected_types"]

LAST_CHARS = 1_200
"""A question stands at the end of a reply; what is before it is not looked at."""

_ENDS = "。！？!?\n;；"

_ASKING = (
    "provide", "give me", "tell me", "share", "enter", "confirm", "verify", "need", "may i",
    "can i", "could i", "can you", "could you", "would you", "what is", "what's", "whats",
    "which", "what", "how much", "when", "where", "who", "let me know", "send me", "type in",
    "reply with", "help me with", "i'll need", "please", "look up", "require",
    "请", "提供", "告诉", "告知", "麻烦", "需要", "输入", "确认", "核实", "核对", "发给我",
    "发一下", "发我", "给我", "报一下", "说一下", "是什么", "是多少", "哪个", "哪天", "几号",
    "什么时候", "多少", "什么", "贵姓", "怎么称呼", "方便",
)  # fmt: skip


def expected_types(question: str, patterns: Iterable[Pattern]) -> tuple[str, ...]:
    """Give the types that ``question`` asks for, in its own order.

    Only sentences that ask count: they end in a question mark or hold a word of asking.
    ``patterns`` are those with a slot. Types asked for by the same words keep the order
    of the patterns.
    """
    if not question:
        return ()
    asked = [s for s in _sentences(fold(question[-LAST_CHARS:]).text.lower()) if _asks(s)]
    found: dict[str, tuple[int, int]] = {}
    for pattern in patterns:
        slot = pattern.spec.slot
        if slot is None:
            continue
        name = pattern.spec.type
        for number, sentence in enumerate(asked):
            for cue in slot.cues:
                place = word_place(sentence, cue.lower(), 0, len(sentence))
                if place >= 0:
                    found[name] = min(found.get(name, (number, place)), (number, place))
    return tuple(sorted(found, key=lambda name: found[name]))


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    begin = 0
    for place, char in enumerate(text):
        stop = char in _ENDS or (char == "." and text[place + 1 : place + 2] in {" ", ""})
        if stop:
            found.append(text[begin : place + 1])
            begin = place + 1
    found.append(text[begin:])
    return [sentence for sentence in found if sentence.strip()]


def _asks(sentence: str) -> bool:
    if sentence.rstrip()[-1:] in "?？":
        return True
    if len(sentence) <= 40 and sentence.rstrip()[-1:] in ":：":
        return True
    return any(has_word(sentence, word, 0, len(sentence)) for word in _ASKING)
