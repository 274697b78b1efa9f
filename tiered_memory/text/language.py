"""Which language a text is in, and where its sentences are; Chinese and English."""

from __future__ import annotations

from typing import Literal

__all__ = ["Language", "dominant_language", "has_han", "is_han", "sentences"]

Language = Literal["zh", "en"]

SAMPLE_CHARS = 8_192
"""So much of a text tells its language."""

HAN_SHARE = 0.4
"""Share of Han characters among Han characters and Latin words that makes a text Chinese.

A word of Latin letters weighs as one Han character, so that a Chinese sentence that
names an English product stays Chinese and an English one with a Chinese name English.
"""

_HAN = (
    (0x3007, 0x3007),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x323AF),
)
_STOPS_ZH = "。！？；…"
_STOPS_EN = ".!?"
_CLOSERS = "\"'”’」』）)]】》"
_ABBREVIATIONS = frozenset(
    (
        *("mr", "mrs", "ms", "dr", "prof", "st", "no", "nos", "vs", "etc", "e.g", "i.e"),
        *("inc", "ltd", "co", "corp", "dept", "est", "approx", "ext", "tel", "a.m", "p.m"),
        *("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov"),
        "dec",
    )
)


def is_han(char: str) -> bool:
    """Tell whether one character is a Chinese ideograph."""
    code = ord(char)
    if code < 0x3007:
        return False
    return any(first <= code <= last for first, last in _HAN)


def has_han(text: str) -> bool:
    """Tell whether any character is a Chinese ideograph; stops at the first."""
    return not text.isascii() and any(map(is_han, text))


def dominant_language(text: str) -> Language:
    """Give ``"zh"`` where Han characters carry the text, else ``"en"``.

    Looks at the first 8,192 characters; text of neither kind is ``"en"``.
    """
    if text.isascii():
        return "en"
    sample = text[:SAMPLE_CHARS]
    han = words = 0
    in_word = False
    for char in sample:
        latin = "a" <= char <= "z" or "A" <= char <= "Z"
        if latin and not in_word:
            words += 1
        elif not latin and is_han(char):
            han += 1
        in_word = latin or (in_word and (char.isdigit() or char in "-_'’"))
    return "zh" if han and han >= HAN_SHARE * (han + words) else "en"


def sentences(text: str) -> list[tuple[int, int]]:
    """Give the half-open spans of the sentences, left to right, without outer spaces.

    A sentence ends at a line break, at ``。！？；…``, or at ``. ! ?`` before a space or
    the end, unless that closes an abbreviation or a number with a dot. Closing quotes
    and brackets go with it. Every visible character is in one span; linear.
    """
    spans: list[tuple[int, int]] = []
    start = place = 0
    while place < len(text):
        char = text[place]
        if char not in "\r\n" and char not in _STOPS_ZH and char not in _STOPS_EN:
            place += 1
            continue
        end, ends = _end_at(text, start, place)
        if ends:
            _add(spans, text, start, end)
            start = end
        place = end
    _add(spans, text, start, len(text))
    return spans


def _end_at(text: str, start: int, place: int) -> tuple[int, bool]:
    """Give where the run of stops at ``place`` ends, and whether a sentence does."""
    if text[place] in "\r\n":
        return (place + 1, True)
    end = place
    chinese = False
    while end < len(text) and (text[end] in _STOPS_ZH or text[end] in _STOPS_EN):
        chinese = chinese or text[end] in _STOPS_ZH
        end += 1
    dot = end == place + 1 and text[place] == "."
    while end < len(text) and text[end] in _CLOSERS:
        end += 1
    if chinese:
        return (end, True)
    if end < len(text) and not text[end].isspace() and not is_han(text[end]):
        return (end, False)
    return (end, not (dot and _abbreviates(text, start, place)))


def _abbreviates(text: str, start: int, place: int) -> bool:
    """Tell whether the dot at ``place`` belongs to the word before it."""
    begin = place
    while begin > start and place - begin < 8 and not text[begin - 1].isspace():
        begin -= 1
    word = text[begin:place].lstrip("([\"'").lower()
    initial = len(word) == 1 and word.isalpha() and text[begin:place].isupper()
    return word in _ABBREVIATIONS or (initial and word != "i")


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))
