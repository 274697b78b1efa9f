"""Digits that were said, not written: ``four one five``, ``double two``, ``幺三八``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiered_memory.facts.numbers import HAN_DIGITS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["spoken_digits"]

_WORDS: Mapping[str, str] = {
    "zero": "0", "oh": "0", "o": "0", "one": "1", "two": "2", "three": "3", "four": "4",
    "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
}  # fmt: skip
_TIMES: Mapping[str, int] = {"double": 2, "triple": 3}
_SEPARATORS = str.maketrans(dict.fromkeys(",.-()、", " "))


def spoken_digits(value: str) -> str | None:
    """Give the ASCII digits that a folded value says one by one.

    None where it has anything else, and where no digit is said in words. ``幺`` is how
    1 is said in a telephone number.
    """
    out = ""
    times = 1
    said = False
    for word in value.lower().translate(_SEPARATORS).split():
        if word in _TIMES and times == 1:
            times = _TIMES[word]
            continue
        told = _WORDS.get(word) or "".join(map(_digit, word))
        if len(told) < len(word) and word not in _WORDS:
            return None
        said = said or not word.isascii() or word in _WORDS
        out += told[:1] * (times - 1) + told
        times = 1
    return out if said and times == 1 else None


def _digit(char: str) -> str:
    if "0" <= char <= "9":
        return char
    if char == "幺":
        return "1"
    known = HAN_DIGITS.get(char)
    return "" if known is None else str(known)
