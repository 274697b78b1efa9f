"""What a recognizer's span must look like to be a name or a place, in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tiered_memory.facts.chinese_names import is_han, person
from tiered_memory.facts.common_words import FAMILY_WORDS, is_common
from tiered_memory.facts.normal_forms import NOT_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "cut_short",
    "denied",
    "greeted",
    "introduces",
    "is_address",
    "plausible",
    "script",
    "sentences",
    "trimmed",
]

_STREETS = frozenset(
    """
    apartment apt ave avenue blvd boulevard court drive highway hotel inc lane ltd park
    parks place plaza rd road square squares st street suite terrace turnpike way
    """.split()  # noqa: SIM905 (a table of words)
)
_PLACE_NOISE = frozenset(
    """
    这里 那里 哪里 本地 当地 外地 附近 国内 国外 楼下 门口 家里
    """.split()  # noqa: SIM905 (a table of words)
)
_ADDRESS_UNITS = "省市区县镇乡村路街道巷弄号栋幢楼室单元座层"

_SELF_CUES = (
    "我叫", "我的名字是", "我的名字叫", "我名字叫", "我姓名是", "本人姓名", "姓名是", "姓名:",
    "姓名：", "叫我", "我是", "my name is", "my name's", "my full name is", "call me", "name is",
    "i am", "i'm", "i’m", "im",
)  # fmt: skip
_GREETINGS = (
    "hi", "hello", "hey", "dear", "thanks", "thank you", "thx", "bye", "goodbye", "morning",
    "afternoon", "evening", "你好", "您好", "谢谢",
)  # fmt: skip
_DENIALS = ("不是", "不叫", "并非", "isn't", "is not", "not", "am not", "'m not")
_OUTER = " \t\r\n,，.。;；:：!！?？、'\"“”‘’()（）[]【】<>《》*`#-·"


def sentences(text: str, *, limit: int) -> Iterator[tuple[int, int]]:
    """Give half-open spans that end after 。！？ or a line, and never pass ``limit``.

    Latin ``.!?`` end one only before a space. One pass; where a sentence is longer than
    ``limit`` it is cut at a comma or space of its second half, else hard.
    """
    start, soft = 0, 0
    for place, char in enumerate(text):
        if char in ",，、;； ":
            soft = place + 1
        ends = char in "。！？\n" or (
            char in ".!?" and (place + 1 == len(text) or text[place + 1].isspace())
        )
        if ends:
            yield start, place + 1
            start = place + 1
        elif place + 1 - start >= limit:
            cut = soft if soft - start > limit // 2 else place + 1
            yield start, cut
            start = cut
    if start < len(text):
        yield start, len(text)


def script(text: str) -> Literal["zh", "en"] | None:
    """Give ``zh`` where a fifth of the letters are Han, ``en`` for other letters.

    None where there is nothing to read: digits, punctuation, emoji.
    """
    han = sum(map(is_han, text))
    latin = sum(c.isalpha() and c < "\u0250" for c in text)
    if han >= 2 and han * 5 >= han + latin:
        return "zh"
    return "en" if latin >= 2 else None


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Give the span without outer punctuation and without an English ``'s``."""
    while start < end and text[start] in _OUTER:
        start += 1
    while start < end and text[end - 1] in _OUTER:
        end -= 1
    if text[start:end].lower().endswith(("'s", "’s")):
        end -= 2
    return start, end


def plausible(kind: str, value: str, language: str, *, introduced: bool) -> bool:
    """Tell whether ``value`` can be what its recognizer says it is.

    Refused are numbers, single characters, greetings, surnames with a title (陈经理), and
    what a recognizer of Chinese says about Latin words. English lower-case words are a
    name only where they are ``introduced`` as one.
    """
    if any(c.isdigit() for c in value) and not (kind == "place" and is_address(value)):
        return False
    if any(c in "@_/\\\n[]" for c in value):
        return False
    if language == "zh":
        return person(value) if kind == "person_name" else _chinese_place(value)
    person_name = kind == "person_name"
    return _latin_name(
        value, introduced=introduced or not person_name, person_name=person_name
    )


def _chinese_place(value: str) -> bool:
    return sum(map(is_han, value)) >= 2 and value not in _PLACE_NOISE


def _latin_name(value: str, *, introduced: bool, person_name: bool) -> bool:
    words = [w.strip(".,'’-") for w in value.split()]
    if not 1 <= len(words) <= 4 or len(value) < 2:
        return False
    if not all(w[:1].isalpha() and w[0] < "\u1f00" for w in words):
        return False
    if any(w.lower() in NOT_NAMES for w in words) or words[-1].lower() in _STREETS:
        return False
    if person_name and not _says_nothing(words):
        return False
    if value.islower() and (len(words) == 1 or not introduced):
        return False
    return not (len(words) == 1 and value.isupper() and len(value) <= 3)


def _says_nothing(words: list[str]) -> bool:
    """Tell whether no word is one of ordinary talk; a family name may look like one."""
    return not any(
        is_common(word.lower()) and not (place and word.lower() in FAMILY_WORDS)
        for place, word in enumerate(words)
    )


def cut_short(before: str, value: str) -> bool:
    """Tell whether a name with ``·`` lacks its head (``买`` | ``买提·艾力``)."""
    return (
        "·" in value
        and is_han(before[-1:] or " ")
        and before[-1] not in "是叫找给和跟与向的"
    )


def is_address(value: str) -> bool:
    """Tell an address from a place: a number and two units of 省市区…号室."""
    units = sum(c in _ADDRESS_UNITS for c in value)
    return units >= 2 and any(c.isdigit() or c in "一二三四五六七八九十" for c in value)


def introduces(before: str) -> bool:
    """Tell whether what stands right before a name says it is the customer's own."""
    left = before.lower().rstrip(" :：,，\"'“‘")
    for cue in _SELF_CUES:
        cue = cue.rstrip(" :：")
        if left.endswith(cue):
            rest = left[: -len(cue)]
            if cue == "name is":
                return not rest or rest[-1] in ",.!?;\n，。"
            return not rest or not cue.isascii() or not rest[-1].isalnum()
    return False


def greeted(before: str, value: str) -> bool:
    """Tell whether a name is only the one spoken to (``Hi Riley``, ``thanks Riley``)."""
    left = before.lower().rstrip(" ,!，！")
    return " " not in value and any(
        left.endswith(word) and not left.removesuffix(word)[-1:].isalnum()
        for word in _GREETINGS
    )


def denied(before: str) -> bool:
    """Tell whether what stands right before a name takes it back (``我不是``)."""
    return before.lower().rstrip(" \"'“‘").endswith(_DENIALS)
