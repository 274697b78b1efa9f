"""Turns that say nothing to remember: greetings, thanks and goodbyes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiered_memory.chat.messages import plain_text
from tiered_memory.chat.turns import turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiered_memory.chat.turns import Turn
    from tiered_memory.model import Message

__all__ = ["noise_turns"]

RULE = "courtesy"
REPLY_CHARS = 80
"""A longer answer to a courtesy may hold something."""
COURTESY_CHARS = 40

_PHRASES = frozenset(
    (
        *("hi", "hello", "hey", "hello there", "hi there", "good morning"),
        *("good afternoon", "good evening", "thanks", "thank you", "thanks a lot"),
        *("thank you very much", "many thanks", "bye", "goodbye", "bye bye", "cheers"),
        *("ok thanks", "ok thank you", "great thanks", "have a nice day"),
        *("你好", "您好", "在吗", "在么", "有人吗", "嗨", "哈喽", "早上好", "下午好"),
        *("晚上好", "谢谢", "谢谢你", "谢谢您", "多谢", "非常感谢", "感谢", "辛苦了"),
        *("再见", "拜拜", "好的谢谢", "好的谢谢你", "好的谢谢您", "你好在吗", "您好在吗"),
    )
)
"""Whole messages, without punctuation. A bare "ok" or "好的" is none: it may agree."""


def noise_turns(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Give the turns to leave out, as ``{"from", "to", "rule"}`` by seq, oldest first.

    One is left out where the customer's message is a courtesy and nothing else, no
    tool was called, and what was answered is short and holds no digit.
    """
    return [
        {"from": turn.first_seq, "to": turn.last_seq, "rule": RULE}
        for turn in turns(messages)
        if _is_noise(turn)
    ]


def _is_noise(turn: Turn) -> bool:
    first, *rest = turn.messages
    said = plain_text(first.payload).strip()
    if first.role != "user" or len(said) > COURTESY_CHARS or _bare(said) not in _PHRASES:
        return False
    for message in rest:
        text = plain_text(message.payload)
        if message.role != "assistant" or message.payload.get("tool_calls"):
            return False
        if len(text) > REPLY_CHARS or any(c.isdigit() or c == "@" for c in text):
            return False
    return True


def _bare(text: str) -> str:
    kept = "".join(char if char.isalnum() else " " for char in text.lower())
    words = kept.split()
    return ("" if words and not words[0].isascii() else " ").join(words)
