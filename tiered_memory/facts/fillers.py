"""What stands around the value in a reply: greetings, fillers, punctuation."""

from __future__ import annotations

from tiered_memory.facts.windows import is_latin

__all__ = ["core"]

_OPENINGS = (
    "it's", "its", "it is", "this is", "that's", "that is", "my name is", "my name's",
    "the name is", "name is", "i'm", "i am", "yes", "yeah", "yep", "sure", "ok", "okay",
    "hi", "hello", "hey", "of course", "certainly", "here it is", "here you go",
    "thanks", "thank you", "well", "no problem", "absolutely", "please", "my", "name",
    "是", "叫", "我叫", "我是", "名字是", "名字叫", "好的", "好", "嗯", "可以", "您好",
    "你好", "姓名", "我的", "我", "叫做",
)  # fmt: skip
_CLOSINGS = (
    "thanks", "thank you", "please", "sir", "ma'am", "madam", "ok", "is my name",
    "谢谢", "谢谢你", "谢谢您", "吧", "的", "哦", "哈", "呢",
)  # fmt: skip
_PUNCTUATION = " \t\r\n.,!?:;。、，！？：；~-\"'“”()"


def core(lower: str) -> tuple[int, int]:
    """Give the part of an answer that is neither greeting, filler nor punctuation."""
    start, end = 0, len(lower)
    moved = True
    while moved:
        moved = False
        while start < end and lower[start] in _PUNCTUATION:
            if lower[start] == "(" and ")" in lower[start : end - 1]:
                break
            start += 1
        while end > start and lower[end - 1] in _PUNCTUATION:
            end -= 1
        for word in _OPENINGS:
            after = start + len(word)
            if lower.startswith(word, start, end) and _parted(lower, after, end, word[-1]):
                start, moved = after, True
                break
        for word in _CLOSINGS:
            before = end - len(word)
            if (
                before > start
                and lower.endswith(word, start, end)
                and not (word[0].isascii() and is_latin(lower[before - 1]))
            ):
                end, moved = before, True
                break
    return start, end


def _parted(lower: str, after: int, end: int, last: str) -> bool:
    """Tell whether a filler ends where a word ends, with something left after it."""
    if after >= end:
        return False
    return not (last.isascii() and is_latin(lower[after]))
